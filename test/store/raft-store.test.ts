// RaftStore as its driver uses it: what was saved is there again, in memory and on LevelDB.

import { expect } from 'chai'

import { AssertionError } from '../../src/base/assert.ts'
import { ENTRY_BYTES_MAX, type RaftStore } from '../../controller/store/raft-store.ts'
import {
  BENCHES, change, contentOf, entries, entry, everything, hard, memoryBench, refusal, reopened, snapshot, type Bench
} from './bench.ts'

for (const [place, make] of BENCHES) {
  describe(`RaftStore, ${place}`, () => {
    let bench: Bench
    let store: RaftStore
    beforeEach(async () => {
      bench = make()
      store = await bench.open()
    })
    afterEach(async () => {
      await store.close()
      bench.dispose()
    })
    const reopen = async (): Promise<void> => {
      await store.close()
      store = await bench.open()
    }

    it('is empty at first, and again after a reopening', async () => {
      const empty = { hardState: hard(0, 0, 0), snapshot: 'none', entries: [] }
      expect(contentOf(store)).to.deep.equal(empty)
      const { directoryId } = store
      expect(directoryId).to.match(/^[0-9a-f]{32}$/)
      await reopen()
      expect(contentOf(store)).to.deep.equal(empty)
      expect(store.directoryId).to.equal(directoryId)
    })

    it('gives back hard state and entries', async () => {
      await store.save(change({ hardState: hard(3, 2, 0), entries: [...entries(1, 200, 1), entry(201, 3, '')] }))
      expect(store.saved).to.deep.equal(hard(3, 2, 0))
      await store.save(change({ hardState: hard(3, 2, 200) }))
      const { logBytes } = store
      await reopen()
      expect(contentOf(store).hardState).to.deep.equal(hard(3, 2, 200))
      expect(store.saved).to.deep.equal(hard(3, 2, 200))
      expect(store.loaded.entries).to.deep.equal([...entries(1, 200, 1), entry(201, 3, '')])
      expect(store.logBytes).to.equal(logBytes)
      expect(logBytes).to.equal(entries(1, 200, 1).reduce((sum, { data }) => sum + data.length, 0))
    })

    it('overwrites a conflicting tail, also by fewer entries of a lower term', async () => {
      await store.save(change({ hardState: hard(3, 3, 2), entries: [...entries(1, 2, 1), ...entries(3, 9, 3)] }))
      await store.save(change({ hardState: hard(4, 0, 2), entries: [entry(3, 2)] }))
      await reopen()
      expect(store.loaded.entries).to.deep.equal([...entries(1, 2, 1), entry(3, 2)])
      expect(store.logBytes).to.equal(store.loaded.entries.reduce((sum, { data }) => sum + data.length, 0))
      await store.save(change({ entries: entries(4, 5, 4) }))
      await reopen()
      expect(store.loaded.entries).to.deep.equal([...entries(1, 2, 1), entry(3, 2), ...entries(4, 5, 4)])
    })

    it('compacts to a snapshot and keeps the entries asked for', async () => {
      await store.save(change({ hardState: hard(1, 1, 8), entries: entries(1, 10, 1) }))
      await store.compactTo(snapshot(7, 1), 5)
      const { logBytes } = store
      await reopen()
      expect(store.loaded.snapshot).to.deep.equal(snapshot(7, 1))
      expect(store.loaded.entries).to.deep.equal(entries(5, 10, 1))
      expect(logBytes).to.equal(entries(5, 10, 1).reduce((sum, { data }) => sum + data.length, 0))
      await store.close()
      await bench.tamper(async (kv) => { expect(await everything(kv)).to.have.length(1 + 6) })
      store = await bench.open()
    })

    it('never has a commit index before its snapshot, though the driver saves none', async () => {
      await store.save(change({ hardState: hard(1, 1, 0), entries: entries(1, 4, 1) }))
      await store.compactTo(snapshot(4, 1), 5)
      await reopen()
      expect(contentOf(store)).to.deep.equal({ hardState: hard(1, 1, 4), snapshot: '4-1 image at 4', entries: [] })
      await store.save(change({ entries: [entry(5, 1)] }))
      await reopen()
      expect(store.loaded.entries).to.deep.equal([entry(5, 1)])
    })

    it('installs a snapshot in place of a log that does not have its last entry', async () => {
      await store.save(change({ hardState: hard(2, 1, 1), entries: [...entries(1, 3, 1), ...entries(4, 8, 2)] }))
      await store.save(change({ hardState: hard(5, 0, 6), snapshot: snapshot(6, 4) }))
      await reopen()
      expect(contentOf(store)).to.deep.equal({ hardState: hard(5, 0, 6), snapshot: '6-4 image at 6', entries: [] })
      await store.save(change({ hardState: hard(5, 0, 20), snapshot: snapshot(20, 5), entries: entries(21, 22, 5) }))
      await reopen()
      expect(store.loaded.snapshot).to.deep.equal(snapshot(20, 5))
      expect(store.loaded.entries).to.deep.equal(entries(21, 22, 5))
    })

    it('installs a snapshot below a tail that matches it', async () => {
      await store.save(change({ hardState: hard(2, 1, 1), entries: [...entries(1, 3, 1), ...entries(4, 8, 2)] }))
      await store.save(change({ hardState: hard(2, 1, 5), snapshot: snapshot(5, 2) }))
      await reopen()
      expect(store.loaded.entries).to.deep.equal(entries(6, 8, 2))
    })

    it('keeps two snapshots', async () => {
      await store.save(change({ hardState: hard(1, 1, 0), entries: entries(1, 9, 1) }))
      for (const index of [2, 4, 6, 8]) await store.compactTo(snapshot(index, 1), index)
      await store.save(change({ hardState: hard(2, 0, 12), snapshot: snapshot(12, 2) }))
      const name = (index: number, term: number): string => `snapshots/${index}-${term}.snapshot`
      expect(bench.readFile(name(12, 2))).to.have.length.above(12)
      expect(bench.readFile(name(8, 1))).to.have.length.above(12)
      for (const index of [2, 4, 6]) expect(() => bench.readFile(name(index, 1)), `${index}`).to.throw('ENOENT')
    })

    it('runs calls in order, without waiting in between', async () => {
      const first = store.save(change({ hardState: hard(1, 1, 0), entries: entries(1, 5, 1) }))
      const second = store.compactTo(snapshot(3, 1), 4).catch((error: unknown) => error)
      const third = store.save(change({ entries: entries(6, 7, 1) }))
      await Promise.all([first, second, third])
      expect(await second).to.equal(undefined)
      await reopen()
      expect(contentOf(store).snapshot).to.equal('3-1 image at 3')
      expect(store.loaded.entries).to.deep.equal(entries(4, 7, 1))
    })

    it('does nothing for a snapshot older than the one it has', async () => {
      await store.save(change({ hardState: hard(1, 1, 0), entries: entries(1, 9, 1) }))
      await store.compactTo(snapshot(8, 1), 9)
      await store.compactTo(snapshot(6, 1), 7)
      await reopen()
      expect(contentOf(store)).to.deep.equal(
        { hardState: hard(1, 1, 8), snapshot: '8-1 image at 8', entries: ['9-1 entry 9 of 1'] })
    })

    it('refuses calls after close', async () => {
      await store.close()
      expect((await refusal(store.save(change({ hardState: hard(1, 1, 0) })))).message).to.match(/is closed/)
    })
  })
}

describe('RaftStore and its batches', () => {
  it('splits a save of many bytes so that no batch has more than the limit', async () => {
    const bench = memoryBench()
    const sizes: number[] = []
    const store = await bench.open({
      openKeyValueStore: async (path) => {
        const kv = await bench.stores.open(path)
        return {
          get: (key) => kv.get(key), range: (from, to, limit) => kv.range(from, to, limit), close: () => kv.close(),
          write: (batch, durability) => {
            expect(durability).to.equal('sync')
            sizes.push(batch.reduce((sum, op) => sum + (op.kind === 'put' ? op.value.length : 0), 0))
            return kv.write(batch, durability)
          }
        }
      }
    })
    const data = new Uint8Array(ENTRY_BYTES_MAX / 2 - 1)
    await store.save(change({ hardState: hard(1, 1, 0), entries: entries(1, 9, 1) }))
    const many = [2, 3, 4, 5, 6].map((index) => ({ index, term: 2, data }))
    await store.save(change({ hardState: hard(2, 0, 4), entries: many }))
    expect(sizes).to.have.length(1 + 3)
    for (const size of sizes) expect(size).to.be.below(ENTRY_BYTES_MAX + 1024)
    expect(store.logBytes).to.equal(entry(1, 1).data.length + 5 * data.length)
    await store.close()
    const again = await bench.open()
    expect(again.loaded.hardState).to.deep.equal(hard(2, 0, 4))
    expect(again.loaded.entries.map(({ index, term }) => `${index}-${term}`)).to.deep.equal(
      ['1-1', '2-2', '3-2', '4-2', '5-2', '6-2'])
    await again.close()
  })

  it('deletes many compacted entries in small batches', async () => {
    const bench = memoryBench()
    const store = await bench.open()
    await store.save(change({ hardState: hard(1, 1, 0), entries: entries(1, 2_500, 1) }))
    await store.compactTo(snapshot(2_450, 1), 2_401)
    await store.close()
    await bench.tamper(async (kv) => { expect(await everything(kv)).to.have.length(1 + 100) })
    expect((await reopened(bench)).entries).to.have.length(100)
  })
})

describe('RaftStore and a driver that breaks its promises', () => {
  const cases: readonly (readonly [string, Parameters<RaftStore['save']>[0]])[] = [
    ['a term that falls', change({ hardState: hard(4, 0, 2) })],
    ['a second vote in one term', change({ hardState: hard(5, 3, 2) })],
    ['a hole', change({ entries: [entry(5, 5)] })],
    ['entries with a hole', change({ entries: [entry(4, 5), entry(6, 5)] })],
    ['a committed entry overwritten', change({ entries: [entry(2, 5)] })],
    ['a term before that of the entry before', change({ entries: [entry(4, 1)] })],
    ['an entry of a term to come', change({ entries: [entry(4, 6)] })],
    ['a commit index behind the log', change({ hardState: hard(5, 2, 4) })],
    ['an entry too large', change({ entries: [{ index: 4, term: 5, data: new Uint8Array(ENTRY_BYTES_MAX + 1) }] })]
  ]
  for (const [what, broken] of cases) {
    it(`refuses ${what}`, async () => {
      const bench = memoryBench()
      const store = await bench.open()
      await store.save(change({ hardState: hard(5, 2, 2), entries: entries(1, 3, 2) }))
      let error: unknown
      await store.save(broken).catch((rejected: unknown) => { error = rejected })
      expect(error).to.be.instanceOf(AssertionError)
      await store.close()
      expect((await reopened(bench)).entries, 'nothing of it on disk').to.have.length(3)
    })
  }
})

// Damage that LevelDB does not report, and files that are not what they should be: each is found at the opening.

import { expect } from 'chai'

import type { KeyValueStore, KvOp } from '../../src/ports.ts'
import {
  BENCHES, change, contentOf, entries, everything, hard, memoryBench, refusal, reopened, snapshot, type Bench
} from './bench.ts'

/** Entries 4 to 9 behind snapshot 5, and snapshot 3 before that. */
async function filled(bench: Bench): Promise<void> {
  const store = await bench.open()
  await store.save(change({ hardState: hard(2, 1, 7), entries: [...entries(1, 3, 1), ...entries(4, 9, 2)] }))
  await store.compactTo(snapshot(3, 1), 2)
  await store.compactTo(snapshot(5, 2), 4)
  await store.close()
}

async function expectRefused(bench: Bench, why: RegExp): Promise<void> {
  const error = await refusal(bench.open())
  expect(error.name).to.equal('KAFKA_STORAGE_ERROR')
  expect(error.message).to.match(why)
  expect(error.message).to.contain(bench.dir)
  expect(error.hint).to.match(/neither starts nor votes/).and.to.match(/votes again when it has caught up/)
  // Refusing twice: nothing stayed open or locked, and nothing was repaired in passing.
  expect((await refusal(bench.open())).message).to.equal(error.message)
}

const put = (kv: KeyValueStore, ops: readonly KvOp[]): Promise<void> => kv.write(ops, 'sync')

for (const [place, make] of BENCHES) {
  describe(`damage, ${place}`, () => {
    let bench: Bench
    beforeEach(async () => {
      bench = make()
      await filled(bench)
    })
    afterEach(() => { bench.dispose() })

    it('finds each missing key', async () => {
      const keys = 1 + 6
      for (let at = 0; at < keys; at++) {
        const restore = await bench.copyOfLevel()
        await bench.tamper(async (kv) => {
          const all = await everything(kv)
          expect(all).to.have.length(keys)
          await put(kv, [{ kind: 'delete', key: all[at]!.key }])
        })
        await expectRefused(bench, at === 0 ? /lost writes/ : new RegExp(`entry ${3 + at} is missing`))
        await restore()
      }
      expect((await reopened(bench)).entries).to.have.length(6)
    })

    it('finds a flipped byte in each value', async () => {
      const original = await contentsOf(bench)
      for (const { key, value } of original) {
        const flipped = Uint8Array.from(value)
        flipped[Math.floor(flipped.length / 2)]! ^= 0x10
        await bench.tamper((kv) => put(kv, [{ kind: 'put', key, value: flipped }]))
        await expectRefused(bench, /has CRC-32C/)
        await bench.tamper((kv) => put(kv, [{ kind: 'put', key, value }]))
      }
      expect((await reopened(bench)).entries).to.have.length(6)
    })

    it('finds two values with their keys swapped', async () => {
      await bench.tamper(async (kv) => {
        const [, , one, other] = await everything(kv)
        await put(kv, [
          { kind: 'put', key: one!.key, value: other!.value }, { kind: 'put', key: other!.key, value: one!.value }])
      })
      await expectRefused(bench, /the key of entry 5 holds entry 6/)
    })

    it('finds a store rolled back behind its witness', async () => {
      const restore = await bench.copyOfLevel()
      const store = await bench.open()
      await store.save(change({ entries: entries(10, 12, 2) }))
      await store.close()
      await restore()
      await expectRefused(bench, /lost writes .* last entry 9 of term 2.* saw .* last entry 12 of term 2/)
    })

    it('finds a vote rolled back behind its witness', async () => {
      const restore = await bench.copyOfLevel()
      const store = await bench.open()
      await store.save(change({ hardState: hard(3, 2, 7) }))
      await store.close()
      await restore()
      await expectRefused(bench, /term 2, vote 1.*term 3, vote 2/)
    })

    it('finds a whole value of an earlier history, in the middle and at the end', async () => {
      const first = await contentsOf(bench)
      const store = await bench.open()
      await store.save(change({ hardState: hard(3, 0, 7), entries: entries(8, 9, 3) }))
      await store.save(change({ hardState: hard(4, 0, 7), entries: entries(10, 10, 4) }))
      await store.save(change({ hardState: hard(5, 0, 7), entries: entries(10, 10, 5) }))
      await store.close()
      const last = await contentsOf(bench)
      for (const [at, why] of [[5, /entry 9 follows one of term 3, but .* of term 2/],
        [6, /entry 9 follows one of term 2, but .* of term 3/]] as const) {
        await bench.tamper((kv) => put(kv, [{ kind: 'put', ...first[at]! }]))
        await expectRefused(bench, why)
        await bench.tamper((kv) => put(kv, [{ kind: 'put', ...last[at]! }]))
      }
      expect((await reopened(bench)).entries).to.have.length(7)
    })

    it('finds a last entry of an earlier history', async () => {
      const first = await contentsOf(bench)
      const store = await bench.open()
      await store.save(change({ hardState: hard(3, 0, 7), entries: entries(9, 9, 3) }))
      await store.close()
      await bench.tamper((kv) => put(kv, [{ kind: 'put', ...first.at(-1)! }]))
      await expectRefused(bench, /the last entry, 9, is of term 2, not 3/)
    })

    it('finds an empty LevelDB', async () => {
      await bench.tamper(async (kv) => {
        await put(kv, (await everything(kv)).map(({ key }) => ({ kind: 'delete', key })))
      })
      await expectRefused(bench, /lost writes .* write 0 /)
    })

    it('finds a LevelDB and a witness of different histories', async () => {
      const other = make()
      const store = await other.open()
      await store.save(change({ hardState: hard(2, 1, 7), entries: entries(1, 9, 1) }))
      await store.save(change({ hardState: hard(2, 1, 8) }))
      await store.save(change({ hardState: hard(2, 1, 9) }))
      await store.close()
      bench.writeFile('witness', other.readFile('witness'))
      other.dispose()
      await expectRefused(bench, /not of one history/)
    })

    it('finds an entry that should be gone', async () => {
      await bench.tamper(async (kv) => {
        const last = (await everything(kv)).at(-1)!
        const key = Uint8Array.from(last.key)
        key[8]!++
        await put(kv, [{ kind: 'put', key, value: last.value }])
      })
      await expectRefused(bench, /entry 10 lies behind the last one, 9/)
    })

    it('sweeps entries before the first one, which a crash within a compaction leaves', async () => {
      await bench.tamper(async (kv) => {
        const first = (await everything(kv))[1]!
        const key = Uint8Array.from(first.key)
        key[8]!--
        await put(kv, [{ kind: 'put', key, value: first.value }])
      })
      expect((await reopened(bench)).entries).to.have.length(6)
      expect(await contentsOf(bench)).to.have.length(1 + 6)
    })

    it('makes up for a damaged snapshot by the one before and the log, when that reaches back', async () => {
      const damage = bench.readFile('snapshots/5-2.snapshot')
      damage[damage.length - 1]! ^= 1
      bench.writeFile('snapshots/5-2.snapshot', damage)
      const { snapshot: used, entries: log } = await reopened(bench)
      expect(used).to.equal('3-1 image at 3')
      expect(log[0]).to.equal('4-2 entry 4 of 2')
    })

    it('refuses a missing or damaged snapshot that nothing makes up for', async () => {
      await bench.removeFile('snapshots/3-1.snapshot')
      const good = bench.readFile('snapshots/5-2.snapshot')
      for (let at = 0; at < good.length; at++) {
        const flipped = good.slice()
        flipped[at]! ^= 0x40
        bench.writeFile('snapshots/5-2.snapshot', flipped)
        await expectRefused(bench, /snapshot .*5-2\.snapshot has a? ?damaged/)
        if (place !== 'in memory') break
      }
      bench.writeFile('snapshots/5-2.snapshot', good.subarray(0, good.length - 1))
      await expectRefused(bench, /snapshot .*5-2\.snapshot holds 9 of 10 data bytes/)
      bench.writeFile('snapshots/5-2.snapshot', good.subarray(0, 20))
      await expectRefused(bench, /snapshot .*5-2\.snapshot has 20 bytes, less than its header/)
      await bench.removeFile('snapshots/5-2.snapshot')
      await expectRefused(bench, /snapshot .*5-2\.snapshot is missing/)
    })

    it('refuses a whole snapshot under a wrong name', async () => {
      await bench.removeFile('snapshots/3-1.snapshot')
      const store = await bench.open()
      await store.compactTo(snapshot(7, 2), 8)
      await store.close()
      bench.writeFile('snapshots/7-2.snapshot', bench.readFile('snapshots/5-2.snapshot'))
      await expectRefused(bench, /7-2\.snapshot holds snapshot 5-2/)
    })

    it('removes snapshots that a crash left behind', async () => {
      bench.writeFile('snapshots/8-2.snapshot', bench.readFile('snapshots/5-2.snapshot'))
      bench.writeFile('snapshots/9-2.snapshot.tmp', new Uint8Array(3))
      expect((await reopened(bench)).snapshot).to.equal('5-2 image at 5')
      expect(() => bench.readFile('snapshots/8-2.snapshot')).to.throw('ENOENT')
      expect(() => bench.readFile('snapshots/9-2.snapshot.tmp')).to.throw('ENOENT')
    })

    it('goes on behind a witness that lags, and brings it up to date', async () => {
      const old = bench.readFile('witness')
      const restoreOld = await bench.copyOfLevel()
      const store = await bench.open()
      await store.save(change({ entries: entries(10, 12, 2) }))
      await store.close()
      bench.writeFile('witness', old)
      expect((await reopened(bench)).entries).to.have.length(9)
      await restoreOld()
      await expectRefused(bench, /lost writes/)
    })

    it('refuses when the witness is missing, or garbage in both slots', async () => {
      const good = bench.readFile('witness')
      bench.writeFile('witness', new Uint8Array(good.length).fill(0xa5))
      await expectRefused(bench, /both slots of .*witness are garbage/)
      bench.writeFile('witness', new Uint8Array(0))
      await expectRefused(bench, /both slots of .*witness are garbage/)
      await bench.removeFile('witness')
      await expectRefused(bench, /witness file is missing/)
      bench.writeFile('witness', good)
      expect((await reopened(bench)).entries).to.have.length(6)
    })

    it('refuses a used directory without meta.properties', async () => {
      await bench.removeFile('meta.properties')
      await expectRefused(bench, /meta\.properties, which says by whom, is missing/)
    })
  })
}

describe('damage, every byte', () => {
  it('finds any flipped bit pattern in any byte of any value', async () => {
    const bench = memoryBench()
    await filled(bench)
    for (const { key, value } of await contentsOf(bench)) {
      for (let at = 0; at < value.length; at++) {
        const flipped = Uint8Array.from(value)
        flipped[at]! ^= 1 << at % 8
        await bench.tamper((kv) => put(kv, [{ kind: 'put', key, value: flipped }]))
        expect((await refusal(bench.open())).message, `byte ${at}`).to.match(/has CRC-32C/)
      }
      await bench.tamper((kv) => put(kv, [{ kind: 'put', key, value: value.subarray(0, 4) }]))
      expect((await refusal(bench.open())).message).to.match(/has 4 bytes, less than/)
      await bench.tamper((kv) => put(kv, [{ kind: 'put', key, value }]))
    }
    const store = await bench.open()
    expect(contentOf(store).entries).to.have.length(6)
    await store.close()
  })
})

async function contentsOf(bench: Bench) {
  let found: Awaited<ReturnType<typeof everything>> = []
  await bench.tamper(async (kv) => { found = await everything(kv) })
  return found
}

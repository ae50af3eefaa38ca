// The power goes, or the process dies, before or after every single effect of a store's life. What was acknowledged is
// there at the next start; what was under way is there whole or not at all; and the start is never refused.

import { expect } from 'chai'

import type { RaftStore } from '../../controller/store/raft-store.ts'
import { DiskError, type Disk, type DiskFile, type DiskLock, type KeyValueStore } from '../../src/ports.ts'
import {
  change, contentOf, entries, entry, hard, memoryBench, refusal, reopened, snapshot, type Content, type MemoryBench
} from './bench.ts'

/** Each step is acknowledged before the next one begins. */
const STEPS: readonly ((store: RaftStore) => Promise<void>)[] = [
  (store) => store.save(change({ hardState: hard(1, 1, 0), entries: entries(1, 4, 1) })),
  (store) => store.save(change({ hardState: hard(3, 2, 3) })),
  (store) => store.save(change({ entries: entries(5, 8, 3) })),
  // Fewer entries, and of a lower term than those they replace.
  (store) => store.save(change({ hardState: hard(4, 0, 3), entries: [entry(5, 2)] })),
  (store) => store.compactTo(snapshot(2, 1), 2),
  (store) => store.save(change({ hardState: hard(4, 0, 6), entries: entries(6, 9, 4) })),
  (store) => store.compactTo(snapshot(6, 4), 5),
  (store) => store.save(change({ hardState: hard(4, 0, 8), snapshot: snapshot(8, 4) })),
  (store) => store.save(change({ hardState: hard(6, 3, 20), snapshot: snapshot(20, 5) })),
  (store) => store.save(change({ hardState: hard(6, 3, 20), entries: entries(21, 24, 5) })),
  (store) => store.save(change({ hardState: hard(7, 0, 22), snapshot: snapshot(22, 6), entries: entries(23, 24, 7) }))
]

interface Crash { readonly at: number; readonly when: 'before' | 'after' }

/** Counts effects; at the one wanted it fails, and everything does from then on. */
class Effects {
  readonly #crash: Crash
  count = 0
  dead = false
  /** Go with the process. */
  readonly locks: DiskLock[] = []

  constructor(crash: Crash) { this.#crash = crash }

  #dies(when: Crash['when']): void {
    if (this.dead || (this.count === this.#crash.at && when === this.#crash.when)) {
      this.dead = true
      throw new DiskError('EIO', '', 'the node is dead')
    }
  }

  now<T>(effect: () => T): T {
    this.count++
    this.#dies('before')
    const result = effect()
    this.#dies('after')
    return result
  }

  async later<T>(effect: () => Promise<T>, half?: () => Promise<void>): Promise<T> {
    this.count++
    if (!this.dead && this.count === this.#crash.at && this.#crash.when === 'before') await half?.()
    this.#dies('before')
    const result = await effect()
    this.#dies('after')
    return result
  }
}

function mortalDisk(disk: Disk, effects: Effects): Disk {
  return {
    open: async (path, options) => mortalFile(await effects.later(() => disk.open(path, options)), effects),
    createNow: (path) => mortalFile(effects.now(() => disk.createNow(path)), effects),
    list: (dir) => effects.later(() => disk.list(dir)),
    exists: (path) => effects.later(() => disk.exists(path)),
    makeDir: (dir) => effects.later(() => disk.makeDir(dir)),
    rename: (from, to) => effects.later(() => disk.rename(from, to)),
    remove: (path) => effects.later(() => disk.remove(path)),
    syncDir: (dir) => effects.later(() => disk.syncDir(dir)),
    lock: (path) => effects.later(async () => {
      const lock = await disk.lock(path)
      effects.locks.push(lock)
      return lock
    })
  }
}

function mortalFile(file: DiskFile, effects: Effects): DiskFile {
  return {
    size: () => file.size(),
    read: (into, position) => effects.later(() => file.read(into, position)),
    readNow: (into, position) => effects.now(() => file.readNow(into, position)),
    writeNow: (pieces, position) => { effects.now(() => { file.writeNow(pieces, position) }) },
    sync: () => effects.later(() => file.sync()),
    truncate: (size) => effects.later(() => file.truncate(size)),
    close: () => file.close()
  }
}

function mortalStore(kv: KeyValueStore, effects: Effects): KeyValueStore {
  return {
    get: (key) => effects.later(() => kv.get(key)),
    range: (from, to, limit) => effects.later(() => kv.range(from, to, limit)),
    // Dying before a sync is to have written all the same: the next start sees it, a power loss takes it.
    write: (batch, durability) => effects.later(() => kv.write(batch, durability), () => kv.write(batch, 'lazy')),
    close: () => kv.close()
  }
}

interface Life {
  readonly bench: MemoryBench
  readonly effects: Effects
  /** Steps acknowledged; −1 when even the opening was not. */
  readonly acknowledged: number
}

async function live(crash: Crash, steps = STEPS.length): Promise<Life> {
  const bench = memoryBench()
  const effects = new Effects(crash)
  let acknowledged = -1
  let store: RaftStore | undefined
  try {
    store = await bench.open({
      disk: mortalDisk(bench.disk, effects),
      openKeyValueStore: async (path) => mortalStore(await bench.stores.open(path), effects)
    })
    acknowledged = 0
    for (const step of STEPS.slice(0, steps)) {
      await step(store)
      acknowledged++
    }
  } catch (error) {
    if (!(error instanceof DiskError) || !effects.dead) throw error
  } finally {
    await store?.close()
    for (const lock of effects.locks) await lock.release()
  }
  return { bench, effects, acknowledged }
}

const NEVER: Crash = { at: -1, when: 'before' }

describe('RaftStore and crashes', () => {
  /** What a start finds after so many steps. */
  const after: Content[] = []
  let effects = 0
  before(async () => {
    for (let steps = 0; steps <= STEPS.length; steps++) after.push(await reopened((await live(NEVER, steps)).bench))
    effects = (await live(NEVER)).effects.count
  })

  it('has steps that differ', () => {
    expect(new Set(after.map((content) => JSON.stringify(content))).size).to.equal(after.length)
    expect(effects).to.be.above(100)
  })

  for (const when of ['before', 'after'] as const) {
    for (const death of ['kill', 'power loss', 'kill and a power loss after the next start'] as const) {
      it(`survives a ${death} ${when} each effect`, async () => {
        for (let at = 1; at <= effects; at++) {
          const why = `effect ${at} of ${effects}`
          const { bench, acknowledged } = await live({ at, when })
          if (death === 'power loss') bench.losePower()
          const expected = after.slice(Math.max(acknowledged, 0), acknowledged + 2)
          const found = await reopened(bench)
          expect(expected, why).to.deep.include(found)
          // What a start has found stays, though the life before it ended without a sync.
          if (death !== 'kill') bench.losePower()
          const store = await bench.open()
          expect(contentOf(store), why).to.deep.equal(found)
          // It goes on from there, and the witness with it.
          const next = (store.loaded.entries.at(-1)?.index ?? store.loaded.snapshot?.index ?? 0) + 1
          await store.save(change({ hardState: hard(9, 1, found.hardState.commit), entries: [entry(next, 9)] }))
          await store.close()
          bench.losePower()
          const { entries: log, hardState } = await reopened(bench)
          expect(log.at(-1), why).to.equal(`${next}-9 entry ${next} of 9`)
          expect(hardState, why).to.deep.equal(hard(9, 1, found.hardState.commit))
        }
      })
    }
  }

  it('takes no write after one that failed', async () => {
    const failures: readonly (readonly [string, (bench: MemoryBench) => void])[] = [
      ['LevelDB', (bench) => { bench.stores.failNextWrite(`${bench.dir}/meta`, 'EIO') }],
      ['witness write', (bench) => { bench.disk.failNext('write', /witness$/, 'ENOSPC') }],
      ['witness sync', (bench) => { bench.disk.failNext('sync', /witness$/, 'EIO') }]
    ]
    for (const [what, plant] of failures) {
      const bench = memoryBench()
      const store = await bench.open()
      await store.save(change({ hardState: hard(1, 1, 0) }))
      plant(bench)
      let error: unknown
      await store.save(change({ hardState: hard(2, 1, 0) })).catch((rejected: unknown) => { error = rejected })
      expect(error, what).to.be.instanceOf(DiskError)
      const later = await refusal(store.save(change({ hardState: hard(3, 1, 0) })))
      expect([later.name, later.cause], what).to.deep.equal(['KAFKA_STORAGE_ERROR', error])
      expect(later.message).to.match(/failed before/)
      await store.close()
      bench.losePower()
      expect([1, 2], what).to.include((await reopened(bench)).hardState.term)
    }
  })

  it('finds a promise that LevelDB acknowledged and lost with the power', async () => {
    const bench = memoryBench()
    const store = await bench.open({
      openKeyValueStore: async (path) => {
        const kv = await bench.stores.open(path)
        return {
          get: (key) => kv.get(key), range: (from, to, limit) => kv.range(from, to, limit), close: () => kv.close(),
          write: (batch) => kv.write(batch, 'lazy')
        }
      }
    })
    await store.save(change({ hardState: hard(1, 1, 0) }))
    await store.close()
    bench.losePower()
    expect((await refusal(bench.open())).message).to.match(/lost writes/)
  })
})

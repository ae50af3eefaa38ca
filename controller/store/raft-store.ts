// Raft's promises on disk: hard state and log in LevelDB, snapshots in files, a witness beside them. `save` resolves
// when everything is durable, and only then may a vote or an acknowledgement leave this node.

import { assert } from '../../src/base/assert.ts'
import { SerialQueue } from '../../src/base/async.ts'
import { WeirError, fault, weirError } from '../../src/base/error-code.ts'
import type { KvOp } from '../../src/ports.ts'
import type { Entry, HardState, Snapshot, SnapshotMeta, Standing } from '../raft/types.ts'
import { witnessOf, type Loaded } from './load.ts'
import { STATE_KEY, encodeEntry, encodeState, entryKey, type StoreState } from './log-codec.ts'
import { LogShape } from './log-shape.ts'
import { openStore, type OpenedStore, type RaftStoreOptions, type StoreParts } from './open-store.ts'

/** Most data bytes one entry may have, and most that one LevelDB batch is given. */
export const ENTRY_BYTES_MAX = 8 * 1024 * 1024
/** Entries before the log's beginning that are deleted at once; other writes come in between. */
const SWEEP_ENTRIES = 1_000

export interface Change {
  readonly hardState: HardState | undefined
  readonly standing?: Standing | undefined
  /** Ascending without a hole; the first one replaces what is stored at its index and all behind it. */
  readonly entries: readonly Entry[]
  /** One received from the leader: the log goes on behind it, with the entries already there if they match it. */
  readonly snapshot: Snapshot | undefined
}

export class RaftStore {
  /** What was on disk at the opening. */
  readonly loaded: Loaded
  /** Id of the data directory, made with it. */
  readonly directoryId: string
  readonly #dir: string
  readonly #parts: StoreParts
  readonly #log: LogShape
  readonly #writes = new SerialQueue()
  /** One snapshot file is written at a time, beside `#writes`. */
  readonly #compactions = new SerialQueue()
  #state: StoreState
  #failure: unknown
  #closed = false

  private constructor(dir: string, opened: OpenedStore) {
    this.loaded = opened.loaded
    this.directoryId = opened.directoryId
    this.#dir = dir
    this.#parts = opened.parts
    this.#state = opened.state
    this.#log = new LogShape(opened.state.firstIndex)
    for (const entry of opened.loaded.entries) this.#log.append(entry)
  }

  /**
   * Opens or makes the store in `dir` and checks all of it. Rejects with WeirError: KAFKA_STORAGE_ERROR when the
   * directory is in use, not this controller's, damaged, or older than its witness; INCONSISTENT_CLUSTER_ID. Rejects
   * with DiskError when the disk fails.
   */
  static async open(options: RaftStoreOptions): Promise<RaftStore> {
    return new RaftStore(options.dir, await openStore(options))
  }

  /** Data bytes of the entries on disk, those kept before the snapshot's end included. */
  get logBytes(): number { return this.#log.bytes }

  /** The hard state as it is on disk now. */
  get saved(): HardState { return this.#state.hardState }

  /**
   * Resolves when `change` is durable in LevelDB and the witness has seen it; calls run in order. The bytes of entries
   * and snapshot must not change until then. After a rejection (DiskError) the outcome is unknown and every later call
   * rejects: the node must end.
   */
  save(change: Change): Promise<void> {
    return this.#writes.run(() => this.#guarded(() => this.#save(change)))
  }

  /**
   * Makes `snapshot`, taken here of applied entries, durable, then drops the entries before `keepFrom` (at most the
   * snapshot's index + 1). Saves go on meanwhile. Does nothing when a newer snapshot came first. Rejects as `save`.
   */
  compactTo(snapshot: Snapshot, keepFrom: number): Promise<void> {
    return this.#compactions.run(async () => {
      if (snapshot.index <= this.#state.snapshot.index) return
      await this.#guarded(() => this.#parts.snapshots.write(snapshot))
      const from = this.#log.firstIndex
      await this.#writes.run(() => this.#guarded(() => this.#compact(snapshot, keepFrom)))
      await this.#sweep(from, this.#log.firstIndex, (task) => this.#writes.run(() => this.#guarded(task)))
      await this.#guarded(() => this.#pruneSnapshots())
    })
  }

  /** Resolves when running calls have settled and everything is released. Later calls reject. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.#compactions.idle()
    await this.#writes.idle()
    const { kv, witness, lock } = this.#parts
    try {
      await kv.close()
    } finally {
      await witness.close()
      await lock.release()
    }
  }

  // ---- one write at a time --------------------------------------------------------------------------------

  /** A failed write leaves an unknown outcome: it is the last one. */
  async #guarded<T>(task: () => Promise<T>): Promise<T> {
    if (this.#closed) throw weirError('KAFKA_STORAGE_ERROR', `the Raft store in ${this.#dir} is closed`)
    if (this.#failure !== undefined) {
      throw new WeirError(fault('KAFKA_STORAGE_ERROR',
        `the Raft store in ${this.#dir} failed before, so what it holds is unknown`,
        'see the first failure; restart this controller once its disk is well'), this.#failure)
    }
    try {
      return await task()
    } catch (error) {
      this.#failure ??= error
      throw error
    }
  }

  async #save(change: Change): Promise<void> {
    const { hardState = this.#state.hardState, standing = this.#state.standing, entries, snapshot } = change
    const stays = hardState === this.#state.hardState && standing === this.#state.standing
    if (stays && entries.length === 0 && snapshot === undefined) return
    this.#checkStanding(standing)
    this.#checkHardState(hardState)
    const from = this.#log.firstIndex
    let ops = snapshot === undefined ? [] : await this.#install(snapshot)
    const meta = snapshot ?? this.#state.snapshot
    if (entries.length > 0) this.#checkEntries(entries, hardState, meta)
    const last = entries.at(-1)?.index ?? this.#log.lastIndex
    assert(hardState.commit <= last, () => `commit ${hardState.commit} within a log that ends with ${last}`)
    for (const group of groups(entries)) {
      this.#append(group, meta, ops)
      await this.#write(ops, hardState, standing, meta)
      ops = []
    }
    // After LevelDB, never beside it: a witness that is ahead would refuse the start after a crash in between.
    await this.#parts.witness.write(witnessOf(this.#state))
    if (snapshot === undefined) return
    await this.#sweep(from, this.#log.firstIndex, (task) => task())
    await this.#pruneSnapshots()
  }

  async #compact(snapshot: Snapshot, keepFrom: number): Promise<void> {
    if (snapshot.index <= this.#state.snapshot.index) return
    assert(this.#log.termAt(snapshot.index) === snapshot.term,
      () => `snapshot ${snapshot.index}-${snapshot.term} is of an entry of the log`)
    assert(keepFrom <= snapshot.index + 1, () => `entries from ${keepFrom} on do not continue ${snapshot.index}`)
    this.#log.dropBefore(keepFrom)
    await this.#write([], this.#state.hardState, this.#state.standing, snapshot)
    await this.#parts.witness.write(witnessOf(this.#state))
  }

  /** Makes a received snapshot the log's beginning; the operations drop entries behind it that do not match it. */
  async #install(snapshot: Snapshot): Promise<KvOp[]> {
    assert(snapshot.index > this.#state.snapshot.index,
      () => `snapshot ${snapshot.index} after ${this.#state.snapshot.index}`)
    await this.#parts.snapshots.write(snapshot)
    if (this.#log.termAt(snapshot.index) === snapshot.term) {
      this.#log.dropBefore(snapshot.index + 1)
      return []
    }
    const ops = deletes(snapshot.index + 1, this.#log.lastIndex + 1)
    this.#log.restartAt(snapshot.index + 1)
    return ops
  }

  /** Adds to `ops` what puts `group` and drops all behind it. */
  #append(group: readonly Entry[], snapshot: SnapshotMeta, ops: KvOp[]): void {
    const first = group[0]
    if (first === undefined) return
    const end = this.#log.lastIndex + 1
    this.#log.cutFrom(first.index)
    let previousTerm = this.#log.termAt(first.index - 1) ?? snapshot.term
    for (const entry of group) {
      this.#log.append(entry)
      ops.push({ kind: 'put', key: entryKey(entry.index), value: encodeEntry({ entry, previousTerm }) })
      previousTerm = entry.term
    }
    for (const op of deletes(this.#log.lastIndex + 1, end)) ops.push(op)
  }

  /** One synced batch: `ops` and the state that goes with the log as it is after them. */
  async #write(
    ops: readonly KvOp[], hardState: HardState, { voice, founders }: StoreState['standing'],
    { index, term }: SnapshotMeta,
  ): Promise<void> {
    const { firstIndex, lastIndex } = this.#log
    const state: StoreState = {
      sequence: this.#state.sequence + 1,
      // Between two groups of one save the log may end before the commit index; a snapshot is of committed entries.
      hardState: { ...hardState, commit: Math.max(index, Math.min(hardState.commit, lastIndex)) },
      firstIndex, lastIndex, lastTerm: this.#log.termAt(lastIndex) ?? term,
      snapshot: { index, term }, standing: { voice, founders }
    }
    await this.#parts.kv.write([...ops, { kind: 'put', key: STATE_KEY, value: encodeState(state) }], 'sync')
    this.#state = state
  }

  // ---- checks: a broken promise is a programmer error, and must not reach the disk --------------------------

  #checkHardState(next: HardState): void {
    const { term, vote } = this.#state.hardState
    assert(next.term >= term, () => `term ${next.term} after ${term}`)
    assert(next.term > term || vote === 0 || next.vote === vote,
      () => `vote for ${next.vote} after one for ${vote} in term ${term}`)
  }

  #checkStanding(next: StoreState['standing']): void {
    const { voice, founders } = this.#state.standing
    assert(next.voice || !voice, 'a voice stays')
    assert(next.voice || founders.length === 0 || next.founders === founders, 'a list of founders is sealed once')
  }

  #checkEntries(entries: readonly Entry[], { term }: HardState, snapshot: SnapshotMeta): void {
    const from = entries[0]!.index
    const { commit } = this.#state.hardState
    assert(from > Math.max(commit, snapshot.index) && from <= this.#log.lastIndex + 1,
      () => `entry ${from} continues a log that is committed up to ${commit}, has snapshot ${snapshot.index} `
        + `and ends with ${this.#log.lastIndex}`)
    let previous = this.#log.termAt(from - 1) ?? snapshot.term
    for (const [at, entry] of entries.entries()) {
      assert(entry.index === from + at, () => `entry ${entry.index} follows ${from + at - 1}`)
      assert(entry.term >= previous && entry.term <= term,
        () => `entry ${entry.index} of term ${entry.term} in [${previous}, ${term}]`)
      assert(entry.data.length <= ENTRY_BYTES_MAX,
        () => `entry ${entry.index} of ${entry.data.length} bytes within ${ENTRY_BYTES_MAX}`)
      previous = entry.term
    }
  }

  // ---- tidying ----------------------------------------------------------------------------------------------

  /** Deletes entries [from, to), which the log does not need any more; `open` ends what a crash interrupts. */
  async #sweep(from: number, to: number, run: (task: () => Promise<void>) => Promise<void>): Promise<void> {
    for (let at = from; at < to; at += SWEEP_ENTRIES) {
      const ops = deletes(at, Math.min(at + SWEEP_ENTRIES, to))
      await run(() => this.#parts.kv.write(ops, 'lazy'))
    }
  }

  /** Keeps the snapshot that the log continues and the one before. */
  async #pruneSnapshots(): Promise<void> {
    const { snapshots } = this.#parts
    const older = (await snapshots.list()).filter(({ index }) => index < this.#state.snapshot.index)
    for (const meta of older.slice(1)) await snapshots.remove(meta)
  }
}

function deletes(from: number, to: number): KvOp[] {
  const ops: KvOp[] = []
  for (let index = from; index < to; index++) ops.push({ kind: 'delete', key: entryKey(index) })
  return ops
}

/** Runs of at most ENTRY_BYTES_MAX data bytes; one, empty, when there are no entries. */
function groups(entries: readonly Entry[]): readonly (readonly Entry[])[] {
  const all: Entry[][] = []
  let group: Entry[] = []
  let bytes = 0
  for (const entry of entries) {
    if (group.length > 0 && bytes + entry.data.length > ENTRY_BYTES_MAX) {
      all.push(group)
      group = []
      bytes = 0
    }
    group.push(entry)
    bytes += entry.data.length
  }
  all.push(group)
  return all
}

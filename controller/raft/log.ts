// The tail of the Raft log in memory and its pointers: compacted ≤ applied ≤ committed, stable ≤ last,
// applied ≤ stable. `applied` counts what was handed over by `advance` and what a snapshot covers.

import { assert } from '../../src/base/assert.ts'
import type { Entry, Snapshot, SnapshotMeta } from './types.ts'

/** What index, term and framing of an entry take in a message, at most. */
const ENTRY_OVERHEAD_BYTES = 24

export function entryBytes(entry: Entry): number {
  return entry.data.length + ENTRY_OVERHEAD_BYTES
}

export class RaftLog {
  /** Entries behind `compacted`, contiguous. */
  #entries: Entry[]
  /** The last entry that is no longer here; 0/0 when all are. */
  #compacted: SnapshotMeta
  #committed: number
  #applied: number
  #stable: number
  /** The newest snapshot, for followers that are too far behind. */
  #snapshot: Snapshot | undefined
  /** Installed but not yet handed over and durable. */
  #pendingSnapshot: Snapshot | undefined

  /** What was on disk; entries that the snapshot covers are left out. */
  constructor(snapshot: Snapshot | undefined, entries: readonly Entry[], commit: number, applied: number) {
    this.#snapshot = snapshot
    this.#pendingSnapshot = undefined
    this.#compacted = snapshot === undefined ? { index: 0, term: 0 } : { index: snapshot.index, term: snapshot.term }
    this.#entries = entries.filter(({ index }) => index > this.#compacted.index)
    this.#entries.forEach((entry, at) => {
      assert(entry.index === this.#compacted.index + 1 + at, `entry ${entry.index} leaves a gap in the log`)
    })
    this.#stable = this.last
    this.#applied = Math.max(applied, this.#compacted.index)
    this.#committed = Math.max(commit, this.#applied)
    assert(this.#committed <= this.last, `commit ${this.#committed} is in the log, which ends at ${this.last}`)
    this.#check()
  }

  get compacted(): number { return this.#compacted.index }
  get committed(): number { return this.#committed }
  get applied(): number { return this.#applied }
  get stable(): number { return this.#stable }
  get last(): number { return this.#compacted.index + this.#entries.length }
  get lastTerm(): number { return this.#entries.at(-1)?.term ?? this.#compacted.term }
  get snapshot(): Snapshot | undefined { return this.#snapshot }
  get pendingSnapshot(): Snapshot | undefined { return this.#pendingSnapshot }

  /** Undefined when the entry is compacted away or not here yet: such a term equals none. */
  termAt(index: number): number | undefined {
    if (index === this.#compacted.index) return this.#compacted.term
    return this.#entries[index - this.#compacted.index - 1]?.term
  }

  matches(index: number, term: number): boolean { return this.termAt(index) === term }

  /** A log that ends in (index, term) has at least what this one has. */
  isUpToDate(index: number, term: number): boolean {
    return term > this.lastTerm || (term === this.lastTerm && index >= this.last)
  }

  /** Entries [from, to], `from` behind the compacted ones. */
  slice(from: number, to: number): readonly Entry[] {
    assert(from > this.compacted, `entry ${from} is behind the compacted ${this.compacted}`)
    return this.#entries.slice(from - this.compacted - 1, Math.max(to - this.compacted, 0))
  }

  /** Entries from `from` on, of `maxBytes` together at most, but one at least if there is one. */
  sliceBytes(from: number, maxBytes: number): readonly Entry[] {
    let bytes = 0
    let to = from - 1
    for (let at = from - this.compacted - 1; at < this.#entries.length; at++) {
      bytes += entryBytes(this.#entries[at]!)
      if (bytes > maxBytes && to >= from) break
      to++
    }
    return this.slice(from, to)
  }

  /** The highest index ≤ `index` whose term is ≤ `term`; hint term 0 when the terms there are compacted away. */
  conflictHint(index: number, term: number): { readonly index: number; readonly term: number } {
    for (let at = Math.min(index, this.last); at >= this.compacted; at--) {
      const own = this.termAt(at)!
      if (own <= term) return { index: at, term: own }
    }
    return { index: Math.max(Math.min(index, this.compacted - 1), 0), term: 0 }
  }

  /** Entries of this node's own term, as leader. */
  append(entries: readonly Entry[]): void {
    for (const entry of entries) {
      assert(entry.index === this.last + 1, () => `entry ${entry.index} follows ${this.last}`)
      assert(entry.term >= this.lastTerm, () => `term ${entry.term} of ${entry.index} not below ${this.lastTerm}`)
      this.#entries.push(entry)
    }
    this.#check()
  }

  /**
   * Entries of the leader behind `prev`, which matches. Cuts only at a real conflict, never for a message that is
   * merely old. Returns the last entry that is now known to match.
   */
  merge(prev: number, entries: readonly Entry[]): number {
    entries.forEach((entry, at) => {
      assert(entry.index === prev + 1 + at, () => `entry ${entry.index} follows ${prev + at}`)
    })
    const fresh = entries.findIndex(({ index, term }) => index > this.compacted && !this.matches(index, term))
    if (fresh >= 0) {
      const from = prev + 1 + fresh
      if (from <= this.last) this.#truncate(from)
      this.append(entries.slice(fresh))
    }
    return prev + entries.length
  }

  /** False when that much was committed already. */
  commitTo(index: number): boolean {
    if (index <= this.#committed) return false
    assert(index <= this.last, () => `commit ${index} is in the log, which ends at ${this.last}: it lost entries`)
    this.#committed = index
    this.#check()
    return true
  }

  /** Entries not yet durable. */
  unstable(): readonly Entry[] { return this.slice(this.#stable + 1, this.last) }

  get hasUnstable(): boolean { return this.#stable < this.last }

  /** What may be applied now: committed and durable here. */
  get applicable(): number { return Math.min(this.#committed, this.#stable) }

  toApply(): readonly Entry[] { return this.slice(this.#applied + 1, this.applicable) }

  /**
   * `entries` are durable. Those replaced in the meantime are not ours any more: their term differs. With a snapshot
   * pending nothing counts: persisting it will drop the log on disk.
   */
  stabilize(entries: readonly Entry[]): void {
    if (this.#pendingSnapshot !== undefined) return
    const durable = entries.findLast(({ index, term }) => index > this.compacted && this.matches(index, term))
    if (durable !== undefined) this.#stable = Math.max(this.#stable, durable.index)
    this.#check()
  }

  applyTo(index: number): void {
    this.#applied = Math.max(this.#applied, index)
    this.#check()
  }

  /** Replaces everything by a snapshot of the leader that is ahead of what is committed here. */
  install(snapshot: Snapshot): void {
    assert(snapshot.index > this.#committed, () => `snapshot ${snapshot.index} is ahead of commit ${this.#committed}`)
    this.#entries = []
    this.#compacted = { index: snapshot.index, term: snapshot.term }
    this.#snapshot = snapshot
    this.#pendingSnapshot = snapshot
    this.#committed = snapshot.index
    this.#applied = snapshot.index
    this.#stable = snapshot.index
    this.#check()
  }

  /** The snapshot handed over is durable and restored; a newer one stays pending. */
  snapshotDone(snapshot: Snapshot): void {
    if (this.#pendingSnapshot?.index === snapshot.index) this.#pendingSnapshot = undefined
  }

  /** A snapshot of this node's own, of applied entries, is durable; keeps `tail` entries before its end. */
  compact(snapshot: Snapshot, tail: number): void {
    assert(snapshot.index <= this.#applied, () => `snapshot ${snapshot.index} is of applied ${this.#applied}`)
    if (snapshot.index < (this.#snapshot?.index ?? 0)) return
    const own = this.termAt(snapshot.index)
    assert(own === snapshot.term, () => `snapshot ${snapshot.index}/${snapshot.term} is of this log, which has ${own}`)
    this.#snapshot = snapshot
    const upTo = snapshot.index - tail
    if (upTo > this.compacted) {
      const compacted = { index: upTo, term: this.termAt(upTo)! }
      this.#entries.splice(0, upTo - this.compacted)
      this.#compacted = compacted
    }
    this.#check()
  }

  #truncate(from: number): void {
    assert(from > this.#committed, () => `entry ${from} is committed (${this.#committed}) and must not be replaced`)
    this.#entries.length = from - this.compacted - 1
    this.#stable = Math.min(this.#stable, from - 1)
    this.#check()
  }

  #check(): void {
    const ordered = this.compacted <= this.#applied && this.#applied <= this.#committed
      && this.#stable <= this.last && this.#applied <= this.#stable && this.#committed <= this.last
    assert(ordered, () => `compacted ${this.compacted} ≤ applied ${this.#applied} ≤ committed ${this.#committed}, `
      + `applied ≤ stable ${this.#stable} ≤ last ${this.last}`)
  }
}

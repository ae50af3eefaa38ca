// What a leader knows of one follower, and how much it may send: probe, replicate or snapshot; a window in flight.
// Invariant: match < next.

import { assert } from '../../src/base/assert.ts'
import type { FollowerState, FollowerStatus } from './types.ts'

export interface WindowLimits {
  /** Appends with entries that may be unacknowledged, >= 1. */
  readonly messages: number
  /** Bytes of entries that may be unacknowledged; the first append always may. */
  readonly bytes: number
}

interface Sent {
  readonly last: number
  readonly bytes: number
}

export class Progress {
  readonly id: number
  readonly #limits: WindowLimits
  #state: FollowerState = 'probe'
  #match = 0
  #next: number
  /** Probing: a message is out, and nothing was heard since. */
  #probing = false
  /** Appends in flight, oldest first; replicating only. */
  #window: Sent[] = []
  #windowBytes = 0
  /** Index of the snapshot under way; 0 = none. */
  #snapshotIndex = 0
  #snapshotTicks = 0
  /** Heard of since the last check of the quorum. */
  recentActive = false
  /** Newest read round it acknowledged with a voice. */
  readRound = 0
  /** Mark of the store that answers; 0 = not known. */
  #mark = 0
  #voice = true
  /** Entry of this leader's that a store without a voice has to reach; 0 = none yet. */
  barrier = 0

  constructor(id: number, next: number, limits: WindowLimits) {
    assert(next >= 1 && limits.messages >= 1, `next ${next} and window ${limits.messages} are positive`)
    this.id = id
    this.#next = next
    this.#limits = limits
  }

  get match(): number { return this.#match }
  get next(): number { return this.#next }
  get state(): FollowerState { return this.#state }
  get snapshotIndex(): number { return this.#snapshotIndex }

  get voice(): boolean { return this.#voice }
  /** What counts toward commits. */
  get counted(): number { return this.#voice ? this.#match : 0 }

  get windowFull(): boolean {
    return this.#window.length >= this.#limits.messages
      || (this.#window.length > 0 && this.#windowBytes >= this.#limits.bytes)
  }

  /** No append with entries may be sent now. */
  get paused(): boolean {
    switch (this.#state) {
      case 'probe': return this.#probing
      case 'replicate': return this.windowFull
      case 'snapshot': return true
    }
  }

  status(): FollowerStatus {
    return { id: this.id, match: this.#match, next: this.#next, state: this.#state, recentActive: this.recentActive,
      voice: this.#voice }
  }

  /**
   * Notes which store answered, and whether it has a voice. One of another mark holds nothing of what was acknowledged
   * before: it is probed anew, from `next` on. True when the mark changed.
   */
  meet(mark: number, voice: boolean, next: number): boolean {
    const changed = this.#mark !== mark && this.#mark !== 0
    if (changed) {
      this.#match = 0
      this.readRound = 0
      this.barrier = 0
      this.#enter('probe', next)
    }
    // A store loses its voice never: what says so of a known one is an old message.
    this.#voice = voice || (this.#voice && this.#mark === mark && mark !== 0)
    this.#mark = mark
    return changed
  }

  /** The mark to be given its voice, when its store reached the barrier and that is committed; else 0. */
  admitted(committed: number): number {
    const due = !this.#voice && this.barrier > 0 && this.#match >= this.barrier && committed >= this.barrier
    return due ? this.#mark : 0
  }

  /** Notes an append of entries (`first` = next … `last`); an empty one has last = first − 1. */
  sent(last: number, bytes: number): void {
    assert(this.#state !== 'snapshot', `nothing is appended to ${this.id} while it takes a snapshot`)
    if (this.#state === 'probe') {
      this.#probing = true
      return
    }
    if (last < this.#next) return
    this.#next = last + 1
    this.#window.push({ last, bytes })
    this.#windowBytes += bytes
  }

  /** The follower has everything up to `index`. False when that was known and changes nothing. */
  acknowledge(index: number): boolean {
    const advanced = index > this.#match
    if (advanced) {
      this.#match = index
      this.#next = Math.max(this.#next, index + 1)
    }
    while (this.#window.length > 0 && this.#window[0]!.last <= index) this.#windowBytes -= this.#window.shift()!.bytes
    return advanced
  }

  /**
   * The follower refused the append behind `refused`; its log may match up to `best` at most. False when the refusal
   * is outdated: it speaks of a message that an answer has already dealt with.
   */
  refuse(refused: number, best: number): boolean {
    if (this.#state === 'replicate') {
      if (refused <= this.#match) return false
      this.toProbe()
      return true
    }
    if (this.#state === 'snapshot' || this.#next - 1 !== refused) return false
    this.#next = Math.max(Math.min(refused, best + 1), this.#match + 1)
    this.#probing = false
    return true
  }

  /** Lets one more message out: something was heard from it. */
  resume(): void { this.#probing = false }

  /** One message at a time from now on; behind the snapshot under way if there is one. */
  toProbe(): void {
    this.#enter('probe', Math.max(this.#match, this.#snapshotIndex) + 1)
  }

  /** As `toProbe`, for a snapshot that did not arrive. Waits until it is heard again. */
  snapshotFailed(): void {
    this.#enter('probe', this.#match + 1)
    this.#probing = true
  }

  toReplicate(): void {
    this.#enter('replicate', this.#match + 1)
  }

  toSnapshot(index: number): void {
    this.#enter('snapshot', index + 1)
    this.#snapshotIndex = index
  }

  /** Ticks since the snapshot was sent; 0 when there is none. */
  tickSnapshot(): number {
    if (this.#state === 'snapshot') this.#snapshotTicks++
    return this.#snapshotTicks
  }

  #enter(state: FollowerState, next: number): void {
    this.#state = state
    this.#next = next
    this.#probing = false
    this.#window = []
    this.#windowBytes = 0
    this.#snapshotIndex = 0
    this.#snapshotTicks = 0
    assert(this.#match < this.#next, () => `match ${this.#match} < next ${this.#next} of ${this.id}`)
  }
}

// One partition of a consumer: how far it was handed out, how far fetched, and what may stop it.

import type { WeirError } from '../base/error-code.ts'
import type { Position } from './types.ts'

/** At which broker, under which number; `unsubscribe` ends it. */
export interface Subscription {
  readonly address: string
  unsubscribe(): void
}

export class FetchedPartition {
  readonly topic: string
  readonly partition: number
  /** Where to go on when the position is no longer there; undefined: that is an error. */
  readonly resetTo: Position | undefined
  /** Offset of the next record to hand out. */
  position: number
  /** Where the next subscription begins. */
  fetchOffset: number
  /** Exclusive end; Infinity without one. */
  until: number
  highWatermark: number | undefined
  leaderEpoch = -1
  paused = false
  /** What was fetched in an earlier generation is not handed out: seek, pause and the end begin a new one. */
  generation = 0
  subscription: Subscription | undefined
  /** No attempt before this, monotonic ms. */
  notBeforeMs = 0
  failures = 0
  /** Since when no broker knows it, monotonic ms. */
  unknownSinceMs: number | undefined
  /** Stops this partition until a seek. */
  error: WeirError | undefined

  constructor(topic: string, partition: number, start: number, until: number, resetTo: Position | undefined) {
    this.topic = topic
    this.partition = partition
    this.position = start
    this.fetchOffset = start
    this.until = until
    this.resetTo = resetTo
  }

  /** All that was asked for is handed out. */
  get finished(): boolean { return this.position >= this.until }

  /** There is something to fetch, and nobody against it. */
  get active(): boolean {
    return !this.paused && this.error === undefined && this.fetchOffset < this.until && !this.finished
  }

  /** Drops what was fetched ahead and goes on at `offset`. */
  moveTo(offset: number): void {
    this.generation++
    this.position = offset
    this.fetchOffset = offset
    this.error = undefined
    this.failures = 0
    this.notBeforeMs = 0
    this.unknownSinceMs = undefined
  }
}

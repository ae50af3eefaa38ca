// Counts what went through, and how fast: as a whole, and in the steady state behind the first quarter.

import type { Clock } from '../ports.ts'
import { rounded } from './latencies.ts'

const MB = 1_000_000
const WARM_UP = 0.25

export interface Rates {
  readonly records: number
  /** Of values: what the user sent or got. */
  readonly bytes: number
  readonly ms: number
  /** Over the whole run. */
  readonly wholeRecordsPerSecond: number
  /** Without the first quarter: code that is warm, buffers that are full. */
  readonly recordsPerSecond: number
  readonly mbPerSecond: number
}

export class Meter {
  readonly #clock: Clock
  readonly #expected: { readonly records: number; readonly durationMs: number }
  readonly #begunMs: number
  #records = 0
  #bytes = 0
  #lastMs: number
  #warm: { readonly records: number; readonly bytes: number; readonly atMs: number } | undefined

  constructor(clock: Clock, expected: { readonly records: number; readonly durationMs: number }) {
    this.#clock = clock
    this.#expected = expected
    this.#begunMs = clock.monotonicMs()
    this.#lastMs = this.#begunMs
  }

  get records(): number { return this.#records }
  get elapsedMs(): number { return this.#clock.monotonicMs() - this.#begunMs }

  count(records: number, bytes: number): void {
    this.#records += records
    this.#bytes += bytes
  }

  /** To be called now and then, more often than each twentieth of the run. */
  tick(): void {
    this.#lastMs = this.#clock.monotonicMs()
    if (this.#warm !== undefined) return
    const { records, durationMs } = this.#expected
    if (this.#records < records * WARM_UP && this.#lastMs - this.#begunMs < durationMs * WARM_UP) return
    this.#warm = { records: this.#records, bytes: this.#bytes, atMs: this.#lastMs }
  }

  /** What was counted up to the last `tick`. */
  rates(): Rates {
    const ms = this.#lastMs - this.#begunMs
    const from = this.#warm !== undefined && this.#warm.atMs < this.#lastMs ? this.#warm
      : { records: 0, bytes: 0, atMs: this.#begunMs }
    const seconds = (this.#lastMs - from.atMs) / 1000
    const perSecond = (amount: number, over: number) => (over > 0 ? amount / over : 0)
    return {
      records: this.#records, bytes: this.#bytes, ms: Math.round(ms),
      wholeRecordsPerSecond: Math.round(perSecond(this.#records, ms / 1000)),
      recordsPerSecond: Math.round(perSecond(this.#records - from.records, seconds)),
      mbPerSecond: rounded(perSecond(this.#bytes - from.bytes, seconds) / MB)
    }
  }
}

// Many durations, and their percentiles.

const FIRST_ROOM = 1024

export interface Percentiles {
  readonly count: number
  readonly p50: number
  readonly p99: number
  readonly p999: number
  readonly max: number
}

export class Latencies {
  #values = new Float64Array(FIRST_ROOM)
  #count = 0

  get count(): number { return this.#count }

  /** Milliseconds. */
  add(ms: number): void {
    if (this.#count === this.#values.length) {
      const larger = new Float64Array(this.#count * 2)
      larger.set(this.#values)
      this.#values = larger
    }
    this.#values[this.#count++] = ms
  }

  /** Nearest rank, ms with two decimals. All 0 without values. */
  percentiles(): Percentiles {
    const sorted = this.#values.slice(0, this.#count).sort()
    const at = (quantile: number) => rounded(sorted[Math.max(0, Math.ceil(quantile * sorted.length) - 1)] ?? 0)
    return { count: this.#count, p50: at(0.5), p99: at(0.99), p999: at(0.999), max: at(1) }
  }
}

/** Two decimals: what anybody wants to read of a measurement. */
export function rounded(value: number): number { return Math.round(value * 100) / 100 }

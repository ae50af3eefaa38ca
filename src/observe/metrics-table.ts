// Every metric of the project, one row each. A new metric is a new row: the help text is its documentation.

export interface MetricRow {
  /** `weir_…`, snake case, unit last (`_ms`, `_bytes`, `_records`); counters end with `_total`. */
  readonly name: string
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  /** Upper bounds of a histogram's buckets, ascending, in the metric's unit. */
  readonly buckets?: readonly number[]
}

/** Milliseconds, from a cached read to a stalled disk. */
export const LATENCY_MS: readonly number[] =
  [0.25, 0.5, 1, 2, 3, 5, 7.5, 10, 15, 20, 30, 50, 75, 100, 250, 500, 1000, 5000, 30_000]
/** Bytes, 256 B to 64 MiB. */
export const SIZE_BYTES: readonly number[] = powersOfFour(256, 10)
/** How many at once, 1 to 4096. */
export const BATCH: readonly number[] = powersOfFour(1, 7)

const counter = (name: string, help: string): MetricRow => ({ name, kind: 'counter', help })
const gauge = (name: string, help: string): MetricRow => ({ name, kind: 'gauge', help })
const histogram = (name: string, buckets: readonly number[], help: string): MetricRow =>
  ({ name, kind: 'histogram', buckets, help })

// Process figures (weir_process_…, weir_nodejs_…) come from the library: see metrics.ts.
export const METRICS: readonly MetricRow[] = [
  counter('weir_controller_commands_total', 'Commands that the active controller proposed to the metadata log.'),
  counter('weir_truncated_below_high_watermark_total',
    'Truncations of a replica below its own high watermark. Must stay 0: more means that committed records were lost.')
]

function powersOfFour(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_unset, power) => first * 4 ** power)
}

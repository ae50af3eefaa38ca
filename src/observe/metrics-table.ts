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

// Process figures (weir_process_…, weir_nodejs_…) come from the library: see metrics.ts.
export const METRICS: readonly MetricRow[] = [
  {
    name: 'weir_controller_commands_total', kind: 'counter',
    help: 'Commands that the active controller proposed to the metadata log.'
  },
  {
    name: 'weir_controller_active', kind: 'gauge',
    help: 'Whether this is the active controller: 1 on exactly one of them.'
  },
  {
    name: 'weir_broker_fences_total', kind: 'counter',
    help: 'Brokers that this controller took out: connection lost, session timeout, or unreachable for others.'
  },
  { name: 'weir_produced_batches_total', kind: 'counter', help: 'Record batches appended as partition leader.' },
  { name: 'weir_produced_bytes_total', kind: 'counter', help: 'Bytes of record batches appended as partition leader.' },
  { name: 'weir_replicated_bytes_total', kind: 'counter', help: 'Bytes of record batches appended as follower.' },
  { name: 'weir_fetched_bytes_total', kind: 'counter', help: 'Bytes of record batches sent to consumers.' },
  {
    name: 'weir_produce_ms', kind: 'histogram', buckets: LATENCY_MS,
    help: 'From the arrival of a produce request to its answer, replication and flush included.'
  },
  { name: 'weir_partitions_led', kind: 'gauge', help: 'Partitions that this broker leads.' },
  { name: 'weir_partitions_hosted', kind: 'gauge', help: 'Partitions of which this broker has a replica.' },
  {
    name: 'weir_isr_changes_total', kind: 'counter',
    help: 'Changes of an in-sync set that this broker proposed as partition leader.'
  },
  { name: 'weir_raft_term', kind: 'gauge', help: 'Current term of this controller.' },
  { name: 'weir_raft_commit_index', kind: 'gauge', help: 'Last metadata log entry this controller applied.' },
  {
    name: 'weir_log_offline_total', kind: 'counter',
    help: 'Partition logs taken offline by a disk error; each stays so until the next start.'
  },
  {
    name: 'weir_log_lost_durable_total', kind: 'counter',
    help: 'Recoveries that found records missing which had been durable. Must stay 0: more means a faulty disk.'
  },
  {
    name: 'weir_truncated_below_high_watermark_total', kind: 'counter',
    help: 'Truncations of a replica below its own high watermark. Must stay 0: more means lost committed records.'
  }
]

function powersOfFour(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_unset, power) => first * 4 ** power)
}

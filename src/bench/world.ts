// What a bench needs of the outside, and what it can be asked for.

import type { CodecName, Weir } from '../client/types.ts'
import type { Clock, Network, Random, Timers } from '../ports.ts'

export interface BenchWorld {
  readonly weir: Weir
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  /** For the raw senders, which go past the SDK. */
  readonly network: Network
  /** CPU seconds that this process has used. */
  readonly ownCpuSeconds: () => number
  /** The text of /metrics of the node that serves HTTP at `address`; rejects when it does not answer. */
  readonly scrape: (address: string) => Promise<string>
  /** Nodes whose CPU is counted. Default: the brokers, as the cluster describes them. */
  readonly nodes?: readonly { readonly name: string; readonly http: string }[]
  /** Ends a run early; what was measured until then counts. */
  readonly signal: AbortSignal
  /** Records (or partitions) so far. */
  readonly onProgress: (done: number) => void
}

/** Options of every load. */
export interface Load {
  /** An existing topic; undefined: the bench makes one of its own, and deletes it. */
  readonly topic: string | undefined
  readonly partitions: number
  readonly replicationFactor: number
  readonly flushMode: 'sync' | 'replicated'
  /** Records to send; Infinity when `durationMs` alone ends the run. */
  readonly records: number
  /** Infinity when `records` alone ends the run. */
  readonly durationMs: number
  /** Of each value, 16 to 1 MiB. */
  readonly recordBytes: number
  readonly batchBytes: number
  readonly acks: 'all' | 1 | 0
  readonly compression: CodecName
  readonly lingerMs: number
}

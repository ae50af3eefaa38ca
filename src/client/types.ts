// The public types of the SDK: what `connect` takes and gives.

import type { WeirError } from '../base/error-code.ts'
import type { Clock, Network, Random, Timers } from '../ports.ts'

// ---- connection -----------------------------------------------------------------------------------------

/** The outside world as the SDK needs it. Tests pass their own. */
export interface ClientPorts {
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly network: Network
}

export interface ConnectOptions {
  /** host:port of any brokers or controllers; one that answers is enough. */
  readonly bootstrap: readonly string[]
  /** How long one operation may take with all its retries, ms. Default 30000. */
  readonly timeoutMs?: number
  /** Closes everything that came from this connection when aborted. */
  readonly signal?: AbortSignal
  /** Default: the machine's. */
  readonly ports?: ClientPorts
}

export interface Weir extends AsyncDisposable {
  readonly admin: Admin
  producer(options?: ProducerOptions): Producer
  /** Throws UNSUPPORTED_VERSION for `group`, INVALID_REQUEST for options that contradict each other. */
  consumer(options: ConsumerOptions): Consumer
  /** Closes its producers (after a flush) and consumers, then the connections. */
  close(): Promise<void>
}

// ---- producing ------------------------------------------------------------------------------------------

export type CodecName = 'none' | 'gzip' | 'snappy' | 'lz4' | 'zstd'

export interface ProducerOptions {
  /** 'all' (default): every in-sync replica has it; 1: the leader has it; 0: sent, nothing known. */
  readonly acks?: 'all' | 1 | 0
  /** Retries make no duplicates. Default: true when acks is 'all', which it needs. */
  readonly idempotent?: boolean
  /** How long a record may wait for others to share its batch, ms, 0 to 60000. Default 2. */
  readonly lingerMs?: number
  /** A batch is sent when it has this many bytes, 1 KiB to 16 MiB. Default 64 KiB. A larger record goes alone. */
  readonly batchBytes?: number
  readonly compression?: CodecName
  /** Bytes of records not yet acknowledged; above it `send` waits. Default 32 MiB. */
  readonly maxBufferedBytes?: number
  /** How long `send` waits for room or for a topic's partitions before it rejects, ms. Default 60000. */
  readonly maxBlockMs?: number
  /** From a record's place in a batch to the answer, retries included, ms; then REQUEST_TIMED_OUT. Default 120000. */
  readonly deliveryTimeoutMs?: number
  /** How long the broker may wait for its replicas, ms. Default 30000. */
  readonly requestTimeoutMs?: number
  /** Unanswered batches per partition. Default 5, and at most 5 with idempotence. */
  readonly maxInFlight?: number
  /** Wait before the first retry, ms; doubles up to 1 s. Default 20. A known new leader is not waited for. */
  readonly retryBackoffMs?: number
  /** Default: Kafka's — murmur2 of the key, and without a key one partition per batch. */
  readonly partitioner?: Partitioner
}

/** Answers a partition in [0, partitionCount). */
export type Partitioner = (record: OutgoingRecord, partitionCount: number) => number

export type HeaderValue = Uint8Array | string | null

export interface OutgoingRecord {
  readonly topic: string
  readonly partition?: number
  readonly key?: Uint8Array | string | null
  readonly value?: Uint8Array | string | null
  readonly headers?: Readonly<Record<string, HeaderValue>>
    | readonly { readonly key: string; readonly value: HeaderValue }[]
  /** Milliseconds since the Unix epoch. Default: now. */
  readonly timestamp?: number
}

export interface Delivery {
  readonly topic: string
  readonly partition: number
  /** -1 with acks 0, and when the broker knew the batch already but not its offset any more. */
  readonly offset: number
  readonly timestamp: number
}

export interface ProducerStats {
  /** Records given to `send`. */
  readonly sent: number
  readonly acknowledged: number
  readonly failed: number
  /** Batches sent again. */
  readonly retries: number
  readonly bufferedBytes: number
}

export interface Producer extends AsyncDisposable {
  /**
   * Resolves when the record is as safe as `acks` says. Rejects with WeirError. Records of one partition are
   * written in the order of the calls. The record's bytes must not change before that.
   */
  send(record: OutgoingRecord): Promise<Delivery>
  /** Resolves when every record given to `send` before has been acknowledged or has failed. */
  flush(): Promise<void>
  /** Flushes, then ends the streams. `send` rejects from the call on. */
  close(): Promise<void>
  readonly stats: ProducerStats
}

// ---- consuming ------------------------------------------------------------------------------------------

/**
 * A place in a partition: 'start' and 'end' of what is readable now, an offset, the first record with this or a
 * later timestamp (the end when there is none), or so many records before the end.
 */
export type Position = 'start' | 'end' | number | { readonly timestamp: number } | { readonly fromEnd: number }

export interface ConsumerOptions {
  /** Every partition of these topics. */
  readonly topics?: readonly string[]
  readonly partitions?: readonly { readonly topic: string; readonly partition: number; readonly from?: Position }[]
  /** Where to begin, for partitions without a `from` of their own. Default 'end'. */
  readonly from?: Position
  /** Iteration ends when every partition has been read up to here (exclusive; resolved once at the start). */
  readonly until?: Position
  /** Bytes fetched ahead, 64 KiB to 1 GiB. Default 16 MiB. */
  readonly maxBufferedBytes?: number
  /** Control records of transactions, too. */
  readonly raw?: boolean
  readonly signal?: AbortSignal
  /** Not in this release: `consumer` throws UNSUPPORTED_VERSION. */
  readonly group?: string
}

export interface ConsumedHeader {
  readonly key: string
  readonly value: Uint8Array | null
}

/** Key, value and headers are the reader's: nothing overwrites them. They may share memory with their neighbours. */
export interface ConsumedRecord {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  readonly timestamp: number
  readonly key: Uint8Array | null
  readonly value: Uint8Array | null
  readonly headers: readonly ConsumedHeader[]
}

export interface Consumer extends AsyncIterable<ConsumedRecord>, AsyncDisposable {
  /**
   * The records at hand, at once when there are some, else what comes first within `maxWaitMs` (>= 0). Empty: nothing
   * came, or `until` is reached, or the consumer is closed.
   */
  poll(maxWaitMs: number): Promise<readonly ConsumedRecord[]>
  /** What was fetched ahead of this partition is dropped; the next record is the one at `position`. */
  seek(topic: string, partition: number, position: Position): Promise<void>
  pause(topic: string, partition: number): void
  resume(topic: string, partition: number): void
  /** Offset of the next record to hand out; undefined for a partition not (yet) assigned. */
  position(topic: string, partition: number): number | undefined
  /** As of the latest answer of the leader. */
  highWatermark(topic: string, partition: number): number | undefined
  /** True when `until` was given and every partition has reached it. */
  readonly finished: boolean
  close(): Promise<void>
}

// ---- administration -------------------------------------------------------------------------------------

export interface NewTopic {
  readonly name: string
  /** Default: the cluster's num.partitions. */
  readonly partitions?: number
  /** Default: the cluster's default.replication.factor. */
  readonly replicationFactor?: number
  readonly configs?: Readonly<Record<string, string>>
  /** Replicas of each partition, preferred leader first. */
  readonly assignment?: readonly (readonly number[])[]
}

export interface CreatedTopic {
  readonly name: string
  readonly topicId: string
  readonly partitions: number
  readonly replicationFactor: number
}

/** One item of a request that had several: either done or refused. */
export type Outcome<T> = T & { readonly error: WeirError | undefined }

export interface TopicListing {
  readonly name: string
  readonly topicId: string
  readonly partitions: number
  readonly replicationFactor: number
}

export interface PartitionDescription {
  readonly partition: number
  /** -1 = none now. */
  readonly leader: number
  readonly leaderEpoch: number
  readonly partitionEpoch: number
  readonly replicas: readonly number[]
  readonly isr: readonly number[]
}

export interface TopicDescription {
  readonly name: string
  readonly topicId: string
  readonly partitions: readonly PartitionDescription[]
  /** Only what was set for this topic. */
  readonly configs: Readonly<Record<string, string>>
}

/** A topic by name, or a broker by id; an empty broker name is the default of all brokers. */
export interface ConfigResource {
  readonly scope: 'topic' | 'broker'
  readonly name: string
}

export interface ConfigValue {
  readonly key: string
  readonly value: string
  /** topic, broker, cluster, static or default. */
  readonly source: string
  readonly type: string
  readonly unit: string
  readonly doc: string
}

export interface ConfigChange {
  readonly set?: Readonly<Record<string, string>>
  /** Back to the default. */
  readonly unset?: readonly string[]
  readonly validateOnly?: boolean
}

export interface BrokerDescription {
  readonly id: number
  readonly address: string
  readonly rack: string
  readonly brokerEpoch: number
  /** starting, active, fenced or draining. */
  readonly state: string
  readonly leads: number
  readonly replicas: number
  readonly metadataOffset: number
  readonly httpAddress: string
}

export interface ClusterHealth {
  readonly topics: number
  readonly partitions: number
  readonly leaderless: number
  readonly underReplicated: number
  readonly underMinIsr: number
}

export interface ClusterDescription {
  readonly clusterId: string
  readonly metadataOffset: number
  readonly controllerId: number
  readonly controllerEpoch: number
  readonly brokers: readonly BrokerDescription[]
  readonly controllers: readonly { readonly id: number; readonly address: string; readonly active: boolean }[]
  readonly health: ClusterHealth
}

export interface PartitionListing extends PartitionDescription {
  readonly topic: string
}

export interface TopicPartition {
  readonly topic: string
  readonly partition: number
}

export interface QuorumVoter {
  readonly id: number
  readonly address: string
  /** leader, follower, candidate or unknown. */
  readonly role: string
  readonly matchIndex: number
  /** -1 = unknown. */
  readonly lastContactMs: number
}

export interface QuorumDescription {
  readonly leaderId: number
  readonly term: number
  readonly commitIndex: number
  readonly voters: readonly QuorumVoter[]
}

export interface PartitionOffset {
  readonly partition: number
  readonly offset: number
  /** Of the record at `offset` when the position was a timestamp, else -1. */
  readonly timestamp: number
}

/** Every method works on brokers and controllers, retries what is retriable, and rejects with WeirError. */
export interface Admin {
  createTopic(topic: NewTopic & { readonly validateOnly?: boolean }): Promise<CreatedTopic>
  createTopics(topics: readonly NewTopic[], options?: { readonly validateOnly?: boolean }):
    Promise<readonly Outcome<CreatedTopic>[]>
  deleteTopic(name: string): Promise<void>
  listTopics(): Promise<readonly TopicListing[]>
  describeTopic(name: string): Promise<TopicDescription>
  /** Raises the number of partitions to `total`. */
  addPartitions(name: string, total: number): Promise<void>
  describeConfigs(resource: ConfigResource): Promise<readonly ConfigValue[]>
  alterConfigs(resource: ConfigResource, change: ConfigChange): Promise<void>
  describeCluster(): Promise<ClusterDescription>
  /** Default: all topics, all partitions. Unhealthy: no leader, or an ISR smaller than the replicas. */
  listPartitions(topics?: readonly string[], onlyUnhealthy?: boolean): Promise<readonly PartitionListing[]>
  /** Preferred leaders; `unclean` allows a replica outside the ISR and may lose acknowledged records. */
  electLeaders(partitions: readonly TopicPartition[], options?: { readonly unclean?: boolean }):
    Promise<readonly Outcome<TopicPartition>[]>
  /** Moves leadership away from the broker. Call again until `remaining` is 0. */
  drainBroker(id: number): Promise<{ readonly moved: number; readonly remaining: number }>
  resumeBroker(id: number): Promise<void>
  describeQuorum(): Promise<QuorumDescription>
  transferLeadership(to: number): Promise<{ readonly leaderId: number }>
  /** The offset of `position` in each partition (default: all), as the partition leaders see it. */
  offsets(topic: string, position: Position, partitions?: readonly number[]): Promise<readonly PartitionOffset[]>
  /** Resolves when a broker knows the topic and each partition has a leader. REQUEST_TIMED_OUT after `timeoutMs`. */
  waitForTopic(name: string, timeoutMs: number): Promise<TopicDescription>
}

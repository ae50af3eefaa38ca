// The metadata records: everything that can happen to the cluster's metadata, and the shape of one partition's state.
//
// Only replay (delta.ts) turns records into state. Values are complete by themselves: no record means something
// different depending on where it stands in the log, except that it follows the ones before it.

/** The replicated state of one partition. `replicas` is in order of preference, the preferred leader first. */
export interface PartitionImage {
  readonly replicas: readonly number[]
  readonly isr: readonly number[]
  /** Broker id, -1 = none now. */
  readonly leader: number
  /** Rises by one each time a record sets the leader, even to the same broker. */
  readonly leaderEpoch: number
  /** Rises by one with each change: the compare-and-set token of ISR changes. */
  readonly partitionEpoch: number
  /** Members of `replicas` that a reassignment adds, and those it will take away. */
  readonly adding: readonly number[]
  readonly removing: readonly number[]
  /** The leader came from outside the ISR and has not yet proven its log to a second replica. */
  readonly leaderRecovering: boolean
}

/** `topic`: name is a topic id. `broker`: name is a broker id, or empty for the default of the whole cluster. */
export type ConfigScope = 'topic' | 'broker'

export interface ClusterIdRecord { readonly kind: 'clusterId'; readonly clusterId: string }
export interface TopicRecord { readonly kind: 'topic'; readonly topicId: string; readonly name: string }

/** A new partition, or the whole state of an old one. Partitions of a topic come in the order of their numbers. */
export interface PartitionRecord extends PartitionImage {
  readonly kind: 'partition'
  readonly topicId: string
  readonly partition: number
}

/** What changed in one partition; an absent field stays as it is. Setting the leader raises the leader epoch. */
export interface PartitionChangeRecord {
  readonly kind: 'partitionChange'
  readonly topicId: string
  readonly partition: number
  /** After this change: exactly one above the one before, so that a record lost or replayed twice is found at once. */
  readonly partitionEpoch: number
  readonly isr?: readonly number[]
  readonly leader?: number
  readonly leaderRecovering?: boolean
  readonly replicas?: readonly number[]
  readonly adding?: readonly number[]
  readonly removing?: readonly number[]
}

/** Takes the topic's partitions and configuration with it. */
export interface RemoveTopicRecord { readonly kind: 'removeTopic'; readonly topicId: string }

/** One key; value null = back to the default. */
export interface ConfigRecord {
  readonly kind: 'config'
  readonly scope: ConfigScope
  readonly name: string
  readonly key: string
  readonly value: string | null
}

/** A broker process came: it is fenced until a BrokerChange says otherwise. */
export interface RegisterBrokerRecord {
  readonly kind: 'registerBroker'
  readonly brokerId: number
  /** Metadata offset of the Raft entry that holds this record. */
  readonly brokerEpoch: number
  readonly incarnationId: string
  readonly address: string
  readonly httpAddress: string
  readonly rack: string
  readonly directoryId: string
}

export interface BrokerChangeRecord {
  readonly kind: 'brokerChange'
  readonly brokerId: number
  readonly brokerEpoch: number
  readonly fenced?: boolean
  readonly draining?: boolean
}

export interface UnregisterBrokerRecord {
  readonly kind: 'unregisterBroker'
  readonly brokerId: number
  readonly brokerEpoch: number
}

/** Producer ids below `nextProducerId` are given away. */
export interface ProducerIdsRecord { readonly kind: 'producerIds'; readonly nextProducerId: number }

/**
 * An admin's request that changed something, as the last record of what it changed: told again, it gets the same reply.
 * Only the newest are remembered.
 */
export interface RequestRecord {
  readonly kind: 'request'
  /** Made by the caller. */
  readonly requestId: string
  /** What was asked for. */
  readonly command: string
  /** JSON. */
  readonly reply: string
}

export type MetadataRecord =
  | ClusterIdRecord | TopicRecord | PartitionRecord | PartitionChangeRecord | RemoveTopicRecord | ConfigRecord
  | RegisterBrokerRecord | BrokerChangeRecord | UnregisterBrokerRecord | ProducerIdsRecord
  | RequestRecord

export type RecordKind = MetadataRecord['kind']

// A topic's partitions as clients see them, the same from a broker and from a controller.

import type { PartitionMetadata, TopicMetadata } from './messages.ts'
import { okStatus } from './outcome.ts'

/** What an image of the metadata holds of one partition. */
export interface PartitionState {
  readonly leader: number
  readonly leaderEpoch: number
  readonly partitionEpoch: number
  readonly replicas: readonly number[]
  readonly isr: readonly number[]
}

export function partitionMetadata(partition: number, state: PartitionState): PartitionMetadata {
  const { leader, leaderEpoch, partitionEpoch, replicas, isr } = state
  return { partition, leader, leaderEpoch, partitionEpoch, replicas, isr }
}

export function topicMetadata(topic: {
  readonly id: string; readonly name: string; readonly partitions: readonly PartitionState[] }): TopicMetadata {
  return {
    status: okStatus, name: topic.name, topicId: topic.id,
    partitions: topic.partitions.map((state, index) => partitionMetadata(index, state))
  }
}

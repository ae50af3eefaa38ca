// The cluster as clients see it, from an image: where brokers are, who leads what.

import { fault } from '../../../src/base/error-code.ts'
import { topicByName, type MetadataImage, type TopicImage } from '../../../src/metadata/image.ts'
import type { GetMetadataResponse, TopicMetadata } from '../../../src/rpc/messages.ts'
import { okStatus, statusOf } from './status.ts'

/** `names` empty = every topic. */
export function describeMetadata(
  image: MetadataImage, names: readonly string[], controllerId: number): GetMetadataResponse {
  const topics = names.length === 0 ? [...image.topics.values()].map(describeTopic) : names.map((name) => {
    const topic = topicByName(image, name)
    return topic === undefined ? unknownTopic(name) : describeTopic(topic)
  })
  return {
    clusterId: image.clusterId, metadataOffset: image.offset, controllerId,
    brokers: [...image.brokers.values()].map(({ id, address, rack, fenced }) => ({ id, address, rack, fenced })),
    topics
  }
}

function describeTopic(topic: TopicImage): TopicMetadata {
  return {
    status: okStatus, name: topic.name, topicId: topic.id,
    partitions: topic.partitions.map((partition, index) => ({
      partition: index, leader: partition.leader, leaderEpoch: partition.leaderEpoch,
      partitionEpoch: partition.partitionEpoch, replicas: [...partition.replicas], isr: [...partition.isr] }))
  }
}

function unknownTopic(name: string): TopicMetadata {
  const shown = JSON.stringify(name.length > 249 ? `${name.slice(0, 249)}…` : name)
  const status = statusOf(
    fault('UNKNOWN_TOPIC_OR_PARTITION', `there is no topic ${shown}`, '`weir topic create` makes one'))
  return { status, name, topicId: '', partitions: [] }
}

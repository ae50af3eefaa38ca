// The cluster as clients see it, from an image: where brokers are, who leads what.

import { fault } from '../../../src/base/error-code.ts'
import { topicByName, type MetadataImage } from '../../../src/metadata/image.ts'
import type { GetMetadataResponse, TopicMetadata } from '../../../src/rpc/messages.ts'
import { statusOf } from '../../../src/rpc/outcome.ts'
import { topicMetadata } from '../../../src/rpc/topic-metadata.ts'

/** `names` empty = every topic. */
export function describeMetadata(
  image: MetadataImage, names: readonly string[], controllerId: number): GetMetadataResponse {
  const topics = names.length === 0 ? [...image.topics.values()].map(topicMetadata) : names.map((name) => {
    const topic = topicByName(image, name)
    return topic === undefined ? unknownTopic(name) : topicMetadata(topic)
  })
  return {
    clusterId: image.clusterId, metadataOffset: image.offset, controllerId,
    brokers: [...image.brokers.values()].map(({ id, address, rack, fenced }) => ({ id, address, rack, fenced })),
    topics
  }
}

function unknownTopic(name: string): TopicMetadata {
  const shown = JSON.stringify(name.length > 249 ? `${name.slice(0, 249)}…` : name)
  const status = statusOf(
    fault('UNKNOWN_TOPIC_OR_PARTITION', `there is no topic ${shown}`, '`weir topic create` makes one'))
  return { status, name, topicId: '', partitions: [] }
}

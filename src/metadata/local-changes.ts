// What a delta asks of one broker: which replicas it deletes, stops, leads, follows or merely takes note of.

import type { MetadataDelta } from './delta.ts'
import type { MetadataImage, TopicImage } from './image.ts'
import type { PartitionImage } from './records.ts'

/**
 * - `delete`: the topic is gone, or the broker is no replica of the partition any more: its data goes.
 * - `stop`: still a replica, but the partition has no leader: neither lead nor fetch.
 * - `lead`, `follow`: in a leader epoch that is new here.
 * - `update`: same leader, same leader epoch, but another ISR or replica set (KAFKA-13790: must not reset anything).
 */
export type LocalChangeKind = 'delete' | 'stop' | 'lead' | 'follow' | 'update'

export interface LocalChange {
  readonly kind: LocalChangeKind
  readonly topicId: string
  readonly topic: string
  readonly partition: number
  /** The state to act on; for `delete` the last one known. */
  readonly image: PartitionImage
}

const ORDER: readonly LocalChangeKind[] = ['delete', 'stop', 'lead', 'follow', 'update']

/** In the order in which to act: deletions first, so that a topic recreated under its old name finds a free place. */
export function localChanges(
  brokerId: number, delta: MetadataDelta, previous: MetadataImage, next: MetadataImage): readonly LocalChange[] {
  const changes: LocalChange[] = []
  for (const topic of delta.deletedTopics.values()) changes.push(...deletions(brokerId, topic))
  for (const topicId of delta.changedTopicIds) {
    const topic = next.topics.get(topicId)!
    const old = previous.topics.get(topicId)
    for (const partition of delta.changedPartitions(topicId)) {
      const image = topic.partitions[partition]!
      const before = old?.partitions[partition]
      const kind = changeOf(brokerId, before, image)
      if (kind !== undefined) changes.push({ kind, topicId, topic: topic.name, partition, image })
    }
  }
  return changes.sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind))
}

function deletions(brokerId: number, topic: TopicImage): LocalChange[] {
  return topic.partitions
    .map((image, partition) => (
      { kind: 'delete' as const, topicId: topic.id, topic: topic.name, partition, image }))
    .filter(({ image }) => image.replicas.includes(brokerId))
}

function changeOf(
  brokerId: number, before: PartitionImage | undefined, after: PartitionImage): LocalChangeKind | undefined {
  const hosted = before?.replicas.includes(brokerId) === true
  if (!after.replicas.includes(brokerId)) return hosted ? 'delete' : undefined
  if (hosted && before.leaderEpoch === after.leaderEpoch) return 'update'
  if (after.leader === -1) return 'stop'
  return after.leader === brokerId ? 'lead' : 'follow'
}

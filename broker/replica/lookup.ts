// Finds the partition a request names, or says why it cannot be served here and who leads.

import {
  ErrorCode, errorName, fault, type ErrorName, type Fault, type LeaderHint
} from '../../src/base/error-code.ts'
import type { MetadataImage } from '../../src/metadata/image.ts'
import type { Partition } from './partition.ts'
import type { ReplicaManager } from './replica-manager.ts'

export interface LookupNeeds {
  readonly replicas: ReplicaManager
  image(): MetadataImage
}

/** A partition as a client names it; `leaderEpoch` is what the client believes, -1 = unchecked. */
export interface Wanted { readonly topic: string; readonly partition: number; readonly leaderEpoch: number }

export type Lookup =
  | { readonly ok: true; readonly partition: Partition }
  | { readonly ok: false; readonly fault: Fault }

export function findLeader(needs: LookupNeeds, wanted: Wanted): Lookup {
  const image = needs.image()
  if (image.offset < 0) {
    return { ok: false, fault: fault('LEADER_NOT_AVAILABLE', 'this broker has no metadata yet', 'retry') }
  }
  const topicId = image.topicIdByName.get(wanted.topic)
  const topic = topicId === undefined ? undefined : image.topics.get(topicId)
  if (topic === undefined) {
    return { ok: false, fault: fault('UNKNOWN_TOPIC_OR_PARTITION', `there is no topic ${quote(wanted.topic)}`,
      '`weir topic list` shows all; `weir topic create` makes one') }
  }
  if (wanted.partition < 0 || wanted.partition >= topic.partitions.length) {
    return { ok: false, fault: fault('UNKNOWN_TOPIC_OR_PARTITION',
      `topic ${topic.name} has partitions 0 to ${topic.partitions.length - 1}, not ${wanted.partition}`) }
  }
  const partition = needs.replicas.partition(topic.id, wanted.partition)
  const code = partition === undefined ? ErrorCode.NOT_LEADER_OR_FOLLOWER : partition.checkLeader(wanted.leaderEpoch)
  if (partition !== undefined && code === 0) return { ok: true, partition }
  return { ok: false, fault: leadershipFault(image, topic.id, wanted, code) }
}

/** `code` about a partition, with the leader that the image names. */
export function leadershipFault(
  image: MetadataImage, topicId: string, wanted: Wanted, code: number): Fault {
  const leader = leaderHint(image, topicId, wanted.partition)
  const name = errorName(code)
  const known = leader !== undefined && leader.id >= 0
  if (name === 'NOT_LEADER_OR_FOLLOWER' && !known) {
    return fault('LEADER_NOT_AVAILABLE', `${wanted.topic}-${wanted.partition} has no leader now`,
      'retry; `weir partition list --unhealthy` shows which replicas are missing')
  }
  const hint = known ? `ask broker ${leader.id} at ${leader.address}` : undefined
  return { ...fault(name, explain(name, wanted, leader), hint), ...(leader === undefined ? {} : { leader }) }
}

export function leaderHint(image: MetadataImage, topicId: string, index: number): LeaderHint | undefined {
  const partition = image.topics.get(topicId)?.partitions[index]
  if (partition === undefined) return undefined
  return {
    id: partition.leader,
    address: image.brokers.get(partition.leader)?.address ?? '',
    leaderEpoch: partition.leaderEpoch
  }
}

function explain(name: ErrorName, wanted: Wanted, leader: LeaderHint | undefined): string {
  const where = `${wanted.topic}-${wanted.partition}`
  if (name === 'NOT_LEADER_OR_FOLLOWER') return `this broker does not lead ${where}`
  if (name === 'FENCED_LEADER_EPOCH') {
    return `leader epoch ${wanted.leaderEpoch} of ${where} is over; it is ${leader?.leaderEpoch ?? 'unknown'} now`
  }
  if (name === 'UNKNOWN_LEADER_EPOCH') {
    return `leader epoch ${wanted.leaderEpoch} of ${where} has not reached this broker yet`
  }
  return `${where} cannot be served by this broker: ${name}`
}

function quote(text: string): string {
  return JSON.stringify(text.length > 249 ? `${text.slice(0, 249)}…` : text)
}

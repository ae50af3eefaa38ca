// AlterPartition: a partition leader asks to change its ISR. Compare-and-set by leader epoch, partition epoch and the
// broker epochs of the members; the order of the checks decides which answer a stale leader gets (KIP-497, KIP-903).

import { fault, type Fault } from '../../src/base/error-code.ts'
import type { MetadataImage, PartitionImage } from '../../src/metadata/image.ts'
import type { MetadataRecord } from '../../src/metadata/records.ts'
import { checkBrokerEpoch } from './broker-epoch.ts'
import { partitionChange } from './leadership.ts'
import { Refusal, type Outcome } from './outcome.ts'

export interface IsrMember { readonly brokerId: number; readonly brokerEpoch: number }

export interface IsrProposal {
  readonly topicId: string
  readonly partition: number
  readonly leaderEpoch: number
  readonly partitionEpoch: number
  readonly newIsr: readonly IsrMember[]
}

export interface AlterPartition {
  readonly kind: 'alterPartition'
  readonly brokerId: number
  readonly brokerEpoch: number
  readonly partitions: readonly IsrProposal[]
}

export interface AlterPartitionResult {
  readonly topicId: string
  readonly partition: number
  readonly fault: Fault | undefined
  /** The state after the change; undefined with a fault. */
  readonly image: PartitionImage | undefined
}

export function alterPartition(
  image: MetadataImage, command: AlterPartition): Outcome<readonly AlterPartitionResult[]> | Refusal {
  const stale = checkBrokerEpoch(image, command.brokerId, command.brokerEpoch)
  if (stale !== undefined) return new Refusal(stale)
  const records: MetadataRecord[] = []
  const seen = new Set<string>()
  const reply = command.partitions.map((proposal): AlterPartitionResult => {
    const { topicId, partition } = proposal
    const name = `${topicId}/${partition}`
    const refused = seen.has(name)
      ? fault('INVALID_REQUEST', `partition ${partition} of ${topicId} is named twice`)
      : checkTarget(image, proposal)
    seen.add(name)
    if (refused !== undefined) return { topicId, partition, fault: refused, image: undefined }
    const topic = image.topics.get(topicId)!
    const old = topic.partitions[partition]!
    const isr = old.replicas.filter((id) => proposal.newIsr.some(({ brokerId }) => brokerId === id))
    if (isAnswered(old, proposal, command.brokerId)) return { topicId, partition, fault: undefined, image: old }
    const bad = checkEpochs(old, proposal, command.brokerId) ?? checkIsr(image, old, proposal, command.brokerId)
    if (bad !== undefined) return { topicId, partition, fault: bad, image: undefined }
    const recovered = old.leaderRecovering ? { leaderRecovering: false } : {}
    records.push(partitionChange(topic, partition, { isr, ...recovered }))
    const next = { ...old, isr, partitionEpoch: old.partitionEpoch + 1, leaderRecovering: false }
    return { topicId, partition, fault: undefined, image: next }
  })
  return { reply, records }
}

function checkTarget(image: MetadataImage, { topicId, partition }: IsrProposal): Fault | undefined {
  const topic = image.topics.get(topicId)
  if (topic === undefined) return fault('UNKNOWN_TOPIC_ID', `there is no topic with id ${topicId}`)
  if (topic.partitions[partition] === undefined) {
    return fault('UNKNOWN_TOPIC_OR_PARTITION', `topic ${topic.name} has no partition ${partition}`)
  }
  return undefined
}

/**
 * What is asked for is what is: the repeat of a request whose answer was lost (KAFKA-14144), or a proposal that
 * changes nothing. Only to the leader of this epoch, and never for a partition epoch from the future.
 */
function isAnswered(old: PartitionImage, proposal: IsrProposal, senderId: number): boolean {
  const asked = proposal.newIsr.map(({ brokerId }) => brokerId)
  return senderId === old.leader && proposal.leaderEpoch === old.leaderEpoch
    && proposal.partitionEpoch <= old.partitionEpoch && !old.leaderRecovering
    && asked.length === old.isr.length && new Set(asked).size === asked.length
    && asked.every((id) => old.isr.includes(id))
}

function checkEpochs(old: PartitionImage, proposal: IsrProposal, senderId: number): Fault | undefined {
  const { leaderEpoch, partitionEpoch } = proposal
  if (leaderEpoch > old.leaderEpoch || partitionEpoch > old.partitionEpoch) {
    return fault('NOT_CONTROLLER', `epochs (${leaderEpoch}, ${partitionEpoch}) are ahead of `
      + `(${old.leaderEpoch}, ${old.partitionEpoch}) here`, 'ask the active controller')
  }
  if (leaderEpoch < old.leaderEpoch) {
    return fault('FENCED_LEADER_EPOCH', `leader epoch ${leaderEpoch} is over, ${old.leaderEpoch} is current`)
  }
  if (senderId !== old.leader) {
    return fault('INVALID_REQUEST', `broker ${senderId} does not lead this partition, ${old.leader} does`)
  }
  if (partitionEpoch < old.partitionEpoch) {
    return fault('INVALID_UPDATE_VERSION',
      `partition epoch ${partitionEpoch} is over, ${old.partitionEpoch} is current`, 'wait for the metadata')
  }
  return undefined
}

function checkIsr(
  image: MetadataImage, old: PartitionImage, { newIsr }: IsrProposal, leaderId: number): Fault | undefined {
  const asked = newIsr.map(({ brokerId }) => brokerId)
  const text = `ISR [${asked.join(', ')}]`
  if (new Set(asked).size !== asked.length) return fault('INVALID_REQUEST', `${text} names a broker twice`)
  if (!asked.every((id) => old.replicas.includes(id))) {
    return fault('INVALID_REQUEST', `${text} is no part of the replicas [${old.replicas.join(', ')}]`)
  }
  if (!asked.includes(leaderId)) return fault('INVALID_REQUEST', `${text} is without the leader ${leaderId}`)
  if (old.leaderRecovering && asked.length > 1) {
    return fault('INVALID_REQUEST', `${text}: a recovering leader first asks for an ISR of its own`)
  }
  for (const member of newIsr) {
    const reason = ineligible(image, member, leaderId)
    if (reason !== undefined) return fault('INELIGIBLE_REPLICA', `broker ${member.brokerId} ${reason}`)
  }
  return undefined
}

function ineligible(
  image: MetadataImage, { brokerId, brokerEpoch }: IsrMember, leaderId: number): string | undefined {
  const broker = image.brokers.get(brokerId)
  if (broker === undefined) return 'is not registered'
  if (broker.fenced) return 'is fenced'
  // A draining leader stays eligible to itself: only by letting a follower in can it hand its leadership on.
  if (broker.draining && brokerId !== leaderId) return 'is draining'
  // A follower restarted since then has another epoch: its former self's progress proves nothing.
  if (broker.epoch !== brokerEpoch) return `has broker epoch ${broker.epoch}, not ${brokerEpoch}`
  return undefined
}

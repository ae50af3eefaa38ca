// Partition changes that follow from a broker coming, going or draining, and elections asked for by an admin.

import { fault, type Fault } from '../../src/base/error-code.ts'
import { topicByName, type MetadataImage, type PartitionImage, type TopicImage } from '../../src/metadata/image.ts'
import type { PartitionChangeRecord } from '../../src/metadata/records.ts'
import { activeIn, electLeader, uncleanElectionEnabled, type CanLead, type Elected } from './election.ts'
import type { Outcome } from './outcome.ts'

type Change = Omit<PartitionChangeRecord, 'kind' | 'topicId' | 'partition' | 'partitionEpoch'>

export function partitionChange(
  topic: TopicImage, partition: number, change: Change): PartitionChangeRecord {
  const partitionEpoch = topic.partitions[partition]!.partitionEpoch + 1
  return { kind: 'partitionChange', topicId: topic.id, partition, partitionEpoch, ...change }
}

/** The change that puts `elected` in charge. An unclean leader starts a new ISR: nobody else has its log. */
function leadBy(elected: Elected, isr: readonly number[] | undefined): Change {
  if (elected.unclean) return { leader: elected.leader, isr: [elected.leader], leaderRecovering: true }
  return isr === undefined ? { leader: elected.leader } : { leader: elected.leader, isr }
}

/**
 * `brokerId` leaves every ISR and every leadership. The last member of an ISR stays in it, since it alone has all
 * acknowledged records: the partition waits for it without a leader. With `diskLost` even the last one goes: it has
 * nothing to come back with, and only an unclean election brings the partition back.
 */
export function leaveAll(
  image: MetadataImage, brokerId: number, options: { readonly diskLost: boolean }): PartitionChangeRecord[] {
  const active = activeIn(image)
  const canLead: CanLead = (id) => id !== brokerId && active(id)
  return changes(image, (topic, old) => {
    const inIsr = old.isr.includes(brokerId)
    const leads = old.leader === brokerId
    if (!inIsr && !leads) return undefined
    const others = old.isr.filter((id) => id !== brokerId)
    const isr = others.length > 0 || options.diskLost ? others : old.isr
    const shrunk = isr.length < old.isr.length ? isr : undefined
    if (!leads) return shrunk === undefined ? undefined : { isr: shrunk }
    const elected = electLeader({ replicas: old.replicas, isr }, canLead, uncleanElectionEnabled(image, topic.id))
    return leadBy(elected, shrunk)
  })
}

/** `brokerId` may lead from now on: it takes the leaderless partitions for which it is in the ISR. */
export function takeLeaderless(image: MetadataImage, brokerId: number): PartitionChangeRecord[] {
  return changes(image, (topic, old) => {
    if (old.leader !== -1 || !old.replicas.includes(brokerId)) return undefined
    const elected = electLeader(old, (id) => id === brokerId, uncleanElectionEnabled(image, topic.id))
    return elected.leader === -1 ? undefined : leadBy(elected, undefined)
  })
}

export interface DrainReply {
  /** Leaderships moved to others, and those for which there is nobody else yet. */
  readonly moved: number
  readonly remaining: number
}

/** Moves leaderships to other members of the ISR; leaves the ISRs in which others remain. */
export function moveAway(image: MetadataImage, brokerId: number): Outcome<DrainReply> {
  const active = activeIn(image)
  const canLead: CanLead = (id) => id !== brokerId && active(id)
  let moved = 0
  let remaining = 0
  const records = changes(image, (_topic, old) => {
    const others = old.isr.filter((id) => id !== brokerId)
    if (old.leader !== brokerId) {
      return old.isr.includes(brokerId) && others.length > 0 ? { isr: others } : undefined
    }
    const { leader } = electLeader({ replicas: old.replicas, isr: others }, canLead, false)
    if (leader === -1) {
      remaining++
      return undefined
    }
    moved++
    return { leader, isr: others }
  })
  return { reply: { moved, remaining }, records }
}

/** Is there an active replica, in sync or not yet, for any partition that `brokerId` leads? */
export function hasHeirs(image: MetadataImage, brokerId: number): boolean {
  const active = activeIn(image)
  for (const { partitions } of image.topics.values()) {
    for (const { leader, replicas } of partitions) {
      if (leader === brokerId && replicas.some((id) => id !== brokerId && active(id))) return true
    }
  }
  return false
}

/** Elects leaders for the leaderless partitions of one topic, whose unclean election has just been allowed. */
export function electUncleanly(image: MetadataImage, topic: TopicImage): PartitionChangeRecord[] {
  return topicChanges(topic, (old) => {
    const elected = old.leader === -1 ? electLeader(old, activeIn(image), true) : undefined
    return elected === undefined || elected.leader === -1 ? undefined : leadBy(elected, undefined)
  })
}

// ---- elections asked for --------------------------------------------------------------------------------

export interface ElectLeaders {
  readonly kind: 'electLeaders'
  /** Empty = every partition that needs it. */
  readonly partitions: readonly { readonly topic: string; readonly partition: number }[]
  /** True: leaderless partitions take any live replica. False: leadership goes to the preferred leader. */
  readonly unclean: boolean
}

export interface ElectResult { readonly topic: string; readonly partition: number; readonly fault: Fault | undefined }

export function electLeaders(image: MetadataImage, command: ElectLeaders): Outcome<readonly ElectResult[]> {
  const active = activeIn(image)
  const reply: ElectResult[] = []
  const records: PartitionChangeRecord[] = []
  const all = command.partitions.length === 0
  for (const { topic: name, partition } of all ? everyPartition(image) : distinct(command.partitions)) {
    const topic = topicByName(image, name)
    const old = topic?.partitions[partition]
    if (topic === undefined || old === undefined) {
      const unknown = fault('UNKNOWN_TOPIC_OR_PARTITION', `there is no partition ${partition} of topic ${name}`)
      reply.push({ topic: name, partition, fault: unknown })
      continue
    }
    const change = command.unclean ? anyLeader(old, active) : preferredLeader(old, active)
    if (change.ok) records.push(partitionChange(topic, partition, change.change))
    const refused = change.ok ? undefined : change.fault
    if (change.ok || !all) reply.push({ topic: name, partition, fault: refused })
  }
  return { reply, records }
}

type Decision = { readonly ok: true; readonly change: Change } | { readonly ok: false; readonly fault: Fault }

function preferredLeader(old: PartitionImage, canLead: CanLead): Decision {
  const preferred = old.replicas[0]!
  if (old.leader === preferred) {
    return { ok: false, fault: fault('ELECTION_NOT_NEEDED', `the preferred leader ${preferred} leads`) }
  }
  if (!old.isr.includes(preferred) || !canLead(preferred)) {
    return { ok: false, fault: fault('PREFERRED_LEADER_NOT_AVAILABLE',
      `the preferred leader ${preferred} is ${canLead(preferred) ? 'not in the ISR' : 'fenced or draining'}`,
      'elect again once it is in sync') }
  }
  return { ok: true, change: { leader: preferred } }
}

function anyLeader(old: PartitionImage, canLead: CanLead): Decision {
  if (old.leader !== -1) {
    return { ok: false, fault: fault('ELECTION_NOT_NEEDED', `broker ${old.leader} leads`) }
  }
  const elected = electLeader(old, canLead, true)
  if (elected.leader === -1) {
    return { ok: false, fault: fault('ELIGIBLE_LEADERS_NOT_AVAILABLE',
      `none of the replicas ${old.replicas.join(', ')} is active`, 'start one of these brokers') }
  }
  return { ok: true, change: leadBy(elected, undefined) }
}

export interface RebalanceLeaders {
  readonly kind: 'rebalanceLeaders'
  /** Brokers that have been back long enough to take leaderships. */
  readonly brokers: readonly number[]
  /** Most leaderships moved by one command. */
  readonly max: number
}

/** Gives leaderships back to preferred leaders, a bounded batch at a time; the reply is their number. */
export function rebalanceLeaders(image: MetadataImage, command: RebalanceLeaders): Outcome<number> {
  const active = activeIn(image)
  const canLead: CanLead = (id) => command.brokers.includes(id) && active(id)
  let left = command.max
  const records = changes(image, (_topic, old) => {
    if (left === 0 || old.leader === -1) return undefined
    const decision = preferredLeader(old, canLead)
    if (!decision.ok) return undefined
    left--
    return decision.change
  })
  return { reply: records.length, records }
}

// ---- walking --------------------------------------------------------------------------------------------

function changes(
  image: MetadataImage, decide: (topic: TopicImage, old: PartitionImage) => Change | undefined
): PartitionChangeRecord[] {
  const records: PartitionChangeRecord[] = []
  for (const topic of image.topics.values()) records.push(...topicChanges(topic, (old) => decide(topic, old)))
  return records
}

function topicChanges(
  topic: TopicImage, decide: (old: PartitionImage) => Change | undefined): PartitionChangeRecord[] {
  const records: PartitionChangeRecord[] = []
  for (const [partition, old] of topic.partitions.entries()) {
    const change = decide(old)
    if (change !== undefined) records.push(partitionChange(topic, partition, change))
  }
  return records
}

function* everyPartition(image: MetadataImage): Generator<{ topic: string; partition: number }> {
  for (const topic of image.topics.values()) {
    for (const partition of topic.partitions.keys()) yield { topic: topic.name, partition }
  }
}

function distinct<T extends { readonly topic: string; readonly partition: number }>(items: readonly T[]): T[] {
  return [...new Map(items.map((item) => [`${item.topic}/${item.partition}`, item])).values()]
}

// Topics: create, delete, add partitions.

import { fault, type ErrorName, type Fault } from '../../src/base/error-code.ts'
import { checkTopicConfigs } from '../../src/config/keys.ts'
import { topicByName, type MetadataImage, type TopicImage } from '../../src/metadata/image.ts'
import type { MetadataRecord, PartitionRecord } from '../../src/metadata/records.ts'
import { activeIn, type CanLead } from './election.ts'
import type { Outcome } from './outcome.ts'
import { Placement } from './placement.ts'

/** Partitions of one topic; and partitions that one command may create, so that one Raft entry stays near 1 MiB. */
export const PARTITIONS_MAX = 10_000
const NAME_LENGTH_MAX = 249

export interface NewTopic {
  readonly name: string
  /** 32 hex digits, never used before. */
  readonly topicId: string
  /** 0 = the default. */
  readonly partitions: number
  /** 0 = the default, or as many as there are brokers. */
  readonly replicationFactor: number
  readonly configs: readonly { readonly key: string; readonly value: string }[]
  /** Replicas of each partition, preferred leader first; empty = chosen by placement. */
  readonly assignment: readonly (readonly number[])[]
}

export interface CreateTopics {
  readonly kind: 'createTopics'
  readonly topics: readonly NewTopic[]
  readonly validateOnly: boolean
  readonly defaults: { readonly partitions: number; readonly replicationFactor: number }
  /** Partitions in the whole cluster (max.partitions). */
  readonly partitionsMax: number
  /** Breaks ties of placement. */
  readonly seed: number
}

export interface CreateTopicResult {
  readonly name: string
  readonly fault: Fault | undefined
  /** Empty and 0 with a fault. */
  readonly topicId: string
  readonly partitions: number
  readonly replicationFactor: number
}

/** What creations of one command share: the room left, the names taken so far, the loads. */
interface Session {
  readonly image: MetadataImage
  readonly placement: Placement
  readonly active: CanLead
  readonly taken: Set<string>
  readonly clusterMax: number
  clusterPartitions: number
  commandPartitions: number
}

function begin(image: MetadataImage, seed: number, clusterMax: number): Session {
  let clusterPartitions = 0
  for (const topic of image.topics.values()) clusterPartitions += topic.partitions.length
  return {
    image, placement: new Placement(image, seed), active: activeIn(image), taken: new Set(), clusterMax,
    clusterPartitions, commandPartitions: 0
  }
}

export function createTopics(image: MetadataImage, command: CreateTopics): Outcome<readonly CreateTopicResult[]> {
  const session = begin(image, command.seed, command.partitionsMax)
  const records: MetadataRecord[] = []
  const reply = command.topics.map((topic): CreateTopicResult => {
    const made = createTopic(session, topic, command.defaults)
    if ('fault' in made) {
      return { name: topic.name, fault: made.fault, topicId: '', partitions: 0, replicationFactor: 0 }
    }
    records.push(...made.records)
    return {
      name: topic.name, fault: undefined, topicId: command.validateOnly ? '' : topic.topicId,
      partitions: made.assignment.length, replicationFactor: made.assignment[0]!.length
    }
  })
  return { reply, records: command.validateOnly ? [] : records }
}

type Refused = { readonly fault: Fault }
type Made = Refused | {
  readonly records: readonly MetadataRecord[]; readonly assignment: readonly (readonly number[])[] }

function createTopic(session: Session, topic: NewTopic, defaults: CreateTopics['defaults']): Made {
  const configs = new Map(topic.configs.map(({ key, value }) => [key, value]))
  const bad = checkName(session, topic.name) ?? checkTopicConfigs(configs)
  if (bad !== undefined) return { fault: bad }
  const chosen = topic.assignment.length > 0
    ? checkAssignment(session, topic) : assign(session, topic, defaults)
  if ('fault' in chosen) return chosen
  const { assignment } = chosen
  session.taken.add(topic.name)
  return {
    assignment,
    records: [
      { kind: 'topic', topicId: topic.topicId, name: topic.name },
      ...assignment.map((replicas, partition) => newPartition(session, topic.topicId, partition, replicas)),
      ...[...configs].map(([key, value]) => (
        { kind: 'config', scope: 'topic', name: topic.topicId, key, value } as const))
    ]
  }
}

function newPartition(
  session: Session, topicId: string, partition: number, replicas: readonly number[]): PartitionRecord {
  const isr = replicas.filter(session.active)
  return {
    kind: 'partition', topicId, partition, replicas, isr, leader: isr[0] ?? -1, leaderEpoch: 0, partitionEpoch: 0,
    adding: [], removing: [], leaderRecovering: false
  }
}

// ---- checks ---------------------------------------------------------------------------------------------

function refused(name: ErrorName, message: string, hint?: string): Refused {
  return { fault: fault(name, message, hint) }
}

function checkName({ image, taken }: Session, name: string): Fault | undefined {
  if (!/^[A-Za-z0-9._-]+$/.test(name) || name.length > NAME_LENGTH_MAX || name === '.' || name === '..') {
    return fault('INVALID_TOPIC_EXCEPTION', `topic name ${JSON.stringify(name.slice(0, NAME_LENGTH_MAX))} is not `
      + `1 to ${NAME_LENGTH_MAX} of [A-Za-z0-9._-], other than . and ..`)
  }
  if (image.topicIdByName.has(name)) return fault('TOPIC_ALREADY_EXISTS', `topic ${name} exists`)
  if (taken.has(name)) return fault('INVALID_REQUEST', `topic ${name} is named twice`)
  // Names of metrics write both characters as an underscore (KAFKA-2337).
  if (!/[._]/.test(name)) return undefined
  const folded = name.replaceAll('.', '_')
  for (const other of [...image.topicIdByName.keys(), ...taken]) {
    if (other.length === name.length && other.replaceAll('.', '_') === folded) {
      return fault('INVALID_TOPIC_EXCEPTION', `topic ${name} collides with ${other}: they differ in . and _ only`)
    }
  }
  return undefined
}

function assign(
  session: Session, topic: NewTopic, defaults: CreateTopics['defaults']): Refused | { assignment: number[][] } {
  const { placement } = session
  const partitions = topic.partitions === 0 ? defaults.partitions : topic.partitions
  const factor = topic.replicationFactor === 0
    ? Math.min(defaults.replicationFactor, placement.brokers) : topic.replicationFactor
  if (partitions < 1 || partitions > PARTITIONS_MAX) {
    return refused('INVALID_PARTITIONS', `${partitions} partitions: from 1 to ${PARTITIONS_MAX}`)
  }
  if (placement.activeBrokers === 0) {
    return refused('INVALID_REPLICATION_FACTOR', 'no broker is active', 'start brokers; `weir node list` shows them')
  }
  if (factor < 1 || factor > placement.brokers) {
    return refused('INVALID_REPLICATION_FACTOR',
      `replication factor ${factor}: from 1 to ${placement.brokers}, the number of brokers`)
  }
  const full = takeRoom(session, partitions)
  if (full !== undefined) return { fault: full }
  placement.beginTopic([])
  return { assignment: Array.from({ length: partitions }, () => placement.next(factor)) }
}

function checkAssignment(session: Session, topic: NewTopic): Refused | { assignment: NewTopic['assignment'] } {
  const { assignment } = topic
  const factor = assignment[0]!.length
  if (topic.partitions !== 0 && topic.partitions !== assignment.length) {
    return refused('INVALID_REQUEST',
      `${topic.partitions} partitions, but an assignment of ${assignment.length}`, 'give one of them')
  }
  if (topic.replicationFactor !== 0 && topic.replicationFactor !== factor) {
    return refused('INVALID_REQUEST',
      `replication factor ${topic.replicationFactor}, but an assignment of ${factor}`, 'give one of them')
  }
  for (const [partition, replicas] of assignment.entries()) {
    const reason = wrongReplicas(session, replicas, factor)
    if (reason !== undefined) return refused('INVALID_REPLICA_ASSIGNMENT', `partition ${partition}: ${reason}`)
  }
  if (assignment.length > PARTITIONS_MAX) {
    return refused('INVALID_PARTITIONS', `${assignment.length} partitions: from 1 to ${PARTITIONS_MAX}`)
  }
  const full = takeRoom(session, assignment.length)
  return full === undefined ? { assignment } : { fault: full }
}

function wrongReplicas({ image, active }: Session, replicas: readonly number[], factor: number): string | undefined {
  if (replicas.length === 0) return 'has no replicas'
  if (replicas.length !== factor) return `has ${replicas.length} replicas, partition 0 has ${factor}`
  if (new Set(replicas).size !== replicas.length) return `names a broker twice in [${replicas.join(', ')}]`
  const unknown = replicas.find((id) => !image.brokers.has(id))
  if (unknown !== undefined) return `broker ${unknown} is not registered`
  return replicas.some(active) ? undefined : `none of the brokers [${replicas.join(', ')}] is active`
}

function takeRoom(session: Session, partitions: number): Fault | undefined {
  if (session.commandPartitions + partitions > PARTITIONS_MAX) {
    return fault('INVALID_PARTITIONS', `more than ${PARTITIONS_MAX} new partitions in one request`, 'send several')
  }
  if (session.clusterPartitions + partitions > session.clusterMax) {
    return fault('POLICY_VIOLATION', `${session.clusterPartitions} partitions and ${partitions} more are above `
      + `max.partitions=${session.clusterMax}`, 'delete topics, or raise max.partitions on the controllers')
  }
  session.commandPartitions += partitions
  session.clusterPartitions += partitions
  return undefined
}

// ---- delete, add partitions -----------------------------------------------------------------------------

export interface TopicResult { readonly name: string; readonly fault: Fault | undefined }

export interface DeleteTopics { readonly kind: 'deleteTopics'; readonly names: readonly string[] }

export function deleteTopics(image: MetadataImage, command: DeleteTopics): Outcome<readonly TopicResult[]> {
  const records: MetadataRecord[] = []
  const seen = new Set<string>()
  const reply = command.names.map((name): TopicResult => {
    const topic = topicByName(image, name)
    if (topic === undefined) return { name, fault: fault('UNKNOWN_TOPIC_OR_PARTITION', `there is no topic ${name}`) }
    if (!seen.has(name)) records.push({ kind: 'removeTopic', topicId: topic.id })
    seen.add(name)
    return { name, fault: undefined }
  })
  return { reply, records }
}

export interface AddPartitions {
  readonly kind: 'addPartitions'
  readonly topics: readonly { readonly name: string; readonly total: number }[]
  readonly partitionsMax: number
  readonly seed: number
}

export function addPartitions(image: MetadataImage, command: AddPartitions): Outcome<readonly TopicResult[]> {
  const session = begin(image, command.seed, command.partitionsMax)
  const records: MetadataRecord[] = []
  const reply = command.topics.map(({ name, total }): TopicResult => {
    const topic = topicByName(image, name)
    const bad = topic === undefined
      ? fault('UNKNOWN_TOPIC_OR_PARTITION', `there is no topic ${name}`) : checkGrowth(session, topic, total)
    if (topic === undefined || bad !== undefined) return { name, fault: bad }
    session.taken.add(name)
    session.placement.beginTopic(topic.partitions.map(({ replicas }) => replicas))
    const factor = Math.min(topic.partitions[0]!.replicas.length, session.placement.brokers)
    for (let partition = topic.partitions.length; partition < total; partition++) {
      records.push(newPartition(session, topic.id, partition, session.placement.next(factor)))
    }
    return { name, fault: undefined }
  })
  return { reply, records }
}

function checkGrowth(session: Session, topic: TopicImage, total: number): Fault | undefined {
  if (session.taken.has(topic.name)) return fault('INVALID_REQUEST', `topic ${topic.name} is named twice`)
  const now = topic.partitions.length
  if (total <= now || total > PARTITIONS_MAX) {
    return fault('INVALID_PARTITIONS', `topic ${topic.name} has ${now} partitions, asked for ${total}: more than it `
      + `has, up to ${PARTITIONS_MAX}`, 'partitions cannot be taken away')
  }
  if (session.placement.activeBrokers === 0) {
    return fault('INVALID_REPLICATION_FACTOR', 'no broker is active', 'start brokers')
  }
  return takeRoom(session, total - now)
}

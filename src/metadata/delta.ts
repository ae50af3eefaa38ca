// Replays records over an image and makes the next one: the only way metadata changes, on controllers and brokers.
// What nobody touched is shared between the two images; what was touched is listed for those who act on changes.

import { assert, unreachable } from '../base/assert.ts'
import {
  NO_CONFIGS, brokerRecords, topicRecords,
  type BrokerImage, type ConfigEntries, type MetadataImage, type SettledRequest, type TopicImage
} from './image.ts'
import type {
  ConfigRecord, MetadataRecord, PartitionChangeRecord, PartitionImage, RegisterBrokerRecord
} from './records.ts'

/** Requests remembered, and characters of their ids and replies together: whichever is reached first. */
const REQUESTS_MAX = 1_000
const REQUEST_CHARS_MAX = 1024 * 1024

/** A topic under change: a private copy of its partitions, and which of them were touched. */
interface TopicDraft {
  readonly id: string
  readonly name: string
  readonly partitions: PartitionImage[]
  readonly touched: Set<number>
}

/**
 * Used once: constructed over `base`, fed by `replay`, closed by `apply`. Records that contradict the state (an unknown
 * topic, a skipped partition epoch) are broken invariants: a node with a different state machine must not go on.
 */
export class MetadataDelta {
  readonly base: MetadataImage
  readonly #drafts = new Map<string, TopicDraft>()
  readonly #deletedTopics = new Map<string, TopicImage>()
  readonly #removedNames = new Set<string>()
  readonly #brokers = new Map<number, BrokerImage | undefined>()
  readonly #topicConfigs = new Map<string, Map<string, string>>()
  readonly #brokerConfigs = new Map<number, Map<string, string>>()
  #clusterConfigs: Map<string, string> | undefined
  #clusterId: string
  #nextProducerId: number
  #requests: Map<string, SettledRequest> | undefined

  constructor(base: MetadataImage) {
    this.base = base
    this.#clusterId = base.clusterId
    this.#nextProducerId = base.nextProducerId
  }

  /** Topics created, or with at least one partition created or changed. */
  get changedTopicIds(): Iterable<string> { return this.#drafts.keys() }
  /** Partition numbers created or changed in one topic. */
  changedPartitions(topicId: string): ReadonlySet<number> {
    return this.#drafts.get(topicId)?.touched ?? NONE
  }
  /** By topic id: the topics of `base` that are gone, as they were there. */
  get deletedTopics(): ReadonlyMap<string, TopicImage> { return this.#deletedTopics }
  /** Brokers registered, changed or unregistered. */
  get changedBrokers(): Iterable<number> { return this.#brokers.keys() }
  /** Topic ids whose own configuration changed. */
  get changedTopicConfigs(): Iterable<string> { return this.#topicConfigs.keys() }
  get changedBrokerConfigs(): Iterable<number> { return this.#brokerConfigs.keys() }
  get clusterConfigsChanged(): boolean { return this.#clusterConfigs !== undefined }

  replay(record: MetadataRecord): void {
    switch (record.kind) {
      case 'clusterId':
        assert(this.#clusterId === '' || this.#clusterId === record.clusterId, 'a cluster keeps its id')
        this.#clusterId = record.clusterId
        return
      case 'topic':
        assert(this.#topic(record.topicId) === undefined, () => `topic id ${record.topicId} is new`)
        this.#drafts.set(record.topicId, {
          id: record.topicId, name: record.name, partitions: [], touched: new Set() })
        return
      case 'partition': {
        const { kind: _kind, topicId, partition, ...image } = record
        this.#setPartition(topicId, partition, image)
        return
      }
      case 'partitionChange': return this.#changePartition(record)
      case 'removeTopic': return this.#removeTopic(record.topicId)
      case 'config': return this.#setConfig(record)
      case 'registerBroker': return this.#register(record)
      case 'brokerChange': {
        const broker = this.#registered(record)
        this.#brokers.set(broker.id, {
          ...broker, fenced: record.fenced ?? broker.fenced, draining: record.draining ?? broker.draining })
        return
      }
      case 'unregisterBroker':
        this.#brokers.set(this.#registered(record).id, undefined)
        return
      case 'producerIds':
        assert(record.nextProducerId >= this.#nextProducerId, 'producer ids are never given twice')
        this.#nextProducerId = record.nextProducerId
        return
      case 'request': {
        const { requestId, command, reply } = record
        this.#requests ??= new Map(this.base.requests)
        assert(!this.#requests.has(requestId), () => `request ${requestId} is carried out once`)
        this.#requests.set(requestId, { command, reply })
        return
      }
      default: unreachable(record)
    }
  }

  /** The image after the records replayed, at `offset`. */
  apply(offset: number): MetadataImage {
    assert(offset >= this.base.offset, () => `offset ${offset} >= ${this.base.offset}`)
    const { topics, topicIdByName } = this.#applyTopics()
    const brokers = this.#brokers.size === 0 ? this.base.brokers : patched(this.base.brokers, this.#brokers)
    return {
      offset, clusterId: this.#clusterId, brokers, topics, topicIdByName, configs: this.#applyConfigs(),
      nextProducerId: this.#nextProducerId, requests: newest(this.#requests) ?? this.base.requests
    }
  }

  /** A delta over `base` that leads to the state of `next`: for a reader whose feed begins again with an image. */
  static between(base: MetadataImage, next: MetadataImage): MetadataDelta {
    const delta = new MetadataDelta(base)
    for (const record of difference(base, next)) delta.replay(record)
    return delta
  }

  // ---- topics -------------------------------------------------------------------------------------------

  #topic(topicId: string): TopicImage | TopicDraft | undefined {
    const draft = this.#drafts.get(topicId)
    if (draft !== undefined) return draft
    return this.#deletedTopics.has(topicId) ? undefined : this.base.topics.get(topicId)
  }

  #draft(topicId: string): TopicDraft {
    let draft = this.#drafts.get(topicId)
    if (draft === undefined) {
      const topic = this.#topic(topicId)
      assert(topic !== undefined, () => `topic id ${topicId} exists`)
      draft = { id: topic.id, name: topic.name, partitions: [...topic.partitions], touched: new Set() }
      this.#drafts.set(topicId, draft)
    }
    return draft
  }

  #setPartition(topicId: string, partition: number, image: PartitionImage): void {
    const draft = this.#draft(topicId)
    assert(partition >= 0 && partition <= draft.partitions.length,
      () => `partition ${partition} of ${topicId} follows the ${draft.partitions.length} before it`)
    draft.partitions[partition] = image
    draft.touched.add(partition)
  }

  #changePartition(record: PartitionChangeRecord): void {
    const old = this.#topic(record.topicId)?.partitions[record.partition]
    assert(old !== undefined, () => `partition ${record.topicId}-${record.partition} exists`)
    assert(record.partitionEpoch === old.partitionEpoch + 1,
      () => `partition epoch ${record.partitionEpoch} of ${record.topicId}-${record.partition} follows `
        + `${old.partitionEpoch}`)
    this.#setPartition(record.topicId, record.partition, {
      replicas: record.replicas ?? old.replicas,
      isr: record.isr ?? old.isr,
      leader: record.leader ?? old.leader,
      leaderEpoch: record.leader === undefined ? old.leaderEpoch : old.leaderEpoch + 1,
      partitionEpoch: record.partitionEpoch,
      adding: record.adding ?? old.adding,
      removing: record.removing ?? old.removing,
      leaderRecovering: record.leaderRecovering ?? old.leaderRecovering
    })
  }

  #removeTopic(topicId: string): void {
    const topic = this.#topic(topicId)
    assert(topic !== undefined, () => `topic id ${topicId} exists`)
    this.#drafts.delete(topicId)
    const inBase = this.base.topics.get(topicId)
    if (inBase !== undefined) {
      this.#deletedTopics.set(topicId, inBase)
      this.#removedNames.add(inBase.name)
    }
    if (this.base.configs.topics.has(topicId)) this.#topicConfigs.set(topicId, new Map())
    else this.#topicConfigs.delete(topicId)
  }

  #applyTopics(): Pick<MetadataImage, 'topics' | 'topicIdByName'> {
    const { topics, topicIdByName } = this.base
    if (this.#drafts.size === 0 && this.#deletedTopics.size === 0) return { topics, topicIdByName }
    const nextTopics = new Map(topics)
    for (const topicId of this.#deletedTopics.keys()) nextTopics.delete(topicId)
    for (const { id, name, partitions } of this.#drafts.values()) nextTopics.set(id, { id, name, partitions })
    const created = [...this.#drafts.values()].filter(({ id }) => !topics.has(id))
    if (created.length === 0 && this.#removedNames.size === 0) return { topics: nextTopics, topicIdByName }
    const nextNames = new Map(topicIdByName)
    for (const name of this.#removedNames) nextNames.delete(name)
    for (const { id, name } of created) {
      assert(!nextNames.has(name), () => `topic name ${name} is free`)
      nextNames.set(name, id)
    }
    return { topics: nextTopics, topicIdByName: nextNames }
  }

  // ---- brokers ------------------------------------------------------------------------------------------

  #broker(id: number): BrokerImage | undefined {
    return this.#brokers.has(id) ? this.#brokers.get(id) : this.base.brokers.get(id)
  }

  #registered(record: { readonly brokerId: number; readonly brokerEpoch: number }): BrokerImage {
    const broker = this.#broker(record.brokerId)
    assert(broker !== undefined && broker.epoch === record.brokerEpoch,
      () => `broker ${record.brokerId} is registered with epoch ${record.brokerEpoch}`)
    return broker
  }

  #register(record: RegisterBrokerRecord): void {
    const { brokerId: id, brokerEpoch: epoch, incarnationId, address, httpAddress, rack, directoryId } = record
    const before = this.#broker(id)
    assert(before === undefined || epoch >= before.epoch, () => `broker epoch ${epoch} of ${id} does not fall`)
    this.#brokers.set(id, {
      id, epoch, incarnationId, address, httpAddress, rack, fenced: true, draining: false, directoryId })
  }

  // ---- configuration ------------------------------------------------------------------------------------

  #setConfig(record: ConfigRecord): void {
    const entries = this.#configDraft(record)
    if (record.value === null) entries.delete(record.key)
    else entries.set(record.key, record.value)
  }

  #configDraft({ scope, name }: ConfigRecord): Map<string, string> {
    const { topics, brokers, cluster } = this.base.configs
    if (scope === 'topic') {
      assert(this.#topic(name) !== undefined, () => `topic id ${name} exists`)
      return draftOf(this.#topicConfigs, name, topics.get(name))
    }
    if (name !== '') return draftOf(this.#brokerConfigs, Number(name), brokers.get(Number(name)))
    this.#clusterConfigs ??= new Map(cluster)
    return this.#clusterConfigs
  }

  #applyConfigs(): MetadataImage['configs'] {
    const { configs } = this.base
    if (this.#topicConfigs.size === 0 && this.#brokerConfigs.size === 0 && !this.clusterConfigsChanged) {
      return configs
    }
    return {
      topics: patched(configs.topics, emptyIsGone(this.#topicConfigs)),
      brokers: patched(configs.brokers, emptyIsGone(this.#brokerConfigs)),
      cluster: this.#clusterConfigs ?? configs.cluster
    }
  }
}

const NONE: ReadonlySet<number> = new Set()

function draftOf<K>(drafts: Map<K, Map<string, string>>, key: K, base: ConfigEntries | undefined) {
  let draft = drafts.get(key)
  if (draft === undefined) {
    draft = new Map(base ?? NO_CONFIGS)
    drafts.set(key, draft)
  }
  return draft
}

function emptyIsGone<K>(drafts: ReadonlyMap<K, ConfigEntries>): Map<K, ConfigEntries | undefined> {
  return new Map([...drafts].map(([key, entries]) => [key, entries.size === 0 ? undefined : entries]))
}

/** Drops the oldest of `requests` until the others are within bounds. The newest one stays in any case. */
function newest(requests: Map<string, SettledRequest> | undefined): ReadonlyMap<string, SettledRequest> | undefined {
  if (requests === undefined) return undefined
  let chars = 0
  for (const [id, { reply }] of requests) chars += id.length + reply.length
  for (const [id, { reply }] of requests) {
    if (requests.size <= 1 || (requests.size <= REQUESTS_MAX && chars <= REQUEST_CHARS_MAX)) break
    requests.delete(id)
    chars -= id.length + reply.length
  }
  return requests
}

/** A copy of `map` with `changes` in it; undefined removes. */
function patched<K, V>(map: ReadonlyMap<K, V>, changes: ReadonlyMap<K, V | undefined>): ReadonlyMap<K, V> {
  if (changes.size === 0) return map
  const next = new Map(map)
  for (const [key, value] of changes) {
    if (value === undefined) next.delete(key)
    else next.set(key, value)
  }
  return next
}

// ---- difference of two images ---------------------------------------------------------------------------

function* difference(base: MetadataImage, next: MetadataImage): Generator<MetadataRecord> {
  if (next.clusterId !== base.clusterId) yield { kind: 'clusterId', clusterId: next.clusterId }
  if (next.nextProducerId !== base.nextProducerId) {
    yield { kind: 'producerIds', nextProducerId: next.nextProducerId }
  }
  for (const { id, epoch } of base.brokers.values()) {
    if (!next.brokers.has(id)) yield { kind: 'unregisterBroker', brokerId: id, brokerEpoch: epoch }
  }
  for (const broker of next.brokers.values()) {
    const old = base.brokers.get(broker.id)
    if (old === undefined || !sameFields(old, broker)) yield* brokerRecords(broker)
  }
  for (const topicId of base.topics.keys()) {
    if (!next.topics.has(topicId)) yield { kind: 'removeTopic', topicId }
  }
  for (const topic of next.topics.values()) yield* topicDifference(base.topics.get(topic.id), topic)
  yield* configDifference('broker', '', base.configs.cluster, next.configs.cluster)
  for (const id of new Set([...base.configs.brokers.keys(), ...next.configs.brokers.keys()])) {
    yield* configDifference('broker', String(id), base.configs.brokers.get(id), next.configs.brokers.get(id))
  }
  for (const id of next.topics.keys()) {
    yield* configDifference('topic', id, base.configs.topics.get(id), next.configs.topics.get(id))
  }
  // Those that `next` forgot fall out of these by the same rule.
  for (const [requestId, settled] of next.requests) {
    if (!base.requests.has(requestId)) yield { kind: 'request', requestId, ...settled }
  }
}

function* topicDifference(old: TopicImage | undefined, next: TopicImage): Generator<MetadataRecord> {
  if (old === undefined) {
    yield* topicRecords(next)
    return
  }
  for (const [partition, image] of next.partitions.entries()) {
    // Each change of a partition raises its partition epoch: an equal epoch is an equal partition.
    if (old.partitions[partition]?.partitionEpoch !== image.partitionEpoch) {
      yield { kind: 'partition', topicId: next.id, partition, ...image }
    }
  }
}

function* configDifference(
  scope: ConfigRecord['scope'], name: string, old: ConfigEntries = NO_CONFIGS, next: ConfigEntries = NO_CONFIGS
): Generator<ConfigRecord> {
  for (const key of old.keys()) {
    if (!next.has(key)) yield { kind: 'config', scope, name, key, value: null }
  }
  for (const [key, value] of next) {
    if (old.get(key) !== value) yield { kind: 'config', scope, name, key, value }
  }
}

function sameFields(a: BrokerImage, b: BrokerImage): boolean {
  return (Object.keys(a) as (keyof BrokerImage)[]).every((key) => a[key] === b[key])
}

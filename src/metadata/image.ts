// The immutable state of the cluster's metadata at one metadata offset; image to records (a snapshot); its hash.

import { encodeRecord } from './codec.ts'
import type { MetadataRecord, PartitionImage } from './records.ts'

export type { PartitionImage } from './records.ts'

export interface BrokerImage {
  readonly id: number
  /** Which registration: the metadata offset of its record. Rises with each new process of this broker. */
  readonly epoch: number
  readonly incarnationId: string
  /** host:port of the gRPC listener, as told to clients and other brokers. */
  readonly address: string
  /** host:port of /metrics and /health, empty = none. */
  readonly httpAddress: string
  readonly rack: string
  /** A fenced broker is in no ISR (but as the last member) and leads nothing. */
  readonly fenced: boolean
  /** On its way out: takes no leadership, joins no ISR. */
  readonly draining: boolean
  readonly directoryId: string
}

export interface TopicImage {
  readonly id: string
  readonly name: string
  /** Index = partition number. */
  readonly partitions: readonly PartitionImage[]
}

export type ConfigEntries = ReadonlyMap<string, string>

/** Only what was set; an absent map or key means the default. */
export interface ConfigsImage {
  /** By topic id. */
  readonly topics: ReadonlyMap<string, ConfigEntries>
  /** By broker id. */
  readonly brokers: ReadonlyMap<number, ConfigEntries>
  /** Defaults of the whole cluster. */
  readonly cluster: ConfigEntries
}

/** What an admin's request that changed something was answered. */
export interface SettledRequest {
  readonly command: string
  /** JSON. */
  readonly reply: string
}

/** Maps only, never plain objects: `__proto__` is a valid topic name. */
export interface MetadataImage {
  /** Metadata offset of the last record in it, -1 = nothing yet. */
  readonly offset: number
  readonly clusterId: string
  readonly brokers: ReadonlyMap<number, BrokerImage>
  /** By topic id. */
  readonly topics: ReadonlyMap<string, TopicImage>
  readonly topicIdByName: ReadonlyMap<string, string>
  readonly configs: ConfigsImage
  /** Producer ids below it are given away. */
  readonly nextProducerId: number
  /** The newest requests that came with an id of their caller, by that id, oldest first. */
  readonly requests: ReadonlyMap<string, SettledRequest>
}

export const NO_CONFIGS: ConfigEntries = new Map()

export const EMPTY_IMAGE: MetadataImage = {
  offset: -1, clusterId: '', brokers: new Map(), topics: new Map(), topicIdByName: new Map(),
  configs: { topics: new Map(), brokers: new Map(), cluster: NO_CONFIGS }, nextProducerId: 0, requests: new Map()
}

export function topicByName(image: MetadataImage, name: string): TopicImage | undefined {
  const id = image.topicIdByName.get(name)
  return id === undefined ? undefined : image.topics.get(id)
}

export function partitionOf(image: MetadataImage, topicId: string, partition: number): PartitionImage | undefined {
  return image.topics.get(topicId)?.partitions[partition]
}

/** A broker that may lead, and be in an ISR. */
export function isActive(broker: BrokerImage | undefined): broker is BrokerImage {
  return broker !== undefined && !broker.fenced && !broker.draining
}

// ---- image to records -----------------------------------------------------------------------------------

/** The least records that make `image` from nothing, in one fixed order: equal images give equal records. */
export function recordsOf(image: MetadataImage): MetadataRecord[] {
  const records: MetadataRecord[] = []
  if (image.clusterId !== '') records.push({ kind: 'clusterId', clusterId: image.clusterId })
  if (image.nextProducerId > 0) records.push({ kind: 'producerIds', nextProducerId: image.nextProducerId })
  for (const [, broker] of sorted(image.brokers, byNumber)) records.push(...brokerRecords(broker))
  for (const [, topic] of sorted(image.topics, byText)) records.push(...topicRecords(topic))
  records.push(...configRecords('broker', '', image.configs.cluster))
  for (const [id, entries] of sorted(image.configs.brokers, byNumber)) {
    records.push(...configRecords('broker', String(id), entries))
  }
  for (const [id, entries] of sorted(image.configs.topics, byText)) {
    records.push(...configRecords('topic', id, entries))
  }
  for (const [requestId, settled] of image.requests) records.push({ kind: 'request', requestId, ...settled })
  return records
}

export function brokerRecords(broker: BrokerImage): MetadataRecord[] {
  const { id: brokerId, epoch: brokerEpoch, incarnationId, address, httpAddress, rack, directoryId } = broker
  const records: MetadataRecord[] = [{
    kind: 'registerBroker', brokerId, brokerEpoch, incarnationId, address, httpAddress, rack, directoryId }]
  if (!broker.fenced || broker.draining) {
    records.push({
      kind: 'brokerChange', brokerId, brokerEpoch, fenced: broker.fenced, draining: broker.draining })
  }
  return records
}

export function topicRecords(topic: TopicImage): MetadataRecord[] {
  const records: MetadataRecord[] = [{ kind: 'topic', topicId: topic.id, name: topic.name }]
  topic.partitions.forEach((image, partition) => {
    records.push({ kind: 'partition', topicId: topic.id, partition, ...image })
  })
  return records
}

function configRecords(scope: 'topic' | 'broker', name: string, entries: ConfigEntries): MetadataRecord[] {
  return sorted(entries, byText).map(([key, value]) => ({ kind: 'config', scope, name, key, value }))
}

/** Sixteen hex digits that differ when the metadata differs (the offset is no part of it). Not for adversaries. */
export function imageHash(image: MetadataImage): string {
  // Two FNV-1a lanes of 32 bits with different seeds, over the canonical records.
  let high = 0x811c9dc5
  let low = 0x9747b28c
  for (const record of recordsOf(image)) {
    for (const byte of encodeRecord(record)) {
      high = Math.imul(high ^ byte, 0x01000193)
      low = Math.imul(low ^ byte, 0x01000193) ^ (low >>> 15)
    }
  }
  const hex = (word: number) => (word >>> 0).toString(16).padStart(8, '0')
  return hex(high) + hex(low)
}

function sorted<K, V>(map: ReadonlyMap<K, V>, order: (a: K, b: K) => number): [K, V][] {
  return [...map].sort(([a], [b]) => order(a, b))
}
function byNumber(a: number, b: number): number { return a - b }
function byText(a: string, b: string): number { return a < b ? -1 : a > b ? 1 : 0 }

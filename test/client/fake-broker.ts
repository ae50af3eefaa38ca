// A cluster in memory for tests of the SDK: brokers that share one perfectly replicated log for each partition, and
// do what a test tells them to: die, freeze, refuse, forget to answer, lose the lead.

import { ErrorCode, type ErrorName } from '../../src/base/error-code.ts'
import { stream, unary, type Handler, type MessageStream } from '../../src/ports.ts'
import * as batch from '../../src/records/batch.ts'
import { recordsIn } from '../../src/records/record.ts'
import type {
  FetchPartition, FetchStreamRequest, FetchStreamResponse, GetMetadataResponse, ListOffsetsResult, ProducePartition,
  ProduceRequest, ProduceResponse, ProduceResult, Status
} from '../../src/rpc/messages.ts'
import { okStatus } from '../../src/rpc/outcome.ts'
import { methods } from '../../src/rpc/protos.ts'
import { FakeNetwork, type Node, type World } from './fake-world.ts'

export interface StoredBatch { readonly bytes: Uint8Array; readonly baseOffset: number; readonly lastOffset: number }

interface Remembered { readonly first: number; readonly last: number; readonly offset: number }

export class FakePartition {
  leader: number
  leaderEpoch = 0
  startOffset = 0
  readonly batches: StoredBatch[] = []
  readonly producers = new Map<number, Remembered[]>()

  constructor(leader: number) {
    this.leader = leader
  }

  get endOffset(): number { return (this.batches.at(-1)?.lastOffset ?? -1) + 1 }

  values(): string[] {
    return this.batches.flatMap(({ bytes }) => [...recordsIn(bytes)].map(({ value }) => text(value)))
  }

  /** Kafka's rules for idempotent producers. */
  append(bytes: Uint8Array): number | ErrorName {
    const producer = batch.producerId(bytes)
    const first = batch.baseSequence(bytes)
    const last = first + batch.recordCount(bytes) - 1
    const known = this.producers.get(producer)
    if (producer >= 0 && known !== undefined) {
      const same = known.find((one) => one.first === first && one.last === last)
      if (same !== undefined) return same.offset
      if (first !== known.at(-1)!.last + 1) return 'OUT_OF_ORDER_SEQUENCE_NUMBER'
    }
    const baseOffset = this.endOffset
    const stored = Uint8Array.from(bytes)
    batch.setBaseOffset(stored, 0, baseOffset)
    this.batches.push({ bytes: stored, baseOffset, lastOffset: batch.lastOffset(stored) })
    if (producer >= 0) this.producers.set(producer, [...known ?? [], { first, last, offset: baseOffset }].slice(-5))
    return baseOffset
  }
}

export class FakeBroker implements Node {
  readonly id: number
  readonly address: string
  readonly handlers: readonly Handler[]
  down = false
  frozen = false
  /** Answers the next produce requests of a partition with these, without a write; then goes on as usual. */
  readonly refusals: ErrorName[] = []
  /** Writes, but never answers. */
  mute = false
  /** Produce requests as they came. */
  readonly produced: ProduceRequest[] = []
  /** Metadata answers as of an earlier time. */
  stale: GetMetadataResponse | undefined
  readonly fetchers = new Set<FakeFetchStream>()

  constructor(cluster: FakeCluster, id: number) {
    this.id = id
    this.address = `broker-${id}:7201`
    this.handlers = [
      unary(methods.data.getMetadata, ({ topics }) => Promise.resolve(this.stale ?? cluster.metadata(topics))),
      unary(methods.data.listOffsets, ({ partitions }) => Promise.resolve({
        partitions: partitions.map(({ topic, partition, timestamp }) => (
          cluster.listOffset(this.id, topic, partition, timestamp)))
      })),
      unary(methods.transactions.initProducerId, () => (
        Promise.resolve({ producerId: cluster.nextProducerId++, producerEpoch: 0 }))),
      stream(methods.data.produceStream, (incoming) => { cluster.serveProduce(this, incoming) }),
      stream(methods.data.fetchStream, (incoming) => {
        this.fetchers.add(new FakeFetchStream(cluster, this, incoming))
      })
    ]
  }
}

export class FakeCluster {
  readonly network: FakeNetwork
  readonly brokers: readonly FakeBroker[]
  readonly topics = new Map<string, FakePartition[]>()
  metadataOffset = 1
  nextProducerId = 1_000
  readonly #world: World

  constructor(world: World, brokers = 3) {
    this.#world = world
    this.network = new FakeNetwork(world)
    this.brokers = Array.from({ length: brokers }, (_, index) => new FakeBroker(this, index + 1))
    for (const broker of this.brokers) this.network.serve(broker.address, broker)
  }

  get addresses(): string[] { return this.brokers.map(({ address }) => address) }

  broker(id: number): FakeBroker { return this.brokers[id - 1]! }

  /** Partition i is led by broker 1 + i mod brokers. */
  create(topic: string, partitions: number): FakePartition[] {
    const made = Array.from({ length: partitions }, (_, index) => new FakePartition(1 + index % this.brokers.length))
    this.topics.set(topic, made)
    this.metadataOffset++
    return made
  }

  kill(id: number): void {
    this.broker(id).down = true
    this.network.cut(this.broker(id).address)
  }

  /** -1: nobody leads. */
  moveLeader(topic: string, partition: number, to: number): void {
    const moved = this.topics.get(topic)![partition]!
    moved.leader = to
    moved.leaderEpoch++
    this.metadataOffset++
    for (const broker of this.brokers) for (const fetcher of broker.fetchers) fetcher.pump()
  }

  append(topic: string, partition: number, bytes: Uint8Array): void {
    this.topics.get(topic)![partition]!.append(bytes)
    for (const broker of this.brokers) for (const fetcher of broker.fetchers) fetcher.pump()
  }

  metadata(names: readonly string[]): GetMetadataResponse {
    return {
      clusterId: 'fake', metadataOffset: this.metadataOffset, controllerId: 1,
      brokers: this.brokers.map(({ id, address, down }) => ({ id, address, rack: '', fenced: down })),
      topics: names.map((name) => {
        const partitions = this.topics.get(name)
        if (partitions === undefined) {
          return { status: statusOf('UNKNOWN_TOPIC_OR_PARTITION'), name, topicId: '', partitions: [] }
        }
        return { status: okStatus, name, topicId: 'a'.repeat(32), partitions: partitions.map((one, partition) => ({
          partition, leader: one.leader, leaderEpoch: one.leaderEpoch, partitionEpoch: 0, replicas: [], isr: [] })) }
      })
    }
  }

  /** Why broker `id` does not serve the partition; undefined when it does. */
  refusal(id: number, topic: string, partition: number, leaderEpoch: number): Status | undefined {
    const found = this.topics.get(topic)?.[partition]
    if (found === undefined) return statusOf('UNKNOWN_TOPIC_OR_PARTITION')
    const address = found.leader < 0 ? '' : this.broker(found.leader).address
    const leader = { id: found.leader, address, leaderEpoch: found.leaderEpoch }
    if (found.leader !== id) return { ...statusOf('NOT_LEADER_OR_FOLLOWER'), leader }
    if (leaderEpoch >= 0 && leaderEpoch < found.leaderEpoch) return { ...statusOf('FENCED_LEADER_EPOCH'), leader }
    return undefined
  }

  listOffset(id: number, topic: string, partition: number, timestamp: number): ListOffsetsResult {
    const refused = this.refusal(id, topic, partition, -1)
    const base = { topic, partition, timestamp: -1, leaderEpoch: 0 }
    if (refused !== undefined) return { ...base, status: refused, offset: -1 }
    const found = this.topics.get(topic)![partition]!
    const at = timestamp === -1 ? found.endOffset : timestamp === -2 ? found.startOffset
      : found.batches.find(({ bytes }) => batch.maxTimestamp(bytes) >= timestamp)?.baseOffset ?? -1
    return { ...base, status: okStatus, offset: at }
  }

  serveProduce(broker: FakeBroker, incoming: MessageStream<ProduceResponse, ProduceRequest>): void {
    incoming.handle({
      message: (request) => {
        broker.produced.push(request)
        const partitions = request.partitions.map((wanted) => this.#produce(broker, wanted))
        if (!broker.mute) incoming.send({ partitions })
      },
      end: () => { incoming.end() },
      close: () => { /* nothing is kept */ }
    })
  }

  #produce(broker: FakeBroker, { topic, partition, leaderEpoch, batch: bytes }: ProducePartition): ProduceResult {
    const base = { topic, partition, baseOffset: -1, logAppendTime: -1, logStartOffset: 0 }
    const told = broker.refusals.shift()
    const status = told === undefined ? this.refusal(broker.id, topic, partition, leaderEpoch ?? -1) : statusOf(told)
    if (status !== undefined) return { ...base, status }
    const appended = this.topics.get(topic)![partition]!.append(bytes!)
    if (typeof appended === 'string') return { ...base, status: statusOf(appended) }
    this.#world.soon(() => { for (const one of this.brokers) for (const fetcher of one.fetchers) fetcher.pump() })
    return { ...base, status: okStatus, baseOffset: appended }
  }
}

type FetchEnd = MessageStream<FetchStreamResponse, FetchStreamRequest>

/** Pushes one batch at a time while there is credit, as a broker does: the last one may exceed it. */
export class FakeFetchStream {
  creditBytes = 0
  readonly #cluster: FakeCluster
  readonly #broker: FakeBroker
  readonly #incoming: FetchEnd
  readonly #subscriptions = new Map<number, FetchPartition & { at: number }>()

  constructor(cluster: FakeCluster, broker: FakeBroker, incoming: FetchEnd) {
    this.#cluster = cluster
    this.#broker = broker
    this.#incoming = incoming
    incoming.handle({
      message: (message) => {
        if (message.open) this.creditBytes = message.open.creditBytes
        if (message.subscribe) {
          const { subscription, partition } = message.subscribe
          this.#subscriptions.set(subscription, { ...partition!, at: partition!.offset })
        }
        if (typeof message.unsubscribe === 'number') this.#subscriptions.delete(message.unsubscribe)
        if (typeof message.creditBytes === 'number') this.creditBytes += message.creditBytes
        this.pump()
      },
      end: () => { incoming.end() },
      close: () => { broker.fetchers.delete(this) }
    })
  }

  get subscriptions(): number { return this.#subscriptions.size }

  pump(): void {
    if (this.#broker.frozen || this.#broker.down) return
    for (const [id, wanted] of [...this.#subscriptions]) this.#push(id, wanted)
  }

  #push(subscription: number, wanted: FetchPartition & { at: number }): void {
    const { topic, partition } = wanted
    const found = this.#cluster.topics.get(topic)?.[partition]
    const refused = this.#cluster.refusal(this.#broker.id, topic, partition, wanted.leaderEpoch ?? -1)
      ?? (wanted.at < found!.startOffset || wanted.at > found!.endOffset ? statusOf('OFFSET_OUT_OF_RANGE') : undefined)
    const highWatermark = found?.endOffset ?? -1
    const base = { topic, partition, subscription, highWatermark, logStartOffset: 0, records: [] }
    if (refused !== undefined) {
      this.#subscriptions.delete(subscription)
      this.#incoming.send({ partitions: [
        { ...base, status: refused, batches: new Uint8Array(0), nextOffset: wanted.at }] })
      return
    }
    for (const { bytes, lastOffset } of found!.batches) {
      if (lastOffset < wanted.at) continue
      if (this.creditBytes <= 0) return
      this.creditBytes -= bytes.length
      wanted.at = lastOffset + 1
      this.#incoming.send({ partitions: [{ ...base, status: okStatus, batches: bytes, nextOffset: wanted.at }] })
    }
  }
}

/** A controller: it serves no metadata, but knows the brokers. */
export function fakeController(cluster: FakeCluster): Node {
  return {
    down: false, frozen: false,
    handlers: [unary(methods.admin.describeCluster, () => Promise.resolve({
      clusterId: 'fake', metadataOffset: cluster.metadataOffset, controllerId: 1, controllerEpoch: 1, controllers: [],
      brokers: cluster.brokers.map(({ id, address }) => ({
        id, address, rack: '', brokerEpoch: 1, state: 'active', leads: 0, replicas: 0, metadataOffset: 1,
        httpAddress: '' })),
      health: null }))]
  }
}

export function statusOf(name: ErrorName): Status {
  return { code: ErrorCode[name], name, message: `the fake says ${name}`, hint: '', leader: null }
}

export function text(bytes: Uint8Array | null): string {
  return bytes === null ? 'null' : new TextDecoder().decode(bytes)
}

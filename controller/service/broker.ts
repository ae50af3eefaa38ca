// What brokers ask of the active controller: registration, the stream of heartbeats and metadata, ISR changes, blocks
// of producer ids. A standby refuses with NOT_CONTROLLER and says who is active.

import { fault, WeirError, type Fault } from '../../src/base/error-code.ts'
import { stream, unary, type Handler, type Logger, type MessageStream } from '../../src/ports.ts'
import type {
  AlterPartitionsRequest, AlterPartitionsResponse, RegisterBrokerRequest, RegisterBrokerResponse, WatchRequest,
  WatchResponse
} from '../../src/rpc/messages.ts'
import { okStatus, statusOf } from '../../src/rpc/outcome.ts'
import { methods } from '../../src/rpc/protos.ts'
import type { ActiveController } from '../active-controller.ts'
import type { BrokerSessions } from '../broker-sessions.ts'
import type { FeedBatch, FeedReader, MetadataFeed } from '../metadata-feed.ts'
import { hasHeirs } from '../state/commands.ts'

/** Partitions in one ISR request. */
const ALTER_PARTITIONS_MAX = 10_000
/** Longest wait for the other brokers to learn who leads now. */
const DRAIN_WAIT_MS = 2_000

export interface BrokerServiceNeeds {
  readonly controller: ActiveController
  readonly sessions: BrokerSessions
  readonly feed: MetadataFeed
  readonly nodeId: number
  readonly logger: Logger
  /** Open feeds, so that they can be ended when this controller is no longer active. */
  readonly watches: Set<Watch>
}

export function brokerService(needs: BrokerServiceNeeds): readonly Handler[] {
  const { controller } = needs
  return [
    unary(methods.brokerLink.register, (request) => register(needs, request)),
    stream(methods.brokerLink.watch, (incoming) => { new Watch(needs, incoming).start() }),
    unary(methods.brokerLink.alterPartitions, (request) => alterPartitions(controller, request)),
    unary(methods.brokerLink.allocateProducerIds, async ({ brokerId, brokerEpoch }) => {
      const block = await controller.submit({ kind: 'allocateProducerIds', brokerId, brokerEpoch })
      return { status: okStatus, first: block.first, count: block.count }
    })
  ]
}

async function register(
  needs: BrokerServiceNeeds, request: RegisterBrokerRequest): Promise<RegisterBrokerResponse> {
  const { clusterId, brokerId, incarnationId, address, httpAddress, rack, directoryId } = request
  const { brokerEpoch } = await needs.controller.submit({
    kind: 'registerBroker', clusterId, brokerId, incarnationId, address, httpAddress, rack, directoryId })
  needs.sessions.started(brokerId, brokerEpoch)
  return { status: okStatus, brokerEpoch, clusterId }
}

async function alterPartitions(
  controller: ActiveController, request: AlterPartitionsRequest): Promise<AlterPartitionsResponse> {
  if (request.partitions.length > ALTER_PARTITIONS_MAX) {
    throw new WeirError(fault('INVALID_REQUEST',
      `${request.partitions.length} partitions in one request, at most ${ALTER_PARTITIONS_MAX} are taken`, 'split it'))
  }
  const { brokerId, brokerEpoch, partitions } = request
  const results = await controller.submit({ kind: 'alterPartition', brokerId, brokerEpoch, partitions })
  return {
    status: okStatus,
    partitions: results.map(({ topicId, partition, fault: refused, image }) => ({
      topicId, partition, status: statusOf(refused), leaderEpoch: image?.leaderEpoch ?? -1,
      partitionEpoch: image?.partitionEpoch ?? -1, isr: image?.isr ?? [] }))
  }
}

/** One broker's stream: its heartbeats, and its place in the feed. */
export class Watch {
  readonly #needs: BrokerServiceNeeds
  readonly #stream: MessageStream<WatchResponse, WatchRequest>
  #broker: { readonly id: number; readonly epoch: number } | undefined
  #reader: FeedReader | undefined
  #ended = false
  /** One fence, unfence or drain of this broker at a time. */
  #deciding = false
  #shouldShutdown = false

  constructor(needs: BrokerServiceNeeds, incoming: MessageStream<WatchResponse, WatchRequest>) {
    this.#needs = needs
    this.#stream = incoming
  }

  start(): void {
    this.#stream.handle({
      message: (message) => {
        if (this.#ended) return
        if (this.#broker === undefined) this.#open(message)
        else this.#heartbeat(message)
      },
      drain: () => { this.#reader?.resume() },
      end: () => { this.#finish() },
      close: () => { this.#closed() }
    })
  }

  /** This controller is no longer active: the broker must find the one that is. */
  retire(): void { this.#refuse(this.#needs.controller.notController()) }

  #open(message: WatchRequest): void {
    const { controller, sessions, feed } = this.#needs
    if (!controller.isActive) return this.#refuse(controller.notController())
    const { brokerId, brokerEpoch, metadataOffset } = message
    if (controller.image.brokers.get(brokerId)?.epoch !== brokerEpoch) return this.#refuseStale(brokerId, brokerEpoch)
    if (metadataOffset > feed.endOffset) {
      return this.#refuse(fault('INVALID_REQUEST',
        `metadata offset ${metadataOffset} is ahead of ${feed.endOffset}`, 'find the active controller again'))
    }
    this.#broker = { id: brokerId, epoch: brokerEpoch }
    this.#needs.watches.add(this)
    sessions.started(brokerId, brokerEpoch)
    sessions.connected(brokerId, brokerEpoch)
    this.#reader = feed.open(metadataOffset, (batch) => this.#send(batch))
    this.#noteReports(message)
    if (!this.#reader.pump()) this.#beat()
  }

  #heartbeat(message: WatchRequest): void {
    const { controller, sessions } = this.#needs
    const { id, epoch } = this.#broker!
    if (!controller.isActive) return this.retire()
    const broker = controller.image.brokers.get(id)
    if (broker?.epoch !== epoch) return this.#refuseStale(id, epoch)
    sessions.heartbeat(id, epoch, message.metadataOffset)
    this.#noteReports(message)
    const own = { brokerId: id, brokerEpoch: epoch }
    if (message.wantFence) {
      if (!broker.fenced) this.#decide(() => controller.submit({ kind: 'fenceBroker', ...own }))
    } else if (message.wantShutdown) {
      this.#decide(() => this.#drain(id))
    } else if (broker.fenced && message.metadataOffset >= epoch) {
      this.#decide(() => controller.submit({ kind: 'unfenceBroker', ...own }))
    }
    if (!this.#reader!.pump()) this.#beat()
  }

  #noteReports(message: WatchRequest): void {
    for (const unreachable of message.unreachable) this.#needs.sessions.unreachable(unreachable, this.#broker!.id)
  }

  /**
   * Moves leaderships away; tells the broker to go once it leads nothing that anybody could take over, and every other
   * broker knows.
   */
  async #drain(brokerId: number): Promise<void> {
    const { controller, sessions } = this.#needs
    const { remaining } = await controller.submit({ kind: 'drainBroker', brokerId })
    if (remaining > 0 && hasHeirs(controller.image, brokerId)) return
    const others = [...controller.image.brokers.values()].filter(({ id, fenced }) => id !== brokerId && !fenced)
    await sessions.whenAt(controller.image.offset, others.map(({ id }) => id), DRAIN_WAIT_MS)
    this.#shouldShutdown = true
    if (!this.#ended) this.#beat()
  }

  #decide(act: () => Promise<unknown>): void {
    if (this.#deciding || this.#shouldShutdown) return
    this.#deciding = true
    act().catch((error: unknown) => {
      if (!(error instanceof WeirError)) throw error
      this.#needs.logger.debug('decision about a broker not taken', {
        broker: this.#broker!.id, code: error.name, reason: error.message })
    }).finally(() => { this.#deciding = false })
  }

  // ---- answers --------------------------------------------------------------------------------------------

  #send(batch: FeedBatch): boolean {
    return this.#stream.send(this.#response(batch))
  }

  /** Shows that this controller lives, and whether the broker is fenced. Who reads slowly has that to come. */
  #beat(): void {
    if (this.#reader!.blocked) return
    const at = this.#reader!.cursor
    this.#stream.send(this.#response({ fromOffset: at, toOffset: at, image: false, records: [] }))
  }

  #response({ fromOffset, toOffset, image, records }: FeedBatch): WatchResponse {
    const { controller, nodeId } = this.#needs
    return {
      controllerEpoch: controller.leadership.term, controllerId: nodeId, status: okStatus,
      fromOffset, toOffset, image, records, shouldShutdown: this.#shouldShutdown,
      fenced: controller.image.brokers.get(this.#broker!.id)?.fenced ?? true
    }
  }

  #refuseStale(brokerId: number, brokerEpoch: number): void {
    this.#refuse(fault('STALE_BROKER_EPOCH',
      `broker epoch ${brokerEpoch} of broker ${brokerId} is not the current one`, 'register again'))
  }

  #refuse(reason: Fault): void {
    if (this.#ended) return
    this.#stream.send({
      controllerEpoch: this.#needs.controller.leadership.term, controllerId: this.#needs.nodeId,
      status: statusOf(reason), fromOffset: -1, toOffset: -1, image: false, records: [], fenced: true,
      shouldShutdown: false })
    this.#finish()
  }

  #finish(): void {
    if (this.#ended) return
    this.#ended = true
    this.#leave()
    this.#stream.end()
  }

  #closed(): void {
    this.#ended = true
    this.#leave()
  }

  #leave(): void {
    this.#reader?.close()
    this.#reader = undefined
    if (!this.#needs.watches.delete(this) || this.#broker === undefined) return
    this.#needs.sessions.disconnected(this.#broker.id, this.#broker.epoch)
  }
}

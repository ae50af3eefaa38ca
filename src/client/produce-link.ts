// The produce stream to one broker: requests out, answers in request order, and how long it has been silent.

import { fault, type Fault } from '../base/error-code.ts'
import { Fifo } from '../base/fifo.ts'
import type { Clock, MessageStream, Network, NetworkError, Peer } from '../ports.ts'
import type { ProducePartition, ProduceRequest, ProduceResponse, ProduceResult } from '../rpc/messages.ts'
import { methods } from '../rpc/protos.ts'
import type { Batch } from './batches.ts'
import type { PartitionQueue } from './partition-queue.ts'

/** Requests without an answer; a broker ends streams with 10 000. */
const PENDING_MAX = 1_000

/** One attempt of one batch. */
export interface Shipment {
  readonly queue: PartitionQueue
  readonly batch: Batch
  readonly attempt: number
}

export interface LinkEvents {
  answered(shipment: Shipment, result: ProduceResult): void
  /** The stream ended before these were answered. */
  lost(shipments: readonly Shipment[], why: Fault): void
  /** There is room to send again. */
  ready(link: ProduceLink): void
}

interface Pending { readonly shipments: readonly Shipment[]; readonly sentMs: number }

export class ProduceLink {
  readonly address: string
  /** Queues with something to send here. */
  readonly ready = new Set<PartitionQueue>()
  scheduled = false
  readonly #network: Network
  readonly #clock: Clock
  readonly #events: LinkEvents
  readonly #pending = new Fifo<Pending>(PENDING_MAX)
  #peer: Peer | undefined
  #stream: MessageStream<ProduceRequest, ProduceResponse> | undefined
  #clogged = false
  #lastAnswerMs = 0
  #idle: (() => void) | undefined

  constructor(address: string, network: Network, clock: Clock, events: LinkEvents) {
    this.address = address
    this.#network = network
    this.#clock = clock
    this.#events = events
  }

  get blocked(): boolean { return this.#clogged || this.#pending.full }
  get pendingCount(): number { return this.#pending.length }

  /** Since when an answer is due that does not come, ms; 0 when none is due. */
  get silentMs(): number {
    const oldest = this.#pending.peek()
    return oldest === undefined ? 0 : this.#clock.monotonicMs() - Math.max(oldest.sentMs, this.#lastAnswerMs)
  }

  /** How long the oldest request has been waiting, ms. */
  get oldestMs(): number {
    const oldest = this.#pending.peek()
    return oldest === undefined ? 0 : this.#clock.monotonicMs() - oldest.sentMs
  }

  /** Only when not `blocked`. The shipments are those of `request.partitions`, in order. */
  send(request: { readonly acks: number; readonly timeoutMs: number; readonly partitions: ProducePartition[] },
    shipments: readonly Shipment[]): void {
    const stream = this.#stream ?? this.#open()
    this.#pending.push({ shipments, sentMs: this.#clock.monotonicMs() })
    if (!stream.send(request)) this.#clogged = true
  }

  /** Drops the stream: what waits for answers is lost, and the next `send` opens another one. */
  reset(why: string): void { this.#stream?.destroy(why) }

  /** Resolves when no answer is due. */
  idle(): Promise<void> {
    if (this.#pending.length === 0) return Promise.resolve()
    return new Promise((resolve) => { this.#idle = resolve })
  }

  close(): void {
    this.#stream?.end()
    this.#peer?.close()
  }

  #open(): MessageStream<ProduceRequest, ProduceResponse> {
    this.#peer ??= this.#network.dial(this.address)
    const stream = this.#peer.open(methods.data.produceStream)
    this.#stream = stream
    this.#clogged = false
    stream.handle({
      message: (response) => { this.#answer(stream, response) },
      drain: () => {
        if (stream !== this.#stream) return
        this.#clogged = false
        this.#events.ready(this)
      },
      end: () => { stream.end() },
      close: (error) => {
        if (stream === this.#stream) this.#lost(error)
      }
    })
    return stream
  }

  #answer(stream: MessageStream<ProduceRequest, ProduceResponse>, response: ProduceResponse): void {
    if (stream !== this.#stream) return
    const wasFull = this.#pending.full
    const pending = this.#pending.peek()
    if (pending === undefined) return stream.destroy('an answer without a request')
    const { shipments } = pending
    // With acks 0 a broker may leave the results out.
    const agrees = response.partitions.length === 0 || (response.partitions.length === shipments.length
      && shipments.every(({ batch }, index) => (response.partitions[index]!.topic === batch.topic
        && response.partitions[index]!.partition === batch.partition)))
    if (!agrees) return stream.destroy('an answer that does not fit its request')
    this.#pending.shift()
    this.#lastAnswerMs = this.#clock.monotonicMs()
    for (const [index, result] of response.partitions.entries()) this.#events.answered(shipments[index]!, result)
    if (this.#pending.length === 0) this.#wakeIdle()
    if (wasFull) this.#events.ready(this)
  }

  #lost(error: NetworkError | undefined): void {
    const lost: Shipment[] = []
    for (let pending = this.#pending.shift(); pending !== undefined; pending = this.#pending.shift()) {
      lost.push(...pending.shipments)
    }
    this.#stream = undefined
    this.#clogged = false
    this.#wakeIdle()
    this.#events.lost(lost, fault(error?.code === 'OVERSIZE' ? 'MESSAGE_TOO_LARGE' : 'NETWORK_EXCEPTION',
      `the stream to ${this.address} ended: ${error?.message ?? 'the broker ended it'}`))
    this.#events.ready(this)
  }

  #wakeIdle(): void {
    this.#idle?.()
    this.#idle = undefined
  }
}

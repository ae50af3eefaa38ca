// The fetch stream from one broker: subscriptions out, batches in, under a grant of credit.

import { assert } from '../base/assert.ts'
import { weirError, type WeirError } from '../base/error-code.ts'
import type { Clock, MessageStream, Network, Peer } from '../ports.ts'
import type { FetchResult, FetchStreamRequest, FetchStreamResponse } from '../rpc/messages.ts'
import { methods } from '../rpc/protos.ts'
import type { CreditPool } from './fetch-credit.ts'
import type { FetchedPartition } from './fetched-partition.ts'

const FORM_BATCHES = 1
const NEXT_SUBSCRIPTION_MAX = 2 ** 31 - 1

/** What one stream was granted; outlives it until the last of its bytes is handed out. */
export interface Grant {
  /** May still be sent to us. */
  outstandingBytes: number
  /** Handed out, not yet granted again. */
  owedBytes: number
  /** Fetched and not handed out. */
  bufferedBytes: number
  open: boolean
}

export interface FetchEvents {
  /** A result without an error. The receiver owns `bytes` of the grant until `handedOut`. */
  fetched(partition: FetchedPartition, result: FetchResult, grant: Grant): void
  /** The broker ended the subscription, or the stream is gone. */
  ended(partition: FetchedPartition, error: WeirError): void
}

type Stream = MessageStream<FetchStreamRequest, FetchStreamResponse>

export class FetchLink {
  readonly address: string
  readonly #network: Network
  readonly #clock: Clock
  readonly #pool: CreditPool
  readonly #events: FetchEvents
  /** Every partition that is to be fetched here, by its subscription. */
  readonly #wanted = new Map<number, FetchedPartition>()
  readonly #retryOpen = () => { this.#openIfWanted() }
  #peer: Peer | undefined
  #stream: Stream | undefined
  #grant: Grant | undefined
  #next = 1
  #heardMs = 0
  #closed = false

  constructor(address: string, network: Network, clock: Clock, pool: CreditPool, events: FetchEvents) {
    this.address = address
    this.#network = network
    this.#clock = clock
    this.#pool = pool
    this.#events = events
  }

  get subscriptions(): number { return this.#wanted.size }

  /** Since when nothing came, ms; 0 without subscriptions. */
  get silentMs(): number { return this.#wanted.size === 0 ? 0 : this.#clock.monotonicMs() - this.#heardMs }

  /** Fetches from `partition.fetchOffset` on. Answers the number for `unsubscribe`. */
  subscribe(partition: FetchedPartition): number {
    assert(this.#next < NEXT_SUBSCRIPTION_MAX, 'subscription numbers are left')
    const id = this.#next++
    if (this.#wanted.size === 0) this.#heardMs = this.#clock.monotonicMs()
    this.#wanted.set(id, partition)
    if (this.#stream === undefined) this.#openIfWanted()
    else this.#sendSubscribe(this.#stream, id, partition)
    return id
  }

  unsubscribe(id: number): void {
    if (!this.#wanted.delete(id) || this.#stream === undefined) return
    if (this.#wanted.size > 0) this.#stream.send({ unsubscribe: id })
    else this.#endStream('nothing to fetch here')
  }

  /** `bytes` of `grant` are handed out: they may be sent again, here or elsewhere. */
  handedOut(grant: Grant, bytes: number): void {
    grant.bufferedBytes -= bytes
    const held = grant.outstandingBytes + grant.owedBytes + grant.bufferedBytes + bytes
    if (!grant.open || held > this.#pool.shareBytes) return this.#pool.giveBack(bytes)
    grant.owedBytes += bytes
    if (grant.owedBytes < this.#pool.shareBytes / 4 && grant.outstandingBytes > 0) return
    grant.outstandingBytes += grant.owedBytes
    this.#stream?.send({ creditBytes: grant.owedBytes })
    grant.owedBytes = 0
  }

  /** Drops the stream; every subscription is told that it ended. */
  reset(why: string): void { this.#stream?.destroy(why) }

  close(): void {
    this.#closed = true
    this.#wanted.clear()
    this.#pool.forget(this.#retryOpen)
    this.#endStream('the consumer is closed')
    this.#peer?.close()
    this.#peer = undefined
  }

  #openIfWanted(): void {
    if (this.#closed || this.#stream !== undefined || this.#wanted.size === 0) return
    const creditBytes = this.#pool.take(this.#retryOpen)
    if (creditBytes === 0) return
    this.#peer ??= this.#network.dial(this.address)
    const stream = this.#peer.open(methods.data.fetchStream)
    const grant: Grant = { outstandingBytes: creditBytes, owedBytes: 0, bufferedBytes: 0, open: true }
    this.#stream = stream
    this.#grant = grant
    this.#heardMs = this.#clock.monotonicMs()
    stream.handle({
      message: (response) => { if (stream === this.#stream) this.#take(response, grant) },
      end: () => { stream.end() },
      close: (error) => { if (stream === this.#stream) this.#lost(error?.message ?? 'the broker ended it') }
    })
    stream.send({ open: { form: FORM_BATCHES, creditBytes } })
    for (const [id, partition] of this.#wanted) this.#sendSubscribe(stream, id, partition)
  }

  #sendSubscribe(stream: Stream, subscription: number, partition: FetchedPartition): void {
    stream.send({ subscribe: { subscription, partition: {
      topic: partition.topic, partition: partition.partition, offset: partition.fetchOffset,
      leaderEpoch: partition.leaderEpoch, maxBytes: 0 } } })
  }

  #take(response: FetchStreamResponse, grant: Grant): void {
    this.#heardMs = this.#clock.monotonicMs()
    for (const result of response.partitions) {
      const size = result.batches.length
      grant.outstandingBytes -= size
      grant.bufferedBytes += size
      const partition = this.#wanted.get(result.subscription)
      if (partition === undefined) this.handedOut(grant, size)
      else this.#events.fetched(partition, result, grant)
    }
  }

  /** The subscription with this number, which the broker has ended, is no more. */
  forget(id: number): void { this.#wanted.delete(id) }

  #lost(why: string): void {
    this.#giveUpGrant()
    const lost = [...this.#wanted.values()]
    this.#wanted.clear()
    const error = weirError('NETWORK_EXCEPTION', `the fetch stream from ${this.address} ended: ${why}`)
    for (const partition of lost) this.#events.ended(partition, error)
  }

  #endStream(why: string): void {
    const stream = this.#stream
    this.#giveUpGrant()
    stream?.destroy(why)
  }

  #giveUpGrant(): void {
    const grant = this.#grant
    this.#stream = undefined
    this.#grant = undefined
    if (grant === undefined) return
    grant.open = false
    this.#pool.giveBack(grant.outstandingBytes + grant.owedBytes)
  }
}

// Moves batches to the leaders: one produce stream for each broker, retries, and the hunt for a new leader.
//
// - A failure asks for metadata at once and again until the leader is clear; news of a leader sends at once.
// - A leader that is silent for 300 ms may be dead without a closed connection: others are asked about it.
// - What is in flight to a broker that leads no more is given up and goes to the new leader: with idempotence a
//   duplicate is answered as such.

import { backoffMs } from '../base/async.ts'
import { ErrorCode, fault, weirError, WeirError, type Fault } from '../base/error-code.ts'
import type { Codec } from '../records/compression.ts'
import type { ProducePartition, ProduceResult } from '../rpc/messages.ts'
import { faultOf } from '../rpc/outcome.ts'
import type { Batch } from './batches.ts'
import type { Identities } from './identities.ts'
import { LeaderHunt } from './leader-hunt.ts'
import type { Lifetime } from './lifetime.ts'
import type { PartitionQueue } from './partition-queue.ts'
import { ProduceLink, type Shipment } from './produce-link.ts'
import type { Router } from './router.ts'

const TICK_MS = 100
const SILENT_MS = 300
/** A silent stream that nothing live waits for is dropped. */
const GIVEN_UP_MS = 1_000
const RETRY_MAX_MS = 1_000
/** How much longer than `requestTimeoutMs` an answer may take before the stream counts as dead. */
const ANSWER_GRACE_MS = 2_000
const REQUEST_BYTES = 1024 * 1024
const REQUEST_PARTITIONS = 1_000

export interface SenderOptions {
  readonly acks: number
  readonly codec: Codec
  readonly requestTimeoutMs: number
  readonly deliveryTimeoutMs: number
  readonly retryBackoffMs: number
}

export interface SenderEvents {
  /** The batch is settled; its memory is free. */
  settled(batch: Batch, ok: boolean): void
  retried(): void
  /** The batch takes no more records. */
  closed(batch: Batch): void
}

class Late extends Error {}

export class Sender {
  readonly #router: Router
  readonly #lifetime: Lifetime
  readonly #options: SenderOptions
  readonly #identities: Identities | undefined
  readonly #events: SenderEvents
  readonly #links = new Map<string, ProduceLink>()
  readonly #active = new Set<PartitionQueue>()
  readonly #queuesOf = new Map<string, Set<PartitionQueue>>()
  readonly #hunt: LeaderHunt
  readonly #unwatch: () => void
  #ticking = false

  constructor(router: Router, lifetime: Lifetime, options: SenderOptions, identities: Identities | undefined,
    events: SenderEvents) {
    this.#router = router
    this.#lifetime = lifetime
    this.#options = options
    this.#identities = identities
    this.#events = events
    this.#hunt = new LeaderHunt(router, lifetime, {
      troubled: () => this.#troubled(),
      refreshed: () => { for (const queue of [...this.#active]) if (queue.sentCount === 0) this.#pokeKnown(queue) }
    })
    this.#unwatch = router.watch((topic) => { this.#leadersMoved(topic) })
  }

  /** The queue has something to send, or may have. Cheap; call it as often as you like. */
  poke(queue: PartitionQueue): void {
    if (queue.empty) return
    this.#activate(queue)
    const address = this.#router.partition(queue.topic, queue.partition)?.address ?? ''
    if (address === '') return this.#hunt.start()
    const link = this.#linkTo(address)
    link.ready.add(queue)
    this.#schedule(link)
  }

  /** Resolves when every broker has answered everything, or after `timeoutMs`. */
  async idle(timeoutMs: number): Promise<void> {
    const links = [...this.#links.values()]
    const atMs = this.#router.nowMs + timeoutMs
    await Promise.all(links.map((link) => this.#lifetime.within(link.idle(), { atMs, late: () => new Late() })))
      .catch((error: unknown) => { if (!(error instanceof Late || error instanceof WeirError)) throw error })
  }

  /** Fails all that is not settled and closes the streams. */
  close(error: WeirError): void {
    this.#unwatch()
    for (const queue of [...this.#active]) for (const batch of [...queue.batches]) this.#fail(queue, batch, error)
    for (const link of this.#links.values()) link.close()
    this.#links.clear()
  }

  // ---- sending --------------------------------------------------------------------------------------------

  #linkTo(address: string): ProduceLink {
    let link = this.#links.get(address)
    if (link === undefined) {
      const { network, clock } = this.#router.ports
      link = new ProduceLink(address, network, clock, {
        answered: (shipment, result) => { this.#answered(shipment, result) },
        lost: (shipments, why) => { this.#lost(address, shipments, why) },
        ready: (freed) => { this.#schedule(freed) }
      })
      this.#links.set(address, link)
    }
    return link
  }

  #schedule(link: ProduceLink): void {
    if (link.scheduled || link.blocked || link.ready.size === 0) return
    link.scheduled = true
    this.#lifetime.soon(() => {
      link.scheduled = false
      this.#send(link)
    })
  }

  #send(link: ProduceLink): void {
    while (!link.blocked && link.ready.size > 0) {
      const partitions: ProducePartition[] = []
      const shipments: Shipment[] = []
      let bytes = 0
      for (const queue of link.ready) {
        if (bytes >= REQUEST_BYTES || shipments.length >= REQUEST_PARTITIONS) break
        link.ready.delete(queue)
        const batch = this.#pick(queue, link)
        if (batch === undefined) continue
        const encoded = this.#encode(queue, batch)
        if (encoded === undefined) continue
        if (shipments.length > 0 && bytes + encoded.length > REQUEST_BYTES) {
          link.ready.add(queue)
          break
        }
        bytes += encoded.length
        const leaderEpoch = this.#router.partition(queue.topic, queue.partition)?.leaderEpoch ?? -1
        partitions.push({ topic: queue.topic, partition: queue.partition, batch: encoded, leaderEpoch })
        shipments.push(this.#ship(queue, batch, link.address, leaderEpoch))
      }
      if (shipments.length === 0) return
      link.send({ acks: this.#options.acks, timeoutMs: this.#options.requestTimeoutMs, partitions }, shipments)
      for (const { queue, batch } of shipments) {
        if (this.#options.acks === 0) this.#succeed(queue, batch, -1, -1)
        if (!queue.empty) link.ready.add(queue)
      }
    }
  }

  #pick(queue: PartitionQueue, link: ProduceLink): Batch | undefined {
    if (this.#router.partition(queue.topic, queue.partition)?.address !== link.address) {
      this.poke(queue)
      return undefined
    }
    const batch = queue.next(this.#router.nowMs)
    if (batch === undefined) return undefined
    if (queue.needsIdentity(batch)) {
      const identity = this.#identities?.take(queue)
      if (identity === undefined) return undefined
      queue.identify(identity)
    }
    return batch
  }

  #encode(queue: PartitionQueue, batch: Batch): Uint8Array | undefined {
    if (batch.state === 'open') {
      batch.state = 'waiting'
      this.#events.closed(batch)
    }
    return batch.encode(this.#options.codec, queue.stampFor(batch))
  }

  #ship(queue: PartitionQueue, batch: Batch, address: string, leaderEpoch: number): Shipment {
    if (batch.attempt > 0) this.#events.retried()
    queue.sent(batch, address, leaderEpoch)
    return { queue, batch, attempt: batch.attempt }
  }

  // ---- answers --------------------------------------------------------------------------------------------

  #answered({ queue, batch, attempt }: Shipment, result: ProduceResult): void {
    if (batch.settled) return
    const refused = faultOf(result.status)
    if (refused?.leader !== undefined) this.#router.hint(queue.topic, queue.partition, refused.leader)
    // An old attempt counts only when it says done, and says so for good.
    if (attempt !== batch.attempt || batch.state !== 'sent') {
      if (refused !== undefined || this.#identities === undefined) return
    }
    if (refused === undefined) return this.#succeed(queue, batch, result.baseOffset, result.logAppendTime)
    const verdict = queue.answered(batch, refused)
    if (verdict.kind === 'done') this.#settle(queue, batch, () => { batch.succeed(-1, -1) }, true)
    else if (verdict.kind === 'failed') {
      this.#settle(queue, batch, () => { batch.fail(new WeirError(verdict.fault)) }, false)
    } else this.#again(queue)
    if (verdict.kind !== 'again') this.poke(queue)
  }

  #succeed(queue: PartitionQueue, batch: Batch, baseOffset: number, logAppendTimeMs: number): void {
    queue.answered(batch, undefined)
    this.#settle(queue, batch, () => { batch.succeed(baseOffset, logAppendTimeMs) }, true)
    this.poke(queue)
  }

  #fail(queue: PartitionQueue, batch: Batch, error: WeirError): void {
    queue.drop(batch)
    this.#settle(queue, batch, () => { batch.fail(error) }, false)
  }

  #settle(queue: PartitionQueue, batch: Batch, tell: () => void, ok: boolean): void {
    if (queue.empty) this.#rest(queue)
    tell()
    this.#events.settled(batch, ok)
  }

  #lost(address: string, shipments: readonly Shipment[], why: Fault): void {
    this.#router.suspect(address)
    const queues = new Set<PartitionQueue>()
    for (const { queue, batch, attempt } of shipments) {
      if (batch.settled || batch.attempt !== attempt || batch.state !== 'sent') continue
      queues.add(queue)
      // Only a batch of more than a whole request can be what was too large.
      if (why.code === ErrorCode.MESSAGE_TOO_LARGE && batch.sizeBytes > REQUEST_BYTES) {
        this.#fail(queue, batch, new WeirError(why))
      } else queue.abandon(batch, { ...why, code: ErrorCode.NETWORK_EXCEPTION })
    }
    for (const queue of queues) this.#again(queue)
  }

  /** After a failed attempt: wait a moment, and ask for the leader meanwhile. */
  #again(queue: PartitionQueue): void {
    if (queue.leaderDoubt) this.#hunt.start()
    if (queue.sentCount > 0) return
    const waitMs = backoffMs({
      attempt: queue.failures, firstMs: this.#options.retryBackoffMs, maxMs: RETRY_MAX_MS,
      unit: this.#router.ports.random.uint32() / 2 ** 32 })
    queue.failures++
    queue.notBeforeMs = this.#router.nowMs + waitMs
    queue.cancelBackoff?.()
    queue.cancelBackoff = this.#lifetime.after(waitMs, () => {
      queue.notBeforeMs = 0
      this.poke(queue)
    })
  }

  // ---- leaders --------------------------------------------------------------------------------------------

  #leadersMoved(topic: string): void {
    for (const queue of [...this.#queuesOf.get(topic) ?? []]) {
      const view = this.#router.partition(queue.topic, queue.partition)
      if (view === undefined || view.address === '' || !queue.movedTo(view.address, view.leaderEpoch)) continue
      const given = queue.batches.filter(({ state }) => state === 'sent')
      for (const batch of given) {
        queue.abandon(batch, fault('NOT_LEADER_OR_FOLLOWER',
          `${topic}-${queue.partition} moved to ${view.address}, leader epoch ${view.leaderEpoch}`))
      }
      queue.leaderDoubt = false
      queue.notBeforeMs = 0
      queue.failures = 0
      queue.cancelBackoff?.()
      this.poke(queue)
    }
  }

  #pokeKnown(queue: PartitionQueue): void {
    const address = this.#router.partition(queue.topic, queue.partition)?.address ?? ''
    if (address !== '') this.poke(queue)
  }

  #troubled(): boolean {
    for (const queue of this.#active) {
      if (queue.leaderDoubt || (this.#router.partition(queue.topic, queue.partition)?.address ?? '') === '') return true
    }
    return [...this.#links.values()].some(({ silentMs }) => silentMs >= SILENT_MS)
  }

  // ---- time -----------------------------------------------------------------------------------------------

  #activate(queue: PartitionQueue): void {
    if (this.#active.has(queue)) return
    this.#active.add(queue)
    const queues = this.#queuesOf.get(queue.topic) ?? new Set()
    queues.add(queue)
    this.#queuesOf.set(queue.topic, queues)
    if (this.#ticking) return
    this.#ticking = true
    this.#lifetime.after(TICK_MS, () => { this.#tick() })
  }

  #rest(queue: PartitionQueue): void {
    this.#active.delete(queue)
    this.#queuesOf.get(queue.topic)?.delete(queue)
    queue.cancelBackoff?.()
  }

  #tick(): void {
    const nowMs = this.#router.nowMs
    for (const queue of [...this.#active]) this.#expire(queue, nowMs)
    for (const link of this.#links.values()) this.#watchSilence(link)
    this.#ticking = this.#active.size > 0
    if (this.#ticking) this.#lifetime.after(TICK_MS, () => { this.#tick() })
  }

  #watchSilence(link: ProduceLink): void {
    const { silentMs, oldestMs } = link
    if (silentMs < SILENT_MS) return
    this.#router.suspect(link.address)
    this.#hunt.start()
    const given = silentMs >= GIVEN_UP_MS && ![...this.#active].some((queue) => queue.isAt(link.address))
    if (given || oldestMs > this.#options.requestTimeoutMs + ANSWER_GRACE_MS) {
      link.reset(`no answer for ${Math.round(silentMs)} ms`)
    }
  }

  #expire(queue: PartitionQueue, nowMs: number): void {
    let expired = false
    for (const batch of [...queue.batches]) {
      if (batch.deadlineMs > nowMs) break
      expired = true
      this.#fail(queue, batch, this.#late(queue, batch))
    }
    if (expired) this.poke(queue)
  }

  #late(queue: PartitionQueue, batch: Batch): WeirError {
    const outcome = batch.state === 'sent' || batch.inDoubt ? 'they may be in the log' : 'they were not written'
    const last = batch.lastFault ?? this.#hunt.failure ?? this.#identities?.failure
    const why = last === undefined ? '' : `; last: ${(last as { readonly message: string }).message}`
    return weirError('REQUEST_TIMED_OUT',
      `records for ${queue.topic}-${queue.partition} were not acknowledged within deliveryTimeoutMs=` +
      `${this.#options.deliveryTimeoutMs}: ${outcome}${why}`,
      '`weir partition list --unhealthy` shows partitions without a leader or with too few replicas')
  }
}

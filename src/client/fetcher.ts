// Keeps every active partition of a consumer subscribed at its leader: one fetch stream for each broker, again after
// errors, elsewhere when the leader moves.

import { backoffMs, noop } from '../base/async.ts'
import { ErrorCode, type WeirError } from '../base/error-code.ts'
import type { FetchResult } from '../rpc/messages.ts'
import { errorOf } from './failures.ts'
import { CreditPool } from './fetch-credit.ts'
import { FetchLink, type Grant } from './fetch-link.ts'
import type { FetchedPartition } from './fetched-partition.ts'
import { LeaderHunt } from './leader-hunt.ts'
import type { Lifetime } from './lifetime.ts'
import type { Router } from './router.ts'

const TICK_MS = 250
/** A quiet stream may be a dead one: others are asked who leads. */
const SILENT_MS = 500
const SILENT_REFRESH_MS = 1_000
/** Partitions that were added are found in this time. */
const REFRESH_MS = 5_000
const RETRY_FIRST_MS = 10
const RETRY_MAX_MS = 1_000
/** A partition that no broker knows for so long was deleted. */
const UNKNOWN_GRACE_MS = 10_000

export interface FetcherEvents {
  /** Batches with the offsets from `partition.fetchOffset` (as it was) on. Give them back by `handedOut`. */
  fetched(partition: FetchedPartition, bytes: Uint8Array, nextOffset: number, source: Source): void
  /** The partition has an error that only the caller can cure, or its position is gone. */
  stopped(partition: FetchedPartition, error: WeirError): void
  /** The topic has other partitions or leaders than before. */
  topicChanged(topic: string): void
}

/** Whose credit some bytes are. */
export interface Source { readonly link: FetchLink; readonly grant: Grant }

export class Fetcher {
  readonly #router: Router
  readonly #lifetime: Lifetime
  readonly #events: FetcherEvents
  readonly #pool: CreditPool
  readonly #links = new Map<string, FetchLink>()
  readonly #partitions = new Set<FetchedPartition>()
  readonly #hunt: LeaderHunt
  readonly #unwatch: () => void
  #refreshedMs: number

  constructor(router: Router, lifetime: Lifetime, maxBufferedBytes: number, events: FetcherEvents) {
    this.#router = router
    this.#lifetime = lifetime
    this.#events = events
    this.#pool = new CreditPool(maxBufferedBytes, () => router.brokerCount)
    this.#hunt = new LeaderHunt(router, lifetime, {
      troubled: () => [...this.#partitions].some((partition) => partition.active && !this.#served(partition)),
      refreshed: () => { for (const partition of this.#partitions) this.update(partition) }
    })
    this.#unwatch = router.watch((topic) => { this.#topicMoved(topic) })
    this.#refreshedMs = router.nowMs
    this.#tickLater()
  }

  add(partition: FetchedPartition): void {
    this.#partitions.add(partition)
    this.update(partition)
  }

  /** Subscribes or unsubscribes as the partition's state asks for. */
  update(partition: FetchedPartition): void {
    if (this.#lifetime.over !== undefined) return
    const view = this.#router.partition(partition.topic, partition.partition)
    const { subscription } = partition
    if (subscription !== undefined) {
      // Nothing is known against the stream it has; a leader that is gone is noticed by the stream itself.
      const stays = partition.active && (view === undefined || view.address === ''
        || (view.address === subscription.address && view.leaderEpoch === partition.leaderEpoch))
      if (stays) return
      this.unsubscribe(partition)
    }
    if (!partition.active) return
    if (view === undefined || view.address === '') return this.#hunt.start()
    if (this.#router.nowMs < partition.notBeforeMs) return
    partition.leaderEpoch = view.leaderEpoch
    const link = this.#linkTo(view.address)
    const id = link.subscribe(partition)
    partition.subscription = { address: link.address, unsubscribe: () => { link.unsubscribe(id) } }
  }

  unsubscribe(partition: FetchedPartition): void {
    const { subscription } = partition
    partition.subscription = undefined
    subscription?.unsubscribe()
  }

  handedOut(source: Source, bytes: number): void { source.link.handedOut(source.grant, bytes) }

  close(): void {
    this.#unwatch()
    for (const partition of this.#partitions) partition.subscription = undefined
    for (const link of this.#links.values()) link.close()
    this.#links.clear()
  }

  #linkTo(address: string): FetchLink {
    let link = this.#links.get(address)
    if (link === undefined) {
      const { network, clock } = this.#router.ports
      const made: FetchLink = new FetchLink(address, network, clock, this.#pool, {
        fetched: (partition, result, grant) => { this.#fetched(partition, result, { link: made, grant }) },
        ended: (partition, error) => {
          this.#router.suspect(address)
          this.#ended(partition, error)
        }
      })
      link = made
      this.#links.set(address, link)
    }
    return link
  }

  #fetched(partition: FetchedPartition, result: FetchResult, source: Source): void {
    const error = errorOf(result.status)
    if (error !== undefined) {
      source.link.forget(result.subscription)
      this.#ended(partition, error)
      return
    }
    partition.failures = 0
    partition.unknownSinceMs = undefined
    if (result.highWatermark >= 0) partition.highWatermark = result.highWatermark
    if (result.batches.length === 0) return
    partition.fetchOffset = result.nextOffset
    this.#events.fetched(partition, result.batches, result.nextOffset, source)
    if (!partition.active) this.unsubscribe(partition)
  }

  #ended(partition: FetchedPartition, error: WeirError): void {
    partition.subscription = undefined
    if (error.leader !== undefined) this.#router.hint(partition.topic, partition.partition, error.leader)
    if (partition.subscription !== undefined) return
    if (error.code === ErrorCode.UNKNOWN_TOPIC_OR_PARTITION) {
      partition.unknownSinceMs ??= this.#router.nowMs
      if (this.#router.nowMs - partition.unknownSinceMs >= UNKNOWN_GRACE_MS) {
        return this.#events.stopped(partition, error)
      }
    } else if (!error.retriable) {
      return this.#events.stopped(partition, error)
    }
    const waitMs = backoffMs({
      attempt: partition.failures, firstMs: RETRY_FIRST_MS, maxMs: RETRY_MAX_MS,
      unit: this.#router.ports.random.uint32() / 2 ** 32 })
    partition.failures++
    partition.notBeforeMs = this.#router.nowMs + waitMs
    this.#lifetime.after(waitMs, () => { this.update(partition) })
    this.#hunt.start()
  }

  #topicMoved(topic: string): void {
    for (const partition of this.#partitions) {
      if (partition.topic !== topic) continue
      const view = this.#router.partition(topic, partition.partition)
      if (view !== undefined && view.leaderEpoch > partition.leaderEpoch) partition.notBeforeMs = 0
      this.update(partition)
    }
    this.#events.topicChanged(topic)
  }

  /** Subscribed, at a broker nothing is known against. */
  #served(partition: FetchedPartition): boolean { return partition.subscription !== undefined }

  #tickLater(): void {
    this.#lifetime.after(TICK_MS, () => {
      this.#tick()
      this.#tickLater()
    })
  }

  #tick(): void {
    const nowMs = this.#router.nowMs
    const silent = [...this.#links.values()].filter(({ silentMs }) => silentMs >= SILENT_MS)
    for (const { address } of silent) this.#router.suspect(address)
    if (nowMs - this.#refreshedMs < (silent.length > 0 ? SILENT_REFRESH_MS : REFRESH_MS)) return
    if (![...this.#partitions].some(({ active }) => active)) return
    this.#refreshedMs = nowMs
    // Failed or not, the next tick asks again.
    this.#router.refresh().catch(noop)
  }
}

// Pushes one stream's subscriptions: follows each partition from an offset, reads what is new, and emits it as far as
// the reader's budget and the stream's buffer allow. Replicas and consumers differ only in `PushPolicy`.

import { ErrorCode } from '../../src/base/error-code.ts'
import type { Timers } from '../../src/ports.ts'
import type { Partition, Watcher } from './partition.ts'

/** Bytes of one partition in one emission: keeps one busy partition from starving the others. */
const READ_BYTES_MAX = 512 * 1024
/** Bytes of one emission over all partitions. */
const EMIT_BYTES_MAX = 1024 * 1024

export interface Subscription {
  readonly id: number
  readonly partition: Partition
  /** Leader epoch in which the position was verified. */
  readonly leaderEpoch: number
  /** Next offset to send. */
  offset: number
  /** High watermark last told. */
  toldMark: number
}

/** `code` 0: `bytes` are whole batches (empty: only the marks are news). Else the subscription has ended. */
export interface Push {
  readonly subscription: Subscription
  readonly code: number
  /** Where this push starts: batches may begin before it (a consumer in mid-batch). */
  readonly from: number
  readonly bytes: Uint8Array
}

export interface PushPolicy {
  /** Exclusive end of what the reader may see. */
  bound(partition: Partition): number
  /** Watch the log end offset too? */
  readonly followsAppends: boolean
  /** Bytes this subscription may be sent now; none when <= 0. */
  budget(subscription: Subscription): number
  spent(subscription: Subscription, bytes: number): void
  /** How long a move of the high watermark may wait for data to ride with, ms; undefined: it is not told by itself. */
  readonly markDelayMs: number | undefined
  /** Hands one message to the stream; false: wait for `drained`. */
  emit(pushes: readonly Push[]): boolean
}

interface Entry {
  readonly subscription: Subscription
  readonly watcher: Watcher
  reading: boolean
  ended: boolean
}

const NOTHING = new Uint8Array(0)

export class PushSession {
  readonly #policy: PushPolicy
  readonly #timers: Timers
  readonly #entries = new Map<number, Entry>()
  readonly #ready = new Set<Entry>()
  readonly #marks = new Set<Entry>()
  #scheduled = false
  #marksScheduled = false
  #blocked = false
  #closed = false

  constructor(policy: PushPolicy, timers: Timers) {
    this.#policy = policy
    this.#timers = timers
  }

  get size(): number { return this.#entries.size }

  find(id: number): Subscription | undefined { return this.#entries.get(id)?.subscription }

  /** The caller has verified leadership and position. A second subscription of one id replaces the first. */
  add(subscription: Subscription): void {
    this.remove(subscription.id)
    const entry: Entry = {
      subscription, reading: false, ended: false,
      watcher: {
        ...(this.#policy.followsAppends ? { appended: () => { this.#poke(entry) } } : {}),
        highWatermarkMoved: () => { this.#markMoved(entry) },
        lost: (code) => { this.#end(entry, code) }
      }
    }
    this.#entries.set(subscription.id, entry)
    subscription.partition.watch(entry.watcher)
    this.#marks.add(entry)
    this.#scheduleMarks()
    this.#poke(entry)
  }

  remove(id: number): void {
    const entry = this.#entries.get(id)
    if (entry !== undefined) this.#forget(entry)
  }

  /** More budget for one subscription, or for all. */
  replenished(id?: number): void {
    if (id === undefined) for (const entry of this.#entries.values()) this.#poke(entry)
    else {
      const entry = this.#entries.get(id)
      if (entry !== undefined) this.#poke(entry)
    }
  }

  drained(): void {
    this.#blocked = false
    if (this.#ready.size > 0) this.#schedule()
  }

  close(): void {
    this.#closed = true
    for (const entry of [...this.#entries.values()]) this.#forget(entry)
  }

  #forget(entry: Entry): void {
    entry.ended = true
    entry.subscription.partition.unwatch(entry.watcher)
    this.#ready.delete(entry)
    this.#marks.delete(entry)
    if (this.#entries.get(entry.subscription.id) === entry) this.#entries.delete(entry.subscription.id)
  }

  #end(entry: Entry, code: number): void {
    if (entry.ended) return
    this.#forget(entry)
    this.#emit([{ subscription: entry.subscription, code, from: entry.subscription.offset, bytes: NOTHING }])
  }

  #poke(entry: Entry): void {
    if (entry.reading || entry.ended) return
    this.#ready.add(entry)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#scheduled || this.#blocked || this.#closed) return
    this.#scheduled = true
    this.#timers.soon(() => {
      this.#scheduled = false
      this.#pump()
    })
  }

  #markMoved(entry: Entry): void {
    if (!this.#policy.followsAppends) this.#poke(entry)
    if (this.#policy.markDelayMs === undefined) return
    this.#marks.add(entry)
    this.#scheduleMarks()
  }

  #scheduleMarks(): void {
    if (this.#marksScheduled || this.#policy.markDelayMs === undefined) return
    this.#marksScheduled = true
    this.#timers.after(this.#policy.markDelayMs, () => {
      this.#marksScheduled = false
      this.#tellMarks()
    })
  }

  #tellMarks(): void {
    const pushes: Push[] = []
    for (const { subscription } of this.#marks) {
      if (subscription.partition.log.highWatermark === subscription.toldMark) continue
      pushes.push({ subscription, code: 0, from: subscription.offset, bytes: NOTHING })
    }
    this.#marks.clear()
    if (pushes.length > 0) this.#emit(pushes)
  }

  #pump(): void {
    if (this.#blocked || this.#closed) return
    const pushes: Push[] = []
    let emitBytes = 0
    for (const entry of [...this.#ready]) {
      this.#ready.delete(entry)
      const push = this.#read(entry)
      if (push === undefined) continue
      pushes.push(push)
      emitBytes += push.bytes.length
      if (emitBytes >= EMIT_BYTES_MAX) break
    }
    if (pushes.length > 0) this.#emit(pushes)
    if (this.#ready.size > 0) this.#schedule()
  }

  #read(entry: Entry): Push | undefined {
    const { subscription } = entry
    const { partition } = subscription
    const lost = partition.checkLeader(subscription.leaderEpoch)
    if (lost !== 0) return this.#ended(entry, lost)
    if (subscription.offset < partition.log.logStartOffset) return this.#ended(entry, ErrorCode.OFFSET_OUT_OF_RANGE)
    const endOffset = this.#policy.bound(partition)
    const budget = this.#policy.budget(subscription)
    if (subscription.offset >= endOffset || budget <= 0) return undefined
    const read = partition.log.read({
      offset: subscription.offset, endOffset, maxBytes: Math.min(budget, READ_BYTES_MAX), atLeastOneBatch: true })
    if (!(read instanceof Promise)) return this.#taken(entry, read)
    entry.reading = true
    read.then(
      (result) => {
        entry.reading = false
        if (entry.ended || this.#closed) return
        const push = this.#taken(entry, result)
        if (push !== undefined) this.#emit([push])
      },
      () => {
        entry.reading = false
        this.#end(entry, ErrorCode.KAFKA_STORAGE_ERROR)
      })
    return undefined
  }

  #taken(entry: Entry, read: { readonly bytes: Uint8Array; readonly nextOffset: number }): Push | undefined {
    const { subscription } = entry
    if (read.bytes.length === 0) return undefined
    const from = subscription.offset
    subscription.offset = read.nextOffset
    this.#policy.spent(subscription, read.bytes.length)
    if (subscription.offset < this.#policy.bound(subscription.partition)) this.#poke(entry)
    return { subscription, code: 0, from, bytes: read.bytes }
  }

  #ended(entry: Entry, code: number): Push {
    this.#forget(entry)
    return { subscription: entry.subscription, code, from: entry.subscription.offset, bytes: NOTHING }
  }

  #emit(pushes: readonly Push[]): void {
    if (this.#closed) return
    for (const { subscription } of pushes) subscription.toldMark = subscription.partition.log.highWatermark
    if (!this.#policy.emit(pushes)) this.#blocked = true
  }
}

// The producer: takes records, bounds what waits, chooses partitions, gathers batches. Sending is `Sender`.

import { Fifo } from '../base/fifo.ts'
import { weirError, WeirError } from '../base/error-code.ts'
import { recordSizeUpperBound, type NewRecord } from '../records/builder.ts'
import { Batch, RECORD_OVERHEAD_BYTES, type Waiter } from './batches.ts'
import { EraCount } from './era-count.ts'
import { Identities } from './identities.ts'
import { Lifetime } from './lifetime.ts'
import { producerSettings, type ProducerSettings } from './producer-settings.ts'
import { PartitionQueue } from './partition-queue.ts'
import { partitionForKey, StickyPartition } from './partitioner.ts'
import type { Router } from './router.ts'
import { newRecord } from './outgoing.ts'
import { Sender } from './sender.ts'
import type { Delivery, OutgoingRecord, Producer, ProducerOptions, ProducerStats } from './types.ts'

/** `send` calls that wait for room; above it they are refused at once. */
const BLOCKED_MAX = 2_000_000
const IDLE_TIMEOUT_MS = 5_000

interface Entry {
  readonly outgoing: OutgoingRecord
  readonly record: NewRecord
  readonly bytes: number
  readonly era: number
  readonly deadlineMs: number
  readonly waiter: Waiter
}

interface TopicState {
  readonly name: string
  readonly queues: PartitionQueue[]
  readonly sticky: StickyPartition
  /** Records that wait for the topic's partitions, in order. */
  waiting: Entry[]
  following: boolean
}

export class WeirProducer implements Producer {
  readonly #router: Router
  readonly #lifetime: Lifetime
  readonly #settings: ProducerSettings
  readonly #sender: Sender
  readonly #topics = new Map<string, TopicState>()
  readonly #blocked = new Fifo<Entry>(BLOCKED_MAX)
  readonly #eras = new EraCount()
  readonly #counts = { sent: 0, acknowledged: 0, failed: 0, retries: 0, bufferedBytes: 0 }
  readonly #forget: () => void
  #cancelBlockTimer: (() => void) | undefined
  #flushing = 0
  #closing: Promise<void> | undefined

  constructor(router: Router, options: ProducerOptions) {
    this.#router = router
    this.#settings = producerSettings(options)
    this.#lifetime = new Lifetime(router.ports.clock, router.ports.timers)
    const identities = this.#settings.idempotent
      ? new Identities(router, this.#lifetime, (queue) => { this.#sender.poke(queue) }) : undefined
    this.#sender = new Sender(router, this.#lifetime, this.#settings, identities, {
      settled: (batch, ok) => { this.#settled(batch, ok) },
      retried: () => { this.#counts.retries++ },
      closed: (batch) => { this.#batchClosed(batch) }
    })
    this.#forget = router.lifetime.onEnd((error) => { this.#end(error) })
  }

  get stats(): ProducerStats { return { ...this.#counts } }

  send(outgoing: OutgoingRecord): Promise<Delivery> {
    return new Promise((resolve, reject) => {
      if (this.#closing !== undefined || this.#lifetime.over !== undefined) {
        reject(this.#lifetime.over ?? weirError('INVALID_REQUEST', 'the producer is closed', 'make a new one'))
        return
      }
      try {
        this.#take(outgoing, { resolve, reject })
      } catch (error) {
        reject(error)
      }
    })
  }

  async flush(): Promise<void> {
    this.#flushing++
    try {
      for (const { queues } of this.#topics.values()) for (const queue of queues) this.#closeOpen(queue)
      await this.#lifetime.within(this.#eras.settled())
    } finally {
      this.#flushing--
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> { return this.close() }

  /** Calls `run` once when it is closed, for whatever reason. */
  onEnd(run: () => void): void { this.#lifetime.onEnd(run) }

  async #close(): Promise<void> {
    try {
      if (this.#lifetime.over === undefined) {
        await this.flush()
        await this.#sender.idle(IDLE_TIMEOUT_MS)
      }
    } finally {
      this.#end(weirError('INVALID_REQUEST', 'the producer is closed', 'make a new one'))
    }
  }

  #end(error: WeirError): void {
    if (this.#lifetime.over !== undefined) return
    this.#forget()
    this.#lifetime.end('producer')
    this.#sender.close(error)
    for (let entry = this.#blocked.shift(); entry !== undefined; entry = this.#blocked.shift()) {
      this.#refuse(entry, error)
    }
    for (const topic of this.#topics.values()) this.#refuseWaiting(topic, error)
  }

  // ---- admission ------------------------------------------------------------------------------------------

  #take(outgoing: OutgoingRecord, waiter: Waiter): void {
    const record = newRecord(outgoing, this.#router.ports.clock)
    const bytes = recordSizeUpperBound(record.key, record.value, record.headers) + RECORD_OVERHEAD_BYTES
    if (bytes > this.#settings.maxBufferedBytes) {
      throw weirError('MESSAGE_TOO_LARGE',
        `a record of about ${bytes} bytes exceeds maxBufferedBytes=${this.#settings.maxBufferedBytes}`,
        'send smaller records or raise maxBufferedBytes')
    }
    const deadlineMs = this.#router.nowMs + this.#settings.maxBlockMs
    const entry: Entry = { outgoing, record, bytes, era: this.#eras.current, deadlineMs, waiter }
    if (this.#blocked.length > 0 || !this.#fits(bytes)) {
      if (!this.#blocked.push(entry)) {
        throw weirError('THROTTLING_QUOTA_EXCEEDED', `${BLOCKED_MAX} sends wait for room already`, 'await send')
      }
      this.#watchBlocked()
    }
    this.#counts.sent++
    this.#eras.enter(entry.era)
    if (this.#blocked.length === 0) this.#admit(entry)
  }

  #fits(bytes: number): boolean { return this.#counts.bufferedBytes + bytes <= this.#settings.maxBufferedBytes }

  #admit(entry: Entry): void {
    this.#counts.bufferedBytes += entry.bytes
    const topic = this.#topicState(entry.outgoing.topic)
    if (topic.waiting.length === 0 && this.#router.topic(topic.name) !== undefined) this.#place(topic, entry)
    else {
      topic.waiting.push(entry)
      if (!topic.following) void this.#follow(topic)
    }
  }

  #unblock(): void {
    for (let head = this.#blocked.peek(); head !== undefined && this.#fits(head.bytes); head = this.#blocked.peek()) {
      this.#blocked.shift()
      this.#admit(head)
    }
    if (this.#blocked.length === 0) {
      this.#cancelBlockTimer?.()
      this.#cancelBlockTimer = undefined
    }
  }

  /** One timer for the head of the line: all behind it have later deadlines. */
  #watchBlocked(): void {
    const head = this.#blocked.peek()
    if (head === undefined || this.#cancelBlockTimer !== undefined) return
    this.#cancelBlockTimer = this.#lifetime.after(head.deadlineMs - this.#router.nowMs, () => {
      this.#cancelBlockTimer = undefined
      const nowMs = this.#router.nowMs
      let late = this.#blocked.peek()
      for (; late !== undefined && late.deadlineMs <= nowMs; late = this.#blocked.peek()) {
        this.#blocked.shift()
        this.#refuse(late, weirError('REQUEST_TIMED_OUT',
          `no room within maxBlockMs=${this.#settings.maxBlockMs}: ${this.#counts.bufferedBytes} bytes of ` +
          `maxBufferedBytes=${this.#settings.maxBufferedBytes} wait for acknowledgement`,
          'send slower, raise maxBufferedBytes, or look at `weir cluster health`'))
      }
      this.#unblock()
      this.#watchBlocked()
    })
  }

  #refuse(entry: Entry, error: WeirError): void {
    this.#counts.failed++
    entry.waiter.reject(error)
    this.#eras.leave(entry.era, 1)
  }

  // ---- topics and partitions --------------------------------------------------------------------------------

  #topicState(name: string): TopicState {
    let topic = this.#topics.get(name)
    if (topic === undefined) {
      const sticky = new StickyPartition(this.#router.ports.random)
      topic = { name, queues: [], sticky, waiting: [], following: false }
      this.#topics.set(name, topic)
    }
    return topic
  }

  async #follow(topic: TopicState): Promise<void> {
    topic.following = true
    try {
      await this.#router.follow(topic.name, topic.waiting[0]!.deadlineMs)
      const { waiting } = topic
      topic.waiting = []
      for (const entry of waiting) if (this.#lifetime.over === undefined) this.#place(topic, entry)
    } catch (error) {
      const why = error instanceof WeirError ? error : weirError('UNKNOWN_SERVER_ERROR', String(error))
      this.#refuseWaiting(topic, why)
    } finally {
      topic.following = false
    }
  }

  #refuseWaiting(topic: TopicState, error: WeirError): void {
    const { waiting } = topic
    topic.waiting = []
    for (const entry of waiting) this.#refuseAdmitted(entry, error)
    this.#unblock()
  }

  #refuseAdmitted(entry: Entry, error: WeirError): void {
    this.#counts.bufferedBytes -= entry.bytes
    this.#refuse(entry, error)
  }

  #place(topic: TopicState, entry: Entry): void {
    let queue: PartitionQueue
    try {
      queue = this.#queueOf(topic, this.#partitionFor(topic, entry))
      this.#append(queue, entry)
    } catch (error) {
      const why = error instanceof WeirError ? error
        : weirError('INVALID_REQUEST', error instanceof Error ? error.message : String(error))
      this.#refuseAdmitted(entry, why)
    }
  }

  #partitionFor(topic: TopicState, { outgoing, record }: Entry): number {
    const count = this.#router.topic(topic.name)?.partitions.length ?? topic.queues.length
    const partition = outgoing.partition ?? this.#choose(topic, outgoing, record, count)
    if (Number.isInteger(partition) && partition >= 0 && partition < count) return partition
    throw weirError('UNKNOWN_TOPIC_OR_PARTITION',
      `topic ${topic.name} has partitions 0 to ${count - 1}, not ${partition}`,
      '`weir topic add-partitions` adds some')
  }

  #choose(topic: TopicState, outgoing: OutgoingRecord, record: NewRecord, count: number): number {
    if (this.#settings.partitioner !== undefined) return this.#settings.partitioner(outgoing, count)
    if (record.key !== null) return partitionForKey(record.key, count)
    return topic.sticky.choose(() => this.#usable(topic), count)
  }

  #usable(topic: TopicState): readonly number[] {
    const partitions = this.#router.topic(topic.name)?.partitions ?? []
    return partitions.filter(({ address }) => address !== '').map(({ partition }) => partition)
  }

  #queueOf(topic: TopicState, partition: number): PartitionQueue {
    while (topic.queues.length <= partition) {
      topic.queues.push(new PartitionQueue(topic.name, topic.queues.length, this.#settings))
    }
    return topic.queues[partition]!
  }

  // ---- batches ----------------------------------------------------------------------------------------------

  #append(queue: PartitionQueue, entry: Entry): void {
    let batch = queue.open
    if (batch !== undefined && batch.sizeBytes + entry.bytes > this.#settings.batchBytes + RECORD_OVERHEAD_BYTES) {
      this.#closeOpen(queue)
      batch = undefined
    }
    const fresh = batch === undefined
    batch ??= new Batch(queue.topic, queue.partition, this.#router.nowMs + this.#settings.deliveryTimeoutMs)
    batch.append(entry.record, entry.bytes, entry.era, entry.waiter)
    if (fresh) {
      queue.add(batch)
      this.#linger(queue, batch)
    }
    if (batch.sizeBytes >= this.#settings.batchBytes) this.#closeOpen(queue)
  }

  #linger(queue: PartitionQueue, batch: Batch): void {
    const due = () => {
      batch.due = true
      this.#sender.poke(queue)
    }
    if (this.#settings.lingerMs === 0 || this.#flushing > 0) due()
    else batch.cancelLinger = this.#lifetime.after(this.#settings.lingerMs, due)
  }

  #closeOpen(queue: PartitionQueue): void {
    const batch = queue.open
    if (batch === undefined) return
    batch.cancelLinger?.()
    batch.state = 'waiting'
    this.#batchClosed(batch)
    this.#sender.poke(queue)
  }

  #batchClosed({ topic: name, partition }: Batch): void {
    const topic = this.#topicState(name)
    const count = this.#router.topic(name)?.partitions.length ?? topic.queues.length
    topic.sticky.batchClosed(partition, () => this.#usable(topic), count)
  }

  #settled(batch: Batch, ok: boolean): void {
    if (ok) this.#counts.acknowledged += batch.count
    else this.#counts.failed += batch.count
    this.#counts.bufferedBytes -= batch.bytes
    for (const [era, count] of batch.eras) this.#eras.leave(era, count)
    this.#unblock()
  }
}

// The consumer: assigns partitions, hands out records in the order they came, seeks, pauses. Fetching is `Fetcher`.

import { deferred } from '../base/async.ts'
import { ErrorCode, weirError, WeirError } from '../base/error-code.ts'
import { ChunkQueue } from './chunk-queue.ts'
import { consumerSettings, type Assignment, type ConsumerSettings } from './consumer-settings.ts'
import { FetchedPartition } from './fetched-partition.ts'
import { Fetcher } from './fetcher.ts'
import { Lifetime } from './lifetime.ts'
import { resolvePositions } from './offsets.ts'
import type { Router } from './router.ts'
import type { ConsumedRecord, Consumer, ConsumerOptions, Position } from './types.ts'

/** Records of one `poll`. */
const POLL_RECORDS_MAX = 10_000

export class WeirConsumer implements Consumer {
  readonly #router: Router
  readonly #settings: ConsumerSettings
  readonly #lifetime: Lifetime
  readonly #fetcher: Fetcher
  readonly #chunks: ChunkQueue
  readonly #partitions = new Map<string, Map<number, FetchedPartition>>()
  readonly #forget: () => void
  readonly #ready: Promise<void>
  /** Those that wait for something to hand out, or for the end. */
  #wakeUp = deferred<void>()
  /** What ended the start; the consumer is of no use then. */
  #failure: WeirError | undefined
  #started = false
  #aborted: WeirError | undefined

  constructor(router: Router, options: ConsumerOptions) {
    this.#router = router
    this.#settings = consumerSettings(options)
    this.#lifetime = new Lifetime(router.ports.clock, router.ports.timers)
    this.#fetcher = new Fetcher(router, this.#lifetime, this.#settings.maxBufferedBytes, {
      fetched: (partition, bytes, nextOffset, source) => {
        this.#chunks.push({ partition, generation: partition.generation, bytes, nextOffset, source })
        this.#wake()
      },
      stopped: (partition, error) => { void this.#stopped(partition, error) },
      topicChanged: (topic) => { this.#topicChanged(topic) }
    })
    this.#chunks = new ChunkQueue(this.#settings.raw, {
      released: ({ source, bytes }) => { this.#fetcher.handedOut(source, bytes.length) },
      finished: (partition) => { this.#fetcher.update(partition) },
      failed: (partition, error) => { this.#fail(partition, error) }
    })
    this.#forget = router.lifetime.onEnd((error) => { this.#end(error) })
    this.#followSignal(options.signal)
    this.#ready = this.#start().catch((error: unknown) => {
      this.#failure = error instanceof WeirError ? error : weirError('UNKNOWN_SERVER_ERROR', String(error))
      this.#wake()
    })
  }

  get finished(): boolean {
    return this.#started && this.#settings.until !== undefined && this.#all().every(({ finished }) => finished)
  }

  async poll(maxWaitMs: number): Promise<readonly ConsumedRecord[]> {
    const deadlineMs = this.#router.nowMs + maxWaitMs
    for (;;) {
      const records: ConsumedRecord[] = []
      for (let record = this.#next(); record !== undefined; record = this.#next()) {
        records.push(record)
        if (records.length >= POLL_RECORDS_MAX) break
      }
      if (records.length > 0) return records
      if (this.#over() || this.#router.nowMs >= deadlineMs) return []
      await this.#arrival(deadlineMs)
    }
  }

  async* [Symbol.asyncIterator](): AsyncIterator<ConsumedRecord> {
    for (;;) {
      const record = this.#next()
      if (record !== undefined) yield record
      else if (this.#over()) return
      else await this.#arrival(undefined)
    }
  }

  async seek(topic: string, partition: number, position: Position): Promise<void> {
    await this.#lifetime.within(this.#ready)
    if (this.#failure !== undefined) throw this.#failure
    const found = this.#known(topic, partition)
    const deadlineMs = this.#router.nowMs + this.#router.timeoutMs
    const [place] = await this.#lifetime.within(
      resolvePositions(this.#router, [{ topic, partition, position }], deadlineMs))
    this.#move(found, place!.offset)
  }

  pause(topic: string, partition: number): void {
    const found = this.#known(topic, partition)
    if (found.paused) return
    found.paused = true
    found.generation++
    found.fetchOffset = found.position
    this.#fetcher.update(found)
    this.#chunks.purge()
  }

  resume(topic: string, partition: number): void {
    const found = this.#known(topic, partition)
    found.paused = false
    this.#fetcher.update(found)
  }

  position(topic: string, partition: number): number | undefined {
    return this.#partitions.get(topic)?.get(partition)?.position
  }

  highWatermark(topic: string, partition: number): number | undefined {
    return this.#partitions.get(topic)?.get(partition)?.highWatermark
  }

  close(): Promise<void> {
    this.#end(undefined)
    return Promise.resolve()
  }

  [Symbol.asyncDispose](): Promise<void> { return this.close() }

  /** Calls `run` once when it is closed, for whatever reason. */
  onEnd(run: () => void): void { this.#lifetime.onEnd(run) }

  // ---- start and end ----------------------------------------------------------------------------------------

  async #start(): Promise<void> {
    const deadlineMs = this.#router.nowMs + this.#router.timeoutMs
    const assigned = await this.#lifetime.within(this.#assignments(deadlineMs))
    const places = (position: (one: Assignment) => Position) => this.#lifetime.within(resolvePositions(this.#router,
      assigned.map((one) => ({ topic: one.topic, partition: one.partition, position: position(one) })), deadlineMs))
    const { until } = this.#settings
    // Ends first: a start resolved later is never behind an end by records that came meanwhile.
    const ends = until === undefined ? undefined : await places(() => until)
    const starts = await places(({ from }) => from)
    for (const [index, { topic, partition, resetTo }] of assigned.entries()) {
      const end = ends?.[index]!.offset ?? Infinity
      this.#assign(new FetchedPartition(topic, partition, starts[index]!.offset, end, resetTo))
    }
    this.#started = true
    this.#wake()
  }

  async #assignments(deadlineMs: number): Promise<readonly Assignment[]> {
    const { topics, partitions: named, from, resetTo } = this.#settings
    const assigned: Assignment[] = []
    for (const one of named) {
      const { length } = (await this.#router.follow(one.topic, deadlineMs)).partitions
      if (!Number.isInteger(one.partition) || one.partition < 0 || one.partition >= length) {
        throw weirError('UNKNOWN_TOPIC_OR_PARTITION',
          `topic ${one.topic} has partitions 0 to ${length - 1}, not ${one.partition}`)
      }
      assigned.push(one)
    }
    for (const topic of topics) {
      const { partitions } = await this.#router.follow(topic, deadlineMs)
      for (const { partition } of partitions) assigned.push({ topic, partition, from, resetTo })
    }
    return assigned
  }

  #assign(partition: FetchedPartition): void {
    const { topic } = partition
    const partitions = this.#partitions.get(topic) ?? new Map<number, FetchedPartition>()
    partitions.set(partition.partition, partition)
    this.#partitions.set(topic, partitions)
    this.#fetcher.add(partition)
  }

  /** A topic that is consumed as a whole has new partitions: all that is in them is news. */
  #topicChanged(topic: string): void {
    if (!this.#started || this.#settings.until !== undefined || !this.#settings.topics.includes(topic)) return
    for (const { partition } of this.#router.topic(topic)?.partitions ?? []) {
      if (this.#partitions.get(topic)?.has(partition) === true) continue
      this.#assign(new FetchedPartition(topic, partition, 0, Infinity, 'start'))
    }
  }

  #followSignal(signal: AbortSignal | undefined): void {
    if (signal === undefined) return
    const abort = () => {
      this.#end(weirError('INVALID_REQUEST', `the consumer is aborted: ${String(signal.reason)}`, 'make a new one'))
    }
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    this.#lifetime.onEnd(() => { signal.removeEventListener('abort', abort) })
  }

  #end(error: WeirError | undefined): void {
    if (this.#lifetime.over !== undefined) return
    this.#aborted = error
    this.#forget()
    this.#lifetime.end('consumer')
    this.#fetcher.close()
    for (const partition of this.#all()) partition.generation++
    this.#chunks.purge()
    this.#wake()
  }

  // ---- handing out ------------------------------------------------------------------------------------------

  #next(): ConsumedRecord | undefined {
    const taken = this.#lifetime.over === undefined ? this.#chunks.take() : undefined
    if (taken === undefined) return undefined
    const { partition: { topic, partition }, record } = taken
    const { offset, timestamp, key, value, headers } = record
    return { topic, partition, offset, timestamp, key, value, headers }
  }

  /** True when nothing will come any more. Throws what only the caller can cure. */
  #over(): boolean {
    if (this.#aborted !== undefined) throw this.#aborted
    if (this.#failure !== undefined) throw this.#failure
    if (this.#lifetime.over !== undefined || this.finished) return true
    for (const { error } of this.#all()) if (error !== undefined) throw error
    return false
  }

  #arrival(deadlineMs: number | undefined): Promise<void> {
    const { promise } = this.#wakeUp
    if (deadlineMs === undefined) return promise
    return new Promise((resolve) => {
      const cancel = this.#lifetime.after(deadlineMs - this.#router.nowMs, resolve)
      void promise.then(() => {
        cancel()
        resolve()
      })
    })
  }

  #wake(): void {
    const waiting = this.#wakeUp
    this.#wakeUp = deferred<void>()
    waiting.resolve()
  }

  // ---- partitions -------------------------------------------------------------------------------------------

  #all(): FetchedPartition[] {
    return [...this.#partitions.values()].flatMap((partitions) => [...partitions.values()])
  }

  #known(topic: string, partition: number): FetchedPartition {
    const found = this.#partitions.get(topic)?.get(partition)
    if (found !== undefined) return found
    throw weirError('UNKNOWN_TOPIC_OR_PARTITION', `${topic}-${partition} is not assigned to this consumer`,
      this.#started ? 'name it in `partitions`' : 'wait for the first `poll`')
  }

  #move(partition: FetchedPartition, offset: number): void {
    partition.moveTo(offset)
    this.#fetcher.unsubscribe(partition)
    this.#fetcher.update(partition)
    this.#chunks.purge()
    this.#wake()
  }

  async #stopped(partition: FetchedPartition, error: WeirError): Promise<void> {
    const { generation, resetTo } = partition
    if (error.code !== ErrorCode.OFFSET_OUT_OF_RANGE || resetTo === undefined) return this.#fail(partition, error)
    try {
      const deadlineMs = this.#router.nowMs + this.#router.timeoutMs
      const { topic, partition: index } = partition
      const [place] = await this.#lifetime.within(
        resolvePositions(this.#router, [{ topic, partition: index, position: resetTo }], deadlineMs))
      if (partition.generation === generation) this.#resume(partition, place!.offset)
    } catch (failure) {
      this.#fail(partition, failure instanceof WeirError ? failure : error)
    }
  }

  /** Goes on fetching at `offset`. Behind what was fetched, that is handed out before. */
  #resume(partition: FetchedPartition, offset: number): void {
    if (offset < partition.fetchOffset || offset >= partition.until) return this.#move(partition, offset)
    partition.fetchOffset = offset
    this.#fetcher.update(partition)
  }

  #fail(partition: FetchedPartition, error: WeirError): void {
    partition.error = error
    this.#fetcher.update(partition)
    this.#wake()
  }
}

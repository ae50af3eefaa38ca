// `bench latency`: records at a fixed rate; each is timed from the moment it was due, whatever held up the ones before
// (no coordinated omission).

import { sleep } from '../base/async.ts'
import { weirError, type WeirError } from '../base/error-code.ts'
import type { ConsumedRecord, Consumer, Producer } from '../client/types.ts'
import { Latencies, type Percentiles } from './latencies.ts'
import { nodeFigures, type NodeFigures } from './node-figures.ts'
import { withTopic, type BenchTopic } from './topic.ts'
import { someValues } from './values.ts'
import type { BenchWorld, Load } from './world.ts'

const POLL_MS = 100
const START_TIMEOUT_MS = 10_000
const START_POLL_MS = 5
/** Records sent may be on the way to the consumer for so long after the last one was acknowledged. */
const TAIL_MS = 2_000
/** Left out at the start: connections are made, code is cold. */
const WARM_UP_MS = 1_000

export interface LatencyReport {
  readonly topic: string
  readonly rate: number
  readonly records: number
  readonly ms: number
  /** From the time a record was due to its acknowledgement. */
  readonly produceMs: Percentiles
  /** From the same time until a consumer in this process has it. */
  readonly consumeMs: Percentiles
  readonly nodes: readonly NodeFigures[]
}

/** `rate`: records per second, for `load.durationMs` or `load.records`. Rejects with the first WeirError of a send. */
export function benchLatency(world: BenchWorld, load: Load, rate: number): Promise<LatencyReport> {
  return withTopic(world, load, async (topic) => {
    const consumer = world.weir.consumer({ topics: [topic.name], from: 'end' })
    const producer = world.weir.producer({
      acks: load.acks, compression: load.compression, batchBytes: load.batchBytes, lingerMs: load.lingerMs })
    try {
      await positioned(world, consumer, topic)
      await nodeFigures(world)
      return await new FixedRate(world, load, topic, rate).run(producer, consumer)
    } finally {
      await consumer.close()
      await producer.close()
    }
  })
}

/** Resolves when the consumer knows where to read: nothing sent later is missed. */
async function positioned(world: BenchWorld, consumer: Consumer, topic: BenchTopic): Promise<void> {
  const deadlineMs = world.clock.monotonicMs() + START_TIMEOUT_MS
  while (consumer.position(topic.name, topic.partitions - 1) === undefined) {
    if (world.clock.monotonicMs() > deadlineMs) {
      throw weirError('REQUEST_TIMED_OUT', `the consumer of ${topic.name} did not start within ${START_TIMEOUT_MS} ms`)
    }
    await consumer.poll(0)
    await sleep(world.timers, START_POLL_MS)
  }
}

class FixedRate {
  readonly #world: BenchWorld
  readonly #load: Load
  readonly #topic: BenchTopic
  readonly #rate: number
  readonly #values: readonly Uint8Array[]
  /** Tells our records from those of others. */
  readonly #runId: string
  readonly #produce = new Latencies()
  readonly #consume = new Latencies()
  #begunMs = 0
  #acknowledged = 0
  #received = 0
  #failure: WeirError | undefined

  constructor(world: BenchWorld, load: Load, topic: BenchTopic, rate: number) {
    this.#world = world
    this.#load = load
    this.#topic = topic
    this.#rate = rate
    this.#runId = world.random.id()
    this.#values = someValues(world.random, load.recordBytes)
  }

  async run(producer: Producer, consumer: Consumer): Promise<LatencyReport> {
    const sending = { over: false }
    this.#begunMs = this.#world.clock.monotonicMs()
    const received = this.#receive(consumer, sending)
    const sent = await this.#send(producer)
    await producer.flush()
    const ms = Math.round(this.#world.clock.monotonicMs() - this.#begunMs)
    sending.over = true
    await received
    if (this.#failure !== undefined) throw this.#failure
    return {
      topic: this.#topic.name, rate: this.#rate, records: sent, ms, produceMs: this.#produce.percentiles(),
      consumeMs: this.#consume.percentiles(), nodes: await nodeFigures(this.#world)
    }
  }

  #dueMs(number: number): number { return this.#begunMs + number * 1000 / this.#rate }

  async #send(producer: Producer): Promise<number> {
    const { clock, timers, signal } = this.#world
    const total = Math.min(this.#load.records, Math.ceil(this.#load.durationMs * this.#rate / 1000))
    let number = 0
    while (number < total && this.#failure === undefined && !signal.aborted) {
      const nowMs = clock.monotonicMs()
      for (; number < total && this.#dueMs(number) <= nowMs; number++) this.#sendOne(producer, number)
      this.#world.onProgress(this.#acknowledged)
      if (number < total) await sleep(timers, Math.max(0, this.#dueMs(number) - clock.monotonicMs()))
    }
    return number
  }

  #sendOne(producer: Producer, number: number): void {
    const { clock } = this.#world
    const value = this.#values[number % this.#values.length]!
    const headers = { bench: `${this.#runId} ${number}` }
    producer.send({ topic: this.#topic.name, value, headers }).then(
      () => {
        this.#acknowledged++
        this.#note(this.#produce, number, clock.monotonicMs())
      },
      (error: WeirError) => { this.#failure ??= error })
  }

  #note(latencies: Latencies, number: number, nowMs: number): void {
    const dueMs = this.#dueMs(number)
    if (dueMs - this.#begunMs >= WARM_UP_MS) latencies.add(nowMs - dueMs)
  }

  async #receive(consumer: Consumer, sending: { readonly over: boolean }): Promise<void> {
    let deadlineMs = Infinity
    while (!(sending.over && this.#received >= this.#acknowledged)) {
      for (const record of await consumer.poll(POLL_MS)) this.#take(record)
      const nowMs = this.#world.clock.monotonicMs()
      if (sending.over && deadlineMs === Infinity) deadlineMs = nowMs + TAIL_MS
      if (nowMs > deadlineMs) return
    }
  }

  #take({ headers }: ConsumedRecord): void {
    const mark = headers.find(({ key }) => key === 'bench')?.value
    const [runId, number] = mark === null || mark === undefined ? [] : Buffer.from(mark).toString().split(' ')
    if (runId !== this.#runId) return
    this.#received++
    this.#note(this.#consume, Number(number), this.#world.clock.monotonicMs())
  }
}

// `bench produce`: records through the SDK's producer, as fast as they are acknowledged.

import { deferred, type Deferred } from '../base/async.ts'
import type { WeirError } from '../base/error-code.ts'
import type { Delivery, Producer } from '../client/types.ts'
import { Latencies, type Percentiles } from './latencies.ts'
import { Meter, type Rates } from './meter.ts'
import { costOf, type Cost, type NodeFigures } from './node-figures.ts'
import { withTopic, type BenchTopic } from './topic.ts'
import { someValues } from './values.ts'
import type { BenchWorld, Load } from './world.ts'

/** Accounted by the producer for each record beside its value. */
const OVERHEAD_BYTES = 200
const BUFFER_BYTES = 32 * 1024 * 1024
/** Sent in one turn of the event loop. */
const BURST = 256
/** One record of so many is timed. */
const TIMED = 32

export interface ProduceReport extends Rates {
  readonly path: 'sdk' | 'raw'
  readonly topic: string
  readonly latencyMs: Percentiles
  readonly cpuSecondsPerGb: Cost
  readonly nodes: readonly NodeFigures[]
}

/** Rejects with the WeirError of the first record that was refused. */
export function benchProduce(world: BenchWorld, load: Load): Promise<ProduceReport> {
  return withTopic(world, load, async (topic) => {
    const producer = world.weir.producer({
      acks: load.acks, compression: load.compression, batchBytes: load.batchBytes, lingerMs: load.lingerMs,
      maxBufferedBytes: BUFFER_BYTES })
    try {
      const endCost = await costOf(world)
      const { rates, latencyMs } = await new Pump(world, load, topic, producer).run()
      const { cost, nodes } = await endCost(rates.bytes)
      return { path: 'sdk', topic: topic.name, ...rates, latencyMs, cpuSecondsPerGb: cost, nodes }
    } finally {
      await producer.close()
    }
  })
}

class Pump {
  readonly #world: BenchWorld
  readonly #load: Load
  readonly #topic: BenchTopic
  readonly #producer: Producer
  readonly #meter: Meter
  readonly #latencies = new Latencies()
  readonly #openMax: number
  readonly #acked = () => { this.#answered() }
  readonly #refused = (error: WeirError) => { this.#fail(error) }
  #sent = 0
  #room: Deferred<void> | undefined
  #failure: WeirError | undefined

  constructor(world: BenchWorld, load: Load, topic: BenchTopic, producer: Producer) {
    this.#world = world
    this.#load = load
    this.#topic = topic
    this.#producer = producer
    this.#meter = new Meter(world.clock, load)
    this.#openMax = Math.max(2 * BURST, Math.floor(BUFFER_BYTES / (load.recordBytes + OVERHEAD_BYTES)))
  }

  async run(): Promise<{ readonly rates: Rates; readonly latencyMs: Percentiles }> {
    const values = someValues(this.#world.random, this.#load.recordBytes)
    while (this.#sent < this.#load.records && !this.#over()) {
      const until = Math.min(this.#sent + BURST, this.#load.records)
      for (; this.#sent < until; this.#sent++) this.#send(values[this.#sent % values.length]!)
      await (this.#sent - this.#meter.records < this.#openMax ? this.#nextTurn() : this.#roomAgain())
      this.#meter.tick()
      this.#world.onProgress(this.#meter.records)
    }
    await this.#producer.flush()
    this.#meter.tick()
    if (this.#failure !== undefined) throw this.#failure
    return { rates: this.#meter.rates(), latencyMs: this.#latencies.percentiles() }
  }

  #over(): boolean {
    return this.#failure !== undefined || this.#world.signal.aborted || this.#meter.elapsedMs >= this.#load.durationMs
  }

  #send(value: Uint8Array): void {
    const sent: Promise<Delivery> = this.#producer.send({ topic: this.#topic.name, value })
    if (this.#sent % TIMED !== 0) {
      void sent.then(this.#acked, this.#refused)
      return
    }
    const { clock } = this.#world
    const sentMs = clock.monotonicMs()
    void sent.then(() => {
      this.#latencies.add(clock.monotonicMs() - sentMs)
      this.#answered()
    }, this.#refused)
  }

  #answered(): void {
    this.#meter.count(1, this.#load.recordBytes)
    if (this.#room !== undefined && this.#sent - this.#meter.records < this.#openMax - BURST) this.#wake()
  }

  #fail(error: WeirError): void {
    this.#failure ??= error
    this.#wake()
  }

  #nextTurn(): Promise<void> {
    return new Promise((resolve) => { this.#world.timers.soon(resolve) })
  }

  #roomAgain(): Promise<void> {
    this.#room ??= deferred<void>()
    return this.#room.promise
  }

  #wake(): void {
    this.#room?.resolve()
    this.#room = undefined
  }
}

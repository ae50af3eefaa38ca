// The ceiling of `bench produce`: batches made beforehand, sent to the leaders past the SDK, a fixed number on the way.

import { deferred, type Deferred } from '../base/async.ts'
import { WeirError, weirError } from '../base/error-code.ts'
import type { MessageStream, Peer } from '../ports.ts'
import { buildBatch } from '../records/builder.ts'
import { codecByName } from '../records/compression.ts'
import type { ProduceRequest, ProduceResponse } from '../rpc/messages.ts'
import { faultOf } from '../rpc/outcome.ts'
import { methods } from '../rpc/protos.ts'
import { Latencies } from './latencies.ts'
import { Meter } from './meter.ts'
import { costOf } from './node-figures.ts'
import type { ProduceReport } from './produce.ts'
import { leaderAddresses, withTopic, type BenchTopic } from './topic.ts'
import { someValues } from './values.ts'
import type { BenchWorld, Load } from './world.ts'

/** Unanswered requests on one stream, each with a batch of every partition led there; the SDK has as many. */
const IN_FLIGHT = 5
const RECORD_OVERHEAD_BYTES = 12
const BATCH_OVERHEAD_BYTES = 61
const ACKS = { all: -1, 1: 1, 0: 0 } as const
const REQUEST_TIMEOUT_MS = 30_000

export function benchRawProduce(world: BenchWorld, load: Load): Promise<ProduceReport> {
  return withTopic(world, load, (topic) => rawFill(world, load, topic))
}

/** Rejects with the WeirError of the first batch that was refused. */
export async function rawFill(world: BenchWorld, load: Load, topic: BenchTopic): Promise<ProduceReport> {
  const led = await leaderAddresses(world, topic.name)
  const endCost = await costOf(world)
  const run = new Run(world, load)
  const peers: Peer[] = []
  try {
    await Promise.all([...led].map(([address, partitions]) => {
      const peer = world.network.dial(address)
      peers.push(peer)
      return new Sender(run, peer, topic.name, partitions).done
    }))
  } finally {
    for (const peer of peers) peer.close()
  }
  run.meter.tick()
  const rates = run.meter.rates()
  const { cost, nodes } = await endCost(rates.bytes)
  return {
    path: 'raw', topic: topic.name, ...rates, latencyMs: run.latencies.percentiles(), cpuSecondsPerGb: cost, nodes }
}

/** What the senders of one run share. */
class Run {
  readonly world: BenchWorld
  readonly load: Load
  readonly meter: Meter
  readonly latencies = new Latencies()
  readonly batch: Uint8Array
  readonly recordsOfBatch: number
  #asked = 0

  constructor(world: BenchWorld, load: Load) {
    this.world = world
    this.load = load
    this.recordsOfBatch = Math.max(1, Math.floor(
      (load.batchBytes - BATCH_OVERHEAD_BYTES) / (load.recordBytes + RECORD_OVERHEAD_BYTES)))
    const values = someValues(world.random, load.recordBytes)
    const timestamp = world.clock.wallMs()
    this.batch = buildBatch(
      Array.from({ length: this.recordsOfBatch }, (_, index) => ({
        key: null, value: values[index % values.length]!, headers: [], timestamp })),
      { codec: codecByName(load.compression) })
    this.meter = new Meter(world.clock, load)
  }

  /** Whether another request of so many batches may go out; it counts as sent then. */
  take(batches: number): boolean {
    if (this.world.signal.aborted || this.#asked >= this.load.records
      || this.meter.elapsedMs >= this.load.durationMs) return false
    this.#asked += batches * this.recordsOfBatch
    return true
  }

  acknowledged(batches: number, sentMs: number): void {
    const records = batches * this.recordsOfBatch
    this.meter.count(records, records * this.load.recordBytes)
    this.meter.tick()
    this.latencies.add(this.world.clock.monotonicMs() - sentMs)
    this.world.onProgress(this.meter.records)
  }
}

/** One stream to one broker. */
class Sender {
  readonly #run: Run
  readonly #done: Deferred<void> = deferred<void>()
  readonly #stream: MessageStream<ProduceRequest, ProduceResponse>
  readonly #request: ProduceRequest
  readonly #sentMs: number[] = []
  #ended = false

  constructor(run: Run, peer: Peer, topic: string, partitions: readonly number[]) {
    this.#run = run
    this.#request = {
      acks: ACKS[run.load.acks], timeoutMs: REQUEST_TIMEOUT_MS,
      partitions: partitions.map((partition) => ({ topic, partition, batch: run.batch, leaderEpoch: -1 })) }
    this.#stream = peer.open(methods.data.produceStream)
    this.#stream.handle({
      message: (response) => { this.#answer(response) },
      end: () => { this.#end() },
      close: (error) => {
        if (error === undefined || this.#ended) this.#done.resolve()
        else this.#done.reject(weirError('NETWORK_EXCEPTION', `the stream to ${peer.address} ended: ${error.message}`))
      }
    })
    for (let count = 0; count < IN_FLIGHT; count++) this.#next()
  }

  get done(): Promise<void> { return this.#done.promise }

  #next(): void {
    if (this.#run.take(this.#request.partitions.length)) {
      this.#sentMs.push(this.#run.world.clock.monotonicMs())
      this.#stream.send(this.#request)
    } else if (this.#sentMs.length === 0) this.#end()
  }

  #answer({ partitions }: ProduceResponse): void {
    const sentMs = this.#sentMs.shift()
    for (const { status } of partitions) {
      const fault = faultOf(status)
      if (fault === undefined) continue
      this.#done.reject(new WeirError(fault))
      this.#stream.destroy('a batch was refused')
      return
    }
    this.#run.acknowledged(this.#request.partitions.length, sentMs ?? 0)
    this.#next()
  }

  #end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#stream.end()
  }
}

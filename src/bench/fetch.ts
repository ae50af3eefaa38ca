// `bench fetch`: everything a topic holds, through the SDK's consumer or past it.

import { deferred } from '../base/async.ts'
import { WeirError, weirError } from '../base/error-code.ts'
import type { Peer } from '../ports.ts'
import { faultOf } from '../rpc/outcome.ts'
import { batchesIn } from '../records/record.ts'
import { recordCount } from '../records/batch.ts'
import type { FetchStreamResponse } from '../rpc/messages.ts'
import { methods } from '../rpc/protos.ts'
import { Meter, type Rates } from './meter.ts'
import { costOf, type Cost, type NodeFigures } from './node-figures.ts'
import { rawFill } from './raw-produce.ts'
import { leaderAddresses, withTopic, type BenchTopic } from './topic.ts'
import type { BenchWorld, Load } from './world.ts'

const POLL_MS = 500
const CREDIT_BYTES = 16 * 1024 * 1024
const FORM_BATCHES = 1

export interface FetchReport extends Rates {
  readonly path: 'sdk' | 'raw'
  readonly topic: string
  readonly cpuSecondsPerGb: Cost
  readonly nodes: readonly NodeFigures[]
}

/** What ends a read: so many records, the end of the topic as of now, or time. */
export type FetchPath = (world: BenchWorld, load: Load, topic: BenchTopic) => Promise<FetchReport>

/** An own topic is filled first. */
export function benchFetch(world: BenchWorld, load: Load, path: FetchPath): Promise<FetchReport> {
  return withTopic(world, load, async (topic) => {
    if (topic.own) await rawFill({ ...world, onProgress: () => undefined }, load, topic)
    return path(world, load, topic)
  })
}

/** The number a user sees. */
export const fetchBySdk: FetchPath = async (world, load, topic) => {
  const total = await recordsIn(world, load, topic)
  const endCost = await costOf(world)
  const consumer = world.weir.consumer({ topics: [topic.name], from: 'start', until: 'end' })
  const meter = new Meter(world.clock, { records: total, durationMs: load.durationMs })
  try {
    while (!consumer.finished && meter.records < total && goesOn(world, load, meter)) {
      const records = await consumer.poll(POLL_MS)
      let bytes = 0
      for (const { key, value } of records) bytes += (key?.length ?? 0) + (value?.length ?? 0)
      meter.count(records.length, bytes)
      meter.tick()
      world.onProgress(meter.records)
    }
  } finally {
    await consumer.close()
  }
  const rates = meter.rates()
  return { path: 'sdk', topic: topic.name, ...rates, ...await costIn(endCost, rates.bytes) }
}

/** The ceiling: batches are counted by their headers, not read. Bytes are those of batches. */
export const fetchRaw: FetchPath = async (world, load, topic) => {
  const { admin } = world.weir
  const [starts, ends, led, total] = await Promise.all([
    admin.offsets(topic.name, 'start'), admin.offsets(topic.name, 'end'), leaderAddresses(world, topic.name),
    recordsIn(world, load, topic)])
  const startOf = new Map(starts.map(({ partition, offset }) => [partition, offset]))
  const endOf = new Map(ends.map(({ partition, offset }) => [partition, offset]))
  const endCost = await costOf(world)
  const meter = new Meter(world.clock, { records: total, durationMs: load.durationMs })
  const peers: Peer[] = []
  try {
    await Promise.all([...led].map(async ([address, partitions]) => {
      const peer = world.network.dial(address)
      peers.push(peer)
      const wanted = partitions.filter((partition) => endOf.get(partition)! > startOf.get(partition)!)
      if (wanted.length === 0) return
      await new RawReader({ world, load, meter, topic, peer, wanted, startOf, endOf }).done
    }))
  } finally {
    for (const peer of peers) peer.close()
  }
  const rates = meter.rates()
  return { path: 'raw', topic: topic.name, ...rates, ...await costIn(endCost, rates.bytes) }
}

async function recordsIn(world: BenchWorld, load: Load, { name }: BenchTopic): Promise<number> {
  const [starts, ends] = await Promise.all([
    world.weir.admin.offsets(name, 'start'), world.weir.admin.offsets(name, 'end')])
  const there = ends.reduce((sum, { offset }, index) => sum + offset - starts[index]!.offset, 0)
  return Math.min(there, load.topic === undefined ? Infinity : load.records)
}

function goesOn(world: BenchWorld, load: Load, meter: Meter): boolean {
  return !world.signal.aborted && meter.elapsedMs < load.durationMs
}

async function costIn(endCost: Awaited<ReturnType<typeof costOf>>, bytes: number): Promise<{
  readonly cpuSecondsPerGb: Cost; readonly nodes: readonly NodeFigures[] }> {
  const { cost, nodes } = await endCost(bytes)
  return { cpuSecondsPerGb: cost, nodes }
}

interface Reading {
  readonly world: BenchWorld
  readonly load: Load
  readonly meter: Meter
  readonly topic: BenchTopic
  readonly peer: Peer
  readonly wanted: readonly number[]
  readonly startOf: ReadonlyMap<number, number>
  readonly endOf: ReadonlyMap<number, number>
}

/** One stream from one broker, until each partition reached its end. */
class RawReader {
  readonly #reading: Reading
  readonly #done = deferred<void>()
  readonly #open: Set<number>
  #owed = 0

  constructor(reading: Reading) {
    this.#reading = reading
    this.#open = new Set(reading.wanted)
    const { peer, topic } = reading
    const stream = peer.open(methods.data.fetchStream)
    stream.handle({
      message: (response) => {
        this.#owed += this.#take(response)
        if (this.#open.size === 0 || !goesOn(reading.world, reading.load, reading.meter)) {
          this.#done.resolve()
          stream.destroy('all is read')
        } else if (this.#owed >= CREDIT_BYTES / 4) {
          stream.send({ creditBytes: this.#owed })
          this.#owed = 0
        }
      },
      close: (error) => {
        this.#done.reject(weirError('NETWORK_EXCEPTION', `the stream from ${peer.address} ended: `
          + (error?.message ?? 'the broker ended it')))
      }
    })
    stream.send({ open: { form: FORM_BATCHES, creditBytes: CREDIT_BYTES } })
    for (const partition of reading.wanted) {
      stream.send({ subscribe: { subscription: partition + 1, partition: {
        topic: topic.name, partition, offset: reading.startOf.get(partition)!, leaderEpoch: -1, maxBytes: 0 } } })
    }
  }

  get done(): Promise<void> { return this.#done.promise }

  /** Answers the bytes taken. */
  #take({ partitions }: FetchStreamResponse): number {
    const { meter, endOf, world } = this.#reading
    let taken = 0
    for (const { partition, status, batches, nextOffset } of partitions) {
      const fault = faultOf(status)
      if (fault !== undefined) this.#done.reject(new WeirError(fault))
      let records = 0
      for (const at of batchesIn(batches)) records += recordCount(batches, at)
      taken += batches.length
      meter.count(records, batches.length)
      if (nextOffset >= endOf.get(partition)!) this.#open.delete(partition)
    }
    meter.tick()
    world.onProgress(meter.records)
    return taken
  }
}

// Rows under load: producing, fetching, latency at a fixed rate, many partitions, and a long run.

import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

import { fetchBySdk, fetchRaw, type FetchReport } from '../../src/bench/fetch.ts'
import { benchLatency, type LatencyReport } from '../../src/bench/latency.ts'
import type { NodeFigures } from '../../src/bench/node-figures.ts'
import { benchPartitions } from '../../src/bench/partitions.ts'
import { benchProduce } from '../../src/bench/produce.ts'
import { benchRawProduce, rawFill } from '../../src/bench/raw-produce.ts'
import { withTopic } from '../../src/bench/topic.ts'
import type { Load } from '../../src/bench/world.ts'
import type { LocalCluster } from '../../src/cli/local-cluster.ts'
import type { Line } from './line.ts'
import { KAFKA } from './peers.ts'
import { rssMib } from './process-figures.ts'
import type { Stage } from './stage.ts'

const PRODUCE_MS = 4_000
const LATENCY_MS = 8_000
const FILL_MS = 15_000
const FILL_RECORDS = 250_000
const RATE = 1_000
const LOOP_DELAY_MS = 50
const RSS_SAMPLE_MS = 1_000
/** Memory is counted from here on: by then buffers have been made. */
const RSS_FROM_MS = 5_000

const LOAD: Load = {
  topic: undefined, partitions: 6, replicationFactor: 3, flushMode: 'sync', records: Infinity,
  durationMs: PRODUCE_MS, recordBytes: 1_024, batchBytes: 16_384, acks: 'all', compression: 'none', lingerMs: 5
}

export async function produceRow(stage: Stage): Promise<Line[]> {
  const world = await stage.world()
  const { disk, loopbackMbPerSecond } = await stage.limits()
  const lines: Line[] = []
  for (const flushMode of ['sync', 'replicated'] as const) {
    for (const batchBytes of [16_384, 131_072] as const) {
      const load = { ...LOAD, flushMode, batchBytes }
      const perBatch = batchBytes === 16_384 ? disk.threeMbPerSecond16 : disk.threeMbPerSecond128
      const endOthers = await stage.otherLoad()
      const sdk = await benchProduce(world, load)
      const raw = await benchRawProduce(world, load)
      const otherLoad = endOthers()
      const what = `produce 1 KiB, RF 3, ${flushMode}, ${batchBytes / 1024} KiB batches`
      const peer = KAFKA.produce[flushMode][batchBytes]
      stage.options.say(`${what}: ${sdk.recordsPerSecond} records/s`)
      lines.push(
        { figure: what, value: sdk.recordsPerSecond, unit: 'records/s', aim: { least: peer.recordsPerSecond },
          peer: peer.recordsPerSecond, otherLoad },
        { figure: '  the same', value: sdk.mbPerSecond, unit: 'MB/s', peer: peer.mbPerSecond,
          limit: flushMode === 'sync' ? perBatch : loopbackMbPerSecond,
          note: flushMode === 'sync' ? 'machine: 3 loops of one fdatasync a batch, each' : 'machine: loopback TCP' },
        { figure: '  batches made beforehand, past the SDK', value: raw.mbPerSecond, unit: 'MB/s' },
        { figure: '  CPU of client and of all nodes', value: sdk.cpuSecondsPerGb.client + nodesCost(sdk), unit: 's/GB',
          note: `client ${sdk.cpuSecondsPerGb.client}` },
        { figure: '  event loop p99, worst broker', value: loopDelay(sdk.nodes), unit: 'ms',
          aim: { most: LOOP_DELAY_MS } })
    }
  }
  return lines
}

function nodesCost({ cpuSecondsPerGb: { nodes } }: Pick<FetchReport, 'cpuSecondsPerGb'>): number {
  return Object.values(nodes ?? {}).reduce((sum, seconds) => sum + seconds, 0)
}

function loopDelay(nodes: readonly NodeFigures[]): number {
  return Math.max(...nodes.filter(({ node }) => node.startsWith('broker')).map(({ loopDelayP99Ms }) => loopDelayP99Ms))
}

/** One partition: all comes from one broker. */
export async function fetchRow(stage: Stage): Promise<Line[]> {
  const world = await stage.world()
  const cluster = await stage.cluster()
  const { loopbackMbPerSecond } = await stage.limits()
  const load: Load = {
    ...LOAD, partitions: 1, flushMode: 'replicated', batchBytes: 131_072, records: FILL_RECORDS, durationMs: FILL_MS }
  return withTopic(world, load, async (topic) => {
    await rawFill(world, load, topic)
    const endOthers = await stage.otherLoad()
    const dropped = dropPageCache(cluster, topic.name)
    const cold = dropped ? await fetchBySdk(world, load, topic) : undefined
    const warm = await fetchBySdk(world, load, topic)
    const raw = await fetchRaw(world, load, topic)
    const otherLoad = endOthers()
    return [
      { figure: 'fetch 1 KiB, one consumer, one partition, warm', value: warm.mbPerSecond, unit: 'MB/s',
        aim: { least: 200 }, peer: KAFKA.fetchMbPerSecond, limit: loopbackMbPerSecond, otherLoad },
      { figure: '  CPU of client and of all nodes', value: warm.cpuSecondsPerGb.client + nodesCost(warm), unit: 's/GB',
        note: `client ${warm.cpuSecondsPerGb.client}` },
      { figure: '  not in the page cache', value: cold?.mbPerSecond, unit: 'MB/s',
        note: dropped ? '' : 'needs `dd` that drops a file from the page cache' },
      { figure: '  batches counted, past the SDK', value: raw.mbPerSecond, unit: 'MB/s' }]
  })
}

/** False where the machine has no tool for it. */
function dropPageCache({ brokers }: LocalCluster, topic: string): boolean {
  const files = brokers.flatMap(({ dir }) => readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.includes(`${topic}-`) && name.endsWith('.log')).map((name) => join(dir, name)))
  try {
    for (const file of files.filter((one) => existsSync(one))) {
      // Only what is on the disk can be dropped.
      execFileSync('sync', [file], { stdio: 'ignore' })
      execFileSync('dd', [`if=${file}`, 'iflag=nocache', 'count=0'], { stdio: 'ignore' })
    }
    return files.length > 0
  } catch (error) {
    if (error instanceof Error) return false
    throw error
  }
}

export async function latencyRow(stage: Stage): Promise<Line[]> {
  const world = await stage.world()
  const { disk } = await stage.limits()
  const lines: Line[] = []
  for (const flushMode of ['sync', 'replicated'] as const) {
    const endOthers = await stage.otherLoad()
    const { produceMs, consumeMs } = await benchLatency(
      world, { ...LOAD, flushMode, durationMs: LATENCY_MS, batchBytes: 65_536, lingerMs: 2 }, RATE)
    const otherLoad = endOthers()
    const peer = KAFKA.latency[flushMode]
    const what = `${RATE.toLocaleString('en-US')} records/s, ${flushMode}`
    lines.push(
      { figure: `${what}: due to acknowledged, p50`, value: produceMs.p50, unit: 'ms', aim: { most: peer.p50 },
        peer: peer.p50, limit: flushMode === 'sync' ? disk.syncP50Ms : undefined, otherLoad },
      { figure: '  p99', value: produceMs.p99, unit: 'ms', aim: { most: peer.p99 }, peer: peer.p99 },
      { figure: '  max', value: produceMs.max, unit: 'ms' },
      { figure: '  due to consumed, p50', value: consumeMs.p50, unit: 'ms' },
      { figure: '  p99', value: consumeMs.p99, unit: 'ms' })
  }
  return lines
}

export async function partitionsRow(stage: Stage): Promise<Line[]> {
  const { createMs, ledMs, deleteMs } = await benchPartitions(await stage.world(), 1_000, 3)
  return [
    { figure: '1,000 partitions, RF 3: committed', value: createMs, unit: 'ms' },
    { figure: '  all led', value: ledMs, unit: 'ms', aim: { most: 5_000 }, peer: KAFKA.thousandPartitionsMs },
    { figure: '  deleted', value: deleteMs, unit: 'ms' }]
}

/** Memory and event loop over a long run at a fixed rate. */
export async function soakRow(stage: Stage): Promise<Line[]> {
  const world = await stage.world()
  const { brokers } = await stage.cluster()
  const { soakSeconds } = stage.options
  const samples: (readonly number[])[] = []
  const beganMs = performance.now()
  const sampler = setInterval(() => {
    if (performance.now() - beganMs >= RSS_FROM_MS) samples.push(brokers.map(({ pid }) => rssMib(pid) ?? NaN))
  }, RSS_SAMPLE_MS)
  let report: LatencyReport
  const endOthers = await stage.otherLoad()
  try {
    report = await benchLatency(
      world, { ...LOAD, durationMs: soakSeconds * 1000, batchBytes: 65_536, lingerMs: 2 }, RATE)
  } finally {
    clearInterval(sampler)
  }
  const largest = (sample: readonly number[] | undefined) => (sample === undefined ? undefined : Math.max(...sample))
  const what = `soak ${soakSeconds} s at ${RATE.toLocaleString('en-US')} records/s`
  return [
    { figure: `${what}: RSS of the largest broker, first`, value: largest(samples[0]), unit: 'MiB',
      otherLoad: endOthers() },
    { figure: '  last', value: largest(samples.at(-1)), unit: 'MiB', note: `${samples.length} samples` },
    { figure: '  event loop p99, worst broker', value: loopDelay(report.nodes), unit: 'ms',
      aim: { most: LOOP_DELAY_MS } },
    { figure: '  due to acknowledged, p99', value: report.produceMs.p99, unit: 'ms' },
    { figure: '  max', value: report.produceMs.max, unit: 'ms' }]
}

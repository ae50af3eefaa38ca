// `weir bench`: load from this process on a running cluster, and what it took.

import type { Command } from 'commander'

import { benchFetch, fetchBySdk, fetchRaw, type FetchReport } from '../../bench/fetch.ts'
import { benchLatency } from '../../bench/latency.ts'
import type { Percentiles } from '../../bench/latencies.ts'
import type { Cost } from '../../bench/node-figures.ts'
import { benchPartitions } from '../../bench/partitions.ts'
import { benchProduce, type ProduceReport } from '../../bench/produce.ts'
import { benchRawProduce } from '../../bench/raw-produce.ts'
import type { BenchWorld, Load } from '../../bench/world.ts'
import type { CodecName } from '../../client/types.ts'
import { systemClock, systemRandom, systemTimers } from '../../os/system.ts'
import { grpcNetwork } from '../../rpc/grpc-network.ts'
import { integer, oneOf, parseDuration } from '../parse.ts'
import { startProgress } from '../progress.ts'
import { scrape } from '../scrape.ts'
import { option, type Session, type Shell } from '../shell.ts'
import { facts } from '../table.ts'

const CODECS = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const satisfies readonly CodecName[]
const RECORDS = 500_000
const LATENCY_MS = 10_000
/** A loaded cluster answers late, and thousands of partitions take their time. */
const TIMEOUT_MS_MIN = 60_000
const RECORD_BYTES_MAX = 1024 * 1024
const BATCH_BYTES_MAX = 1024 * 1024

interface Options {
  readonly topic?: string
  readonly records?: number
  readonly duration?: number
  readonly recordBytes: number
  readonly batchBytes: number
  readonly linger: number
  readonly partitions: number
  readonly replicationFactor: number
  readonly acks: '0' | '1' | 'all'
  readonly compression: CodecName
  readonly flushMode: 'sync' | 'replicated'
  readonly raw?: boolean
  readonly rate: number
}

export function addBench(program: Command, shell: Shell): void {
  const bench = program.command('bench').description('load from this process, and what it took')
  withLoad(bench.command('produce').description('records as fast as they are acknowledged'))
    .option('--raw', 'batches made beforehand, past the SDK: the ceiling')
    .action(shell.verb(produce))
  withLoad(bench.command('fetch').description('everything that is in a topic; one of its own is filled first'))
    .option('--raw', 'batches counted and not read, past the SDK: the ceiling')
    .action(shell.verb(fetch))
  withLoad(bench.command('latency').description('a fixed rate; each record is timed from when it was due'))
    .option('--rate <n>', 'records per second', option(integer(1, 100_000)), 1_000)
    .action(shell.verb(latency))
  bench.command('partitions').description('a topic with many partitions: made, led, deleted')
    .option('--partitions <n>', 'how many', option(integer(1, 100_000)), 1_000)
    .option('--replication-factor <n>', 'replicas of each', option(integer(1, 32)), 3)
    .action(shell.verb(partitions))
}

function withLoad(command: Command): Command {
  return command
    .option('--topic <name>', 'an existing one (default: one of its own, deleted at the end)')
    .option('--records <n>', `how many (default ${RECORDS}, or what --duration allows)`, option(integer(1, 1e9)))
    .option('--duration <duration>', 'end then: 10s, 2m', option(parseDuration))
    .option('--record-bytes <n>', 'of each value', option(integer(16, RECORD_BYTES_MAX)), 1_024)
    .option('--batch-bytes <n>', 'a batch is sent when it is this large',
      option(integer(1_024, BATCH_BYTES_MAX)), 65_536)
    .option('--linger <ms>', 'how long a record waits for others', option(integer(0, 60_000)), 2)
    .option('--partitions <n>', 'of its own topic', option(integer(1, 100_000)), 6)
    .option('--replication-factor <n>', 'of its own topic', option(integer(1, 32)), 3)
    .option('--acks <acks>', '0, 1 or all in-sync replicas', option((text) => oneOf(['0', '1', 'all'], text)), 'all')
    .option('--compression <codec>', CODECS.join(', '), option((text) => oneOf(CODECS, text)), 'none')
    .option('--flush-mode <mode>', 'of its own topic: sync (fdatasync before an answer) or replicated (page cache)',
      option((text) => oneOf(['sync', 'replicated'], text)), 'sync')
}

function loadOf(options: Options): Load {
  const { topic, records, duration, linger, acks, ...rest } = options
  return {
    ...rest, topic, lingerMs: linger, acks: acks === 'all' ? 'all' : Number(acks) as 0 | 1,
    records: records ?? (duration === undefined ? RECORDS : Infinity), durationMs: duration ?? Infinity }
}

async function produce(session: Session, options: Options): Promise<void> {
  const load = loadOf(options)
  await onCluster(session, load.records, async (world) => {
    const report = await (options.raw === true ? benchRawProduce : benchProduce)(world, load)
    await session.print({ bench: 'produce', ...loadDocument(load), ...report }, () => rateText(report))
  })
}

async function fetch(session: Session, options: Options): Promise<void> {
  const load = loadOf(options)
  await onCluster(session, load.records, async (world) => {
    const report = await benchFetch(world, load, options.raw === true ? fetchRaw : fetchBySdk)
    await session.print({ bench: 'fetch', ...loadDocument(load), ...report }, () => rateText(report))
  })
}

async function latency(session: Session, options: Options): Promise<void> {
  const load = loadOf({ duration: options.records === undefined ? LATENCY_MS : 24 * 3_600_000, ...options })
  const total = Math.min(load.records, load.durationMs * options.rate / 1000)
  await onCluster(session, total, async (world) => {
    const report = await benchLatency(world, load, options.rate)
    await session.print({ bench: 'latency', ...loadDocument(load), ...report }, () => facts([
      ['records', `${report.records} in ${report.ms} ms`],
      ['due to acknowledged', percentilesText(report.produceMs)],
      ['due to consumed', percentilesText(report.consumeMs)],
      ...report.nodes.map(({ node, loopDelayP99Ms }) => [`${node} event loop`, `p99 ${loopDelayP99Ms} ms`] as const)]))
  })
}

async function partitions(session: Session, options: Options): Promise<void> {
  await onCluster(session, options.partitions, async (world) => {
    const report = await benchPartitions(world, options.partitions, options.replicationFactor)
    await session.print({ bench: 'partitions', ...report }, () => facts([
      ['partitions', report.partitions], ['replicas of each', report.replicationFactor],
      ['committed after', `${report.createMs} ms`], ['all led after', `${report.ledMs} ms`],
      ['deleted in', `${report.deleteMs} ms`]]))
  })
}

async function onCluster(session: Session, total: number, run: (world: BenchWorld) => Promise<void>): Promise<void> {
  const { around } = session
  const timeoutMs = Math.max(session.timeoutMs, TIMEOUT_MS_MIN)
  const weir = await session.within(around.connect({ bootstrap: session.bootstrap, timeoutMs }),
    () => `none of ${session.bootstrap.join(', ')} answered`)
  const stop = new AbortController()
  const forget = around.onInterrupt(() => { stop.abort() })
  const progress = await startProgress({
    total: Number.isFinite(total) ? total : undefined, what: 'bench', show: (done) => `${done} done`,
    terminal: around.bars, nowMs: around.nowMs, write: around.note })
  try {
    await run({
      weir, clock: systemClock(), timers: systemTimers(), random: systemRandom(), network: grpcNetwork(),
      ownCpuSeconds, scrape, signal: stop.signal, onProgress: (done) => { progress.update(done) } })
  } finally {
    forget()
    progress.stop()
    await weir.close()
  }
}

export function ownCpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

// ---- output -----------------------------------------------------------------------------------------------

/** JSON knows no Infinity: what does not limit the run is left out. */
function loadDocument({ records: _records, durationMs, topic: _topic, ...load }: Load): object {
  return Number.isFinite(durationMs) ? { ...load, durationMs } : load
}

function rateText(report: FetchReport | ProduceReport): string {
  return facts([
    ['topic', report.topic], ['records', `${report.records} in ${report.ms} ms`],
    ['rate', `${report.recordsPerSecond} records/s, ${report.mbPerSecond} MB/s (behind the first quarter)`],
    ['whole run', `${report.wholeRecordsPerSecond} records/s`],
    ...('latencyMs' in report ? [['latency under this load', percentilesText(report.latencyMs)] as const] : []),
    ...costText(report.cpuSecondsPerGb)])
}

function costText({ client, nodes }: Cost): readonly (readonly [string, string])[] {
  return [['CPU of this process', `${client} s/GB`],
    ...Object.entries(nodes ?? {}).map(([node, seconds]) => [`CPU of ${node}`, `${seconds} s/GB`] as const)]
}

function percentilesText({ p50, p99, p999, max }: Percentiles): string {
  return `p50 ${p50}, p99 ${p99}, p99.9 ${p999}, max ${max} ms`
}

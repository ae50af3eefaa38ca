// A partition log, or a whole data directory of them, on a disk in memory, and what their raw files say.

import { Flusher } from '../../broker/log/flusher.ts'
import { LeaderEpochs } from '../../broker/log/leader-epochs.ts'
import type { LogConfig } from '../../broker/log/log-config.ts'
import { LogManager, type LogManagerOptions } from '../../broker/log/log-manager.ts'
import { PartitionLog, type LogRead, type PartitionLogNeeds } from '../../broker/log/partition-log.ts'
import { loadLog, type LoadHints } from '../../broker/log/recovery.ts'
import { TailBudget } from '../../broker/log/tail-cache.ts'
import { seededRandom } from '../../src/base/seeded-random.ts'
import type { Metrics } from '../../src/ports.ts'
import { baseOffset, batchBytes, lastOffset, partitionLeaderEpoch } from '../../src/records/batch.ts'
import { MemoryDisk } from '../../src/testing/memory-disk.ts'
import { FakeLogger } from '../support/fake-ports.ts'
import { FakeTime } from '../support/fake-time.ts'
import { DIR } from './samples.ts'

export const CONFIG: LogConfig = {
  segmentBytes: 2 ** 20, segmentMs: 10 ** 9, indexIntervalBytes: 0, segmentIndexBytes: 2 ** 20, retentionMs: -1,
  retentionBytes: -1, messageTimestampType: 'CreateTime', flushMode: 'replicated', fileDeleteDelayMs: 60_000,
  producerIdExpirationMs: 10 ** 12
}

export const UNCLEAN: LoadHints = { clean: false, recoveryPoint: 0, logStartOffset: 0, highWatermark: 0 }
export const CLEAN: LoadHints = { ...UNCLEAN, clean: true }

export class CountingMetrics implements Metrics {
  readonly counts = new Map<string, number>()
  count(name: string, by = 1): void { this.counts.set(name, (this.counts.get(name) ?? 0) + by) }
  gauge(): void { /* none here */ }
  observe(): void { /* none here */ }
  get lost(): number { return this.counts.get('weir_log_lost_durable_total') ?? 0 }
  get offline(): number { return this.counts.get('weir_log_offline_total') ?? 0 }
}

/** Syncs take a turn of the microtask queue: thousands of lives in one test. */
export function quickDisk(): MemoryDisk { return new MemoryDisk({ defer: queueMicrotask }) }

export interface Bench {
  readonly disk: MemoryDisk
  readonly time: FakeTime
  readonly logger: FakeLogger
  readonly metrics: CountingMetrics
  readonly needs: PartitionLogNeeds
  /** Opens the log; the one before it must be closed, or have died with its disk. */
  open(hints?: Partial<LoadHints>, config?: Partial<LogConfig>): Promise<PartitionLog>
}

export async function logBench(more: Partial<PartitionLogNeeds> = {}, disk = quickDisk()): Promise<Bench> {
  await disk.makeDir(DIR)
  await disk.syncDir('/data')
  await disk.syncDir('/')
  const time = new FakeTime()
  const logger = new FakeLogger()
  const metrics = new CountingMetrics()
  const needs: PartitionLogNeeds = {
    topic: 'orders', partition: 0, dir: DIR, disk, clock: time, timers: time, logger, metrics,
    flusher: new Flusher(1), tailBudget: new TailBudget(2 ** 20), lowerRecoveryPoint: () => Promise.resolve(), ...more }
  return {
    disk, time, logger, metrics, needs,
    open: async (hints = {}, config = {}) => {
      const all = { ...CONFIG, ...config }
      return new PartitionLog(needs, all, await loadLog(needs, all, { ...UNCLEAN, ...hints }))
    }
  }
}

// ---- a data directory -----------------------------------------------------------------------------------

export const TOPIC_ID = '0123456789abcdef0123456789abcdef'

export interface DirBench {
  readonly disk: MemoryDisk
  readonly time: FakeTime
  readonly logger: FakeLogger
  readonly metrics: CountingMetrics
  open(more?: Partial<LogManagerOptions>): Promise<LogManager>
}

export function dirBench(disk = quickDisk()): DirBench {
  const time = new FakeTime()
  const logger = new FakeLogger()
  const metrics = new CountingMetrics()
  const random = seededRandom(7)
  return {
    disk, time, logger, metrics,
    open: (more = {}) => LogManager.open({
      dir: '/data', nodeId: 1, clusterId: 'c1', disk, clock: time, timers: time, random, logger, metrics,
      flushConcurrency: 1, tailCacheBytes: 2 ** 20, checkpointIntervalMs: 10_000, retentionCheckIntervalMs: 30_000,
      ...more })
  }
}

/** What to open: partition 0 of `orders`. */
export function orders(config: Partial<LogConfig> = {}, topicId = TOPIC_ID, partition = 0) {
  return { topic: 'orders', partition, topicId, config: { ...CONFIG, ...config } }
}

// ---- contents -------------------------------------------------------------------------------------------

/** Everything from `from` on, through the log's own reads. */
export async function readAll(log: PartitionLog, from = log.logStartOffset, maxBytes = 500): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for (let offset = from; offset < log.logEndOffset;) {
    const read: LogRead = await log.read({ offset, endOffset: log.logEndOffset, maxBytes, atLeastOneBatch: true })
    if (read.bytes.length === 0) break
    parts.push(Uint8Array.from(read.bytes))
    offset = read.nextOffset
  }
  return Uint8Array.from(Buffer.concat(parts))
}

/** The .log files one behind the other. */
export function rawLog(disk: MemoryDisk, dir = DIR): Uint8Array {
  const paths = disk.view().map(({ path }) => path)
    .filter((path) => path.startsWith(`${dir}/`) && path.endsWith('.log'))
  return Uint8Array.from(Buffer.concat(paths.map((path) => disk.copyOf(path))))
}

export function split(bytes: Uint8Array): readonly Uint8Array[] {
  const batches: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += batchBytes(bytes, at)) {
    batches.push(bytes.subarray(at, at + batchBytes(bytes, at)))
  }
  return batches
}

/** `0-4@1 5-5@2`: offsets and leader epoch of each batch. */
export function outline(bytes: Uint8Array): string {
  return split(bytes).map((batch) => `${baseOffset(batch)}-${lastOffset(batch)}@${partitionLeaderEpoch(batch)}`)
    .join(' ')
}

/** Where each epoch up to `max` ends, as the batches of the whole log say it. */
export function epochEnds(bytes: Uint8Array, log: { readonly logStartOffset: number; readonly logEndOffset: number },
  max: number): readonly string[] {
  const epochs = new LeaderEpochs()
  for (const batch of split(bytes)) epochs.assign(partitionLeaderEpoch(batch), baseOffset(batch))
  epochs.truncateFromStart(log.logStartOffset)
  return endsOf((epoch) => epochs.endOffsetFor(epoch, log.logEndOffset), max)
}

export function endsOf(endOffsetFor: PartitionLog['endOffsetFor'], max: number): readonly string[] {
  return Array.from({ length: max + 1 }, (_unset, epoch) => {
    const end = endOffsetFor(epoch)
    return end === undefined ? 'none' : `${end.epoch} ends at ${end.endOffset}`
  })
}

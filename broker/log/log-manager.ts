// All partition logs of one broker in one data directory: opens, creates and deletes them, keeps the checkpoints, runs
// retention, and owns the directory's lock, identity and clean-stop mark.

import { SerialQueue } from '../../src/base/async.ts'
import {
  DiskError, type Clock, type Disk, type DiskLock, type Logger, type Metrics, type Random, type Timer, type Timers
} from '../../src/ports.ts'
import {
  decodeOffsets, encodeOffsets, readSmallFile, writeSmallFile, type OffsetCheckpoint
} from './checkpoint-file.ts'
import { fatedDirName, parsePartitionDir, partitionDirName } from './file-names.ts'
import { Flusher } from './flusher.ts'
import { claimDirectory, lockDirectory, takeCleanMark, writeCleanMark } from './identity.ts'
import type { LogConfig } from './log-config.ts'
import { PartitionLog } from './partition-log.ts'
import { loadLog, type LoadHints } from './recovery.ts'
import { TailBudget } from './tail-cache.ts'

const METADATA_FILE = 'partition.metadata'
const RECOVERY_POINTS = 'recovery-point-offset-checkpoint'
const LOG_STARTS = 'log-start-offset-checkpoint'
const HIGH_WATERMARKS = 'replication-offset-checkpoint'

export interface LogManagerOptions {
  readonly dir: string
  readonly nodeId: number
  readonly clusterId: string
  readonly disk: Disk
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly logger: Logger
  readonly metrics: Metrics
  readonly flushConcurrency: number
  readonly tailCacheBytes: number
  readonly checkpointIntervalMs: number
  readonly retentionCheckIntervalMs: number
}

interface Hosted {
  readonly topic: string
  readonly partition: number
  readonly topicId: string
  readonly dir: string
  readonly log: PartitionLog
}

interface Opened {
  readonly lock: DiskLock
  readonly directoryId: string
  readonly previousBrokerEpoch: number
  readonly checkpoints: Readonly<Record<'recoveryPoints' | 'logStarts' | 'highWatermarks', OffsetCheckpoint>>
}

export class LogManager {
  readonly #options: LogManagerOptions
  readonly #opened: Opened
  readonly #hosted = new Map<string, Map<number, Hosted>>()
  readonly #flusher: Flusher
  readonly #tailBudget: TailBudget
  /** Checkpoint files, one writer at a time. */
  readonly #files = new SerialQueue()
  readonly #timers = new Set<Timer>()
  #lastCheckpoint = ''
  #closed = false

  private constructor(options: LogManagerOptions, opened: Opened) {
    this.#options = options
    this.#opened = opened
    this.#flusher = new Flusher(options.flushConcurrency)
    this.#tailBudget = new TailBudget(options.tailCacheBytes)
  }

  /**
   * Takes the directory for this node. Rejects with WeirError when it is in use or belongs to another node or cluster,
   * and with DiskError.
   */
  static async open(options: LogManagerOptions): Promise<LogManager> {
    const { disk, dir } = options
    await disk.makeDir(dir)
    const lock = await lockDirectory(disk, dir)
    try {
      const { directoryId } = await claimDirectory(disk, dir, options, options.random)
      const previousBrokerEpoch = await takeCleanMark(disk, dir)
      for (const name of await disk.list(dir)) {
        if (parsePartitionDir(name)?.fate === 'delete') await disk.remove(`${dir}/${name}`)
      }
      const manager = new LogManager(options, {
        lock, directoryId, previousBrokerEpoch,
        checkpoints: {
          recoveryPoints: await readCheckpoint(options, RECOVERY_POINTS),
          logStarts: await readCheckpoint(options, LOG_STARTS),
          highWatermarks: await readCheckpoint(options, HIGH_WATERMARKS) } })
      manager.#every(options.checkpointIntervalMs, () => manager.checkpoint())
      manager.#every(options.retentionCheckIntervalMs, () => {
        for (const { log } of manager.#all()) log.applyRetention()
        return Promise.resolve()
      })
      return manager
    } catch (error) {
      await lock.release()
      throw error
    }
  }

  get directoryId(): string { return this.#opened.directoryId }
  /** Broker epoch of the last clean stop, -1 when the last process did not stop cleanly. */
  get previousBrokerEpoch(): number { return this.#opened.previousBrokerEpoch }

  /** The log of a partition, created when there is none. A directory of another topic id of that name is set aside. */
  async open(of: {
    readonly topic: string; readonly partition: number; readonly topicId: string; readonly config: LogConfig
  }): Promise<PartitionLog> {
    const known = this.#hosted.get(of.topicId)?.get(of.partition)
    if (known !== undefined) return known.log
    const dir = `${this.#options.dir}/${partitionDirName(of.topic, of.partition)}`
    const hints = await this.#claim(dir, of)
    const { disk, clock, timers, logger, metrics } = this.#options
    const needs = {
      topic: of.topic, partition: of.partition, dir, disk, clock, timers, logger, metrics,
      flusher: this.#flusher, tailBudget: this.#tailBudget }
    const log = new PartitionLog(needs, of.config, await loadLog(needs, of.config, hints))
    let byIndex = this.#hosted.get(of.topicId)
    if (byIndex === undefined) this.#hosted.set(of.topicId, byIndex = new Map<number, Hosted>())
    byIndex.set(of.partition, { ...of, dir, log })
    return log
  }

  /** The directory is this topic's from now on; what the checkpoints say of it is void when it was not before. */
  async #claim(dir: string, of: {
    readonly topic: string; readonly partition: number; readonly topicId: string }): Promise<LoadHints> {
    const { disk, logger } = this.#options
    const known = this.#takeCheckpoints(of.topic, of.partition)
    const path = `${dir}/${METADATA_FILE}`
    const text = await readSmallFile(disk, path)
    const owner = text === undefined ? undefined : /^topic_id: ([0-9a-f]{32})$/m.exec(text)?.[1]
    if (owner === of.topicId) return { clean: this.#opened.previousBrokerEpoch >= 0, ...known }
    if (await disk.exists(dir) && (await disk.list(dir)).length > 0) {
      const aside = fatedDirName(of.topic, of.partition, this.#options.random.id(), 'stray')
      logger.warn('directory of another topic set aside', { dir, aside, topicId: of.topicId, found: owner })
      await disk.rename(dir, `${this.#options.dir}/${aside}`)
    }
    await disk.makeDir(dir)
    await writeSmallFile(disk, path, `version: 0\ntopic_id: ${of.topicId}\n`)
    await disk.syncDir(this.#options.dir)
    return { clean: false, recoveryPoint: 0, logStartOffset: 0, highWatermark: 0 }
  }

  /** What the last process noted of a partition; from now on its open log is asked. */
  #takeCheckpoints(topic: string, partition: number) {
    const { recoveryPoints, logStarts, highWatermarks } = this.#opened.checkpoints
    const take = (checkpoint: OffsetCheckpoint): number => {
      const offset = checkpoint.get(topic)?.get(partition) ?? 0
      checkpoint.get(topic)?.delete(partition)
      return offset
    }
    return {
      recoveryPoint: take(recoveryPoints), logStartOffset: take(logStarts), highWatermark: take(highWatermarks) }
  }

  /** Removes a partition and its files; unknown ones are no error. Rejects with DiskError. */
  async delete(topicId: string, partition: number): Promise<void> {
    const byIndex = this.#hosted.get(topicId)
    const hosted = byIndex?.get(partition)
    if (hosted === undefined) return
    byIndex!.delete(partition)
    if (byIndex!.size === 0) this.#hosted.delete(topicId)
    await hosted.log.abandon()
    const { disk, dir } = this.#options
    const doomed = `${dir}/${fatedDirName(hosted.topic, partition, topicId, 'delete')}`
    await disk.rename(hosted.dir, doomed)
    await disk.syncDir(dir)
    await disk.remove(doomed)
  }

  /** Sets aside the directories of partitions that are not `expected` here: kept for a person to look at. */
  async setAsideStrays(expected: (topic: string, partition: number) => boolean): Promise<void> {
    const { disk, dir, logger, random } = this.#options
    for (const name of await disk.list(dir)) {
      const found = parsePartitionDir(name)
      if (found === undefined || found.fate !== undefined || expected(found.topic, found.partition)) continue
      const aside = fatedDirName(found.topic, found.partition, random.id(), 'stray')
      logger.warn('partition is not assigned to this broker: directory set aside', { name, aside })
      await disk.rename(`${dir}/${name}`, `${dir}/${aside}`)
    }
  }

  // ---- checkpoints ----------------------------------------------------------------------------------------

  /** Writes recovery points, log starts and high watermarks, if they moved. Rejects with DiskError. */
  checkpoint(): Promise<void> {
    return this.#files.run(async () => {
      const noted = this.#opened.checkpoints
      const recoveryPoints = this.#offsets(noted.recoveryPoints, (log) => log.flushedOffset)
      const logStarts = this.#offsets(noted.logStarts, (log) => log.logStartOffset)
      const highWatermarks = this.#offsets(noted.highWatermarks, (log) => log.highWatermark)
      const all = recoveryPoints + logStarts + highWatermarks
      if (all === this.#lastCheckpoint) return
      const { disk, dir } = this.#options
      await writeSmallFile(disk, `${dir}/${LOG_STARTS}`, logStarts)
      await writeSmallFile(disk, `${dir}/${RECOVERY_POINTS}`, recoveryPoints)
      await writeSmallFile(disk, `${dir}/${HIGH_WATERMARKS}`, highWatermarks)
      this.#lastCheckpoint = all
    })
  }

  /** Of every open log, and what was `noted` of those that are not open yet. */
  #offsets(noted: OffsetCheckpoint, of: (log: PartitionLog) => number): string {
    const entries = [...this.#all()].map(({ topic, partition, log }) => ({ topic, partition, offset: of(log) }))
    for (const [topic, byIndex] of noted) {
      for (const [partition, offset] of byIndex) entries.push({ topic, partition, offset })
    }
    return encodeOffsets(entries)
  }

  *#all(): Iterable<Hosted> {
    for (const byIndex of this.#hosted.values()) yield* byIndex.values()
  }

  #every(intervalMs: number, act: () => Promise<void>): void {
    const timer = this.#options.timers.after(intervalMs, () => {
      this.#timers.delete(timer)
      if (this.#closed) return
      act().catch((error: unknown) => {
        if (!(error instanceof DiskError)) throw error
        this.#options.logger.error('checkpoint failed', { code: error.code, path: error.path })
      }).finally(() => { if (!this.#closed) this.#every(intervalMs, act) })
    })
    this.#timers.add(timer)
  }

  /**
   * Flushes and closes every log. With a broker epoch, and when every log could be flushed, the clean-stop mark is
   * written; without (never registered) the next start scans.
   */
  async close(brokerEpoch: number | undefined): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    for (const timer of this.#timers) this.#options.timers.cancel(timer)
    const clean = await Promise.all([...this.#all()].map(({ log }) => log.close()))
    try {
      await this.checkpoint()
      if (brokerEpoch !== undefined && brokerEpoch >= 0 && clean.every(Boolean)) {
        await writeCleanMark(this.#options.disk, this.#options.dir, brokerEpoch)
      }
    } catch (error) {
      if (!(error instanceof DiskError)) throw error
      this.#options.logger.error('the stop could not be completed on disk: the next start scans', {
        code: error.code, path: error.path })
    }
    await this.#opened.lock.release()
  }
}

/** A garbled checkpoint is as good as none: recovery scans from the start. */
async function readCheckpoint(options: LogManagerOptions, name: string): Promise<OffsetCheckpoint> {
  const text = await readSmallFile(options.disk, `${options.dir}/${name}`)
  if (text === undefined) return new Map()
  const decoded = decodeOffsets(text)
  if (decoded.ok) return decoded.value
  options.logger.error('garbled checkpoint file ignored: logs are scanned from the start', {
    name, reason: decoded.fault.message })
  return new Map()
}

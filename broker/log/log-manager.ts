// All partition logs of one broker in one data directory: opens, creates and deletes them, keeps the checkpoints, runs
// retention, and owns the directory's lock, identity and clean-stop mark.

import { assert } from '../../src/base/assert.ts'
import { noop, SerialQueue } from '../../src/base/async.ts'
import {
  DiskError, type Clock, type Disk, type DiskLock, type Logger, type Metrics, type Random, type Timer, type Timers
} from '../../src/ports.ts'
import { readSmallFile, writeSmallFile } from './checkpoint-file.ts'
import { Checkpoints, NO_MARKS } from './checkpoints.ts'
import { fatedDirName, LOG_SUFFIX, parseOffsetFileName, parsePartitionDir, partitionDirName } from './file-names.ts'
import { Flusher } from './flusher.ts'
import { claimDirectory, lockDirectory, takeCleanMark, writeCleanMark } from './identity.ts'
import type { LogConfig } from './log-config.ts'
import { PartitionLog, type PartitionLogNeeds } from './partition-log.ts'
import { loadLog, type LoadHints } from './recovery.ts'
import { TailBudget } from './tail-cache.ts'

const METADATA_FILE = 'partition.metadata'
const METADATA = /^version: 0\ntopic_id: ([0-9a-f]{32})\n?$/

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

/** One partition of one topic id. `name` is that of its directory. */
interface Claim {
  readonly topic: string
  readonly partition: number
  readonly topicId: string
  readonly config: LogConfig
}

interface Hosted {
  readonly topic: string
  readonly partition: number
  readonly topicId: string
  readonly name: string
  readonly log: PartitionLog
}

interface Opened {
  readonly lock: DiskLock
  readonly directoryId: string
  readonly previousBrokerEpoch: number
  readonly checkpoints: Checkpoints
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
  /** What opens or deletes a partition, by topic id and partition. */
  readonly #busy = new Map<string, Promise<void>>()
  /** Names of directories whose log could not be opened: what the clean stop said is no longer true of them. */
  readonly #suspect = new Set<string>()
  #closed = false

  private constructor(options: LogManagerOptions, opened: Opened) {
    this.#options = options
    this.#opened = opened
    this.#flusher = new Flusher(options.flushConcurrency, (run) => { options.timers.soon(run) })
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
      // Whatever is found there, also directories that a killed process made a moment ago, is there to stay.
      await disk.syncDir(dir)
      const checkpoints = await Checkpoints.load(disk, dir, options.logger)
      const manager = new LogManager(options, { lock, directoryId, previousBrokerEpoch, checkpoints })
      manager.#every(options.checkpointIntervalMs, () => manager.checkpoint())
      manager.#every(options.retentionCheckIntervalMs, async () => {
        for (const { log } of [...manager.#all()]) await log.applyRetention()
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

  /**
   * The log of a partition, created when there is none. A directory of another topic id of that name is set aside.
   * Rejects with DiskError; it may be tried again.
   */
  open(of: Claim): Promise<PartitionLog> { return this.#alone(of, () => this.#open(of)) }

  async #open(of: Claim): Promise<PartitionLog> {
    if (this.#closed) throw new DiskError('ESHUTDOWN', this.#options.dir, `${this.#options.dir} is closed`)
    const known = this.#hosted.get(of.topicId)?.get(of.partition)
    if (known !== undefined) {
      await this.#lowerRecoveryPoint(known)
      return known.log
    }
    const name = partitionDirName(of.topic, of.partition)
    for (const other of this.#all()) assert(other.name !== name, () => `${name} is deleted before it is opened anew`)
    try {
      const hosted = await this.#load(of, name)
      // Recovery may have found less than the recovery point promised.
      await this.#lowerRecoveryPoint(hosted)
      this.#suspect.delete(name)
      return hosted.log
    } catch (error) {
      this.#suspect.add(name)
      throw error
    }
  }

  async #load(of: Claim, name: string): Promise<Hosted> {
    const dir = `${this.#options.dir}/${name}`
    const hints = await this.#claim(dir, name, of)
    const { disk, clock, timers, logger, metrics } = this.#options
    const needs: PartitionLogNeeds = {
      topic: of.topic, partition: of.partition, dir, disk, clock, timers, logger, metrics,
      flusher: this.#flusher, tailBudget: this.#tailBudget,
      lowerRecoveryPoint: () => this.#lowerRecoveryPoint(hosted) }
    const log = new PartitionLog(needs, of.config, await loadLog(needs, of.config, hints))
    const hosted: Hosted = { topic: of.topic, partition: of.partition, topicId: of.topicId, name, log }
    let byIndex = this.#hosted.get(of.topicId)
    if (byIndex === undefined) this.#hosted.set(of.topicId, byIndex = new Map<number, Hosted>())
    byIndex.set(of.partition, hosted)
    this.#opened.checkpoints.forget(name)
    return hosted
  }

  /** The directory is this topic's from now on; what the checkpoints say of it is void when it was not before. */
  async #claim(dir: string, name: string, of: Claim): Promise<LoadHints> {
    const { disk, logger } = this.#options
    const { checkpoints, previousBrokerEpoch } = this.#opened
    const path = `${dir}/${METADATA_FILE}`
    const files = await disk.exists(dir) ? await disk.list(dir) : []
    const text = await readSmallFile(disk, path)
    const owner = text === undefined ? undefined : METADATA.exec(text)?.[1]
    if (owner === of.topicId) {
      return { clean: previousBrokerEpoch >= 0 && !this.#suspect.has(name), ...checkpoints.noted(name) }
    }
    const isMine = owner === undefined && files.some((file) => parseOffsetFileName(file)?.suffix === LOG_SUFFIX)
    if (isMine) {
      // It was there before the first batch was. To begin anew would lose a replica that others count on.
      logger.error('partition.metadata is missing or garbled: the log is taken to be of this topic', {
        dir, topicId: of.topicId })
    } else {
      // Without an owner and without a log it is a creation that was not finished.
      if (owner !== undefined) await this.#setAside(name, { reason: 'it belongs to another topic id', owner })
      checkpoints.forget(name)
      if (checkpoints.mayName(name)) await this.checkpoint()
      await disk.makeDir(dir)
    }
    await writeSmallFile(disk, path, `version: 0\ntopic_id: ${of.topicId}\n`)
    await disk.syncDir(this.#options.dir)
    return { clean: false, ...(isMine ? checkpoints.noted(name) : NO_MARKS) }
  }

  /** Removes a partition and its files; unknown ones are no error. Rejects with DiskError. */
  delete(topicId: string, partition: number): Promise<void> {
    return this.#alone({ topicId, partition }, async () => {
      const byIndex = this.#hosted.get(topicId)
      const hosted = byIndex?.get(partition)
      if (byIndex === undefined || hosted === undefined) return
      byIndex.delete(partition)
      if (byIndex.size === 0) this.#hosted.delete(topicId)
      await hosted.log.abandon()
      const { disk, dir } = this.#options
      const doomed = `${dir}/${fatedDirName(hosted.topic, partition, topicId, 'delete')}`
      await disk.rename(`${dir}/${hosted.name}`, doomed)
      await disk.syncDir(dir)
      await disk.remove(doomed)
    })
  }

  /** One opening or deletion of a partition at a time. */
  #alone<T>({ topicId, partition }: { readonly topicId: string; readonly partition: number },
    act: () => Promise<T>): Promise<T> {
    const key = `${topicId}-${partition}`
    const result = (this.#busy.get(key) ?? Promise.resolve()).then(act)
    const settled = result.then(noop, noop)
    this.#busy.set(key, settled)
    void settled.then(() => { if (this.#busy.get(key) === settled) this.#busy.delete(key) })
    return result
  }

  /** Sets aside the directories of partitions that are not `expected` here: kept for a person to look at. */
  async setAsideStrays(expected: (topic: string, partition: number) => boolean): Promise<void> {
    this.#opened.checkpoints.forgetAllBut(expected)
    for (const name of await this.#partitionDirs()) {
      const { topic, partition } = parsePartitionDir(name)!
      if (!expected(topic, partition)) await this.#setAside(name, { reason: 'it is not assigned to this broker' })
    }
    await this.#options.disk.syncDir(this.#options.dir)
  }

  /** Directories in use. */
  async #partitionDirs(): Promise<readonly string[]> {
    const names = await this.#options.disk.list(this.#options.dir)
    return names.filter((name) => {
      const found = parsePartitionDir(name)
      return found !== undefined && found.fate === undefined
    })
  }

  async #setAside(name: string, why: { readonly reason: string; readonly owner?: string | undefined }): Promise<void> {
    const { disk, dir, logger, random } = this.#options
    const { topic, partition } = parsePartitionDir(name)!
    const aside = fatedDirName(topic, partition, random.id(), 'stray')
    logger.warn('partition directory set aside', { name, aside, ...why })
    await disk.rename(`${dir}/${name}`, `${dir}/${aside}`)
  }

  // ---- checkpoints ----------------------------------------------------------------------------------------

  /** Writes recovery points, log starts and high watermarks, if they moved. Rejects with DiskError. */
  checkpoint(): Promise<void> { return this.#files.run(() => this.#writeCheckpoints()) }

  #writeCheckpoints(): Promise<void> {
    return this.#opened.checkpoints.write([...this.#all()].map(({ topic, partition, log }) => ({
      topic, partition, recoveryPoint: log.flushedOffset, logStartOffset: log.logStartOffset,
      highWatermark: log.highWatermark })))
  }

  /** See PartitionLogNeeds. One write serves all logs that wait for it. */
  async #lowerRecoveryPoint({ name, log }: Hosted): Promise<void> {
    const isLow = () => this.#opened.checkpoints.recoveryPointMax(name) <= log.flushedOffset
    if (isLow()) return
    await this.#files.run(async () => { if (!isLow()) await this.#writeCheckpoints() })
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
    await Promise.all(this.#busy.values())
    const clean = await Promise.all([...this.#all()].map(({ log }) => log.close()))
    try {
      await this.checkpoint()
      if (brokerEpoch !== undefined && brokerEpoch >= 0 && clean.every(Boolean) && await this.#othersAreClean()) {
        await writeCleanMark(this.#options.disk, this.#options.dir, brokerEpoch)
      }
    } catch (error) {
      if (!(error instanceof DiskError)) throw error
      this.#options.logger.error('the stop could not be completed on disk: the next start scans', {
        code: error.code, path: error.path })
    }
    await this.#opened.lock.release()
  }

  /** True when the logs that this process did not open are as a clean stop left them. */
  async #othersAreClean(): Promise<boolean> {
    if (this.#suspect.size > 0) return false
    if (this.#opened.previousBrokerEpoch >= 0) return true
    const hosted = new Set([...this.#all()].map(({ name }) => name))
    return (await this.#partitionDirs()).every((name) => hosted.has(name))
  }
}

// The log of one partition: segments as one sequence of offsets. Appends happen in the caller's turn, into the page
// cache; durability follows through the flusher.
//
//   logStartOffset <= highWatermark <= logEndOffset,  flushedOffset <= logEndOffset
//
// A storage error takes the log offline for good: its files are in an unknown state until the next start.

import { assert } from '../../src/base/assert.ts'
import { SerialQueue } from '../../src/base/async.ts'
import { ok, refuse, type Fault, type Result } from '../../src/base/error-code.ts'
import { DiskError, type Clock, type Disk, type Logger, type Metrics, type Timers } from '../../src/ports.ts'
import {
  baseOffset, batchBytes, checkBatch, lastOffset, lastOffsetDelta, maxTimestamp, partitionLeaderEpoch,
  setBaseOffset, setLeaderEpoch, setLogAppendTime
} from '../../src/records/batch.ts'
import { EpochFile } from './epoch-file.ts'
import type { Flusher } from './flusher.ts'
import type { LeaderEpochs } from './leader-epochs.ts'
import type { LogConfig } from './log-config.ts'
import { removeSnapshots, writeSnapshot } from './producer-snapshots.ts'
import type { ProducerState } from './producer-state.ts'
import { reloadProducers, type LoadedLog } from './recovery.ts'
import { RetiredSegments } from './retired-segments.ts'
import { segmentsToDelete } from './retention.ts'
import { Segment } from './segment.ts'
import { TailCache, type TailBudget } from './tail-cache.ts'

const RELATIVE_OFFSET_MAX = 2 ** 31 - 1
const POSITION_MAX = 2 ** 31 - 1

export interface PartitionLogNeeds {
  readonly topic: string
  readonly partition: number
  readonly dir: string
  readonly disk: Disk
  readonly clock: Clock
  readonly timers: Timers
  readonly logger: Logger
  readonly metrics: Metrics
  readonly flusher: Flusher
  readonly tailBudget: TailBudget
  /** Resolves when no checkpoint on the disk names a recovery point above the log's flushed offset of now. */
  lowerRecoveryPoint(): Promise<void>
}

/** `logAppendTimeMs` -1 unless the topic stamps appends. A duplicate gets what the first append got. */
export type AppendResult = Result<{
  readonly baseOffset: number; readonly lastOffset: number; readonly logAppendTimeMs: number }>

/** Whole batches; the first may begin before the asked offset. `bytes` are shared: copy what you keep or change. */
export interface LogRead { readonly bytes: Uint8Array; readonly nextOffset: number }

export interface ReadRequest {
  readonly offset: number
  /** Exclusive: no batch that ends behind it is returned. */
  readonly endOffset: number
  readonly maxBytes: number
  /** Return the first batch even if larger than `maxBytes` (KIP-74). */
  readonly atLeastOneBatch: boolean
}

const NOTHING = new Uint8Array(0)

export class PartitionLog {
  readonly #needs: PartitionLogNeeds
  readonly #segments: Segment[]
  readonly #epochs: LeaderEpochs
  readonly #epochFile: EpochFile
  readonly #producers: ProducerState
  readonly #tail: TailCache
  readonly #retired: RetiredSegments
  /** Flushes, truncations, retention and the end of the log, one at a time; appends and reads come in between. */
  readonly #work = new SerialQueue()
  #config: LogConfig
  #logStartOffset: number
  #logEndOffset: number
  #flushedOffset: number
  #highWatermark: number
  #offline = false
  #end: Promise<boolean> | undefined
  /** Sealed and not yet synced, and the state of producers behind each. */
  #unsynced: { readonly segment: Segment; readonly producers: Uint8Array }[] = []
  #directoryDirty = false
  /** More of the log is durable now. One owner: the partition. */
  onFlushed: (() => void) | undefined
  /** The log went offline. */
  onOffline: (() => void) | undefined

  /** What `loadLog` read, all of it durable. */
  constructor(needs: PartitionLogNeeds, config: LogConfig, loaded: LoadedLog) {
    this.#needs = needs
    this.#config = config
    this.#segments = [...loaded.segments]
    this.#epochs = loaded.epochs
    this.#epochFile = new EpochFile(needs.disk, needs.dir, loaded.epochs)
    this.#producers = loaded.producers
    this.#logStartOffset = loaded.logStartOffset
    this.#logEndOffset = this.#active.nextOffset
    this.#flushedOffset = this.#logEndOffset
    this.#highWatermark = Math.min(Math.max(loaded.highWatermark, this.#logStartOffset), this.#logEndOffset)
    this.#tail = new TailCache(needs.tailBudget)
    this.#retired = new RetiredSegments(needs)
  }

  get logStartOffset(): number { return this.#logStartOffset }
  get logEndOffset(): number { return this.#logEndOffset }
  /** Everything before it is on the disk. */
  get flushedOffset(): number { return this.#flushedOffset }
  get highWatermark(): number { return this.#highWatermark }
  /** Leader epoch of the last batch or of the current leadership; -1 with an empty history. */
  get lastLeaderEpoch(): number { return this.#epochs.latest?.epoch ?? -1 }
  get offline(): boolean { return this.#offline }
  get sizeBytes(): number { return this.#segments.reduce((sum, segment) => sum + segment.sizeBytes, 0) }
  /** Takes nothing any more. */
  get #closed(): boolean { return this.#end !== undefined }
  get #active(): Segment { return this.#segments.at(-1)! }

  setConfig(config: LogConfig): void {
    this.#config = config
    if (config.flushMode === 'sync' && this.#flushedOffset < this.#logEndOffset) this.#needs.flusher.request(this)
  }

  setHighWatermark(offset: number): void {
    assert(offset >= this.#highWatermark && offset <= this.#logEndOffset,
      () => `high watermark ${offset} lies in [${this.#highWatermark}, ${this.#logEndOffset}]`)
    this.#highWatermark = offset
  }

  // ---- append ---------------------------------------------------------------------------------------------

  /**
   * Appends one batch that `validateProduceBatch` has passed, as leader. Base offset, leader epoch and (LogAppendTime)
   * timestamps are patched in place; the bytes are the caller's again on return.
   */
  append(batch: Uint8Array, leaderEpoch: number): AppendResult {
    if (this.#offline || this.#closed) return this.#refuseAppend()
    const stamped = this.#config.messageTimestampType === 'LogAppendTime'
    const known = this.#producers.check(batch, 0)
    if (known.kind === 'refused') return { ok: false, fault: known.fault }
    if (known.kind === 'duplicate') {
      return ok({
        baseOffset: known.baseOffset, lastOffset: known.lastOffset, logAppendTimeMs: stamped ? known.timestamp : -1 })
    }
    if (batch.length > this.#config.segmentBytes) {
      return refuse('RECORD_LIST_TOO_LARGE',
        `batch of ${batch.length} bytes is larger than segment.bytes=${this.#config.segmentBytes}`,
        'send smaller batches or raise segment.bytes')
    }
    const first = this.#logEndOffset
    setBaseOffset(batch, 0, first)
    setLeaderEpoch(batch, 0, leaderEpoch)
    const logAppendTimeMs = stamped ? this.#needs.clock.wallMs() : -1
    if (stamped) setLogAppendTime(batch, 0, logAppendTimeMs)
    try {
      this.#write(batch, 0, batch.length)
    } catch (error) {
      this.#fail(error)
      return this.#refuseAppend()
    }
    this.#appended()
    return ok({ baseOffset: first, lastOffset: first + lastOffsetDelta(batch, 0), logAppendTimeMs })
  }

  /** Appends what the leader sent, offsets and epochs untouched. All of it is checked before any of it is written. */
  appendReplicated(bytes: Uint8Array): Result<undefined> {
    if (this.#offline || this.#closed) return this.#refuseAppend()
    let next = this.#logEndOffset
    for (let at = 0; at < bytes.length; at += batchBytes(bytes, at)) {
      const wrong = checkBatch(bytes, at, bytes.length)
      if (wrong !== undefined) return refuse('CORRUPT_MESSAGE', `replicated batch for offset ${next}: ${wrong}`)
      if (baseOffset(bytes, at) < next || lastOffset(bytes, at) - next > RELATIVE_OFFSET_MAX) {
        return refuse('OFFSET_OUT_OF_RANGE',
          `replicated batch at ${baseOffset(bytes, at)} to ${lastOffset(bytes, at)}, log end offset is ${next}`)
      }
      next = lastOffset(bytes, at) + 1
    }
    try {
      for (let at = 0; at < bytes.length; at += batchBytes(bytes, at)) this.#write(bytes, at, batchBytes(bytes, at))
    } catch (error) {
      this.#fail(error)
      return this.#refuseAppend()
    }
    if (bytes.length > 0) this.#appended()
    return ok(undefined)
  }

  #write(bytes: Uint8Array, at: number, length: number): void {
    const first = baseOffset(bytes, at)
    const next = lastOffset(bytes, at) + 1
    if (this.#mustRoll(length, maxTimestamp(bytes, at), next - 1)) this.#roll()
    const epoch = partitionLeaderEpoch(bytes, at)
    if (this.#epochs.assign(epoch, first)) this.#epochFile.changed()
    this.#active.append(bytes, at, length)
    this.#producers.update(bytes, at, this.#needs.clock.wallMs())
    this.#tail.append(bytes, at, length, first, next)
    this.#logEndOffset = next
  }

  #appended(): void {
    if (this.#config.flushMode === 'sync') this.#needs.flusher.request(this)
  }

  #mustRoll(length: number, timestamp: number, last: number): boolean {
    const active = this.#active
    if (active.sizeBytes === 0) return false
    const { firstTimestamp } = active
    return active.sizeBytes + length > Math.min(this.#config.segmentBytes, POSITION_MAX)
      || (firstTimestamp !== undefined && timestamp - firstTimestamp > this.#config.segmentMs)
      || active.isIndexFull(this.#config.segmentIndexBytes)
      || last - active.baseOffset > RELATIVE_OFFSET_MAX
  }

  /**
   * Seals the active segment and starts one at the end of the log: segments follow without a gap, recovery relies on
   * it. The old one is synced in the background.
   */
  #roll(): void {
    const sealed = this.#active
    sealed.sealIndexes()
    this.#segments.push(this.#createSegment(this.#logEndOffset))
    this.#unsynced.push({ segment: sealed, producers: this.#producers.snapshot() })
    this.#directoryDirty = true
    this.#needs.flusher.request(this)
  }

  #createSegment(offset: number): Segment {
    return Segment.createNow({
      disk: this.#needs.disk, dir: this.#needs.dir, baseOffset: offset,
      indexIntervalBytes: this.#config.indexIntervalBytes })
  }

  // ---- durability -----------------------------------------------------------------------------------------

  /** For the flusher. Everything appended before the call is durable when it resolves, unless the log went offline. */
  async flushNow(): Promise<void> {
    if (!this.#closed) await this.#work.run(() => this.#flush())
  }

  async #flush(): Promise<void> {
    const end = this.#logEndOffset
    const sealed = this.#unsynced
    this.#unsynced = []
    await this.#attempt(() => this.#sync(sealed.map(({ segment }) => segment)))
    if (this.#offline) return
    this.#flushedOffset = Math.max(this.#flushedOffset, end)
    this.onFlushed?.()
    // Not before the batches are safe: a power loss might put others in their place.
    for (const { segment, producers } of sealed) {
      await this.#attempt(() => writeSnapshot(this.#needs, segment.nextOffset, producers))
    }
  }

  async #sync(sealed: readonly Segment[]): Promise<void> {
    const active = this.#active
    for (const segment of sealed) {
      await segment.sync()
      await segment.syncIndexes()
    }
    if (this.#directoryDirty) {
      this.#directoryDirty = false
      await this.#needs.disk.syncDir(this.#needs.dir)
    }
    await active.sync()
    // Epochs are rebuilt from batches behind the recovery point only: they must be safe before it may move.
    await this.#epochFile.save()
  }

  /** Does nothing once the log is offline; a DiskError takes it there. */
  async #attempt(act: () => Promise<void>): Promise<void> {
    if (this.#offline) return
    try {
      await act()
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    if (!(error instanceof DiskError)) throw error
    if (this.#offline) return
    this.#offline = true
    this.#tail.clear()
    this.#needs.metrics.count('weir_log_offline_total')
    this.#needs.logger.error('partition log is offline until the next start', {
      topic: this.#needs.topic, partition: this.#needs.partition, code: error.code, path: error.path,
      reason: error.message })
    this.onOffline?.()
  }

  #refuseAppend(): { readonly ok: false; readonly fault: Fault } {
    const what = `the log of ${this.#needs.topic}-${this.#needs.partition}`
    return this.#offline
      ? refuse('KAFKA_STORAGE_ERROR', `${what} is offline after a storage error`,
        'see the log of this broker; free space or replace the disk, then restart it')
      : refuse('KAFKA_STORAGE_ERROR', `${what} is closed`, 'find the partition\'s leader again')
  }

  // ---- leader epochs --------------------------------------------------------------------------------------

  /** A leadership begins here: durable before it resolves, so that later questions about the epoch have an answer. */
  async beginEpoch(epoch: number): Promise<void> {
    if (this.#offline || this.#closed) return
    if (this.#epochs.assign(epoch, this.#logEndOffset)) this.#epochFile.changed()
    await this.#attempt(() => this.#epochFile.save())
  }

  /** Where `epoch`, or the largest smaller one there is, ends in this log; undefined when it cannot be known. */
  endOffsetFor(epoch: number): { readonly epoch: number; readonly endOffset: number } | undefined {
    return this.#epochs.endOffsetFor(epoch, this.#logEndOffset)
  }

  // ---- truncate -------------------------------------------------------------------------------------------

  /** Drops every batch with a record at or behind `offset`. Followers only, with no append under way. */
  truncateTo(offset: number): Promise<void> {
    return this.#change(async () => {
      if (offset < this.#logEndOffset) await this.#truncate(offset)
      // An epoch that began at the end and never got a record may contradict the leader's history.
      else if (this.#epochs.truncateFromEnd(this.#logEndOffset)) this.#epochFile.changed()
      await this.#epochFile.save()
    })
  }

  async #truncate(offset: number): Promise<void> {
    assert(offset >= this.#logStartOffset, () => `truncation to ${offset} below log start ${this.#logStartOffset}`)
    const cut = this.#segments.findLastIndex((segment) => segment.baseOffset <= offset)
    const end = this.#segments[cut]!.endBefore(offset)
    this.#tail.truncateTo(end)
    this.#endAt(end)
    // Or recovery would take what is appended from here on for what was durable there before.
    await this.#needs.lowerRecoveryPoint()
    // Durably, before other batches come in the place of theirs.
    await removeSnapshots(this.#needs, (at) => at > end)
    await this.#needs.disk.syncDir(this.#needs.dir)
    const dropped = this.#segments.splice(cut + 1)
    this.#unsynced = this.#unsynced.filter(({ segment }) => segment.nextOffset <= this.#active.baseOffset)
    this.#directoryDirty = true
    for (const segment of dropped.toReversed()) await segment.remove()
    await this.#active.truncateTo(end)
    if (this.#epochs.truncateFromEnd(end)) this.#epochFile.changed()
    await reloadProducers(this.#needs, this.#segments, this.#producers, end)
    this.#needs.flusher.request(this)
  }

  /** A batch that went whole may have begun before the log start. */
  #endAt(offset: number): void {
    this.#logEndOffset = offset
    this.#logStartOffset = Math.min(this.#logStartOffset, offset)
    this.#flushedOffset = Math.min(this.#flushedOffset, offset)
    this.#highWatermark = Math.min(this.#highWatermark, offset)
  }

  /** Drops everything and goes on at `offset`, which lies behind the end: the leader's log begins there. */
  truncateFullyAndStartAt(offset: number): Promise<void> {
    return this.#change(async () => {
      assert(offset > this.#logEndOffset, () => `new start ${offset} lies behind log end ${this.#logEndOffset}`)
      // The epochs first: without a file they are read from the batches, whatever a crash leaves of those.
      this.#epochs.clear()
      this.#epochFile.changed()
      await this.#epochFile.save()
      this.#tail.clear()
      const old = this.#segments.splice(0, Infinity, this.#createSegment(offset))
      this.#unsynced = []
      this.#logStartOffset = offset
      this.#logEndOffset = offset
      this.#flushedOffset = offset
      this.#highWatermark = offset
      this.#producers.clear()
      for (const segment of old) await segment.remove()
      await removeSnapshots(this.#needs, () => true)
      await this.#needs.disk.syncDir(this.#needs.dir)
    })
  }

  /** Between flushes. */
  #change(act: () => Promise<void>): Promise<void> {
    return this.#work.run(async () => {
      if (!this.#closed) await this.#attempt(act)
    })
  }

  // ---- read -----------------------------------------------------------------------------------------------

  /**
   * At once from memory or page cache, else later. A file that cannot be read takes the log offline; the answer is
   * empty then, as it is of a log that is offline or closed.
   */
  read(wanted: ReadRequest): LogRead | Promise<LogRead> {
    const endOffset = Math.min(wanted.endOffset, this.#logEndOffset)
    const nothing = { bytes: NOTHING, nextOffset: wanted.offset }
    if (wanted.offset >= endOffset || this.#offline) return nothing
    const request = { ...wanted, endOffset }
    const cached = this.#tail.read(request)
    if (cached !== undefined) return cached
    const segment = this.#segmentOf(wanted.offset)
    const read = segment.read(request)
    if (!(read instanceof Promise)) return read
    return read.catch((error: unknown) => {
      this.#readFailed(segment, error)
      return nothing
    })
  }

  /** A segment that retention or a truncation took away meanwhile may fail as it likes. */
  #readFailed(segment: Segment, error: unknown): void {
    if (this.#segments.includes(segment) && !this.#closed) this.#fail(error)
    else if (!(error instanceof DiskError)) throw error
  }

  /** The segment with the batch that contains `offset`, or the first behind it. */
  #segmentOf(offset: number): Segment {
    let low = 0
    let high = this.#segments.length - 1
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if (this.#segments[middle]!.baseOffset <= offset) low = middle
      else high = middle - 1
    }
    while (low + 1 < this.#segments.length && this.#segments[low]!.nextOffset <= offset) low++
    return this.#segments[low]!
  }

  /** The first record with this or a later timestamp. Rejects with DiskError; the log is offline then. */
  async offsetForTimestamp(timestamp: number): Promise<{
    readonly offset: number; readonly timestamp: number; readonly leaderEpoch: number } | undefined> {
    if (this.#offline) throw new DiskError('EIO', this.#needs.dir, `${this.#needs.dir}: the log is offline`)
    for (const segment of [...this.#segments]) {
      if (segment.largestTimestamp < timestamp || segment.nextOffset <= this.#logStartOffset) continue
      const found = await this.#findTimestamp(segment, timestamp)
      if (found !== undefined) return { ...found, leaderEpoch: this.#epochs.epochAt(found.offset) }
    }
    return undefined
  }

  async #findTimestamp(segment: Segment, timestamp: number): ReturnType<Segment['offsetForTimestamp']> {
    try {
      return await segment.offsetForTimestamp(timestamp, this.#logStartOffset)
    } catch (error) {
      if (!(error instanceof DiskError)) throw error
      this.#readFailed(segment, error)
      if (this.#offline) throw error
      return undefined
    }
  }

  /** The first record with the largest timestamp of the log. */
  offsetOfMaxTimestamp(): ReturnType<PartitionLog['offsetForTimestamp']> {
    const largest = this.#segments.reduce((max, { largestTimestamp }) => Math.max(max, largestTimestamp), -1)
    return largest < 0 ? Promise.resolve(undefined) : this.offsetForTimestamp(largest)
  }

  // ---- retention ------------------------------------------------------------------------------------------

  /** Readers and followers see nothing before `offset` any more; files go with the next retention. */
  deleteRecordsBefore(offset: number): void {
    if (offset <= this.#logStartOffset) return
    assert(offset <= this.#logEndOffset, () => `log start ${offset} lies within the log (${this.#logEndOffset})`)
    this.#logStartOffset = offset
    this.#highWatermark = Math.max(this.#highWatermark, offset)
    if (this.#epochs.truncateFromStart(offset)) this.#epochFile.changed()
  }

  /** Lets old segments go by age, size and log start; the files stay for `file.delete.delay.ms`. */
  applyRetention(): Promise<void> {
    return this.#change(async () => {
      const nowMs = this.#needs.clock.wallMs()
      this.#producers.expire(nowMs - this.#config.producerIdExpirationMs)
      const count = segmentsToDelete({
        segments: this.#segments, retentionMs: this.#config.retentionMs, retentionBytes: this.#config.retentionBytes,
        highWatermark: this.#highWatermark, logStartOffset: this.#logStartOffset, nowMs })
      if (count === 0) return
      if (count === this.#segments.length) this.#roll()
      const gone = this.#segments.splice(0, count)
      this.deleteRecordsBefore(this.#segments[0]!.baseOffset)
      this.#unsynced = this.#unsynced.filter(({ segment }) => !gone.includes(segment))
      this.#needs.logger.info('segments deleted by retention', {
        topic: this.#needs.topic, partition: this.#needs.partition, segments: count,
        logStartOffset: this.#logStartOffset })
      await this.#retired.retire(gone, this.#config.fileDeleteDelayMs)
    })
  }

  // ---- end ------------------------------------------------------------------------------------------------

  /**
   * Makes everything durable and closes the files; takes nothing from the call on. False: it could not (offline),
   * recovery is needed at the start.
   */
  close(): Promise<boolean> {
    this.#end ??= this.#work.run(async () => {
      await this.#flush()
      await this.#attempt(async () => {
        await writeSnapshot(this.#needs, this.#logEndOffset, this.#producers.snapshot())
        this.#active.sealIndexes()
        await this.#active.syncIndexes()
        await this.#retired.removeNow()
      })
      await this.#release()
      return !this.#offline
    })
    return this.#end
  }

  /** Closes the files as they are: the directory is about to go. */
  async abandon(): Promise<void> {
    this.#end ??= this.#work.run(async () => {
      await this.#release()
      return false
    })
    await this.#end
  }

  async #release(): Promise<void> {
    this.#tail.clear()
    this.#retired.forget()
    for (const segment of this.#segments) {
      try {
        await segment.close()
      } catch (error) {
        if (!(error instanceof DiskError)) throw error
      }
    }
  }
}

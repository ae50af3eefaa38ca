// One .log file and its two indexes: append, read, look up by offset and time, truncate, recover.
//
// Appends are writes into the page cache on the caller's turn; `sync` makes them durable. A DiskError leaves the
// segment in an unknown state: use it no more. Content that contradicts itself is a DiskError with code EBADMSG.

import { assert } from '../../src/base/assert.ts'
import { DiskError, type Disk, type DiskFile } from '../../src/ports.ts'
import {
  BATCH_HEADER_BYTES, batchBytes, lastOffset, maxTimestamp
} from '../../src/records/batch.ts'
import { recordsIn } from '../../src/records/record.ts'
import { headerFault, HeaderWindow, offsetFault, scanAllBatches } from './batch-scan.ts'
import { DELETED_SUFFIX, INDEX_SUFFIX, LOG_SUFFIX, offsetFileName, TIME_INDEX_SUFFIX } from './file-names.ts'
import { OffsetIndex, TimeIndex } from './index-file.ts'

export interface SegmentPlace {
  readonly disk: Disk
  readonly dir: string
  readonly baseOffset: number
  /** Index entries are about this many bytes of the log apart (>= 0). */
  readonly indexIntervalBytes: number
}

export interface SegmentReadRequest {
  readonly offset: number
  /** Exclusive: no batch that ends behind it is returned. */
  readonly endOffset: number
  readonly maxBytes: number
  /** Return the first batch even if larger than `maxBytes`. */
  readonly atLeastOneBatch: boolean
}

/** Whole batches in a buffer of the caller's; the first may begin before the asked offset. */
export interface SegmentRead { readonly bytes: Uint8Array; readonly nextOffset: number }

export interface Recovered {
  readonly truncatedBytes: number
  /** Why the file was cut. */
  readonly reason: string | undefined
}

/** The batch that contains an offset, or the first behind it; at the end of the file `bytes` is 0. */
interface Found {
  readonly position: number
  readonly bytes: number
  readonly lastOffset: number
  /** Offset after the batch before it. */
  readonly previousEnd: number
}

const NOTHING = new Uint8Array(0)
const READ_NOW_BYTES = 64 * 1024
const TAIL_WINDOW_BYTES = 16 * 1024
/** For walks that end in the turn they began in: shared by all segments. */
const walkBuffer = new Uint8Array(8 * 1024)

function filePaths({ dir, baseOffset: base }: SegmentPlace): readonly [log: string, index: string, timeIndex: string] {
  return [`${dir}/${offsetFileName(base, LOG_SUFFIX)}`, `${dir}/${offsetFileName(base, INDEX_SUFFIX)}`,
    `${dir}/${offsetFileName(base, TIME_INDEX_SUFFIX)}`]
}

export class Segment {
  readonly #place: SegmentPlace
  readonly #file: DiskFile
  readonly #offsetIndex: OffsetIndex
  readonly #timeIndex: TimeIndex
  #logPath: string
  #sizeBytes: number
  #nextOffset: number
  #largestTimestamp = -1
  #offsetOfLargestTimestamp: number
  #firstTimestamp: number | undefined
  #bytesSinceIndexEntry = 0
  #needsRecovery: string | undefined
  #closed = false
  /** A truncation or recovery runs: no append. */
  #changing = false
  /** Rises when bytes that were there may be gone: a read under way must look again. */
  #generation = 0

  private constructor(place: SegmentPlace, file: DiskFile, offsetIndex: OffsetIndex, timeIndex: TimeIndex) {
    this.#place = place
    this.#logPath = filePaths(place)[0]
    this.#file = file
    this.#sizeBytes = file.size()
    this.#offsetIndex = offsetIndex
    this.#timeIndex = timeIndex
    this.#nextOffset = place.baseOffset
    this.#offsetOfLargestTimestamp = place.baseOffset
  }

  /** An empty segment, at once; durable after `syncDir` of its directory. Throws DiskError EEXIST when there is one. */
  static createNow(place: SegmentPlace): Segment {
    const [log, index, timeIndex] = filePaths(place)
    const file = place.disk.createNow(log)
    return new Segment(place, file, OffsetIndex.createNow(place.disk, index, place.baseOffset),
      TimeIndex.createNow(place.disk, timeIndex, place.baseOffset))
  }

  /** As `createNow`, with its directory entries durable when it resolves. */
  static async create(place: SegmentPlace): Promise<Segment> {
    const segment = Segment.createNow(place)
    await place.disk.syncDir(place.dir)
    return segment
  }

  /**
   * Opens the files as they are: sound indexes are believed, batches behind the last entry are walked without a look at
   * their checksums. What does not fit sets `needsRecovery`. Rejects with DiskError (ENOENT without a .log file).
   */
  static async open(place: SegmentPlace): Promise<Segment> {
    const [log, index, timeIndex] = filePaths(place)
    const file = await place.disk.open(log, { create: false })
    const whole = await place.disk.exists(index) && await place.disk.exists(timeIndex)
    const segment = new Segment(place, file, await OffsetIndex.open(place.disk, index, place.baseOffset),
      await TimeIndex.open(place.disk, timeIndex, place.baseOffset))
    segment.#needsRecovery = !whole && segment.#sizeBytes > 0 ? `${log} lacks an index file` : await segment.#load()
    return segment
  }

  get baseOffset(): number { return this.#place.baseOffset }
  get sizeBytes(): number { return this.#sizeBytes }
  /** Offset after the last batch; the base offset when empty. */
  get nextOffset(): number { return this.#nextOffset }
  /** -1 when no record has a timestamp. */
  get largestTimestamp(): number { return this.#largestTimestamp }
  /** Last offset of the first batch that reaches the largest timestamp; the base offset when there is none. */
  get offsetOfLargestTimestamp(): number { return this.#offsetOfLargestTimestamp }
  /** Largest timestamp of the first batch; undefined when empty, or when that batch has none. */
  get firstTimestamp(): number | undefined { return this.#firstTimestamp }
  /** Why the segment must be recovered before any other use; its other fields mean nothing until then. */
  get needsRecovery(): string | undefined { return this.#needsRecovery }

  /** Paths of the files as they are now. */
  files(): readonly string[] { return [this.#logPath, this.#offsetIndex.path, this.#timeIndex.path] }

  /** True when an index may not take the entries of one more batch within `maxBytes` (setting segment.index.bytes). */
  isIndexFull(maxBytes: number): boolean {
    // The time index keeps room for the entry that `sealIndexes` adds.
    return this.#offsetIndex.sizeBytes + 8 > maxBytes || this.#timeIndex.sizeBytes + 2 * 12 > maxBytes
  }

  // ---- append ---------------------------------------------------------------------------------------------

  /** Appends the whole batch of `length` bytes at `at`; its offsets must follow. Throws DiskError. */
  append(bytes: Uint8Array, at: number, length: number): void {
    this.#checkAppend(bytes, at, length, this.#nextOffset)
    this.#file.writeNow([at === 0 && length === bytes.length ? bytes : bytes.subarray(at, at + length)],
      this.#sizeBytes)
    this.#note(bytes, at, length)
  }

  /** Appends all the whole batches in `bytes` with one write. Throws DiskError. */
  appendBatches(bytes: Uint8Array): void {
    let next = this.#nextOffset
    for (let at = 0; at < bytes.length; at += batchBytes(bytes, at)) {
      this.#checkAppend(bytes, at, batchBytes(bytes, at), next)
      next = lastOffset(bytes, at) + 1
    }
    if (bytes.length === 0) return
    this.#file.writeNow([bytes], this.#sizeBytes)
    for (let at = 0; at < bytes.length; at += batchBytes(bytes, at)) this.#note(bytes, at, batchBytes(bytes, at))
  }

  #checkAppend(bytes: Uint8Array, at: number, length: number, next: number): void {
    assert(this.#needsRecovery === undefined && !this.#changing && !this.#closed,
      () => `${this.#logPath} is ready for appends (${this.#needsRecovery ?? 'it changes or is closed'})`)
    assert(length >= BATCH_HEADER_BYTES && length === batchBytes(bytes, at) && at + length <= bytes.length,
      () => `one whole batch in the ${length} bytes at ${at}`)
    const fault = offsetFault(bytes, at, { nextOffset: next, segmentBase: this.baseOffset })
    assert(fault === undefined, () => `offsets follow: ${fault}`)
  }

  /** Takes the batch that was written at the end into account. */
  #note(bytes: Uint8Array, at: number, length: number): void {
    const position = this.#sizeBytes
    const last = lastOffset(bytes, at)
    this.#noteTimestamp(maxTimestamp(bytes, at), last)
    if (position === 0) this.#noteFirstTimestamp(bytes, at)
    if (this.#bytesSinceIndexEntry > this.#place.indexIntervalBytes) {
      this.#offsetIndex.append(last, position)
      this.#timeIndex.append(this.#largestTimestamp, this.#offsetOfLargestTimestamp)
      this.#bytesSinceIndexEntry = 0
    }
    this.#bytesSinceIndexEntry += length
    this.#sizeBytes = position + length
    this.#nextOffset = last + 1
  }

  #noteTimestamp(timestamp: number, offset: number): void {
    if (timestamp <= this.#largestTimestamp) return
    this.#largestTimestamp = timestamp
    this.#offsetOfLargestTimestamp = offset
  }

  #noteFirstTimestamp(bytes: Uint8Array, at: number): void {
    const timestamp = maxTimestamp(bytes, at)
    this.#firstTimestamp = timestamp < 0 ? undefined : timestamp
  }

  /** For a segment that gets no more appends, or is about to be closed: the time index ends with its largest time. */
  sealIndexes(): void {
    if (this.#largestTimestamp >= 0) this.#timeIndex.append(this.#largestTimestamp, this.#offsetOfLargestTimestamp)
  }

  // ---- open and recover -----------------------------------------------------------------------------------

  async #load(): Promise<string | undefined> {
    const fault = this.#offsetIndex.sanity(this.#sizeBytes) ?? this.#timeIndex.sanity()
      ?? await this.#walkTail()
    return fault ?? this.#timeIndex.sanity(this.#nextOffset)
  }

  /** Finds the end of the segment behind the last index entry. Resolves with what is wrong there. */
  async #walkTail(): Promise<string | undefined> {
    const entry = this.#offsetIndex.last
    const time = this.#timeIndex.last
    this.#largestTimestamp = time.timestamp
    this.#offsetOfLargestTimestamp = time.offset
    this.#bytesSinceIndexEntry = this.#sizeBytes - entry.position
    this.#firstTimestamp = undefined
    const window = new HeaderWindow(this.#file, new Uint8Array(TAIL_WINDOW_BYTES))
    if (this.#sizeBytes >= BATCH_HEADER_BYTES) {
      const at = await window.later(0)
      const fault = headerFault(window.bytes, at, this.#sizeBytes)
      if (fault !== undefined) return `${this.#logPath} at position 0: ${fault}`
      this.#noteFirstTimestamp(window.bytes, at)
    }
    let next = this.baseOffset
    for (let position = entry.position; position < this.#sizeBytes;) {
      const at = await window.later(position)
      const fault = at < 0 ? 'the file ends within a header'
        : headerFault(window.bytes, at, this.#sizeBytes - position)
          ?? offsetFault(window.bytes, at, { nextOffset: next, segmentBase: this.baseOffset })
      if (fault !== undefined) return `${this.#logPath} at position ${position}: ${fault}`
      const last = lastOffset(window.bytes, at)
      if (this.#offsetIndex.entries > 0 && position === entry.position && last !== entry.offset) {
        return `${this.#offsetIndex.path}: last entry says ${entry.offset}, the batch ends with ${last}`
      }
      this.#noteTimestamp(maxTimestamp(window.bytes, at), last)
      next = last + 1
      position += batchBytes(window.bytes, at)
    }
    this.#nextOffset = next
    return undefined
  }

  /**
   * Reads all of the file, cuts it before the first batch that is torn, damaged or out of order, and builds both
   * indexes anew. `onBatch` sees every batch that stays (the bytes are its own during the call only); `yieldNow` is
   * awaited now and then. Everything is durable when it resolves. Rejects with DiskError.
   */
  async recover(
    onBatch?: (bytes: Uint8Array, at: number) => void, yieldNow?: () => Promise<void>): Promise<Recovered> {
    this.#begin()
    const fileBytes = this.#file.size()
    await this.#offsetIndex.clear()
    await this.#timeIndex.clear()
    this.#sizeBytes = 0
    this.#nextOffset = this.baseOffset
    this.#largestTimestamp = -1
    this.#offsetOfLargestTimestamp = this.baseOffset
    this.#firstTimestamp = undefined
    this.#bytesSinceIndexEntry = 0
    const { endPosition, reason } = await scanAllBatches(this.#file, this.baseOffset, {
      batch: (bytes, at) => {
        this.#note(bytes, at, batchBytes(bytes, at))
        onBatch?.(bytes, at)
      },
      yieldNow
    })
    assert(endPosition === this.#sizeBytes, () => `scan ended at ${endPosition}, batches at ${this.#sizeBytes}`)
    if (endPosition < fileBytes) await this.#file.truncate(endPosition)
    this.sealIndexes()
    await this.sync()
    await this.syncIndexes()
    this.#needsRecovery = undefined
    this.#changing = false
    return { truncatedBytes: fileBytes - endPosition, reason }
  }

  #begin(): void {
    assert(!this.#changing && !this.#closed, 'one change of a segment at a time')
    this.#changing = true
    this.#generation++
  }

  // ---- look up --------------------------------------------------------------------------------------------

  /** Position of the batch that contains `offset`, or of the first behind it; `sizeBytes` when there is none. */
  positionOf(offset: number): number { return this.#find(offset).position }

  #find(offset: number): Found {
    // The entry's batch ends before `offset`: it stands before the one sought.
    let { position } = this.#offsetIndex.lookup(offset - 1)
    let previousEnd = this.baseOffset
    const window = new HeaderWindow(this.#file, walkBuffer)
    while (position < this.#sizeBytes) {
      const at = window.now(position)
      this.#checkHeader(window.bytes, at, position)
      const last = lastOffset(window.bytes, at)
      if (last >= offset) return { position, bytes: batchBytes(window.bytes, at), lastOffset: last, previousEnd }
      previousEnd = last + 1
      position += batchBytes(window.bytes, at)
    }
    return { position, bytes: 0, lastOffset: -1, previousEnd }
  }

  #checkHeader(bytes: Uint8Array, at: number, position: number): void {
    const fault = at < 0 ? 'the file ends within a header' : headerFault(bytes, at, this.#sizeBytes - position)
    if (fault !== undefined) throw this.#damaged(position, fault)
  }

  #damaged(position: number, reason: string): DiskError {
    return new DiskError('EBADMSG', this.#logPath, `${this.#logPath} is damaged at position ${position}: ${reason}`)
  }

  /**
   * Whole batches from the one that contains `offset` (or the first behind it) on, up to the last that ends before
   * `endOffset` and fits `maxBytes`. At once from the page cache when they are at most 64 KiB. Never throws: a
   * DiskError comes as a rejection.
   */
  read(wanted: SegmentReadRequest): SegmentRead | Promise<SegmentRead> {
    try {
      const range = this.#rangeOf(wanted)
      if (range === undefined) return { bytes: NOTHING, nextOffset: wanted.offset }
      if (range.length > READ_NOW_BYTES) return this.#readLater(wanted, range)
      const bytes = Buffer.allocUnsafe(range.length)
      return this.#wholeBatches(wanted, range.position, bytes, this.#file.readNow(bytes, range.position))
    } catch (error) {
      if (!(error instanceof DiskError)) throw error
      return Promise.reject(error)
    }
  }

  #rangeOf(wanted: SegmentReadRequest): { readonly position: number; readonly length: number } | undefined {
    if (this.#closed || wanted.offset >= Math.min(wanted.endOffset, this.#nextOffset)) return undefined
    const first = this.#find(wanted.offset)
    if (first.bytes === 0 || first.lastOffset >= wanted.endOffset) return undefined
    if (first.bytes > wanted.maxBytes) {
      return wanted.atLeastOneBatch ? { position: first.position, length: first.bytes } : undefined
    }
    const limit = this.#offsetIndex.positionAtOrAfter(wanted.endOffset) ?? this.#sizeBytes
    return { position: first.position, length: Math.min(wanted.maxBytes, limit - first.position) }
  }

  async #readLater(
    wanted: SegmentReadRequest, from: { readonly position: number; readonly length: number }): Promise<SegmentRead> {
    let range: { readonly position: number; readonly length: number } | undefined = from
    while (range !== undefined) {
      const generation = this.#generation
      const bytes = Buffer.allocUnsafe(range.length)
      const got = await this.#file.read(bytes, range.position)
      if (generation === this.#generation) return this.#wholeBatches(wanted, range.position, bytes, got)
      range = this.#rangeOf(wanted)
    }
    return { bytes: NOTHING, nextOffset: wanted.offset }
  }

  #wholeBatches(wanted: SegmentReadRequest, position: number, bytes: Uint8Array, got: number): SegmentRead {
    if (got < bytes.length) throw this.#damaged(position, `the file gave ${got} of ${bytes.length} bytes`)
    let nextOffset = wanted.offset
    let at = 0
    while (bytes.length - at >= BATCH_HEADER_BYTES) {
      this.#checkHeader(bytes, at, position + at)
      const last = lastOffset(bytes, at)
      if (batchBytes(bytes, at) > bytes.length - at || last >= wanted.endOffset) break
      nextOffset = last + 1
      at += batchBytes(bytes, at)
    }
    return { bytes: at === bytes.length ? bytes : bytes.subarray(0, at), nextOffset }
  }

  /**
   * The first record at or behind `fromOffset` with this or a later timestamp. Rejects with DiskError, and with
   * WeirError CORRUPT_MESSAGE when the batch cannot be decoded.
   */
  async offsetForTimestamp(timestamp: number, fromOffset: number): Promise<
    { readonly offset: number; readonly timestamp: number } | undefined> {
    if (this.#closed || timestamp > this.#largestTimestamp) return undefined
    // Batches before the entry's one hold nothing as late as it.
    const generation = this.#generation
    let { position } = this.#find(Math.max(this.#timeIndex.lookup(timestamp).offset, fromOffset))
    const window = new HeaderWindow(this.#file, new Uint8Array(TAIL_WINDOW_BYTES))
    while (position < this.#sizeBytes) {
      const at = await window.later(position)
      if (generation !== this.#generation) return this.offsetForTimestamp(timestamp, fromOffset)
      this.#checkHeader(window.bytes, at, position)
      const length = batchBytes(window.bytes, at)
      if (maxTimestamp(window.bytes, at) >= timestamp) {
        const batch = new Uint8Array(length)
        await this.#file.read(batch, position)
        if (generation !== this.#generation) return this.offsetForTimestamp(timestamp, fromOffset)
        for (const record of recordsIn(batch)) {
          if (record.timestamp >= timestamp && record.offset >= fromOffset) {
            return { offset: record.offset, timestamp: record.timestamp }
          }
        }
      }
      position += length
    }
    return undefined
  }

  // ---- truncate -------------------------------------------------------------------------------------------

  /**
   * Removes the batches whose last offset is `offset` or more, also one that begins before it. Resolves with the bytes
   * removed. No append may run meanwhile; reads may.
   */
  async truncateTo(offset: number): Promise<number> {
    assert(this.#needsRecovery === undefined, () => `${this.#logPath} is recovered before it is truncated`)
    const { position, previousEnd } = this.#find(offset)
    const removed = this.#sizeBytes - position
    if (removed === 0) return 0
    this.#begin()
    this.#sizeBytes = position
    this.#nextOffset = previousEnd
    // Indexes first: after a crash in between they must not point behind the end of the log.
    await this.#offsetIndex.truncateTo(offset)
    await this.#timeIndex.truncateTo(offset)
    await this.#file.truncate(position)
    const fault = await this.#walkTail()
    if (fault !== undefined) throw this.#damaged(position, fault)
    this.#changing = false
    return removed
  }

  // ---- end ------------------------------------------------------------------------------------------------

  /** Makes the batches appended before the call durable. */
  sync(): Promise<void> { return this.#file.sync() }

  async syncIndexes(): Promise<void> {
    await this.#offsetIndex.sync()
    await this.#timeIndex.sync()
  }

  /** Renames the files to *.deleted; reads go on. */
  async markDeleted(): Promise<void> {
    const deleted = this.#logPath + DELETED_SUFFIX
    await this.#place.disk.rename(this.#logPath, deleted)
    this.#logPath = deleted
    await this.#offsetIndex.rename(this.#offsetIndex.path + DELETED_SUFFIX)
    await this.#timeIndex.rename(this.#timeIndex.path + DELETED_SUFFIX)
  }

  /** Closes the files without a sync. Reads from now on find nothing. A second close does nothing. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#generation++
    await this.#file.close()
    await this.#offsetIndex.close()
    await this.#timeIndex.close()
  }

  /** Closes and removes the files, the log first: indexes without a log are swept at the next start. */
  async remove(): Promise<void> {
    await this.close()
    for (const path of this.files()) await this.#place.disk.remove(path)
  }
}

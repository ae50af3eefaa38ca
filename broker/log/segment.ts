// One .log file and its two indexes: append, truncate, recover; reads are the reader's (segment-reader.ts).
//
// Appends are writes into the page cache on the caller's turn; `sync` makes them durable. A DiskError leaves the
// segment in an unknown state: use it no more. Content that contradicts itself is a DiskError with code EBADMSG.

import { assert } from '../../src/base/assert.ts'
import type { Disk, DiskFile } from '../../src/ports.ts'
import { BATCH_HEADER_BYTES, batchBytes, lastOffset, maxTimestamp } from '../../src/records/batch.ts'
import { headerFault, HeaderWindow, offsetFault, scanAllBatches } from './batch-scan.ts'
import { DELETED_SUFFIX, INDEX_SUFFIX, LOG_SUFFIX, offsetFileName, TIME_INDEX_SUFFIX } from './file-names.ts'
import { OffsetIndex, TimeIndex, type TimestampOffset } from './index-file.ts'
import { SegmentReader, type SegmentExtent, type SegmentRead, type SegmentReadRequest } from './segment-reader.ts'

export interface SegmentPlace {
  readonly disk: Disk
  readonly dir: string
  readonly baseOffset: number
  /** Index entries are about this many bytes of the log apart (>= 0). */
  readonly indexIntervalBytes: number
}

export interface Recovered {
  readonly truncatedBytes: number
  /** Why the file was cut. */
  readonly reason: string | undefined
}

const TAIL_WINDOW_BYTES = 16 * 1024

function filePaths({ dir, baseOffset: base }: SegmentPlace): readonly [log: string, index: string, timeIndex: string] {
  return [`${dir}/${offsetFileName(base, LOG_SUFFIX)}`, `${dir}/${offsetFileName(base, INDEX_SUFFIX)}`,
    `${dir}/${offsetFileName(base, TIME_INDEX_SUFFIX)}`]
}

export class Segment {
  readonly #place: SegmentPlace
  readonly #file: DiskFile
  readonly #offsetIndex: OffsetIndex
  readonly #timeIndex: TimeIndex
  readonly #reader: SegmentReader
  readonly #extent: { -readonly [Key in keyof SegmentExtent]: SegmentExtent[Key] }
  #largestTimestamp = -1
  #offsetOfLargestTimestamp: number
  #firstTimestamp: number | undefined
  #bytesSinceIndexEntry = 0
  #needsRecovery: string | undefined
  /** A truncation or recovery runs: no append. */
  #changing = false

  private constructor(place: SegmentPlace, file: DiskFile, offsetIndex: OffsetIndex, timeIndex: TimeIndex) {
    this.#place = place
    this.#file = file
    this.#offsetIndex = offsetIndex
    this.#timeIndex = timeIndex
    this.#offsetOfLargestTimestamp = place.baseOffset
    this.#extent = { logPath: filePaths(place)[0], baseOffset: place.baseOffset, sizeBytes: file.size(),
      nextOffset: place.baseOffset, generation: 0, closed: false }
    this.#reader = new SegmentReader(file, this.#extent, offsetIndex, timeIndex)
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
    segment.#needsRecovery = whole || segment.sizeBytes === 0 ? await segment.#load() : `${log} lacks an index file`
    return segment
  }

  get baseOffset(): number { return this.#place.baseOffset }
  get sizeBytes(): number { return this.#extent.sizeBytes }
  /** Offset after the last batch; the base offset when empty. */
  get nextOffset(): number { return this.#extent.nextOffset }
  /** -1 when no record has a timestamp. */
  get largestTimestamp(): number { return this.#largestTimestamp }
  /** Last offset of the first batch that reaches the largest timestamp; the base offset when there is none. */
  get offsetOfLargestTimestamp(): number { return this.#offsetOfLargestTimestamp }
  /** Largest timestamp of the first batch; undefined when empty, or when that batch has none. */
  get firstTimestamp(): number | undefined { return this.#firstTimestamp }
  /** Why the segment must be recovered before any other use; its other fields mean nothing until then. */
  get needsRecovery(): string | undefined { return this.#needsRecovery }

  /** Paths of the files as they are now. */
  files(): readonly string[] { return [this.#extent.logPath, this.#offsetIndex.path, this.#timeIndex.path] }

  /** True when an index may not take the entries of one more batch within `maxBytes` (setting segment.index.bytes). */
  isIndexFull(maxBytes: number): boolean {
    // The time index keeps room for the entry that `sealIndexes` adds.
    return this.#offsetIndex.sizeBytes + 8 > maxBytes || this.#timeIndex.sizeBytes + 2 * 12 > maxBytes
  }

  // ---- append ---------------------------------------------------------------------------------------------

  /** Appends the whole batch of `length` bytes at `at`; its offsets must follow. Throws DiskError. */
  append(bytes: Uint8Array, at: number, length: number): void {
    this.#checkAppend(bytes, at, length, this.#extent.nextOffset)
    this.#file.writeNow([at === 0 && length === bytes.length ? bytes : bytes.subarray(at, at + length)],
      this.#extent.sizeBytes)
    this.#note(bytes, at, length)
  }

  /** Appends all the whole batches in `bytes` with one write. Throws DiskError. */
  appendBatches(bytes: Uint8Array): void {
    let next = this.#extent.nextOffset
    for (let at = 0; at < bytes.length; at += batchBytes(bytes, at)) {
      this.#checkAppend(bytes, at, batchBytes(bytes, at), next)
      next = lastOffset(bytes, at) + 1
    }
    if (bytes.length === 0) return
    this.#file.writeNow([bytes], this.#extent.sizeBytes)
    for (let at = 0; at < bytes.length; at += batchBytes(bytes, at)) this.#note(bytes, at, batchBytes(bytes, at))
  }

  #checkAppend(bytes: Uint8Array, at: number, length: number, next: number): void {
    assert(this.#needsRecovery === undefined && !this.#changing && !this.#extent.closed,
      () => `${this.#extent.logPath} is ready for appends (${this.#needsRecovery ?? 'it changes or is closed'})`)
    assert(length >= BATCH_HEADER_BYTES && length === batchBytes(bytes, at) && at + length <= bytes.length,
      () => `one whole batch in the ${length} bytes at ${at}`)
    const fault = offsetFault(bytes, at, { nextOffset: next, segmentBase: this.baseOffset })
    assert(fault === undefined, () => `offsets follow: ${fault}`)
  }

  /** Takes the batch that was written at the end into account. */
  #note(bytes: Uint8Array, at: number, length: number): void {
    const position = this.#extent.sizeBytes
    const last = lastOffset(bytes, at)
    this.#noteTimestamp(maxTimestamp(bytes, at), last)
    if (position === 0) this.#noteFirstTimestamp(bytes, at)
    if (this.#bytesSinceIndexEntry > this.#place.indexIntervalBytes) {
      this.#offsetIndex.append(last, position)
      this.#timeIndex.append(this.#largestTimestamp, this.#offsetOfLargestTimestamp)
      this.#bytesSinceIndexEntry = 0
    }
    this.#bytesSinceIndexEntry += length
    this.#extent.sizeBytes = position + length
    this.#extent.nextOffset = last + 1
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
    const fault = this.#offsetIndex.sanity(this.#extent.sizeBytes) ?? await this.#walkTail()
    return fault ?? this.#timeIndex.sanity(this.#extent.nextOffset)
  }

  /** Finds the end of the segment behind the last index entry. Resolves with what is wrong there. */
  async #walkTail(): Promise<string | undefined> {
    const entry = this.#offsetIndex.last
    const time = this.#timeIndex.last
    this.#largestTimestamp = time.timestamp
    this.#offsetOfLargestTimestamp = time.offset
    this.#bytesSinceIndexEntry = this.#extent.sizeBytes - entry.position
    this.#firstTimestamp = undefined
    const window = new HeaderWindow(this.#file, new Uint8Array(TAIL_WINDOW_BYTES))
    if (this.#extent.sizeBytes >= BATCH_HEADER_BYTES) {
      const at = await window.later(0)
      const fault = headerFault(window.bytes, at, this.#extent.sizeBytes)
      if (fault !== undefined) return `${this.#extent.logPath} at position 0: ${fault}`
      this.#noteFirstTimestamp(window.bytes, at)
    }
    let next = this.baseOffset
    for (let position = entry.position; position < this.#extent.sizeBytes;) {
      const at = await window.later(position)
      const fault = at < 0 ? 'the file ends within a header'
        : headerFault(window.bytes, at, this.#extent.sizeBytes - position)
          ?? offsetFault(window.bytes, at, { nextOffset: next, segmentBase: this.baseOffset })
      if (fault !== undefined) return `${this.#extent.logPath} at position ${position}: ${fault}`
      const last = lastOffset(window.bytes, at)
      if (this.#offsetIndex.entries > 0 && position === entry.position && last !== entry.offset) {
        return `${this.#offsetIndex.path}: last entry says ${entry.offset}, the batch ends with ${last}`
      }
      this.#noteTimestamp(maxTimestamp(window.bytes, at), last)
      next = last + 1
      position += batchBytes(window.bytes, at)
    }
    this.#extent.nextOffset = next
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
    this.#extent.sizeBytes = 0
    this.#extent.nextOffset = this.baseOffset
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
    assert(endPosition === this.sizeBytes, () => `scan ended at ${endPosition}, batches at ${this.sizeBytes}`)
    if (endPosition < fileBytes) await this.#file.truncate(endPosition)
    this.sealIndexes()
    await this.sync()
    await this.syncIndexes()
    this.#needsRecovery = undefined
    this.#changing = false
    return { truncatedBytes: fileBytes - endPosition, reason }
  }

  #begin(): void {
    assert(!this.#changing && !this.#extent.closed, 'one change of a segment at a time')
    this.#changing = true
    this.#extent.generation++
  }

  // ---- look up and read -----------------------------------------------------------------------------------

  /** Position of the batch that contains `offset`, or of the first behind it; `sizeBytes` when there is none. */
  positionOf(offset: number): number { return this.#reader.find(offset).position }

  /** Where the segment would end after `truncateTo(offset)`. Throws DiskError. */
  endBefore(offset: number): number { return this.#reader.find(offset).previousEnd }

  /** See `SegmentReader.read`. */
  read(wanted: SegmentReadRequest): SegmentRead | Promise<SegmentRead> { return this.#reader.read(wanted) }

  /** See `SegmentReader.offsetForTimestamp`. */
  async offsetForTimestamp(timestamp: number, fromOffset: number): Promise<TimestampOffset | undefined> {
    return timestamp > this.#largestTimestamp ? undefined : this.#reader.offsetForTimestamp(timestamp, fromOffset)
  }

  // ---- truncate -------------------------------------------------------------------------------------------

  /**
   * Removes the batches whose last offset is `offset` or more, also one that begins before it. Resolves with the bytes
   * removed. No append may run meanwhile; reads may.
   */
  async truncateTo(offset: number): Promise<number> {
    assert(this.#needsRecovery === undefined, () => `${this.#extent.logPath} is recovered before it is truncated`)
    const { position, previousEnd } = this.#reader.find(offset)
    const removed = this.#extent.sizeBytes - position
    if (removed === 0) return 0
    this.#begin()
    this.#extent.sizeBytes = position
    this.#extent.nextOffset = previousEnd
    // Indexes first: after a crash in between they must not point behind the end of the log.
    await this.#offsetIndex.truncateTo(offset)
    await this.#timeIndex.truncateTo(offset)
    await this.#file.truncate(position)
    const fault = await this.#walkTail()
    if (fault !== undefined) throw this.#reader.damaged(position, fault)
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
    const deleted = this.#extent.logPath + DELETED_SUFFIX
    await this.#place.disk.rename(this.#extent.logPath, deleted)
    this.#extent.logPath = deleted
    await this.#offsetIndex.rename(this.#offsetIndex.path + DELETED_SUFFIX)
    await this.#timeIndex.rename(this.#timeIndex.path + DELETED_SUFFIX)
  }

  /** Closes the files without a sync. Reads from now on find nothing. A second close does nothing. */
  async close(): Promise<void> {
    if (this.#extent.closed) return
    this.#extent.closed = true
    this.#extent.generation++
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

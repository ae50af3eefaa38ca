// Reads one segment: whole batches from an offset on, and the first record of a time. It follows the segment through
// appends, and looks again when a truncation came in between.

import { DiskError, type DiskFile } from '../../src/ports.ts'
import { BATCH_HEADER_BYTES, batchBytes, lastOffset, maxTimestamp } from '../../src/records/batch.ts'
import { recordsIn } from '../../src/records/record.ts'
import { headerFault, HeaderWindow } from './batch-scan.ts'
import type { OffsetIndex, TimeIndex, TimestampOffset } from './index-file.ts'

/** The segment as it is now: one object, changed by the segment only. */
export interface SegmentExtent {
  readonly logPath: string
  readonly baseOffset: number
  readonly sizeBytes: number
  readonly nextOffset: number
  /** Rises when bytes that were there may be gone: a read under way must look again. */
  readonly generation: number
  readonly closed: boolean
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

/** The batch that contains an offset, or the first behind it; at the end of the file `bytes` is 0. */
export interface Found {
  readonly position: number
  readonly bytes: number
  readonly lastOffset: number
  /** Offset after the batch before it. */
  readonly previousEnd: number
}

interface Range { readonly position: number; readonly length: number }

const NOTHING = new Uint8Array(0)
const READ_NOW_BYTES = 64 * 1024
const WINDOW_BYTES = 16 * 1024
/** For walks that end in the turn they began in: shared by all segments. */
const walkBuffer = new Uint8Array(8 * 1024)

export class SegmentReader {
  readonly #file: DiskFile
  readonly #extent: SegmentExtent
  readonly #offsetIndex: OffsetIndex
  readonly #timeIndex: TimeIndex

  constructor(file: DiskFile, extent: SegmentExtent, offsetIndex: OffsetIndex, timeIndex: TimeIndex) {
    this.#file = file
    this.#extent = extent
    this.#offsetIndex = offsetIndex
    this.#timeIndex = timeIndex
  }

  /** See `Found`. Throws DiskError, EBADMSG for a file that contradicts itself. */
  find(offset: number): Found {
    // The entry's batch ends before `offset`: it stands before the one sought.
    let { position } = this.#offsetIndex.lookup(offset - 1)
    let previousEnd = this.#extent.baseOffset
    const window = new HeaderWindow(this.#file, walkBuffer)
    while (position < this.#extent.sizeBytes) {
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
    const fault = at < 0 ? 'the file ends within a header' : headerFault(bytes, at, this.#extent.sizeBytes - position)
    if (fault !== undefined) throw this.damaged(position, fault)
  }

  damaged(position: number, reason: string): DiskError {
    const { logPath } = this.#extent
    return new DiskError('EBADMSG', logPath, `${logPath} is damaged at position ${position}: ${reason}`)
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

  #rangeOf(wanted: SegmentReadRequest): Range | undefined {
    if (this.#extent.closed || wanted.offset >= Math.min(wanted.endOffset, this.#extent.nextOffset)) return undefined
    const first = this.find(wanted.offset)
    if (first.bytes === 0 || first.lastOffset >= wanted.endOffset) return undefined
    if (first.bytes > wanted.maxBytes) {
      return wanted.atLeastOneBatch ? { position: first.position, length: first.bytes } : undefined
    }
    const limit = this.#offsetIndex.positionAtOrAfter(wanted.endOffset) ?? this.#extent.sizeBytes
    return { position: first.position, length: Math.min(wanted.maxBytes, limit - first.position) }
  }

  async #readLater(wanted: SegmentReadRequest, from: Range): Promise<SegmentRead> {
    let range: Range | undefined = from
    while (range !== undefined) {
      const generation = this.#extent.generation
      const bytes = Buffer.allocUnsafe(range.length)
      const got = await this.#file.read(bytes, range.position)
      if (generation === this.#extent.generation) return this.#wholeBatches(wanted, range.position, bytes, got)
      range = this.#rangeOf(wanted)
    }
    return { bytes: NOTHING, nextOffset: wanted.offset }
  }

  #wholeBatches(wanted: SegmentReadRequest, position: number, bytes: Uint8Array, got: number): SegmentRead {
    if (got < bytes.length) throw this.damaged(position, `the file gave ${got} of ${bytes.length} bytes`)
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
  async offsetForTimestamp(timestamp: number, fromOffset: number): Promise<TimestampOffset | undefined> {
    if (this.#extent.closed) return undefined
    // Batches before the entry's one hold nothing as late as it.
    const generation = this.#extent.generation
    let { position } = this.find(Math.max(this.#timeIndex.lookup(timestamp).offset, fromOffset))
    const window = new HeaderWindow(this.#file, new Uint8Array(WINDOW_BYTES))
    while (position < this.#extent.sizeBytes) {
      const at = await window.later(position)
      if (generation !== this.#extent.generation) return this.offsetForTimestamp(timestamp, fromOffset)
      this.#checkHeader(window.bytes, at, position)
      const length = batchBytes(window.bytes, at)
      if (maxTimestamp(window.bytes, at) >= timestamp) {
        const batch = new Uint8Array(length)
        await this.#file.read(batch, position)
        if (generation !== this.#extent.generation) return this.offsetForTimestamp(timestamp, fromOffset)
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
}

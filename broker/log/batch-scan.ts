// Walks the batches of a .log file: by their headers, through a small window, and in full with every check.

import type { DiskFile } from '../../src/ports.ts'
import {
  BATCH_HEADER_BYTES, BATCH_MAGIC, baseOffset, batchBytes, checkBatch, lastOffset, lastOffsetDelta, magic,
  maxTimestamp
} from '../../src/records/batch.ts'
import { RELATIVE_OFFSET_MAX } from './index-file.ts'

const CHUNK_BYTES = 1024 * 1024
/** No limit on message sizes lets a batch become as large as this: a header that says so is garbage. */
const BATCH_BYTES_MAX = 64 * 1024 * 1024
/** Positions in the offset index are unsigned 32-bit integers. */
const FILE_BYTES_MAX = 2 ** 32

/**
 * What is wrong with the header of a batch of which `available` bytes are there (at least a whole header); undefined
 * when its length, offsets and timestamp can be relied on. No checksum.
 */
export function headerFault(bytes: Uint8Array, at: number, available: number): string | undefined {
  if (magic(bytes, at) !== BATCH_MAGIC) return `magic ${magic(bytes, at)}, only ${BATCH_MAGIC} is supported`
  const size = batchBytes(bytes, at)
  if (size < BATCH_HEADER_BYTES) return `batch of ${size} bytes, its header alone has ${BATCH_HEADER_BYTES}`
  if (size > available) return `batch of ${size} bytes, the file has ${available} more`
  if (lastOffsetDelta(bytes, at) < 0) return `last offset delta ${lastOffsetDelta(bytes, at)} is negative`
  try {
    if (!Number.isSafeInteger(lastOffset(bytes, at))) return 'the last offset is beyond 2^53−1'
    maxTimestamp(bytes, at)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return error.message
  }
  return undefined
}

/** What is wrong with the offsets of a batch that follows `nextOffset` in the segment of `segmentBase`. */
export function offsetFault(
  bytes: Uint8Array, at: number, { nextOffset, segmentBase }: {
    readonly nextOffset: number; readonly segmentBase: number }): string | undefined {
  const first = baseOffset(bytes, at)
  if (first < nextOffset) return `base offset ${first} where ${nextOffset} or more must follow`
  const relative = lastOffset(bytes, at) - segmentBase
  return relative <= RELATIVE_OFFSET_MAX ? undefined
    : `last offset ${lastOffset(bytes, at)} is more than 2^31−1 behind the segment's base ${segmentBase}`
}

/** A part of a file in memory, moved along as headers are asked for. */
export class HeaderWindow {
  readonly #file: DiskFile
  readonly bytes: Uint8Array
  #from = 0
  #length = 0

  /** `buffer` (at least one header long) belongs to the window while it is used. */
  constructor(file: DiskFile, buffer: Uint8Array) {
    this.#file = file
    this.bytes = buffer
  }

  #find(position: number): number {
    return position >= this.#from && position + BATCH_HEADER_BYTES <= this.#from + this.#length
      ? position - this.#from : -1
  }

  /** Where in `bytes` the header of the batch at `position` is; -1 when the file ends before the header does. */
  now(position: number): number {
    if (this.#find(position) < 0) {
      this.#length = this.#file.readNow(this.bytes, position)
      this.#from = position
    }
    return this.#find(position)
  }

  /** As `now`, off the caller's turn when the file must be read. */
  async later(position: number): Promise<number> {
    if (this.#find(position) < 0) {
      this.#length = await this.#file.read(this.bytes, position)
      this.#from = position
    }
    return this.#find(position)
  }
}

export interface FullScan {
  /** Where the last sound batch ends. */
  readonly endPosition: number
  /** Why the scan ended before the end of the file. */
  readonly reason: string | undefined
}

/**
 * Reads the file from its start in chunks of at most 1 MiB (or one larger batch) and checks every batch: length,
 * checksum, and offsets that rise from `segmentBase`. `onBatch` gets each sound one with its position in the file; the
 * bytes are its own during the call only. Ends at the first batch that is not sound. Rejects with DiskError.
 */
export async function scanAllBatches(file: DiskFile, segmentBase: number, on: {
  batch(bytes: Uint8Array, at: number, position: number): void
  /** Awaited between chunks. */
  readonly yieldNow?: (() => Promise<void>) | undefined
}): Promise<FullScan> {
  const fileBytes = file.size()
  let buffer = new Uint8Array(Math.min(CHUNK_BYTES, fileBytes))
  let position = 0
  let nextOffset = segmentBase
  while (position < fileBytes) {
    const got = await file.read(buffer, position)
    let at = 0
    while (at < got) {
      const step = nextStep(buffer, { at, got, left: fileBytes - position - at, chunkFrom: at === 0 })
      if (step === 'more') break
      const reason = typeof step === 'string' ? step
        : checkBatch(buffer, at, got) ?? offsetFault(buffer, at, { nextOffset, segmentBase })
          ?? (position + at + step > FILE_BYTES_MAX ? `position ${position + at} is beyond 32 bits` : undefined)
      if (reason !== undefined) return { endPosition: position + at, reason: `at position ${position + at}: ${reason}` }
      on.batch(buffer, at, position + at)
      nextOffset = lastOffset(buffer, at) + 1
      at += batchBytes(buffer, at)
    }
    if (at === 0) {
      if (got < buffer.length) return { endPosition: position, reason: `at position ${position}: the file ended early` }
      buffer = new Uint8Array(batchBytes(buffer, 0))
    }
    position += at
    await on.yieldNow?.()
  }
  return { endPosition: position, reason: undefined }
}

/**
 * The size of the batch at `at`, all of it in the buffer; 'more' when the rest of it must be read first; or why it
 * can be none. `left`: bytes from `at` to the end of the file.
 */
function nextStep(bytes: Uint8Array, { at, got, left, chunkFrom }: {
  readonly at: number; readonly got: number; readonly left: number; readonly chunkFrom: boolean
}): number | string {
  if (got - at < BATCH_HEADER_BYTES) {
    return chunkFrom || left < BATCH_HEADER_BYTES ? `${left} bytes are no batch` : 'more'
  }
  const size = batchBytes(bytes, at)
  if (size < BATCH_HEADER_BYTES) return `batch of ${size} bytes, its header alone has ${BATCH_HEADER_BYTES}`
  if (size > left) return `batch of ${size} bytes, the file has ${left} more`
  if (size > BATCH_BYTES_MAX) return `batch of ${size} bytes, none is larger than ${BATCH_BYTES_MAX}`
  return size > got - at ? 'more' : size
}

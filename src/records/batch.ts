// A RecordBatch v2 as a position in a buffer: its header fields read and patched in place, its structure and
// checksum checked. Nothing here looks at the records.
//
// Accessors trust the header: call `checkBatch` first on bytes from a disk or a peer. An int64 beyond ±(2^53−1)
// throws RangeError.

import { readInt16, readInt32, readInt64, readUint32, writeInt16, writeInt32, writeInt64 } from '../base/int64.ts'
import { crc32c } from './crc32c.ts'

export const BATCH_HEADER_BYTES = 61
/** What stands before the part that `batchLength` counts: base offset and the length itself. */
export const BATCH_PREFIX_BYTES = 12
export const BATCH_MAGIC = 2
/** Offset of batchLength: the first eight plus these four bytes tell the size of a batch. */
const LENGTH_AT = 8
const LEADER_EPOCH_AT = 12
const MAGIC_AT = 16
const CRC_AT = 17
/** The checksum covers everything from the attributes on. */
const CRC_FROM = 21
const ATTRIBUTES_AT = 21
const LAST_OFFSET_DELTA_AT = 23
const BASE_TIMESTAMP_AT = 27
const MAX_TIMESTAMP_AT = 35
const PRODUCER_ID_AT = 43
const PRODUCER_EPOCH_AT = 51
const BASE_SEQUENCE_AT = 53
const RECORD_COUNT_AT = 57

const CODEC_MASK = 0x07
export const LOG_APPEND_TIME_BIT = 0x08
export const TRANSACTIONAL_BIT = 0x10
export const CONTROL_BIT = 0x20
/** The base timestamp is the delete horizon: only the cleaner of a log sets it. */
export const DELETE_HORIZON_BIT = 0x40

export type TimestampType = 'CreateTime' | 'LogAppendTime'

// ---- reading --------------------------------------------------------------------------------------------

export function baseOffset(bytes: Uint8Array, at = 0): number { return readInt64(bytes, at) }

/** Size of the whole batch, header included. Needs its first twelve bytes only. */
export function batchBytes(bytes: Uint8Array, at = 0): number {
  return BATCH_PREFIX_BYTES + readInt32(bytes, at + LENGTH_AT)
}

export function partitionLeaderEpoch(bytes: Uint8Array, at = 0): number {
  return readInt32(bytes, at + LEADER_EPOCH_AT)
}

export function magic(bytes: Uint8Array, at = 0): number { return bytes[at + MAGIC_AT]! }

/** The checksum the header claims. */
export function crcOf(bytes: Uint8Array, at = 0): number { return readUint32(bytes, at + CRC_AT) }

export function attributes(bytes: Uint8Array, at = 0): number { return readInt16(bytes, at + ATTRIBUTES_AT) }

export function lastOffsetDelta(bytes: Uint8Array, at = 0): number {
  return readInt32(bytes, at + LAST_OFFSET_DELTA_AT)
}

export function lastOffset(bytes: Uint8Array, at = 0): number {
  return baseOffset(bytes, at) + lastOffsetDelta(bytes, at)
}

export function baseTimestamp(bytes: Uint8Array, at = 0): number { return readInt64(bytes, at + BASE_TIMESTAMP_AT) }

export function maxTimestamp(bytes: Uint8Array, at = 0): number { return readInt64(bytes, at + MAX_TIMESTAMP_AT) }

/** -1 = not from an idempotent producer. */
export function producerId(bytes: Uint8Array, at = 0): number { return readInt64(bytes, at + PRODUCER_ID_AT) }

export function producerEpoch(bytes: Uint8Array, at = 0): number { return readInt16(bytes, at + PRODUCER_EPOCH_AT) }

export function baseSequence(bytes: Uint8Array, at = 0): number { return readInt32(bytes, at + BASE_SEQUENCE_AT) }

export function recordCount(bytes: Uint8Array, at = 0): number { return readInt32(bytes, at + RECORD_COUNT_AT) }

/** Number of the codec, 0 to 7: `codecById` knows those that exist. */
export function codecOf(bytes: Uint8Array, at = 0): number { return bytes[at + ATTRIBUTES_AT + 1]! & CODEC_MASK }

export function isControl(bytes: Uint8Array, at = 0): boolean {
  return (bytes[at + ATTRIBUTES_AT + 1]! & CONTROL_BIT) !== 0
}

export function isTransactional(bytes: Uint8Array, at = 0): boolean {
  return (bytes[at + ATTRIBUTES_AT + 1]! & TRANSACTIONAL_BIT) !== 0
}

export function timestampType(bytes: Uint8Array, at = 0): TimestampType {
  return (bytes[at + ATTRIBUTES_AT + 1]! & LOG_APPEND_TIME_BIT) === 0 ? 'CreateTime' : 'LogAppendTime'
}

// ---- patching -------------------------------------------------------------------------------------------

/** Outside the checksum. */
export function setBaseOffset(bytes: Uint8Array, at: number, offset: number): void { writeInt64(bytes, offset, at) }

/** Outside the checksum. */
export function setLeaderEpoch(bytes: Uint8Array, at: number, leaderEpoch: number): void {
  writeInt32(bytes, leaderEpoch, at + LEADER_EPOCH_AT)
}

/** All records of the batch get the time `ms`; the checksum is made anew. */
export function setLogAppendTime(bytes: Uint8Array, at: number, ms: number): void {
  writeInt64(bytes, ms, at + MAX_TIMESTAMP_AT)
  bytes[at + ATTRIBUTES_AT + 1]! |= LOG_APPEND_TIME_BIT
  seal(bytes, at)
}

/** Writes the checksum over what the batch holds now. */
export function seal(bytes: Uint8Array, at: number): void {
  writeInt32(bytes, computedCrc(bytes, at), at + CRC_AT)
}

export interface BatchHeader {
  readonly baseOffset: number
  /** Size of the whole batch, bytes. */
  readonly batchBytes: number
  readonly leaderEpoch: number
  readonly attributes: number
  readonly lastOffsetDelta: number
  readonly baseTimestamp: number
  readonly maxTimestamp: number
  readonly producerId: number
  readonly producerEpoch: number
  readonly baseSequence: number
  readonly recordCount: number
}

/** Writes the 61 bytes of a header at `at`, the checksum over the records behind it included. */
export function writeBatchHeader(bytes: Uint8Array, at: number, header: BatchHeader): void {
  writeInt64(bytes, header.baseOffset, at)
  writeInt32(bytes, header.batchBytes - BATCH_PREFIX_BYTES, at + LENGTH_AT)
  writeInt32(bytes, header.leaderEpoch, at + LEADER_EPOCH_AT)
  bytes[at + MAGIC_AT] = BATCH_MAGIC
  writeInt16(bytes, header.attributes, at + ATTRIBUTES_AT)
  writeInt32(bytes, header.lastOffsetDelta, at + LAST_OFFSET_DELTA_AT)
  writeInt64(bytes, header.baseTimestamp, at + BASE_TIMESTAMP_AT)
  writeInt64(bytes, header.maxTimestamp, at + MAX_TIMESTAMP_AT)
  writeInt64(bytes, header.producerId, at + PRODUCER_ID_AT)
  writeInt16(bytes, header.producerEpoch, at + PRODUCER_EPOCH_AT)
  writeInt32(bytes, header.baseSequence, at + BASE_SEQUENCE_AT)
  writeInt32(bytes, header.recordCount, at + RECORD_COUNT_AT)
  seal(bytes, at)
}

// ---- checking -------------------------------------------------------------------------------------------

/**
 * What is wrong with the batch at `at`, whose bytes end at `end` at the latest; undefined when it is whole. Covers
 * magic, length, checksum and the sanity of offsets, timestamps and counts; the records are covered by the checksum
 * only. Base offset and leader epoch are outside the checksum: compare them with what you expect.
 */
export function checkBatch(bytes: Uint8Array, at: number, end: number): string | undefined {
  return checkFrame(bytes, at, end) ?? checkNumbers(bytes, at)
}

/** The first half of `checkBatch`: magic, length and checksum. What fails here was damaged, or is no batch. */
export function checkFrame(bytes: Uint8Array, at: number, end: number): string | undefined {
  if (end - at < BATCH_HEADER_BYTES) {
    return `${end - at} bytes are left, the header of a batch has ${BATCH_HEADER_BYTES}`
  }
  const version = magic(bytes, at)
  if (version !== BATCH_MAGIC) return `magic ${version}, only ${BATCH_MAGIC} is supported`
  const size = batchBytes(bytes, at)
  if (size < BATCH_HEADER_BYTES) return `size ${size} is below the ${BATCH_HEADER_BYTES} bytes of a header`
  if (size > end - at) return `size ${size} passes the ${end - at} bytes there are`
  const crc = computedCrc(bytes, at)
  if (crc !== crcOf(bytes, at)) return `CRC-32C is ${hex(crc)}, the header says ${hex(crcOf(bytes, at))}`
  return undefined
}

/** The second half: numbers that contradict each other or are beyond what we hold. Whoever wrote them lied. */
export function checkNumbers(bytes: Uint8Array, at: number): string | undefined {
  const delta = lastOffsetDelta(bytes, at)
  const count = recordCount(bytes, at)
  if (delta < 0) return `last offset delta ${delta} is negative`
  // Compaction removes records and keeps the offsets; nothing adds records.
  if (count < 0 || count > delta + 1) return `record count ${count} is not within 0 and ${delta + 1}`
  try {
    const first = baseOffset(bytes, at)
    if (first < 0) return `base offset ${first} is negative`
    if (!Number.isSafeInteger(first + delta)) return `last offset ${first} + ${delta} is beyond 2^53−1`
    baseTimestamp(bytes, at)
    maxTimestamp(bytes, at)
    producerId(bytes, at)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return error.message
  }
  return undefined
}

function computedCrc(bytes: Uint8Array, at: number): number {
  return crc32c(bytes.subarray(at + CRC_FROM, at + batchBytes(bytes, at)))
}

function hex(crc: number): string { return crc.toString(16).padStart(8, '0') }

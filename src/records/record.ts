// Records out of whole batches: what consumers, the cleaner and the coordinators read.

import { fault, weirError, WeirError } from '../base/error-code.ts'
import { readInt16, readInt32 } from '../base/int64.ts'
import * as batch from './batch.ts'
import { codecById } from './compression.ts'
import { MAX_DECOMPRESSED_BYTES } from './decompression-limit.ts'
import { RecordCursor } from './record-cursor.ts'
import type { RecordHeader } from './record-writer.ts'

export interface StoredRecord {
  readonly offset: number
  /** Milliseconds since the epoch; -1 = none. */
  readonly timestamp: number
  /** Views of the batch, or of its expanded records: they pin the whole buffer. */
  readonly key: Uint8Array | null
  readonly value: Uint8Array | null
  readonly headers: readonly RecordHeader[]
}

const NO_HEADERS: readonly RecordHeader[] = []
// Header keys that are no UTF-8 are read with replacement characters: one bad record must not stop a consumer.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Positions of the batches in `bytes`, which are whole. Throws WeirError CORRUPT_MESSAGE when one is not. */
export function* batchesIn(bytes: Uint8Array): Generator<number, void, undefined> {
  let at = 0
  while (at < bytes.length) {
    const left = bytes.length - at
    const size = left < batch.BATCH_HEADER_BYTES ? 0 : batch.batchBytes(bytes, at)
    if (size < batch.BATCH_HEADER_BYTES || size > left) {
      throw corrupt(at, size === 0 ? `${left} bytes are no batch` : `size ${size} of ${left} bytes`)
    }
    if (batch.magic(bytes, at) !== batch.BATCH_MAGIC) throw corrupt(at, `magic ${batch.magic(bytes, at)}`)
    yield at
    at += size
  }
}

/**
 * The records of the batches in `bytes`, which are whole; those of control batches are left out. Checksums are not
 * looked at. Throws WeirError CORRUPT_MESSAGE where a batch or a record is malformed, after the ones before it.
 */
export function* recordsIn(bytes: Uint8Array): Generator<StoredRecord, void, undefined> {
  for (const at of batchesIn(bytes)) if (!batch.isControl(bytes, at)) yield* recordsOf(bytes, at)
}

/** The records of the one batch at `at`, of a control batch, too. Throws as `recordsIn`. */
export function* recordsOf(bytes: Uint8Array, at: number): Generator<StoredRecord, void, undefined> {
  const cursor = cursorOver(bytes, at)
  const count = batch.recordCount(bytes, at)
  const firstOffset = batch.baseOffset(bytes, at)
  const baseTimestamp = batch.baseTimestamp(bytes, at)
  const appendTime = batch.timestampType(bytes, at) === 'LogAppendTime' ? batch.maxTimestamp(bytes, at) : undefined
  for (let index = 0; index < count; index++) {
    const end = cursor.varint() + cursor.at
    cursor.int8()
    const timestampDelta = cursor.varlong()
    const offset = firstOffset + cursor.varint()
    const key = cursor.nullableBytes('the key')
    const value = cursor.nullableBytes('the value')
    const headers = headersAt(cursor)
    if (cursor.fault === undefined && cursor.at !== end) cursor.fail('its length and its fields differ')
    if (cursor.fault !== undefined) throw corrupt(at, `record ${index} of ${count}: ${cursor.fault}`)
    yield { offset, timestamp: appendTime ?? baseTimestamp + timestampDelta, key, value, headers }
  }
}

function headersAt(cursor: RecordCursor): readonly RecordHeader[] {
  const count = cursor.varint()
  if (count === 0) return NO_HEADERS
  if (count < 0) cursor.fail(`header count ${count}`)
  const headers: RecordHeader[] = []
  for (let index = 0; index < count && cursor.fault === undefined; index++) {
    const length = cursor.skipBytes('a header key', false)
    const key = decoder.decode(cursor.bytes.subarray(cursor.at - length, cursor.at))
    headers.push({ key, value: cursor.nullableBytes('a header value') })
  }
  return headers
}

function cursorOver(bytes: Uint8Array, at: number): RecordCursor {
  const from = at + batch.BATCH_HEADER_BYTES
  const end = at + batch.batchBytes(bytes, at)
  const codec = codecById(batch.codecOf(bytes, at))
  if (codec === undefined) {
    throw weirError('UNSUPPORTED_COMPRESSION_TYPE', `compression type ${batch.codecOf(bytes, at)} at byte ${at}`)
  }
  if (codec.id === 0) return new RecordCursor(bytes, from, end)
  try {
    const records = codec.decompress(bytes.subarray(from, end), MAX_DECOMPRESSED_BYTES)
    return new RecordCursor(records, 0, records.length)
  } catch (error) {
    throw corrupt(at, `${codec.name}: ${(error as Error).message}`, error)
  }
}

export interface Marker {
  readonly type: 'ABORT' | 'COMMIT'
  readonly coordinatorEpoch: number
}

/** What the control batch at `at` says about its transaction; undefined for control records of other kinds. */
export function markerAt(bytes: Uint8Array, at: number): Marker | undefined {
  for (const { key, value } of recordsOf(bytes, at)) {
    if (key === null || key.length < 4 || value === null || value.length < 6) return undefined
    const type = readInt16(key, 2)
    if (type !== 0 && type !== 1) return undefined
    return { type: type === 1 ? 'COMMIT' : 'ABORT', coordinatorEpoch: readInt32(value, 2) }
  }
  return undefined
}

function corrupt(at: number, wrong: string, cause?: unknown): WeirError {
  return new WeirError(fault('CORRUPT_MESSAGE', `the batch at byte ${at} is corrupt: ${wrong}`), cause)
}

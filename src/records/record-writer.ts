// Writes records one behind the other into one growing buffer, behind room for a batch header. The size of a record
// stands before it, so it is counted first and then written: no array and no buffer for any record.

import { BATCH_HEADER_BYTES } from './batch.ts'

export interface RecordHeader {
  readonly key: string
  readonly value: Uint8Array | null
}

export interface NewRecord {
  readonly key: Uint8Array | null
  /** Null deletes the key in a compacted topic. */
  readonly value: Uint8Array | null
  readonly headers: readonly RecordHeader[]
  /** Milliseconds since the epoch, a safe integer; -1 = none. */
  readonly timestamp: number
}

/** Length, attributes, both deltas (5 + 1 + 10 + 5), then the lengths of key and value and the header count. */
const MOST_OVERHEAD_BYTES = 21 + 15
const MOST_VARINT_BYTES = 5
/** A UTF-16 code unit takes at most three bytes in UTF-8. */
const MOST_UTF8_BYTES = 3

/** No record of these takes more bytes in a batch, before compression; the batch has 61 more. */
export function recordSizeUpperBound(
  key: Uint8Array | null, value: Uint8Array | null, headers: readonly RecordHeader[]): number {
  let size = MOST_OVERHEAD_BYTES + lengthOf(key) + lengthOf(value)
  for (const header of headers) {
    size += 2 * MOST_VARINT_BYTES + MOST_UTF8_BYTES * header.key.length + lengthOf(header.value)
  }
  return size
}

export class RecordWriter {
  #bytes: Buffer
  #at = BATCH_HEADER_BYTES

  constructor(capacity: number) {
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(capacity, 2 * BATCH_HEADER_BYTES))
  }

  /** Bytes so far, the room for the header included. */
  get length(): number { return this.#at }

  /** Throws RangeError on a delta that is no safe integer and on a record beyond 2^31−1 bytes. */
  append(record: NewRecord, timestampDelta: number, offsetDelta: number): void {
    if (!Number.isSafeInteger(timestampDelta)) throw new RangeError(`timestamp ${record.timestamp} is out of range`)
    const bound = recordSizeUpperBound(record.key, record.value, record.headers)
    this.#reserve(bound)
    this.#varint(bodyBytes(record, timestampDelta, offsetDelta))
    this.#bytes[this.#at++] = 0
    this.#varlong(timestampDelta)
    this.#varint(offsetDelta)
    this.#nullable(record.key)
    this.#nullable(record.value)
    this.#varint(record.headers.length)
    for (const header of record.headers) {
      this.#varint(Buffer.byteLength(header.key))
      this.#at += this.#bytes.write(header.key, this.#at)
      this.#nullable(header.value)
    }
  }

  /** A view of all that was written, header room first. The writer must not be used after it. */
  finish(): Uint8Array { return new Uint8Array(this.#bytes.buffer, this.#bytes.byteOffset, this.#at) }

  #reserve(length: number): void {
    const end = this.#at + length
    if (end <= this.#bytes.length) return
    const grown = Buffer.allocUnsafeSlow(Math.max(end, 2 * this.#bytes.length))
    grown.set(this.#bytes.subarray(0, this.#at))
    this.#bytes = grown
  }

  #nullable(value: Uint8Array | null): void {
    if (value === null) {
      this.#varint(-1)
    } else {
      this.#varint(value.length)
      this.#bytes.set(value, this.#at)
      this.#at += value.length
    }
  }

  #varint(value: number): void {
    let rest = ((value << 1) ^ (value >> 31)) >>> 0
    while (rest >= 0x80) {
      this.#bytes[this.#at++] = (rest & 0x7f) | 0x80
      rest >>>= 7
    }
    this.#bytes[this.#at++] = rest
  }

  #varlong(value: number): void {
    if (value >= -0x40000000 && value <= 0x3fffffff) {
      this.#varint(value)
      return
    }
    // Twice the value can pass 2^53: the lowest bit, which is the sign, is written apart from the rest.
    const half = value >= 0 ? value : -(value + 1)
    this.#bytes[this.#at++] = (half % 0x40) * 2 + (value >= 0 ? 0 : 1) + 0x80
    let rest = Math.floor(half / 0x40)
    while (rest >= 0x80) {
      this.#bytes[this.#at++] = (rest % 0x80) + 0x80
      rest = Math.floor(rest / 0x80)
    }
    this.#bytes[this.#at++] = rest
  }
}

/** Bytes of a record behind its length. */
function bodyBytes(record: NewRecord, timestampDelta: number, offsetDelta: number): number {
  let size = 1 + varlongBytes(timestampDelta) + varintBytes(offsetDelta)
    + nullableBytes(record.key) + nullableBytes(record.value) + varintBytes(record.headers.length)
  for (const { key, value } of record.headers) {
    const keyBytes = Buffer.byteLength(key)
    size += varintBytes(keyBytes) + keyBytes + nullableBytes(value)
  }
  if (size > 0x7fffffff) throw new RangeError(`a record of ${size} bytes, at most 2^31−1 fit`)
  return size
}

function nullableBytes(value: Uint8Array | null): number {
  return value === null ? 1 : varintBytes(value.length) + value.length
}

function varintBytes(value: number): number {
  const raw = ((value << 1) ^ (value >> 31)) >>> 0
  if (raw < 0x80) return 1
  if (raw < 0x4000) return 2
  if (raw < 0x200000) return 3
  return raw < 0x10000000 ? 4 : 5
}

function varlongBytes(value: number): number {
  let rest = Math.floor((value >= 0 ? value : -(value + 1)) / 0x40)
  let size = 1
  while (rest > 0) {
    rest = Math.floor(rest / 0x80)
    size++
  }
  return size
}

function lengthOf(value: Uint8Array | null): number { return value === null ? 0 : value.length }

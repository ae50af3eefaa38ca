// Forward-only byte reader and writer: big-endian integers of fixed width, zig-zag and plain varints, bytes,
// text. The reader is sticky: from the first fault on it returns zeros, and `fault` says what was wrong.

import { assert } from './assert.ts'
import { readInt64, writeInt64, readInt32, writeInt32, readInt16, writeInt16 } from './int64.ts'

const EMPTY = new Uint8Array(0)
// `ignoreBOM` keeps a leading U+FEFF, which is text like any other.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()

export class ByteReader {
  readonly #bytes: Uint8Array
  #at: number
  readonly #end: number
  #fault: string | undefined

  /** Reads [from, end). A range not within `bytes` is the first fault: lengths come from the wire, too. */
  constructor(bytes: Uint8Array, from = 0, end = bytes.length) {
    const within = from >= 0 && from <= end && end <= bytes.length
    this.#bytes = bytes
    this.#at = within ? from : 0
    this.#end = within ? end : 0
    if (!within) this.fail(`[${from}, ${end}) is not within ${bytes.length} bytes`)
  }

  /** Undefined while all reads succeeded; check once after the last read. */
  get fault(): string | undefined { return this.#fault }
  get position(): number { return this.#at }
  get remaining(): number { return this.#end - this.#at }

  fail(reason: string): void {
    this.#fault ??= `${reason} at byte ${this.#at}`
    this.#at = this.#end
  }

  #take(length: number): number {
    if (length < 0 || this.#at + length > this.#end) {
      this.fail(`needs ${length} bytes, has ${this.#end - this.#at}`)
      return -1
    }
    const at = this.#at
    this.#at += length
    return at
  }

  int8(): number { const at = this.#take(1); return at < 0 ? 0 : (this.#bytes[at]! << 24) >> 24 }
  uint8(): number { const at = this.#take(1); return at < 0 ? 0 : this.#bytes[at]! }
  int16(): number { const at = this.#take(2); return at < 0 ? 0 : readInt16(this.#bytes, at) }
  int32(): number { const at = this.#take(4); return at < 0 ? 0 : readInt32(this.#bytes, at) }
  uint32(): number { const at = this.#take(4); return at < 0 ? 0 : readInt32(this.#bytes, at) >>> 0 }
  int64(): number {
    const at = this.#take(8)
    if (at < 0) return 0
    try {
      return readInt64(this.#bytes, at)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      this.fail(error.message)
      return 0
    }
  }

  /** Unsigned varint, at most 32 bits (5 bytes). */
  uvarint(): number {
    let value = 0
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.uint8()
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) {
        if (value > 0xffffffff) break
        return this.#fault === undefined ? value : 0
      }
    }
    this.fail('varint longer than 32 bits')
    return 0
  }

  /** Zig-zag varint, at most 32 bits. */
  varint(): number {
    const raw = this.uvarint()
    return (raw >>> 1) ^ -(raw & 1)
  }

  /** Zig-zag varlong, at most ten bytes; refused beyond ±(2^53−1). */
  varlong(): number {
    let low = 0
    let high = 0
    for (let index = 0; index < 10; index++) {
      const byte = this.uint8()
      const part = byte & 0x7f
      if (index < 4) low += part * 2 ** (7 * index)
      else high += part * 2 ** (7 * (index - 4))
      if (byte < 0x80) {
        // raw = high * 2^28 + low; zig-zag: even -> raw / 2, odd -> -(raw + 1) / 2
        const half = high * 2 ** 27 + Math.floor(low / 2)
        const value = low % 2 === 0 ? half : -half - 1
        if (!Number.isSafeInteger(value)) break
        return this.#fault === undefined ? value : 0
      }
    }
    this.fail('varlong beyond ±(2^53−1)')
    return 0
  }

  /** A view of the next `length` bytes: it pins the whole buffer; copy what outlives the request. */
  bytes(length: number): Uint8Array {
    const at = this.#take(length)
    return at < 0 ? EMPTY : this.#bytes.subarray(at, at + length)
  }

  skip(length: number): void { this.#take(length) }

  /** `length` bytes of UTF-8; malformed text is a fault. */
  utf8(length: number): string {
    const view = this.bytes(length)
    try {
      return decoder.decode(view)
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      this.fail('malformed UTF-8')
      return ''
    }
  }

  /** int16 length, then UTF-8. */
  string(): string { return this.utf8(this.int16()) }

  /** A count of elements of at least `bytesEach` (>= 1) bytes: refused when they cannot fit what is left. */
  count(declared: number, bytesEach: number): number {
    if (declared < 0 || declared * bytesEach > this.remaining) {
      this.fail(`count ${declared} does not fit the ${this.remaining} bytes left`)
      return 0
    }
    return declared
  }
}

export class ByteWriter {
  #bytes: Uint8Array
  #at = 0

  constructor(capacity = 256) {
    this.#bytes = new Uint8Array(capacity)
  }

  get length(): number { return this.#at }

  #room(length: number): number {
    const at = this.#at
    const end = at + length
    if (end > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(end, this.#bytes.length * 2))
      grown.set(this.#bytes.subarray(0, at))
      this.#bytes = grown
    }
    this.#at = end
    return at
  }

  int8(value: number): void { const at = this.#room(1); this.#bytes[at] = value }
  int16(value: number): void { const at = this.#room(2); writeInt16(this.#bytes, value, at) }
  int32(value: number): void { const at = this.#room(4); writeInt32(this.#bytes, value, at) }
  int64(value: number): void { const at = this.#room(8); writeInt64(this.#bytes, value, at) }

  /** An integer from 0 to 2^53−1; anything else throws RangeError. (The reader takes 32 bits.) */
  uvarint(value: number): void {
    if (!Number.isSafeInteger(value) || value < 0) {
      throw new RangeError(`${value} is not an integer in [0, 2^53)`)
    }
    let rest = value
    while (rest >= 0x80) {
      this.int8((rest % 0x80) | 0x80)
      rest = Math.floor(rest / 0x80)
    }
    this.int8(rest)
  }

  /** Zig-zag of a signed 32-bit integer; anything else throws RangeError. */
  varint(value: number): void {
    if ((value | 0) !== value) throw new RangeError(`${value} is not a signed 32-bit integer`)
    this.uvarint(((value << 1) ^ (value >> 31)) >>> 0)
  }

  /**
   * Zig-zag of a safe integer; anything else throws RangeError. 2·|value| can pass 2^53, so the lowest bit is
   * written apart from the rest.
   */
  varlong(value: number): void {
    if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is not an integer within ±(2^53−1)`)
    const half = value >= 0 ? value : -(value + 1)
    const sign = value >= 0 ? 0 : 1
    const first = (half % 64) * 2 + sign
    const rest = Math.floor(half / 64)
    if (rest === 0) {
      this.int8(first)
      return
    }
    this.int8(first | 0x80)
    this.uvarint(rest)
  }

  bytes(bytes: Uint8Array): void { const at = this.#room(bytes.length); this.#bytes.set(bytes, at) }

  /** UTF-8 without a length. */
  utf8(text: string): void { this.bytes(encoder.encode(text)) }

  /** int16 length (at most 32767 bytes), then UTF-8. */
  string(text: string): void {
    const bytes = encoder.encode(text)
    if (bytes.length > 0x7fff) throw new RangeError(`string of ${bytes.length} bytes is longer than 32767`)
    this.int16(bytes.length)
    this.bytes(bytes)
  }

  /** Overwrites four bytes written before: lengths and checksums known only at the end. */
  patchInt32(at: number, value: number): void {
    assert(at >= 0 && at + 4 <= this.#at, 'four bytes written before')
    writeInt32(this.#bytes, value, at)
  }

  /** A view of what was written. The writer must not be used after it. */
  finish(): Uint8Array { return this.#bytes.subarray(0, this.#at) }
}

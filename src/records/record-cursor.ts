// A forward reader over the records of a batch: zig-zag varints and lengths, without an object for any of them.
//
// Sticky like ByteReader (which reads frames and files): from the first fault on every read gives 0 and `fault` says
// what was wrong. It is apart because a broker runs it over every record that it accepts: single bytes, by far the
// most common varints, take a short cut.

const TWO_28 = 2 ** 28

export class RecordCursor {
  readonly bytes: Uint8Array
  readonly end: number
  at: number
  fault: string | undefined

  /** Reads [from, end) of `bytes`, a range that exists. */
  constructor(bytes: Uint8Array, from: number, end: number) {
    this.bytes = bytes
    this.at = from
    this.end = end
  }

  /** Position 0 is the first byte of the records. */
  fail(reason: string): 0 {
    this.fault ??= reason
    this.at = this.end
    return 0
  }

  int8(): number {
    if (this.at >= this.end) return this.fail('the records are cut short')
    return (this.bytes[this.at++]! << 24) >> 24
  }

  /** Signed, 32 bits. */
  varint(): number {
    if (this.at < this.end) {
      const byte = this.bytes[this.at]!
      if (byte < 0x80) {
        this.at++
        return (byte >>> 1) ^ -(byte & 1)
      }
    }
    return this.#longVarint()
  }

  #longVarint(): number {
    let raw = 0
    for (let shift = 0; shift < 35; shift += 7) {
      if (this.at >= this.end) return this.fail('a varint is cut short')
      const byte = this.bytes[this.at++]!
      if (shift === 28 && byte > 0x0f) break
      raw |= (byte & 0x7f) << shift
      if (byte < 0x80) return (raw >>> 1) ^ -(raw & 1)
    }
    return this.fail('a varint has more than 32 bits')
  }

  /** Signed; beyond ±(2^53−1) it is a fault. */
  varlong(): number {
    if (this.at < this.end) {
      const byte = this.bytes[this.at]!
      if (byte < 0x80) {
        this.at++
        return (byte >>> 1) ^ -(byte & 1)
      }
    }
    return this.#longVarlong()
  }

  #longVarlong(): number {
    let low = 0
    let high = 0
    for (let index = 0; index < 10; index++) {
      if (this.at >= this.end) return this.fail('a varint is cut short')
      const byte = this.bytes[this.at++]!
      if (index < 4) low |= (byte & 0x7f) << (7 * index)
      else high += (byte & 0x7f) * 2 ** (7 * (index - 4))
      if (byte < 0x80) {
        // Zig-zag of high · 2^28 + low: even is half of it, odd is that, negated, less one.
        const half = high * (TWO_28 / 2) + (low >>> 1)
        const value = (low & 1) === 0 ? half : -half - 1
        return Number.isSafeInteger(value) ? value : this.fail('a number is beyond ±(2^53−1)')
      }
    }
    return this.fail('a varint has more than 64 bits')
  }

  /** A length and as many bytes, passed over. The length: -1 = null, which needs `nullable`. */
  skipBytes(what: string, nullable: boolean): number {
    const length = this.varint()
    if (length < (nullable ? -1 : 0)) return this.fail(`${what} has length ${length}`)
    if (length > this.end - this.at) return this.fail(`${what} of ${length} bytes passes the end`)
    if (length > 0) this.at += length
    return length
  }

  /** As `skipBytes`; a view of the bytes, or null. */
  nullableBytes(what: string): Uint8Array | null {
    const length = this.skipBytes(what, true)
    return length < 0 ? null : this.bytes.subarray(this.at - length, this.at)
  }
}

// The reader of protobuf's wire format, with int64 as numbers: one that is no safe integer is refused, not rounded.

import protobuf from 'protobufjs'

const TWO_28 = 2 ** 28
const TWO_56 = 2 ** 56

/** Reads plain Uint8Arrays: a `bytes` field comes out as a view of the buffer, and its `slice` copies. */
export class WireReader extends protobuf.Reader {
  constructor(bytes: Uint8Array) {
    super(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    this.discardUnknown = true
  }

  // The base class says Long, and its generated code takes a number as well.
  override int64(): never {
    return this.#int64() as never
  }

  #int64(): number {
    // Sixty-four bits in two's complement, seven to a byte: 28 bits, 28 bits, and the eight on top, with the sign.
    let low = 0
    let middle = 0
    let high = 0
    for (let index = 0; index < 10; index++) {
      if (this.pos >= this.len) throw new RangeError('an int64 ends beyond its message')
      const byte = this.buf[this.pos++]!
      const bits = byte & 0x7f
      if (index < 4) low |= bits << (7 * index)
      else if (index < 8) middle |= bits << (7 * (index - 4))
      else high |= (bits << (7 * (index - 8))) & 0xff
      if (byte < 0x80) return safe((high < 0x80 ? high : high - 0x100) * TWO_56 + middle * TWO_28 + low)
    }
    throw new RangeError('an int64 is longer than ten bytes')
  }
}

/** Sums beyond the safe integers are rounded, and never back into them: the largest, 2^53 - 1, is next to a float. */
function safe(value: number): number {
  if (Number.isSafeInteger(value)) return value
  throw new RangeError(`int64 ${value} is beyond ±${Number.MAX_SAFE_INTEGER}`)
}

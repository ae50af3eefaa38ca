// ByteReader and ByteWriter: varints against a BigInt reference, and every way bytes can be wrong.

import { expect } from 'chai'

import { ByteReader, ByteWriter } from '../../src/base/bytes.ts'
import { edges, integer, seeded } from '../support/numbers.ts'

const MAX = Number.MAX_SAFE_INTEGER

/** LEB128 of an unsigned value. */
function leb128(value: bigint): number[] {
  const bytes: number[] = []
  for (let rest = value; ; rest >>= 7n) {
    if (rest < 0x80n) return [...bytes, Number(rest)]
    bytes.push(Number(rest & 0x7fn) | 0x80)
  }
}

function zigzag(value: number): bigint {
  return value < 0 ? -2n * BigInt(value) - 1n : 2n * BigInt(value)
}

function write(fill: (writer: ByteWriter) => void): number[] {
  const writer = new ByteWriter(1)
  fill(writer)
  return [...writer.finish()]
}

function reader(bytes: readonly number[]): ByteReader {
  return new ByteReader(Uint8Array.from(bytes))
}

/** Reads one value from all of `bytes`, which must be whole and well-formed. */
function read<T>(bytes: readonly number[], take: (from: ByteReader) => T): T {
  const from = reader(bytes)
  const value = take(from)
  expect([from.fault, from.remaining], bytes.join(' ')).to.deep.equal([undefined, 0])
  return value
}

function faultOf(
  bytes: readonly number[], take: (from: ByteReader) => unknown): { fault?: string; value: unknown } {
  const from = reader(bytes)
  const value = take(from)
  expect(from.remaining, 'a faulty reader has nothing left').to.equal(0)
  return from.fault === undefined ? { value } : { fault: from.fault, value }
}

describe('varints', () => {
  it('uvarint: all edges of 32 bits', () => {
    for (const value of edges(2 ** 32 - 1).filter((edge) => edge >= 0)) {
      const bytes = leb128(BigInt(value))
      expect(write((writer) => { writer.uvarint(value) }), `${value}`).to.deep.equal(bytes)
      expect(read(bytes, (from) => from.uvarint())).to.equal(value + 0)
    }
  })

  it('varint: all edges of 32 bits', () => {
    for (const value of [...edges(2 ** 31 - 1), -(2 ** 31)]) {
      const bytes = leb128(zigzag(value))
      expect(write((writer) => { writer.varint(value) }), `${value}`).to.deep.equal(bytes)
      expect(read(bytes, (from) => from.varint()) + 0).to.equal(value + 0)
    }
  })

  it('varlong: all edges of the safe range', () => {
    for (const value of edges(MAX)) {
      const bytes = leb128(zigzag(value))
      expect(write((writer) => { writer.varlong(value) }), `${value}`).to.deep.equal(bytes)
      expect(read(bytes, (from) => from.varlong()) + 0).to.equal(value + 0)
    }
  })

  it('agree with BigInt on random values', () => {
    const random = seeded(2)
    for (let round = 0; round < 20_000; round++) {
      const small = integer(random, 31)
      const large = integer(random, 53)
      const bytes = [...leb128(zigzag(small)), ...leb128(zigzag(large))]
      expect(write((writer) => { writer.varint(small); writer.varlong(large) })).to.deep.equal(bytes)
      expect(read(bytes, (from) => [from.varint(), from.varlong()])).to.deep.equal([small + 0, large + 0])
    }
  })

  it('accept padding up to the longest form, as Kafka does', () => {
    expect(read([0x81, 0x80, 0x80, 0x80, 0x00], (from) => from.uvarint())).to.equal(1)
    const ten = [0x82, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00]
    expect(read(ten, (from) => from.varlong())).to.equal(1)
  })

  it('refuse more than their bits', () => {
    for (const bytes of [leb128(2n ** 32n), leb128(2n ** 35n - 1n), [0x80, 0x80, 0x80, 0x80, 0x80, 0x00]]) {
      expect(faultOf(bytes, (from) => from.uvarint())).to.deep.include({ value: 0 })
      expect(faultOf(bytes, (from) => from.varint()).fault).to.match(/longer than 32 bits/)
    }
    const tooLarge = [2n ** 54n, 2n ** 54n - 1n, 2n ** 55n, 2n ** 64n - 1n, 2n ** 63n, 2n ** 70n - 1n]
    for (const raw of tooLarge) {
      const { fault, value } = faultOf(leb128(raw), (from) => from.varlong())
      expect(value, `${raw}`).to.equal(0)
      expect(fault).to.match(/beyond ±\(2\^53−1\)/)
    }
    expect(faultOf(new Array<number>(11).fill(0x80), (from) => from.varlong()).fault).to.match(/varlong/)
  })

  it('cut short are a fault and read as zero', () => {
    for (const take of [(from: ByteReader) => from.uvarint(), (from: ByteReader) => from.varint(),
      (from: ByteReader) => from.varlong()]) {
      for (const bytes of [[], [0x85], [0x85, 0x85], [0xff, 0xff, 0xff, 0xff]]) {
        const { fault, value } = faultOf(bytes, take)
        expect([value, typeof fault], bytes.join(' ')).to.deep.equal([0, 'string'])
      }
    }
  })

  it('refuse to be written outside their range', () => {
    for (const value of [-1, 0.5, Number.NaN, 2 ** 53]) {
      expect(() => write((writer) => { writer.uvarint(value) }), `${value}`).to.throw(RangeError)
    }
    for (const value of [2 ** 31, -(2 ** 31) - 1, 0.5, Number.NaN]) {
      expect(() => write((writer) => { writer.varint(value) }), `${value}`).to.throw(RangeError)
    }
    for (const value of [2 ** 53, -(2 ** 53), 0.5, Number.NaN, Infinity]) {
      expect(() => write((writer) => { writer.varlong(value) }), `${value}`).to.throw(RangeError)
    }
  })
})

describe('ByteReader', () => {
  it('reads fixed widths and signs', () => {
    const from = reader([0x80, 0x80, 0xff, 0xfe, 0xff, 0xff, 0xff, 0xfd, 0xff, 0xff, 0xff, 0xfc,
      0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfb])
    expect([from.int8(), from.uint8(), from.int16(), from.int32(), from.uint32(), from.int64()])
      .to.deep.equal([-128, 128, -2, -3, 2 ** 32 - 4, -5])
    expect([from.fault, from.position, from.remaining]).to.deep.equal([undefined, 20, 0])
  })

  it('stays faulty after the first fault, and keeps its reason', () => {
    const from = reader([1, 2, 3])
    expect([from.int16(), from.int16()]).to.deep.equal([0x0102, 0])
    const { fault } = from
    expect(fault).to.equal('needs 2 bytes, has 1 at byte 2')
    expect([from.int8(), from.uint8(), from.int32(), from.uint32(), from.int64(), from.uvarint(),
      from.varint(), from.varlong(), from.string(), from.utf8(1)])
      .to.deep.equal([0, 0, 0, 0, 0, 0, 0, 0, '', ''])
    expect(from.bytes(1)).to.have.length(0)
    from.skip(1)
    from.fail('another reason')
    expect(from.fault).to.equal(fault)
  })

  it('refuses an int64 beyond the safe range', () => {
    expect(faultOf([0x00, 0x20, 0, 0, 0, 0, 0, 0], (from) => from.int64()).fault).to.match(/beyond/)
    expect(read([0x00, 0x1f, 255, 255, 255, 255, 255, 255], (from) => from.int64())).to.equal(MAX)
  })

  it('refuses negative lengths', () => {
    expect(faultOf([1, 2], (from) => from.bytes(-1)).fault).to.match(/needs -1 bytes/)
    expect(faultOf([1, 2], (from) => from.utf8(-1)).value).to.equal('')
    expect(faultOf([0xff, 0xff, 65], (from) => from.string()).value).to.equal('')
  })

  it('gives views, not copies', () => {
    const bytes = Uint8Array.from([1, 2, 3, 4])
    const view = new ByteReader(bytes, 1).bytes(2)
    bytes[1] = 9
    expect([...view]).to.deep.equal([9, 3])
  })

  it('stays within [from, end)', () => {
    const bytes = Uint8Array.from([1, 2, 3, 4, 5])
    const from = new ByteReader(bytes, 1, 4)
    expect([from.position, from.remaining, from.int16(), from.int8()]).to.deep.equal([1, 3, 0x0203, 4])
    expect(from.int8()).to.equal(0)
    expect(from.fault).to.match(/needs 1 bytes, has 0/)
    for (const [start, end] of [[-1, 2], [3, 2], [0, 6]] as const) {
      const outside = new ByteReader(bytes, start, end)
      expect([outside.remaining, outside.int8()], `[${start}, ${end})`).to.deep.equal([0, 0])
      expect(outside.fault).to.match(/is not within 5 bytes/)
    }
  })

  it('refuses malformed UTF-8 and keeps every character, a leading U+FEFF too', () => {
    for (const bytes of [[0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80]]) {
      expect(faultOf(bytes, (from) => from.utf8(bytes.length)).fault, bytes.join(' '))
        .to.match(/malformed UTF-8/)
    }
    for (const text of ['', 'plain', 'žluťoučký', '数据', '🪢', '\u0000', '\uFEFFmark']) {
      const bytes = write((writer) => { writer.string(text) })
      expect(read(bytes, (from) => from.string()), JSON.stringify(text)).to.equal(text)
    }
  })

  it('refuses counts that cannot fit what is left', () => {
    const eight = [1, 2, 3, 4, 5, 6, 7, 8]
    expect(reader(eight).count(2, 4)).to.equal(2)
    expect(reader(eight).count(0, 4)).to.equal(0)
    for (const [declared, each] of [[3, 4], [9, 1], [-1, 1], [2 ** 31 - 1, 1]] as const) {
      expect(faultOf(eight, (from) => from.count(declared, each))).to.deep.equal(
        { fault: `count ${declared} does not fit the 8 bytes left at byte 0`, value: 0 })
    }
  })

  it('never throws and never reads outside, whatever the bytes', () => {
    const random = seeded(3)
    const takes: readonly ((from: ByteReader) => unknown)[] = [
      (from) => from.int8(), (from) => from.int16(), (from) => from.int32(), (from) => from.int64(),
      (from) => from.uvarint(), (from) => from.varint(), (from) => from.varlong(), (from) => from.string(),
      (from) => from.bytes(from.varint()), (from) => from.utf8(from.uvarint()),
      (from) => from.count(from.int32(), 3)
    ]
    for (let round = 0; round < 5000; round++) {
      const bytes = Uint8Array.from({ length: Math.floor(random() * 24) }, () => Math.floor(random() * 256))
      const from = new ByteReader(bytes)
      let position = 0
      for (let step = 0; step < 12; step++) {
        takes[Math.floor(random() * takes.length)]?.(from)
        expect(from.position >= position && from.position <= bytes.length).to.equal(true)
        position = from.position
      }
    }
  })
})

describe('ByteWriter', () => {
  it('writes what the reader reads, growing from any capacity', () => {
    for (const capacity of [0, 1, 7, 1024]) {
      const writer = new ByteWriter(capacity)
      writer.int8(-1)
      writer.int16(-2)
      writer.int32(-3)
      writer.int64(-4)
      writer.string('five')
      writer.bytes(Uint8Array.from([6, 7]))
      writer.utf8('8')
      const from = new ByteReader(writer.finish())
      expect([from.int8(), from.int16(), from.int32(), from.int64(), from.string(), [...from.bytes(2)],
        from.utf8(1)]).to.deep.equal([-1, -2, -3, -4, 'five', [6, 7], '8'])
      expect([from.fault, from.remaining, writer.length]).to.deep.equal([undefined, 0, from.position])
    }
  })

  it('patches what was written, and only that', () => {
    const writer = new ByteWriter(64)
    writer.int32(0)
    writer.int8(5)
    writer.patchInt32(0, -2)
    expect([...writer.finish()]).to.deep.equal([255, 255, 255, 254, 5])
    for (const at of [-1, 2, 60]) expect(() => { writer.patchInt32(at, 1) }, `${at}`).to.throw('written')
  })

  it('refuses a string longer than its length field holds', () => {
    expect(write((writer) => { writer.string('a'.repeat(32767)) })).to.have.length(32769)
    expect(() => write((writer) => { writer.string('ž'.repeat(16384)) })).to.throw(RangeError, '32768 bytes')
  })
})

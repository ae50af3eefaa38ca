// Int64 ⇄ number: every edge of the safe range, against BigInt and DataView as references.

import { expect } from 'chai'

import {
  readInt16, readInt32, readInt64, readUint32, writeInt16, writeInt32, writeInt64
} from '../../src/base/int64.ts'
import { edges, integer, seeded } from '../support/numbers.ts'

const MAX = Number.MAX_SAFE_INTEGER

function bytesOf(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigInt64(0, value)
  return bytes
}

function written(value: number): Uint8Array {
  const bytes = new Uint8Array(8)
  writeInt64(bytes, value, 0)
  return bytes
}

describe('int64', () => {
  it('writes and reads every edge of the safe range as BigInt does', () => {
    for (const value of edges(MAX)) {
      expect(written(value), `${value}`).to.deep.equal(bytesOf(BigInt(value)))
      expect(readInt64(bytesOf(BigInt(value)), 0) + 0, `${value}`).to.equal(value + 0)
    }
  })

  it('agrees with BigInt on random values', () => {
    const random = seeded(1)
    for (let round = 0; round < 20_000; round++) {
      const value = integer(random, 53)
      if (!Number.isSafeInteger(value)) continue
      expect(written(value)).to.deep.equal(bytesOf(BigInt(value)))
      expect(readInt64(bytesOf(BigInt(value)), 0)).to.equal(value + 0)
    }
  })

  it('refuses to read what a number cannot hold', () => {
    const limit = 2n ** 53n
    const beyond = [limit, limit + 1n, 2n * limit, 2n ** 62n, 2n ** 63n - 1n]
    for (const value of [...beyond, ...beyond.map((positive) => -positive), -(2n ** 63n)]) {
      expect(() => readInt64(bytesOf(value), 0), `${value}`).to.throw(RangeError, 'beyond ±(2^53−1)')
    }
    expect(readInt64(bytesOf(limit - 1n), 0)).to.equal(MAX)
    expect(readInt64(bytesOf(1n - limit), 0)).to.equal(-MAX)
  })

  it('refuses to write what is no safe integer', () => {
    for (const value of [2 ** 53, -(2 ** 53), 2 ** 63, 0.5, Number.NaN, Infinity, -Infinity]) {
      const bytes = new Uint8Array(8)
      expect(() => { writeInt64(bytes, value, 0) }, `${value}`).to.throw(RangeError, 'not an integer within')
      expect(bytes, 'nothing written').to.deep.equal(new Uint8Array(8))
    }
  })

  it('refuses positions outside the bytes, and leaves the neighbours alone', () => {
    const bytes = new Uint8Array(10).fill(7)
    for (const at of [-1, 3, 10]) {
      expect(() => readInt64(bytes, at)).to.throw(RangeError, 'past the end')
      expect(() => { writeInt64(bytes, 1, at) }).to.throw(RangeError, 'past the end')
    }
    writeInt64(bytes, -1, 1)
    expect([...bytes]).to.deep.equal([7, 255, 255, 255, 255, 255, 255, 255, 255, 7])
  })

  it('counts positions from the start of a view, not of its buffer', () => {
    const view = new Uint8Array(24).subarray(5, 21)
    writeInt64(view, -2, 8)
    expect(readInt64(view, 8)).to.equal(-2)
    expect(readInt64(view, 0)).to.equal(0)
  })
})

describe('int32 and int16', () => {
  it('agree with DataView at every edge', () => {
    const bytes = new Uint8Array(6)
    const view = new DataView(bytes.buffer)
    for (const value of edges(2 ** 31).filter((edge) => edge < 2 ** 31)) {
      writeInt32(bytes, value, 1)
      expect([view.getInt32(1), readInt32(bytes, 1), readUint32(bytes, 1)])
        .to.deep.equal([value + 0, value + 0, view.getUint32(1)])
    }
    for (const value of edges(2 ** 15).filter((edge) => edge < 2 ** 15)) {
      writeInt16(bytes, value, 3)
      expect([view.getInt16(3), readInt16(bytes, 3)]).to.deep.equal([value + 0, value + 0])
    }
  })

  it('take an unsigned 32-bit value by its bits: checksums', () => {
    const bytes = new Uint8Array(4)
    writeInt32(bytes, 0xe3069283, 0)
    expect([readUint32(bytes, 0), readInt32(bytes, 0)]).to.deep.equal([0xe3069283, 0xe3069283 | 0])
  })
})

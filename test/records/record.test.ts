// Records read back from batches: round trips over all codecs, and refusal of what is not whole.

import { expect } from 'chai'

import { ErrorCode, WeirError } from '../../src/base/error-code.ts'
import { writeInt32 } from '../../src/base/int64.ts'
import * as batch from '../../src/records/batch.ts'
import { buildBatch, buildControlBatch, type NewRecord } from '../../src/records/builder.ts'
import { CODECS } from '../../src/records/compression.ts'
import { batchesIn, markerAt, recordsIn, recordsOf, type StoredRecord } from '../../src/records/record.ts'
import { integer, seeded } from '../support/numbers.ts'
import { GOLDEN, GOLDEN_RECORDS, NOW, record, resealed, text, verdict } from './samples.ts'

const MARKER = { type: 'COMMIT', producerId: 1, producerEpoch: 0, coordinatorEpoch: 0, timestamp: NOW } as const

/** As values that compare by content. */
function shown(records: Iterable<StoredRecord | NewRecord>): unknown[] {
  const bytes = (value: Uint8Array | null) => value === null ? null : Buffer.from(value).toString('latin1')
  return Array.from(records, ({ key, value, headers, timestamp }) => ({
    key: bytes(key), value: bytes(value), timestamp,
    headers: headers.map((header) => [header.key, bytes(header.value)]) }))
}

function refusal(bytes: Uint8Array): WeirError {
  try {
    for (const one of recordsIn(bytes)) expect(one).to.be.an('object')
  } catch (error) {
    if (error instanceof WeirError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

function randomRecords(random: () => number): NewRecord[] {
  const bytes = () => {
    const kind = random()
    if (kind < 0.2) return null
    if (kind < 0.4) return new Uint8Array(0)
    const length = Math.floor(2 ** (random() * (kind < 0.45 ? 16 : 7)))
    return Uint8Array.from({ length }, kind < 0.7 ? () => random() * 256 : (_, index) => index & 3)
  }
  const names = ['', 'h', 'trace-id', '€😀', 'x'.repeat(130), '__proto__', '\ufeffbom']
  return Array.from({ length: 1 + Math.floor(random() * 12) }, () => ({
    key: bytes(), value: bytes(), timestamp: random() < 0.1 ? -1 : Math.abs(integer(random, 53)),
    headers: random() < 0.6 ? [] : Array.from({ length: Math.floor(random() * 70) }, () => ({
      key: names[Math.floor(random() * names.length)]!, value: bytes() }))
  }))
}

describe('record', () => {
  it('reads the golden batch', () => {
    expect(shown(recordsIn(GOLDEN))).to.deep.equal(shown(GOLDEN_RECORDS))
    expect([...recordsIn(GOLDEN)].map(({ offset }) => offset)).to.deep.equal([0, 1, 2])
  })

  for (const codec of CODECS) {
    it(`gives back what was built, and validation accepts it (${codec.name})`, () => {
      const random = seeded(20_260_101)
      for (let round = 0; round < 40; round++) {
        const records = randomRecords(random)
        const bytes = buildBatch(records, { codec })
        expect(verdict(bytes, { timestampAfterMaxMs: 2 ** 53 - 1 }), `round ${round}`).to.equal('fine')
        batch.setBaseOffset(bytes, 0, 1_000 * round)
        expect(shown(recordsIn(bytes)), `round ${round}`).to.deep.equal(shown(records))
        expect([...recordsIn(bytes)].at(-1)!.offset).to.equal(batch.lastOffset(bytes))
      }
    })
  }

  it('reads batches back to back, and passes over control batches', () => {
    const parts = CODECS.map((codec, index) => {
      const bytes = buildBatch([record(codec.name), record('x')], { codec })
      batch.setBaseOffset(bytes, 0, 10 * index)
      return bytes
    })
    const marker = buildControlBatch({ ...MARKER, baseOffset: 12 })
    const bytes = new Uint8Array(Buffer.concat([...parts.slice(0, 2), marker, ...parts.slice(2)]))
    expect([...batchesIn(bytes)].length).to.equal(6)
    expect([...recordsIn(bytes)].map(({ offset }) => offset)).to.deep.equal([0, 1, 10, 11, 20, 21, 30, 31, 40, 41])
    const at = parts[0]!.length + parts[1]!.length
    expect([...recordsOf(bytes, at)].map(({ offset }) => offset)).to.deep.equal([12])
    expect(markerAt(bytes, at)?.type).to.equal('COMMIT')
    expect(markerAt(bytes, 0)).to.equal(undefined)
    expect([...recordsIn(new Uint8Array(0))]).to.deep.equal([])
  })

  it('gives all records of a LogAppendTime batch the time of the append', () => {
    const bytes = Uint8Array.from(GOLDEN)
    batch.setLogAppendTime(bytes, 0, 42)
    expect([...recordsIn(bytes)].map(({ timestamp }) => timestamp)).to.deep.equal([42, 42, 42])
  })

  it('keeps the offsets of what compaction left', () => {
    // The second record of the golden batch, alone.
    const kept = new Uint8Array(Buffer.concat([GOLDEN.subarray(0, 61), GOLDEN.subarray(70, 77)]))
    writeInt32(kept, kept.length - 12, 8)
    const bytes = resealed(kept, (copy) => { writeInt32(copy, 1, 57) })
    batch.setBaseOffset(bytes, 0, 100)
    expect(batch.checkBatch(bytes, 0, bytes.length)).to.equal(undefined)
    expect([...recordsIn(bytes)].map(({ offset, timestamp }) => [offset, timestamp])).to.deep.equal([[101, NOW + 1]])
  })

  it('reads header keys that are no UTF-8', () => {
    const bytes = buildBatch([record('', { headers: [{ key: 'zz', value: text('v') }] })])
    const at = Buffer.from(bytes).indexOf('zz')
    bytes.set([0xff, 0xfe], at)
    expect([...recordsIn(bytes)][0]!.headers[0]!.key).to.equal('\ufffd\ufffd')
  })

  it('refuses bytes that are not whole batches, after the records before them', () => {
    for (let end = 1; end < GOLDEN.length; end++) {
      expect(refusal(GOLDEN.subarray(0, end)).code, `cut to ${end}`).to.equal(ErrorCode.CORRUPT_MESSAGE)
    }
    const seen: number[] = []
    const torn = new Uint8Array(Buffer.concat([GOLDEN, GOLDEN.subarray(0, 80)]))
    expect(() => { for (const { offset } of recordsIn(torn)) seen.push(offset) }).to.throw(WeirError, 'byte 91')
    expect(seen).to.deep.equal([0, 1, 2])
  })

  it('refuses malformed records, unknown codecs and corrupt compressed data', () => {
    for (const at of [61, 65, 67, 69, 70]) {
      const bytes = Uint8Array.from(GOLDEN)
      bytes[at] = 0x7e
      expect(refusal(bytes).code, `byte ${at}`).to.equal(ErrorCode.CORRUPT_MESSAGE)
    }
    const magic = Uint8Array.from(GOLDEN)
    magic[16] = 1
    expect(refusal(magic).message).to.contain('magic 1')
    const codec = Uint8Array.from(GOLDEN)
    codec[22] = 6
    expect(refusal(codec).code).to.equal(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE)
    for (const { id, name } of CODECS.slice(1)) {
      const bytes = Uint8Array.from(GOLDEN)
      bytes[22] = id
      expect(refusal(bytes).message, name).to.contain(name)
    }
  })

  it('does not expand beyond 64 MiB', () => {
    for (const codec of CODECS.slice(1)) {
      const bytes = buildBatch([record(new Uint8Array(65 * 2 ** 20))], { codec })
      expect(refusal(bytes).message, codec.name).to.contain('67108864')
    }
  }).timeout(30_000)
})

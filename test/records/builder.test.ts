// Batches and markers as they are built, byte by byte against those of other clients.

import { expect } from 'chai'

import { AssertionError } from '../../src/base/assert.ts'
import * as batch from '../../src/records/batch.ts'
import { BatchBuilder, buildBatch, buildControlBatch, recordSizeUpperBound } from '../../src/records/builder.ts'
import { CODECS } from '../../src/records/compression.ts'
import { markerAt, recordsIn } from '../../src/records/record.ts'
import { GOLDEN, GOLDEN_RECORDS, NOW, hex, record, text } from './samples.ts'

const MARKER = {
  producerId: 1000, producerEpoch: 0, coordinatorEpoch: 3, timestamp: NOW, baseOffset: 7, leaderEpoch: 5
}

describe('builder', () => {
  it('writes the golden batch', () => {
    expect(buildBatch(GOLDEN_RECORDS)).to.deep.equal(GOLDEN)
    const builder = new BatchBuilder(0)
    for (const one of GOLDEN_RECORDS) builder.append(one)
    expect(builder.count).to.equal(3)
    expect(builder.sizeBytes).to.equal(91)
    expect(builder.build()).to.deep.equal(GOLDEN)
  })

  it('writes the golden markers', () => {
    const commit = hex('0000000000000007 00000042 00000005 02 954be106 0030 00000000 0000018bcfe56800' +
      '0000018bcfe56800 00000000000003e8 0000 ffffffff 00000001 20 00 00 00 08 00000001 0c 000000000003 00')
    expect(buildControlBatch({ type: 'COMMIT', ...MARKER })).to.deep.equal(commit)
    const abort = buildControlBatch({ type: 'ABORT', ...MARKER })
    expect(batch.crcOf(abort)).to.equal(0x6175374e)
    expect(markerAt(commit, 0)).to.deep.equal({ type: 'COMMIT', coordinatorEpoch: 3 })
    expect(markerAt(abort, 0)).to.deep.equal({ type: 'ABORT', coordinatorEpoch: 3 })
  })

  it('no record is larger than its bound, and a batch never outgrows its declared size', () => {
    for (const one of [
      record(null), record(new Uint8Array(70_000), { key: text('k'.repeat(300)) }),
      record('v', { timestamp: Number.MAX_SAFE_INTEGER }),
      record('v', { headers: Array.from({ length: 200 }, () => ({ key: '€'.repeat(50), value: text('x') })) }),
      record('v', { headers: [{ key: '\ud800', value: null }, { key: '😀', value: text('') }] })
    ]) {
      const builder = new BatchBuilder(0)
      builder.append(record('first', { timestamp: 0 }))
      const before = builder.sizeBytes
      builder.append(one)
      expect(builder.sizeBytes - before).to.be.at.most(recordSizeUpperBound(one.key, one.value, one.headers))
      const bytes = builder.build()
      expect(batch.batchBytes(bytes)).to.equal(bytes.length)
      expect([...recordsIn(bytes)].length).to.equal(2)
    }
  })

  it('copies what it is given', () => {
    const value = text('before')
    const builder = new BatchBuilder()
    builder.append(record(value))
    value.fill(0)
    expect(Buffer.from([...recordsIn(builder.build())][0]!.value!).toString()).to.equal('before')
  })

  it('keeps deltas of falling timestamps, and the greatest as max', () => {
    const bytes = buildBatch([50, 10, 90, -1].map((timestamp) => record('', { timestamp })))
    expect(batch.baseTimestamp(bytes)).to.equal(50)
    expect(batch.maxTimestamp(bytes)).to.equal(90)
    expect([...recordsIn(bytes)].map(({ timestamp }) => timestamp)).to.deep.equal([50, 10, 90, -1])
  })

  it('refuses a timestamp out of range and stays as it was', () => {
    const builder = new BatchBuilder()
    builder.append(record('a'))
    for (const timestamp of [-2, 1.5, NaN, 2 ** 53, Infinity]) {
      expect(() => { builder.append(record('b', { timestamp })) }).to.throw(RangeError)
    }
    expect(builder.count).to.equal(1)
    expect([...recordsIn(builder.build())].length).to.equal(1)
  })

  it('an empty batch is a mistake of the caller', () => {
    expect(() => buildBatch([])).to.throw(AssertionError)
  })

  it('gives plain bytes, whose slice copies', () => {
    for (const codec of CODECS) {
      const bytes = buildBatch(GOLDEN_RECORDS, { codec })
      const copy = bytes.slice()
      copy[0] = 9
      expect(bytes[0]).to.equal(0)
      expect(Buffer.isBuffer(bytes)).to.equal(false)
    }
  })
})

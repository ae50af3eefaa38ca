// Header fields, patches and checks of a batch in a buffer, against bytes that other clients wrote.

import { expect } from 'chai'

import { writeInt32, writeInt64 } from '../../src/base/int64.ts'
import * as batch from '../../src/records/batch.ts'
import { buildBatch, buildControlBatch } from '../../src/records/builder.ts'
import { codecByName } from '../../src/records/compression.ts'
import { GOLDEN, NOW, record, resealed } from './samples.ts'

const MAX = Number.MAX_SAFE_INTEGER

describe('batch: header fields', () => {
  it('reads the golden batch', () => {
    expect(batch.BATCH_HEADER_BYTES).to.equal(61)
    expect(batch.batchBytes(GOLDEN)).to.equal(91).and.to.equal(GOLDEN.length)
    expect(batch.baseOffset(GOLDEN)).to.equal(0)
    expect(batch.partitionLeaderEpoch(GOLDEN)).to.equal(-1)
    expect(batch.magic(GOLDEN)).to.equal(2)
    expect(batch.crcOf(GOLDEN)).to.equal(0xcf9a3bfa)
    expect(batch.attributes(GOLDEN)).to.equal(0)
    expect(batch.lastOffsetDelta(GOLDEN)).to.equal(2)
    expect(batch.lastOffset(GOLDEN)).to.equal(2)
    expect(batch.baseTimestamp(GOLDEN)).to.equal(NOW)
    expect(batch.maxTimestamp(GOLDEN)).to.equal(NOW + 2)
    expect(batch.producerId(GOLDEN)).to.equal(-1)
    expect(batch.producerEpoch(GOLDEN)).to.equal(-1)
    expect(batch.baseSequence(GOLDEN)).to.equal(-1)
    expect(batch.recordCount(GOLDEN)).to.equal(3)
    expect(batch.codecOf(GOLDEN)).to.equal(0)
    expect(batch.isControl(GOLDEN)).to.equal(false)
    expect(batch.isTransactional(GOLDEN)).to.equal(false)
    expect(batch.timestampType(GOLDEN)).to.equal('CreateTime')
  })

  it('reads a batch in the middle of a buffer, with every field its own value', () => {
    const made = buildBatch([record('a', { timestamp: 5 }), record('b', { timestamp: 9 })], {
      codec: codecByName('gzip'), producerId: MAX, producerEpoch: 32_767, baseSequence: 2_147_483_647,
      transactional: true, baseOffset: 2 ** 40, leaderEpoch: 77 })
    const bytes = Buffer.concat([GOLDEN, made, GOLDEN])
    const at = GOLDEN.length
    expect(batch.batchBytes(bytes, at)).to.equal(made.length)
    expect(batch.baseOffset(bytes, at)).to.equal(2 ** 40)
    expect(batch.lastOffset(bytes, at)).to.equal(2 ** 40 + 1)
    expect(batch.partitionLeaderEpoch(bytes, at)).to.equal(77)
    expect(batch.producerId(bytes, at)).to.equal(MAX)
    expect(batch.producerEpoch(bytes, at)).to.equal(32_767)
    expect(batch.baseSequence(bytes, at)).to.equal(2_147_483_647)
    expect(batch.baseTimestamp(bytes, at)).to.equal(5)
    expect(batch.maxTimestamp(bytes, at)).to.equal(9)
    expect(batch.codecOf(bytes, at)).to.equal(1)
    expect(batch.isTransactional(bytes, at)).to.equal(true)
    expect(batch.isControl(bytes, at)).to.equal(false)
    expect(batch.checkBatch(bytes, at, bytes.length)).to.equal(undefined)
  })

  it('refuses an int64 beyond ±(2^53−1)', () => {
    const bytes = Uint8Array.from(GOLDEN)
    bytes.set([0, 0x20, 0, 0, 0, 0, 0, 0])
    expect(() => batch.baseOffset(bytes)).to.throw(RangeError)
    expect(() => batch.lastOffset(bytes)).to.throw(RangeError)
    expect(batch.checkBatch(bytes, 0, bytes.length)).to.contain('2^53')
    expect(() => { batch.setBaseOffset(bytes, 0, 2 ** 53) }).to.throw(RangeError)
  })
})

describe('batch: patches', () => {
  it('base offset and leader epoch leave the checksum right', () => {
    const bytes = Buffer.concat([GOLDEN, GOLDEN])
    batch.setBaseOffset(bytes, 91, MAX - 2)
    batch.setLeaderEpoch(bytes, 91, 2_147_483_647)
    expect(batch.checkBatch(bytes, 91, 182)).to.equal(undefined)
    expect(batch.lastOffset(bytes, 91)).to.equal(MAX)
    expect(batch.partitionLeaderEpoch(bytes, 91)).to.equal(2_147_483_647)
    expect(Uint8Array.from(bytes.subarray(0, 91))).to.deep.equal(GOLDEN)
    batch.setBaseOffset(bytes, 91, MAX - 1)
    expect(batch.checkBatch(bytes, 91, 182)).to.contain('beyond 2^53')
  })

  it('the time of the append changes type, max timestamp and checksum', () => {
    const bytes = Buffer.concat([GOLDEN, GOLDEN])
    batch.setLogAppendTime(bytes, 91, NOW + 5_000)
    expect(batch.timestampType(bytes, 91)).to.equal('LogAppendTime')
    expect(batch.maxTimestamp(bytes, 91)).to.equal(NOW + 5_000)
    expect(batch.crcOf(bytes, 91)).not.to.equal(0xcf9a3bfa)
    expect(batch.checkBatch(bytes, 91, 182)).to.equal(undefined)
    expect(Uint8Array.from(bytes.subarray(0, 91))).to.deep.equal(GOLDEN)
  })
})

describe('batch: checkBatch', () => {
  it('finds every change of a single byte but those of what leaders stamp', () => {
    for (let at = 0; at < GOLDEN.length; at++) {
      if (at < 8 || (at >= 12 && at < 16)) continue
      for (const flip of [0x01, 0x80, 0xff]) {
        const bytes = Uint8Array.from(GOLDEN)
        bytes[at]! ^= flip
        expect(batch.checkBatch(bytes, 0, bytes.length), `byte ${at} ^ ${flip}`).to.be.a('string')
      }
    }
  })

  it('finds every truncation, and does not look behind the batch', () => {
    for (let end = 0; end < GOLDEN.length; end++) {
      expect(batch.checkBatch(GOLDEN, 0, end), `end ${end}`).to.be.a('string')
      expect(batch.checkBatch(GOLDEN.subarray(0, end), 0, end), `cut to ${end}`).to.be.a('string')
    }
    expect(batch.checkBatch(Buffer.concat([GOLDEN, new Uint8Array(9)]), 0, 100)).to.equal(undefined)
  })

  it('finds numbers that lie under a right checksum', () => {
    const lies: [string, (bytes: Uint8Array) => void, string][] = [
      ['negative delta', (bytes) => { writeInt32(bytes, -1, 23) }, 'delta -1'],
      ['negative count', (bytes) => { writeInt32(bytes, -1, 57) }, 'count -1'],
      ['more records than offsets', (bytes) => { writeInt32(bytes, 4, 57) }, 'count 4'],
      ['negative base offset', (bytes) => { writeInt64(bytes, -1, 0) }, 'offset -1'],
      ['base timestamp', (bytes) => { bytes[27] = 0x7f }, '2^53'],
      ['max timestamp', (bytes) => { bytes[35] = 0x7f }, '2^53'],
      ['producer id', (bytes) => { bytes[43] = 0x7f }, '2^53']
    ]
    for (const [what, lie, part] of lies) {
      const bytes = resealed(GOLDEN, lie)
      expect(batch.checkBatch(bytes, 0, bytes.length), what).to.contain(part)
    }
  })

  it('finds lengths without sense', () => {
    for (const length of [-1, 0, 48, 80, 0x7fffffff, -0x80000000]) {
      const bytes = Uint8Array.from(GOLDEN)
      writeInt32(bytes, length, 8)
      expect(batch.checkBatch(bytes, 0, bytes.length), String(length)).to.contain('size')
    }
  })

  it('accepts what compaction leaves: fewer records than offsets, none at all', () => {
    for (const count of [0, 1, 2]) {
      const bytes = resealed(GOLDEN, (copy) => { writeInt32(copy, count, 57) })
      expect(batch.checkBatch(bytes, 0, bytes.length)).to.equal(undefined)
    }
  })

  it('accepts a control batch', () => {
    const marker = buildControlBatch({
      type: 'ABORT', producerId: 1, producerEpoch: 0, coordinatorEpoch: 0, timestamp: NOW })
    expect(batch.checkBatch(marker, 0, marker.length)).to.equal(undefined)
    expect(batch.isControl(marker)).to.equal(true)
  })
})

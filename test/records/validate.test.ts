// What a broker refuses from producers: damage, lies of every kind, times out of range, bombs.

import { expect } from 'chai'

import { writeInt16, writeInt32, writeInt64 } from '../../src/base/int64.ts'
import * as batch from '../../src/records/batch.ts'
import { buildBatch, buildControlBatch } from '../../src/records/builder.ts'
import { CODECS } from '../../src/records/compression.ts'
import { seeded } from '../support/numbers.ts'
import { GOLDEN, GOLDEN_RECORDS, NOW, hex, message, record, resealed, text, verdict } from './samples.ts'

const HOUR_MS = 3_600_000
const FOREVER = 2 ** 53 - 1

/** The header of the golden batch over other records, with count and checksum made to fit. */
function withRecords(digits: string, count = 1): Uint8Array {
  const bytes = new Uint8Array(Buffer.concat([GOLDEN.subarray(0, 61), hex(digits)]))
  writeInt32(bytes, bytes.length - 12, 8)
  return resealed(bytes, (copy) => {
    writeInt32(copy, count, 57)
    writeInt32(copy, count - 1, 23)
    writeInt64(copy, NOW, 35)
  })
}

describe('validate: what is sent', () => {
  it('accepts the golden batch and changes nothing', () => {
    const bytes = Uint8Array.from(GOLDEN)
    expect(message(bytes)).to.equal('')
    expect(bytes).to.deep.equal(GOLDEN)
  })

  it('accepts what idempotent and transactional producers send, and any leader epoch', () => {
    for (const options of [
      { producerId: 5, producerEpoch: 0, baseSequence: 0 },
      { producerId: FOREVER, producerEpoch: 32_767, baseSequence: 2_147_483_647, transactional: true },
      // Some clients fill these two in without having a producer id.
      { producerId: -1, producerEpoch: 0, baseSequence: 0 }, { leaderEpoch: 0 }
    ]) expect(message(buildBatch([record('v')], options))).to.equal('')
  })

  it('refuses every change of a single byte but those of the leader epoch', () => {
    for (const codec of CODECS) {
      const good = buildBatch(GOLDEN_RECORDS, { codec })
      for (let at = 0; at < good.length; at++) {
        if (at >= 12 && at < 16) continue
        for (const flip of [0x01, 0x80, 0xff]) {
          const bytes = Uint8Array.from(good)
          bytes[at]! ^= flip
          expect(verdict(bytes), `${codec.name}: byte ${at} ^ ${flip}`)
            .to.be.oneOf(['CORRUPT_MESSAGE', 'INVALID_RECORD'])
        }
      }
    }
  })

  it('calls damage CORRUPT_MESSAGE: checksum, magic, a length without sense', () => {
    for (const [at, value] of [[90, 0x77], [17, 0], [16, 1], [8, 0xff], [11, 48]] as const) {
      const bytes = Uint8Array.from(GOLDEN)
      bytes[at] = value
      expect(verdict(bytes), `byte ${at}`).to.equal('CORRUPT_MESSAGE')
    }
    expect(message(Uint8Array.from(GOLDEN).fill(0, 17, 21))).to.contain('cf9a3bfa').and.to.contain('00000000')
  })

  it('wants exactly one whole batch', () => {
    for (let end = 0; end < GOLDEN.length; end++) expect(verdict(GOLDEN.subarray(0, end))).to.equal('INVALID_RECORD')
    expect(verdict(Buffer.concat([GOLDEN, GOLDEN]))).to.equal('INVALID_RECORD')
    expect(message(Buffer.concat([GOLDEN, new Uint8Array(1)]))).to.contain('91').and.to.contain('92')
  })

  it('names size, limit and setting of a batch that is too large', () => {
    expect(verdict(GOLDEN, { maxMessageBytes: 91 })).to.equal('fine')
    expect(verdict(GOLDEN, { maxMessageBytes: 90 })).to.equal('MESSAGE_TOO_LARGE')
    expect(message(GOLDEN, { maxMessageBytes: 90 })).to.contain('91 bytes, max.message.bytes is 90')
  })
})

describe('validate: the header', () => {
  const lies: readonly [string, (bytes: Uint8Array) => void][] = [
    ['base offset', (bytes) => { writeInt64(bytes, 1, 0) }],
    ['base offset beyond 2^53', (bytes) => { bytes[0] = 0x40 }],
    ['count one more', (bytes) => { writeInt32(bytes, 4, 57) }],
    ['count one less', (bytes) => { writeInt32(bytes, 2, 57) }],
    ['count zero', (bytes) => { writeInt32(bytes, 0, 57) }],
    ['count negative', (bytes) => { writeInt32(bytes, -3, 57) }],
    ['last offset delta', (bytes) => { writeInt32(bytes, 3, 23) }],
    ['no records at all', (bytes) => { writeInt32(bytes, 0, 57); writeInt32(bytes, -1, 23) }],
    ['both one more', (bytes) => { writeInt32(bytes, 4, 57); writeInt32(bytes, 3, 23) }],
    ['both one less', (bytes) => { writeInt32(bytes, 2, 57); writeInt32(bytes, 1, 23) }],
    ['both huge', (bytes) => { writeInt32(bytes, 0x7fffffff, 57); writeInt32(bytes, 0x7ffffffe, 23) }],
    ['control bit', (bytes) => { bytes[22]! |= 0x20 }],
    ['delete horizon', (bytes) => { bytes[22]! |= 0x40 }],
    ['transactional without producer id', (bytes) => { bytes[22]! |= 0x10 }],
    ['producer id -2', (bytes) => { writeInt64(bytes, -2, 43) }],
    ['producer id beyond 2^53', (bytes) => { bytes[43] = 0x40 }],
    ['producer id without epoch', (bytes) => { writeInt64(bytes, 9, 43); writeInt32(bytes, 0, 53) }],
    ['producer id without sequence', (bytes) => { writeInt64(bytes, 9, 43); writeInt16(bytes, 0, 51) }]
  ]
  for (const [what, lie] of lies) {
    it(`refuses: ${what}`, () => { expect(verdict(resealed(GOLDEN, lie))).to.equal('INVALID_RECORD') })
  }

  it('refuses a marker of a transaction', () => {
    const marker = buildControlBatch({
      type: 'COMMIT', producerId: 1, producerEpoch: 0, coordinatorEpoch: 0, timestamp: NOW })
    expect(message(marker)).to.contain('control')
  })

  it('refuses codecs that do not exist', () => {
    for (const id of [5, 6, 7]) {
      const bytes = resealed(GOLDEN, (copy) => { copy[22] = id })
      expect(verdict(bytes)).to.equal('UNSUPPORTED_COMPRESSION_TYPE')
    }
  })
})

describe('validate: records', () => {
  const good = '10 00 00 00 02 6b 02 76 00'
  const malformed: readonly [string, string, string, number?][] = [
    ['length one more', '12 00 00 00 02 6b 02 76 00', 'length 9'],
    ['length one less', '0e 00 00 00 02 6b 02 76 00', 'differs from its fields by 1'],
    ['length negative', '01 00 00 00 02 6b 02 76 00', 'length -1'],
    ['length without end', 'ff ff ff ff ff ff 02 76 00', 'more than 32 bits'],
    ['length below the least', '0a 00 00 00 01 01 00', 'length 5'],
    ['length that crosses into the next record',
      '20 00 00 00 02 6b 02 76 00 10 00 00 02 02 6b 02 76 00', 'length 16 differs', 2],
    ['offset delta', '10 00 00 02 02 6b 02 76 00', 'offset delta 1, expected 0'],
    ['key length -2', '10 00 00 00 03 6b 02 76 00', 'the key has length -2'],
    ['key passes the end', '10 00 00 00 7e 6b 02 76 00', 'the key of 63 bytes'],
    ['value length -2', '10 00 00 00 02 6b 03 76 00', 'the value has length -2'],
    ['value passes the record', '10 00 00 00 02 6b 04 76 00', 'cut short'],
    ['header count negative', '10 00 00 00 02 6b 02 76 01', 'header count -1'],
    ['header count without headers', '10 00 00 00 02 6b 02 76 02', 'cut short'],
    ['header count huge', '18 00 00 00 02 6b 02 76 fe ff ff ff 0f', 'cut short'],
    ['header key null', '14 00 00 00 02 6b 02 76 02 01 01', 'a header key has length -1'],
    ['header value length -2', '14 00 00 00 02 6b 02 76 02 00 03', 'a header value has length -2'],
    ['varint of 33 bits', '18 00 00 ff ff ff ff 1f 01 01 00 00 00', 'more than 32 bits'],
    ['timestamp delta beyond 2^53', '1c 00 fe ff ff ff ff ff ff ff ff 01 00 01 01', 'beyond ±(2^53−1)'],
    ['bytes after the last record', '10 00 00 00 02 6b 02 76 00 00', '1 bytes follow'],
    ['the second record cut short', '10 00 00 00 02 6b 02 76 00 10 00 00 02 01', 'record 1 of 2: length 8', 2],
    ['the same offset twice', '10 00 00 00 02 6b 02 76 00 10 00 00 00 02 6b 02 76 00', 'offset delta 0, expected 1', 2]
  ]

  it('the form that they vary is accepted', () => {
    expect(message(withRecords(good))).to.equal('')
    expect(message(withRecords(`${good} 10 00 00 02 02 6b 02 76 00`, 2))).to.equal('')
  })

  for (const [what, digits, reason, count] of malformed) {
    it(`refuses: ${what}`, () => {
      expect(verdict(withRecords(digits, count))).to.equal('INVALID_RECORD')
      expect(message(withRecords(digits, count))).to.contain(reason)
      for (const codec of CODECS.slice(1)) {
        const compressed = Buffer.from(codec.compress(hex(digits))).toString('hex')
        const plain = withRecords(compressed, count)
        expect(verdict(resealed(plain, (copy) => { copy[22] = codec.id })), codec.name).to.equal('INVALID_RECORD')
      }
    })
  }

  it('refuses any noise, and never throws', () => {
    const random = seeded(7)
    for (let round = 0; round < 2_000; round++) {
      const noise = Uint8Array.from({ length: 7 + Math.floor(random() * 60) }, () => random() * 256)
      const bytes = withRecords(Buffer.from(noise).toString('hex'))
      const codec = Math.floor(random() * 5)
      expect(verdict(resealed(bytes, (copy) => { copy[22] = codec })), `round ${round}`).not.to.equal('fine')
    }
  })
})

describe('validate: timestamps', () => {
  const at = (...timestamps: number[]) => buildBatch(timestamps.map((timestamp) => record('v', { timestamp })))
  const limits = { timestampBeforeMaxMs: HOUR_MS, timestampAfterMaxMs: HOUR_MS }

  it('accepts the edges of the range, and records without one', () => {
    expect(message(at(NOW - HOUR_MS, NOW + HOUR_MS), limits)).to.equal('')
    expect(message(at(-1), limits)).to.equal('')
    expect(message(at(NOW, -1), limits)).to.equal('')
    expect(message(at(0, FOREVER), { timestampAfterMaxMs: FOREVER })).to.equal('')
  })

  it('names value, limit and setting of one outside', () => {
    expect(verdict(at(NOW, NOW - HOUR_MS - 1), limits)).to.equal('INVALID_TIMESTAMP')
    expect(message(at(-1, NOW - HOUR_MS - 1), limits)).to.contain('message.timestamp.before.max.ms is 3600000')
    expect(verdict(at(NOW + HOUR_MS + 1, NOW), limits)).to.equal('INVALID_TIMESTAMP')
    expect(message(at(NOW + HOUR_MS + 1), limits)).to.contain('message.timestamp.after.max.ms is 3600000')
      .and.to.contain(String(NOW + HOUR_MS + 1))
  })

  it('refuses negative ones', () => {
    expect(verdict(resealed(at(0), (copy) => { writeInt64(copy, -2, 27) }))).to.equal('INVALID_TIMESTAMP')
    expect(verdict(resealed(at(5, 1), (copy) => { writeInt64(copy, 1, 27) }))).to.equal('INVALID_TIMESTAMP')
  })

  it('refuses a sum beyond 2^53', () => {
    const bytes = resealed(at(0, 1), (copy) => { writeInt64(copy, FOREVER, 27) })
    expect(verdict(bytes, { timestampAfterMaxMs: FOREVER })).to.equal('INVALID_TIMESTAMP')
  })

  it('refuses a max timestamp that is not that of the records', () => {
    for (const max of [NOW + 1, NOW + 3, -1]) {
      expect(verdict(resealed(GOLDEN, (copy) => { writeInt64(copy, max, 35) }))).to.equal('INVALID_TIMESTAMP')
    }
  })

  it('looks at neither where the broker stamps them', () => {
    const stamped = { ...limits, timestampType: 'LogAppendTime' } as const
    expect(message(at(5, FOREVER), stamped)).to.equal('')
    expect(message(resealed(GOLDEN, (copy) => { writeInt64(copy, 0, 35) }), stamped)).to.equal('')
  })

  it('refuses a producer that claims the time of the append', () => {
    const bytes = Uint8Array.from(GOLDEN)
    batch.setLogAppendTime(bytes, 0, NOW)
    expect(verdict(bytes)).to.equal('INVALID_TIMESTAMP')
  })
})

describe('validate: compression', () => {
  for (const codec of CODECS.slice(1)) {
    it(`refuses a bomb and names the limit (${codec.name})`, () => {
      const bomb = buildBatch([record(new Uint8Array(65 * 2 ** 20))], { codec })
      expect(verdict(bomb)).to.equal('MESSAGE_TOO_LARGE')
      const limit = Math.min(64 * 2 ** 20, Math.max(100 * (bomb.length - 61), 2 ** 20))
      expect(message(bomb)).to.contain(`more than ${limit} bytes`).and.to.contain(`${bomb.length - 61} bytes`)
    }).timeout(30_000)

    it(`accepts a small batch that expands to nearly 1 MiB (${codec.name})`, () => {
      expect(message(buildBatch([record(new Uint8Array(2 ** 20 - 100))], { codec }))).to.equal('')
      expect(verdict(buildBatch([record(new Uint8Array(2 ** 20 + 1))], { codec }))).to.equal(
        // Above 1 MiB it depends on the ratio: snappy's is 1 : 20 at best, the others' is above 1 : 100.
        codec.name === 'snappy' ? 'fine' : 'MESSAGE_TOO_LARGE')
    })

    it(`refuses corrupt data under a right checksum (${codec.name})`, () => {
      const good = buildBatch([record('v'.repeat(100), { key: text('k') })], { codec })
      for (const end of [61, 62, good.length - 1]) {
        const cut = Uint8Array.from(good.subarray(0, end))
        writeInt32(cut, cut.length - 12, 8)
        expect(verdict(resealed(cut, () => undefined)), `cut to ${end}`).to.equal('INVALID_RECORD')
      }
    })
  }
})

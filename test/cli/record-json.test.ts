// Records as JSON lines: nothing is lost on the way there and back, and what is malformed is named.

import { expect } from 'chai'

import { bytesOfJson, jsonOfBytes, lineOfRecord, recordOfLine, SourceError } from '../../src/cli/record-json.ts'
import { UsageError } from '../../src/cli/parse.ts'
import type { ConsumedRecord } from '../../src/client/types.ts'
import { seeded } from '../support/numbers.ts'

const bytes = (text: string) => Uint8Array.from(Buffer.from(text))

function roundTrip(value: Uint8Array | null): Uint8Array | null {
  const json: unknown = JSON.parse(JSON.stringify(jsonOfBytes(value)))
  const back = bytesOfJson(json, 'it')
  return back === null ? null : Uint8Array.from(back)
}

function record(more: Partial<ConsumedRecord>): ConsumedRecord {
  return {
    topic: 't', partition: 1, offset: 7, timestamp: 1_700_000_000_000, key: null, value: null, headers: [], ...more
  }
}

describe('bytes as JSON', () => {
  it('are a string when they are UTF-8, base64 otherwise, null when null', () => {
    expect(jsonOfBytes(bytes('grüße'))).to.equal('grüße')
    expect(jsonOfBytes(Uint8Array.of(0xff, 0x00))).to.deep.equal({ base64: '/wA=' })
    expect(jsonOfBytes(null)).to.equal(null)
    expect(jsonOfBytes(new Uint8Array(0))).to.equal('')
  })

  it('come back as they were: marks, zeros, separators, surrogates in disguise', () => {
    const cases = [
      bytes('\uFEFF'), bytes('\uFEFFx'), bytes('a\u0000b'), bytes('\u2028\u2029'), bytes('"\\\n\r\t'), bytes('😀'),
      bytes('{"base64":"AA=="}'), bytes('null'), bytes(''), bytes('\uFFFD'),
      Uint8Array.of(0xed, 0xa0, 0x80), Uint8Array.of(0xc0, 0x80), Uint8Array.of(0xf4, 0x90, 0x80, 0x80),
      Uint8Array.of(0xef, 0xbb, 0xbf, 0xff), Uint8Array.of(0x80)
    ]
    for (const value of cases) expect(roundTrip(value)).to.deep.equal(value)
    expect(roundTrip(null)).to.equal(null)
  })

  it('come back as they were, whatever they are', () => {
    const random = seeded(20_260_131)
    for (let round = 0; round < 3_000; round++) {
      const length = Math.floor(random() * 12)
      // Few distinct bytes, so that sequences of UTF-8 come about as often as garbage.
      const pool = [0x00, 0x22, 0x41, 0x5c, 0x7f, 0x80, 0xbb, 0xbf, 0xc3, 0xe2, 0xed, 0xef, 0xf0, 0xff]
      const value = Uint8Array.from({ length }, () => pool[Math.floor(random() * pool.length)]!)
      expect(roundTrip(value), `round ${round}: ${Buffer.from(value).toString('hex')}`).to.deep.equal(value)
    }
  })

  it('refuse what is no form of bytes', () => {
    for (const json of [1, true, [], {}, { base64: 1 }, { base64: 'A' }, { base64: '!!!!' }, { base64: 'AA==', x: 1 },
      '\ud800', 'a\udc00b']) {
      expect(() => bytesOfJson(json, 'the key'), JSON.stringify(json)).to.throw(UsageError, 'the key')
    }
  })
})

describe('a record as a line', () => {
  it('has the fields of the contract, in order', () => {
    expect(lineOfRecord(record({ key: bytes('k'), value: bytes('v'), headers: [{ key: 'h', value: null }] }))).to.equal(
      '{"topic":"t","partition":1,"offset":7,"timestamp":1700000000000,"key":"k","value":"v",'
      + '"headers":[{"key":"h","value":null}]}')
  })

  it('is read back whole: nulls, empty values, headers in order, twice, and null', () => {
    const headers = [{ key: 'b', value: bytes('1') }, { key: 'a', value: null }, { key: 'b', value: bytes('') },
      { key: '', value: Uint8Array.of(0xff) }, { key: '__proto__', value: bytes('p') }]
    const pairs = [[null, bytes('')], [bytes(''), null], [Uint8Array.of(0xfe), bytes('\uFEFF')]] as const
    for (const [key, value] of pairs) {
      const back = recordOfLine(lineOfRecord(record({ key, value, headers })))
      expect(plain(back.key)).to.deep.equal(key)
      expect(plain(back.value)).to.deep.equal(value)
      expect(back.headers.map((header) => ({ ...header, value: plain(header.value) }))).to.deep.equal(headers)
      expect(back).to.include({ partition: 1, timestamp: 1_700_000_000_000 })
      expect(back).to.not.have.property('offset')
    }
  })

  it('may be short, and may have its headers in a map', () => {
    expect(recordOfLine('{}')).to.deep.equal({ key: null, value: null, headers: [] })
    expect(recordOfLine('{"headers":{"a":"1","b":null}}').headers)
      .to.deep.equal([{ key: 'a', value: bytes('1') }, { key: 'b', value: null }])
  })

  it('names what is wrong with it', () => {
    const wrong: [string, string][] = [
      ['', 'no JSON'], ['{', 'no JSON'], ['[]', 'object'], ['"x"', 'object'], ['{"vlaue":"x"}', 'vlaue'],
      ['{"key":1}', 'the key'], ['{"timestamp":"now"}', 'timestamp'], ['{"timestamp":1.5}', 'timestamp'],
      ['{"timestamp":-1}', 'timestamp'], ['{"partition":-1}', 'partition'], ['{"headers":"x"}', 'headers'],
      ['{"headers":[{"value":"x"}]}', 'header 0'], ['{"headers":[{"key":"a","vlaue":"x"}]}', 'header 0'],
      [String.raw`{"headers":[{"key":"\ud800","value":null}]}`, 'surrogate']
    ]
    for (const [line, part] of wrong) expect(() => recordOfLine(line), line).to.throw(UsageError, part)
  })

  it('of a consumer that failed is known as such', () => {
    expect(() => recordOfLine('{"error":{"code":"REQUEST_TIMED_OUT","message":"late"}}'))
      .to.throw(SourceError, 'REQUEST_TIMED_OUT: late')
  })
})

function plain(value: Uint8Array | null): Uint8Array | null { return value === null ? null : Uint8Array.from(value) }

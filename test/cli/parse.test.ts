// What people type: durations, addresses, positions, times, pairs.

import { expect } from 'chai'

import {
  collectPair, parseAddresses, parseDuration, parseEndPosition, parseInteger, parsePair, parsePosition, parseTime,
  parseTopicPartition, unescaped, UsageError
} from '../../src/cli/parse.ts'

function refuses(parse: (text: string) => unknown, texts: readonly string[]): void {
  for (const text of texts) expect(() => parse(text), JSON.stringify(text)).to.throw(UsageError)
}

describe('parseDuration', () => {
  it('reads numbers with units', () => {
    expect(['500ms', '5s', '2m', '1.5s', '24h', '1ms'].map(parseDuration))
      .to.deep.equal([500, 5_000, 120_000, 1_500, 86_400_000, 1])
  })

  it('refuses what is none, nothing at all, and more than a day', () => {
    refuses(parseDuration, ['', '5', 's', '-5s', '5 s', '5S', '0s', '0.0001s', '25h', '1e3s', '5s5s', '∞s'])
  })
})

describe('parseAddresses', () => {
  it('reads one and several, with brackets around IPv6', () => {
    expect(parseAddresses('a:1')).to.deep.equal(['a:1'])
    expect(parseAddresses('127.0.0.1:7201, [::1]:7202,')).to.deep.equal(['127.0.0.1:7201', '[::1]:7202'])
  })

  it('refuses what has no port, or a port beyond 65535', () => {
    refuses(parseAddresses, ['', ',', 'a', 'a:', ':1', 'a:0', 'a:65536', 'a:1,b', 'http://a:1', 'a b:1'])
  })
})

describe('parsePosition', () => {
  it('reads start, end, offsets, times and places before the end', () => {
    expect(parsePosition('start')).to.equal('start')
    expect(parsePosition('end')).to.equal('end')
    expect(parsePosition('42')).to.equal(42)
    expect(parsePosition('9007199254740991')).to.equal(Number.MAX_SAFE_INTEGER)
    expect(parsePosition('-10')).to.deep.equal({ fromEnd: 10 })
    expect(parsePosition('@1700000000000')).to.deep.equal({ timestamp: 1_700_000_000_000 })
    expect(parsePosition('@2026-01-31')).to.deep.equal({ timestamp: Date.UTC(2026, 0, 31) })
  })

  it('refuses anything else', () => {
    refuses(parsePosition, ['', 'begin', '1.5', '+1', '--1', '9007199254740992', '@', '@soon', '1e3', ' 1'])
  })

  it('stops at no start and at no place before the end', () => {
    expect(parseEndPosition('end')).to.equal('end')
    expect(parseEndPosition('7')).to.equal(7)
    refuses(parseEndPosition, ['start', '-3'])
  })
})

describe('parseTime', () => {
  it('reads ISO 8601, without a zone as UTC', () => {
    expect(parseTime('2026-01-31T08:30:00Z')).to.equal(Date.UTC(2026, 0, 31, 8, 30))
    expect(parseTime('2026-01-31T08:30')).to.equal(Date.UTC(2026, 0, 31, 8, 30))
    expect(parseTime('2026-01-31T08:30:00.250+02:00')).to.equal(Date.UTC(2026, 0, 31, 6, 30, 0, 250))
  })

  it('refuses days that are none, and years before 1970', () => {
    refuses(parseTime, ['2026-13-01', '2026-01-32', '1969-12-31', '31.1.2026', 'today', '2026-01-31T25:00'])
  })
})

describe('parseInteger', () => {
  it('keeps within its limits', () => {
    expect(parseInteger('-3', -3, 3)).to.equal(-3)
    refuses((text) => parseInteger(text, 0, 10), ['-1', '11', '1.0', '0x1', '', ' 1', '1e1', '99999999999999999999'])
  })
})

describe('pairs', () => {
  it('split at the first equals sign', () => {
    expect(parsePair('a=b=c')).to.deep.equal(['a', 'b=c'])
    expect(parsePair('a=')).to.deep.equal(['a', ''])
    refuses(parsePair, ['a', '=b', ''])
  })

  it('gather; a key with two values is refused, one that is a trap in JavaScript is a key', () => {
    const pairs = collectPair('__proto__=1', collectPair('a=1'))
    expect(Object.entries(pairs)).to.deep.equal([['a', '1'], ['__proto__', '1']])
    expect(collectPair('a=1', { a: '1' })).to.deep.equal({ a: '1' })
    expect(() => collectPair('a=2', { a: '1' })).to.throw(UsageError, 'twice')
  })

  it('name a partition', () => {
    expect(parseTopicPartition('a.b-c:12')).to.deep.equal({ topic: 'a.b-c', partition: 12 })
    refuses(parseTopicPartition, ['a', 'a:', ':1', 'a:b:1', 'a:-1', 'a:99999999999'])
  })
})

describe('unescaped', () => {
  it('knows what shells make hard to type, and leaves the rest', () => {
    expect(unescaped(String.raw`a\tb\n\0\\t\x`)).to.equal('a\tb\n\0\\t\\x')
  })
})

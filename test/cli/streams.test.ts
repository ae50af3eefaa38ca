// `weir produce` and `weir consume` on a cluster that keeps what it is told: what is sent, in which order, what is
// reported, and that a topic copied by way of JSON is the same.

import { expect } from 'chai'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { addConsume } from '../../src/cli/commands/consume.ts'
import { addProduce } from '../../src/cli/commands/produce.ts'
import type { ConsumedRecord, OutgoingRecord } from '../../src/client/types.ts'
import { scratch } from '../support/scratch.ts'
import { FakeWeir, run, type World } from './fake-shell.ts'

const VERBS = [addProduce, addConsume]

function produce(weir: FakeWeir, args: readonly string[], input: string | Uint8Array, more: World = {}) {
  return run(VERBS, ['produce', 't', ...args], { weir, input, ...more })
}

function text(bytes: OutgoingRecord['key']): string | null {
  return bytes === null || bytes === undefined ? null : Buffer.from(bytes as Uint8Array).toString('latin1')
}

function sent(weir: FakeWeir): (readonly [string | null, string | null])[] {
  return weir.sent.map(({ key, value }) => [text(key), text(value)] as const)
}

function stored(more: Partial<ConsumedRecord>, offset = 0): ConsumedRecord {
  return { topic: 's', partition: 0, offset, timestamp: 1_000 + offset, key: null, value: null, headers: [], ...more }
}

describe('weir produce', () => {
  const dir = scratch('cli-produce')

  it('sends a record a line, bytes as they are', async () => {
    const weir = new FakeWeir()
    const ran = await produce(weir, ['--format', 'json'], Buffer.from('one\n\ntwo\r\n\xff\x00', 'latin1'))
    expect(sent(weir)).to.deep.equal([[null, 'one'], [null, ''], [null, 'two\r'], [null, '\xff\x00']])
    expect(ran.code).to.equal(0)
    expect(ran.json()).to.deep.include(
      { records: 4, bytes: 9, partitions: { 0: { baseOffset: 0, lastOffset: 3, records: 4 } } })
    expect((ran.json() as { readonly ms: unknown }).ms).to.be.a('number')
  })

  it('splits keys from values at the first separator', async () => {
    const weir = new FakeWeir()
    await produce(weir, ['--key-separator', String.raw`\t`], 'k\tv\tw\n\tempty key\nno key\n')
    expect(sent(weir)).to.deep.equal([['k', 'v\tw'], ['', 'empty key'], [null, 'no key']])
  })

  it('reads a file, and JSON Lines with all there is in them', async () => {
    const weir = new FakeWeir()
    const file = join(dir(), 'in.jsonl')
    writeFileSync(file, '\uFEFF{"key":"k","value":{"base64":"/w=="},"headers":[{"key":"h","value":null}],'
      + '"timestamp":5,"partition":2}\n\n{"value":"v"}\n')
    expect((await produce(weir, ['--jsonl', '--file', file], '')).code).to.equal(0)
    expect(sent(weir)).to.deep.equal([['k', '\xff'], [null, 'v']])
    expect(weir.sent[0]).to.deep.include(
      { topic: 't', partition: 2, timestamp: 5, headers: [{ key: 'h', value: null }] })
    expect(weir.sent[1]).to.not.have.any.keys('partition', 'timestamp')
  })

  it('sends everything to --partition', async () => {
    const weir = new FakeWeir()
    await produce(weir, ['--jsonl', '--partition', '1'], '{"partition":2}\n{}\n')
    await produce(weir, ['--partition', '1'], 'x\n')
    expect(weir.sent.map(({ partition }) => partition)).to.deep.equal([1, 1, 1])
  })

  it('passes on acks, compression and the deadline', async () => {
    const weir = new FakeWeir()
    const args = ['--acks', '0', '--compression', 'zstd', '--timeout', '7s', '--format', 'json']
    const ran = await produce(weir, args, 'x\n')
    expect(weir.producerOptions).to.deep.equal(
      { acks: 0, compression: 'zstd', maxBlockMs: 7_000, deliveryTimeoutMs: 7_000, requestTimeoutMs: 7_000 })
    expect(ran.json()).to.have.deep.property('partitions', { 0: { baseOffset: -1, lastOffset: -1, records: 1 } })
  })

  it('stops at the first record that fails, and says what arrived', async () => {
    const weir = new FakeWeir()
    weir.failAt = 2
    const ran = await produce(weir, ['--format', 'json'], 'a\nb\nc\nd\n')
    expect(ran.code).to.equal(1)
    expect(ran.json()).to.deep.include({ error: {
      code: 'MESSAGE_TOO_LARGE', message: 'too large for max.message.bytes=1000', hint: 'send less' } })
    expect((ran.json() as { readonly records: number }).records).to.be.at.least(2)
  })

  it('stops at the first line that is no record, named by number', async () => {
    const weir = new FakeWeir()
    const ran = await produce(weir, ['--jsonl', '--format', 'json'], '{"value":"a"}\n{"vlaue":"b"}\n{"value":"c"}\n')
    expect(ran.code).to.equal(2)
    expect(sent(weir)).to.deep.equal([[null, 'a']])
    expect(ran.json()).to.have.nested.property('error.message').that.contains('line 2').and.contains('vlaue')
    expect(ran.json()).to.have.nested.property('error.hint', 'did you mean value?')
    expect((await produce(new FakeWeir(), ['--jsonl'], Uint8Array.of(0x22, 0xff, 0x22))).err).to.contain('no UTF-8')
  })

  it('is not done when what writes its input failed', async () => {
    const weir = new FakeWeir()
    const ran = await produce(weir, ['--jsonl'],
      '{"value":"a"}\n{"error":{"code":"NETWORK_EXCEPTION","message":"gone"}}\n')
    expect(ran.code).to.equal(1)
    expect(ran.err).to.contain('NETWORK_EXCEPTION: gone')
  })

  it('refuses a partition that is not there before it reads', async () => {
    const weir = new FakeWeir()
    const unread = { input: { [Symbol.asyncIterator]: () => { throw new Error('read') } } }
    expect((await produce(weir, ['--partition', '3'], '', { around: unread })).code).to.equal(1)
  })

  for (const args of [['--jsonl', '--key-separator', ':'], ['--key-separator', ''], ['--acks', '2'],
    ['--acks', '1', '--idempotent'], ['--compression', 'rar'], ['--file', 'no-such-file'], ['--file', '.']]) {
    it(`refuses ${args.join(' ')}`, async () => {
      expect((await produce(new FakeWeir(), args, '')).code).to.equal(2)
    })
  }

  it('holds a bounded number of bytes at one time', async () => {
    const weir = new FakeWeir()
    let underWay = 0
    let most = 0
    const real = weir.producer.bind(weir)
    weir.producer = (options) => {
      const { send } = real(options)
      const pending: Promise<unknown>[] = []
      const slowly = async (record: OutgoingRecord) => {
        const bytes = (record.value as Uint8Array).length
        underWay += bytes
        most = Math.max(most, underWay)
        await new Promise((resolve) => { setImmediate(resolve) })
        underWay -= bytes
        return send(record)
      }
      return {
        flush: async () => { await Promise.all(pending) },
        send: (record) => {
          const result = slowly(record)
          pending.push(result)
          return result
        }
      }
    }
    const line = `${'x'.repeat(2 ** 20 - 1)}\n`
    const ran = await produce(weir, ['--format', 'json'], line.repeat(40))
    expect(ran.json()).to.include({ records: 40, bytes: 40 * (2 ** 20 - 1) })
    expect(most).to.be.at.most(9 * 2 ** 20)
  })
})

describe('weir consume', () => {
  it('prints JSON lines in order and ends with --until', async () => {
    const weir = new FakeWeir()
    weir.stored.push(...[0, 1, 2, 3, 4].map((offset) => stored({ value: Buffer.from(`v${offset}`) }, offset)))
    const ran = await run(VERBS, ['consume', 's', '--until', 'end', '--format', 'json'], { weir })
    expect(ran.code).to.equal(0)
    expect(ran.out.trimEnd().split('\n').map((line) => (JSON.parse(line) as ConsumedRecord).offset))
      .to.deep.equal([0, 1, 2, 3, 4])
  })

  it('stops after --max, in the middle of what it got', async () => {
    const weir = new FakeWeir()
    weir.stored.push(...[0, 1, 2, 3, 4].map((offset) => stored({ value: Buffer.from(`v${offset}`) }, offset)))
    const ran = await run(VERBS, ['consume', 's', '--from', 'start', '--max', '3', '--print', '%o'], { weir })
    expect(ran).to.include({ code: 0, out: '0\n1\n2\n' })
  })

  it('asks for the place it was given', async () => {
    const cases: readonly (readonly [readonly string[], object])[] = [
      [['--until', 'end'], { topics: ['s'], from: 'start', until: 'end' }],
      [['--max', '1', '--from', '-5'], { topics: ['s'], from: { fromEnd: 5 } }],
      [['--max', '1'], { topics: ['s'], from: 'end' }],
      [['--until', '9', '--from', '@7', '--partition', '2'],
        { partitions: [{ topic: 's', partition: 2 }], from: { timestamp: 7 }, until: 9 }]
    ]
    for (const [args, wanted] of cases) {
      const weir = new FakeWeir()
      weir.stored.push(stored({}))
      await run(VERBS, ['consume', 's', ...args], { weir })
      expect(weir.consumerOptions).to.deep.equal(wanted)
    }
  })

  it('gives up when what must be there does not come', async () => {
    const weir = new FakeWeir()
    let now = 0
    weir.consumer = (given) => ({
      ...new FakeWeir().consumer(given), finished: false,
      poll: (ms) => {
        now += ms
        return Promise.resolve([])
      }
    })
    const ran = await run(VERBS, ['consume', 's', '--until', 'end', '--timeout', '2s'],
      { weir, around: { nowMs: () => now } })
    expect(ran.code).to.equal(3)
  })

  it('ends at an interrupt', async () => {
    const weir = new FakeWeir()
    let interrupt = (_signal: string) => { /* replaced */ }
    weir.consumer = (given) => ({
      ...new FakeWeir().consumer(given), finished: false,
      poll: () => {
        interrupt('SIGINT')
        return Promise.reject(new Error('the consumer is closed'))
      }
    })
    const ran = await run(VERBS, ['consume', 's'], { weir, around: {
      onInterrupt: (stop) => {
        interrupt = stop
        return () => { /* the test is over */ }
      } } })
    expect(ran).to.include({ code: 0, out: '' })
  })

  for (const args of [['--from', 'there'], ['--until', 'start'], ['--max', '0'], ['--print', '%q'],
    ['--isolation', 'none']]) {
    it(`refuses ${args.join(' ')}`, async () => {
      expect((await run(VERBS, ['consume', 's', ...args], { weir: new FakeWeir() })).code).to.equal(2)
    })
  }
})

describe('a topic copied by `consume --format json | produce --jsonl`', () => {
  it('is the same: nulls, empty, bytes that are no text, headers, timestamps, partitions', async () => {
    const bytes = [null, '', 'x', '\uFEFFbom', 'zero\u0000', '{"base64":"AA=="}'].map((one) =>
      one === null ? null : Buffer.from(one))
    const odd = [...bytes, Buffer.of(0xff, 0xfe), Buffer.of(0xed, 0xa0, 0x80)]
    const from = new FakeWeir()
    from.stored.push(...odd.flatMap((key, index) => odd.map((value, at) => stored({
      key, value, partition: index % 3, timestamp: at * 1_000,
      headers: [{ key: 'h', value }, { key: 'a', value: null }, { key: 'h', value: key }]
    }, index * odd.length + at))))
    const copied = await run(VERBS, ['consume', 's', '--until', 'end', '--format', 'json'], { weir: from })
    const to = new FakeWeir()
    expect((await produce(to, ['--jsonl'], copied.out)).code).to.equal(0)
    const plain = ({ key, value, headers, partition, timestamp }: OutgoingRecord) => ({
      key: text(key), value: text(value), partition, timestamp,
      headers: (headers as ConsumedRecord['headers']).map((header) => [header.key, text(header.value)]) })
    expect(to.sent.map(plain)).to.deep.equal(from.stored.map(plain))
    expect(to.sent).to.have.length(odd.length ** 2)
  })
})

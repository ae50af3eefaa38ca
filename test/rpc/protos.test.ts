// The protocol at run time: every rpc, every field on decode, and what decoding refuses.

import { readdirSync, readFileSync } from 'node:fs'

import { expect } from 'chai'
import protobuf from 'protobufjs'

import type { Method } from '../../src/ports.ts'
import type { FetchRequest } from '../../src/rpc/messages.ts'
import { methods, packageDefinition } from '../../src/rpc/protos.ts'

const everyMethod = Object.values(methods as Readonly<Record<string, Readonly<Record<string, unknown>>>>)
  .flatMap((service) => Object.values(service) as Method<unknown, unknown>[])

/** A varint of up to 64 bits, the way protobuf writes it. */
function varint(value: bigint): number[] {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, value)
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
  return [...bytes, Number(rest)]
}

/** FetchRequest with one partition that has only an offset. */
function fetchAt(offset: readonly number[]): Uint8Array {
  return Uint8Array.from([0x2a, offset.length + 1, 0x18, ...offset])
}

function offsetOf(bytes: Uint8Array): number {
  return methods.data.fetch.decodeRequest(bytes).partitions[0]!.offset
}

describe('protocol', () => {
  it('has a method for every rpc of proto/, with its path and kind', () => {
    const declared = readdirSync('proto').flatMap((file) => {
      const text = readFileSync(`proto/${file}`, 'utf8')
      const [, service] = /^service (\w+)/m.exec(text) ?? []
      return [...text.matchAll(/^ {2}rpc (\w+)\((stream )?/gm)].map(([, name, streams]) => (
        `/weir.v1.${service}/${name} ${streams === undefined ? 'unary' : 'stream'}`))
    })
    expect(declared.length).to.be.greaterThan(20)
    expect(everyMethod.map(({ path, kind }) => `${path} ${kind}`)).to.have.members(declared)
    expect(methods.data.produceStream.path).to.equal('/weir.v1.Data/ProduceStream')
  })

  it('decodes nothing into a message of defaults, for every type', () => {
    for (const method of everyMethod) {
      for (const message of [method.decodeRequest(new Uint8Array(0)), method.decodeResponse(new Uint8Array(0))]) {
        for (const value of Object.values(message as Record<string, unknown>)) {
          expect([0, '', false, null]).to.satisfy((blanks: unknown[]) => blanks.includes(value)
            || (Array.isArray(value) && value.length === 0) || (value as Uint8Array).length === 0, method.path)
        }
      }
    }
  })

  it('brings a unary message back as it was', () => {
    const response = {
      partitions: [{
        topic: 'bücher 📚', partition: 3, subscription: 7, highWatermark: 2 ** 53 - 1, logStartOffset: -1,
        status: {
          code: 6, name: 'NOT_LEADER_OR_FOLLOWER', message: 'm', hint: '',
          leader: { id: -1, address: '', leaderEpoch: 0 } },
        records: [{ key: new Uint8Array(0), headers: [{ key: 'h' }], timestamp: 1, offset: 2 }],
        batches: Uint8Array.from([1, 2, 3]), nextOffset: 0
      }]
    }
    const { fetch } = methods.data
    expect(fetch.decodeResponse(fetch.encodeResponse(response))).to.deep.equal(response)
  })

  it('brings every choice of a oneof back, and no other', () => {
    const { fetchStream } = methods.data
    for (const message of [
      { open: { form: 1, creditBytes: 1024 } }, { unsubscribe: 0 }, { creditBytes: 5 }, {},
      { subscribe: { subscription: 1, partition: { topic: 't', partition: 0, offset: 5, maxBytes: 0 } } },
      { subscribe: { subscription: 1, partition: null } }
    ] as const) {
      expect(fetchStream.decodeRequest(fetchStream.encodeRequest(message))).to.deep.equal(message)
    }
  })

  it('leaves an optional field out that was not sent, and keeps one that was sent as its default', () => {
    const { produce } = methods.data
    const sent = (leaderEpoch?: number) => produce.decodeRequest(produce.encodeRequest({
      acks: 0, timeoutMs: 0, partitions: [{ topic: '', partition: 0, leaderEpoch }] })).partitions[0]!
    expect(sent()).to.deep.equal({ topic: '', partition: 0 })
    expect(sent(0)).to.deep.equal({ topic: '', partition: 0, leaderEpoch: 0 })
  })

  it('has fields of their own for defaults that a foreign client spelled out', () => {
    const partition = [0x0a, 0, 0x10, 0, 0x18, 0]
    const request = methods.data.fetch.decodeRequest(Uint8Array.from([0x2a, partition.length, ...partition]))
    expect({ ...request.partitions[0] }).to.deep.equal({ topic: '', partition: 0, offset: 0, maxBytes: 0 })
  })

  it('delivers bytes as plain views of what was received', () => {
    const { produce } = methods.data
    const bytes = produce.encodeRequest({
      acks: 1, timeoutMs: 0, partitions: [{ topic: 't', partition: 0, batch: Uint8Array.from([1, 2, 3]) }] })
    const batch = produce.decodeRequest(bytes).partitions[0]!.batch!
    expect(batch.buffer).to.equal(bytes.buffer)
    // A Buffer's slice would share its bytes.
    expect(batch.slice().buffer).to.not.equal(bytes.buffer)
  })

  it('reads every int64 that is a safe integer', () => {
    const edges = [0n, 1n, -1n, 127n, 128n, -128n, 2n ** 31n, -(2n ** 31n), 2n ** 32n, 2n ** 35n - 1n, 2n ** 49n,
      -(2n ** 49n), 2n ** 53n - 1n, -(2n ** 53n - 1n)]
    for (const edge of edges) {
      expect(offsetOf(fetchAt(varint(edge))), String(edge)).to.equal(Number(edge))
      const request: FetchRequest = {
        maxWaitMs: 0, minBytes: 0, maxBytes: 0, form: 0,
        partitions: [{ topic: '', partition: 0, offset: Number(edge), maxBytes: 0 }] }
      expect(offsetOf(methods.data.fetch.encodeRequest(request)), String(edge)).to.equal(Number(edge))
    }
  })

  it('refuses every other int64, and does not round one into range', () => {
    for (const edge of [2n ** 53n, 2n ** 53n + 1n, 2n ** 56n, 2n ** 63n - 1n]) {
      for (const value of [edge, -edge]) {
        expect(() => offsetOf(fetchAt(varint(value))), String(value)).to.throw(RangeError, /int64 .* is beyond/)
      }
    }
    expect(() => offsetOf(fetchAt(varint(-(2n ** 63n))))).to.throw(RangeError, /is beyond/)
  })

  it('refuses an int64 that is cut short or too long', () => {
    expect(() => offsetOf(fetchAt([0x80]))).to.throw(RangeError, /ends beyond/)
    expect(() => offsetOf(fetchAt(new Array<number>(11).fill(0x80)))).to.throw(RangeError, /ten bytes/)
  })

  it('refuses an unknown value of an enum, wherever it is', () => {
    expect(methods.data.fetch.decodeRequest(Uint8Array.from([0x20, 1])).form).to.equal(1)
    expect(() => methods.data.fetch.decodeRequest(Uint8Array.from([0x20, 2]))).to.throw(RangeError, 'form 2')
    const resource = Uint8Array.from([0x0a, 2, 0x08, 9])
    expect(() => methods.admin.describeConfigs.decodeRequest(resource)).to.throw(RangeError, 'scope 9')
    const open = Uint8Array.from([0x0a, 2, 0x08, 2])
    expect(() => methods.data.fetchStream.decodeRequest(open)).to.throw(RangeError, 'form 2')
  })

  it('throws RangeError, and nothing else, on malformed bytes', () => {
    for (const bytes of [[0x0a], [0xff], [0x07], [0x2a, 200], [0x2a, 3, 0x0a, 1, 0xff], [0x2b, 0x2a], [0x00, 0x00]]) {
      expect(() => methods.data.fetch.decodeRequest(Uint8Array.from(bytes)), String(bytes)).to.throw(RangeError)
    }
  })

  it('skips fields of a later release', () => {
    const later = Uint8Array.from([0xfa, 0x01, 2, 1, 1, 0x08, 5])
    expect(methods.data.fetch.decodeRequest(later)).to.include({ maxWaitMs: 5 }).and.to.not.have.property('$unknowns')
  })

  it('leaves the protobufjs of others as it is', () => {
    expect(protobuf.util.Long).to.be.a('function')
    expect(protobuf.Reader.create(Uint8Array.from([5])).int64()).to.be.an('object')
  })

  it('has descriptors of all services for reflection', () => {
    const names = Object.keys(packageDefinition())
    for (const service of ['Data', 'Admin', 'Transactions', 'BrokerLink', 'Replica', 'Raft']) {
      expect(names).to.include(`weir.v1.${service}`)
    }
  })
})

// Raft messages on the wire: the same message comes out, and a snapshot only when every chunk of it came in order.

import { expect } from 'chai'

import { decodeMessage, encodeMessage, SnapshotAssembly } from '../../controller/raft-codec.ts'
import {
  MESSAGE_KINDS, plainMessage, snapshotMessage, type Message, type SnapshotMessage
} from '../../controller/raft/types.ts'
import type { RaftMessage } from '../../src/rpc/messages.ts'
import { methods } from '../../src/rpc/protos.ts'

const CHUNK_BYTES = 256 * 1024

/** Through the bytes of an envelope, as on a stream. */
function carried(messages: readonly RaftMessage[]): readonly RaftMessage[] {
  const { exchange } = methods.raft
  return exchange.decodeRequest(exchange.encodeRequest({ hello: null, messages })).messages
}

function snapshotOf(bytes: number, index = 7): SnapshotMessage {
  const data = new Uint8Array(bytes).map((_, at) => (at * 31 + index) & 0xff)
  return snapshotMessage(1, 2, 5, { index, term: 4, data })
}

/** What a receiver makes of these chunks. */
function received(chunks: readonly RaftMessage[]): Message[] {
  const assembly = new SnapshotAssembly()
  return carried(chunks).map((chunk) => decodeMessage(chunk, assembly)).filter((message) => message !== undefined)
}

describe('raft codec', () => {
  for (const kind of MESSAGE_KINDS) {
    if (kind === 'snapshot') continue
    it(`carries ${kind} unchanged`, () => {
      const data = Uint8Array.of(1, 2, 3)
      const message = plainMessage(kind, 1, 2, 2 ** 53 - 1, {
        index: 2 ** 40, logTerm: 3, commit: 4, reject: true, rejectHint: 5, hintTerm: 6, context: 1, mark: 2 ** 48,
        voiceless: true,
        entries: [{ index: 8, term: 3, data: new Uint8Array(0) }, { index: 9, term: 3, data }] })
      expect(received(encodeMessage(message))).to.deep.equal([message])
    })
  }

  it('copies entry data out of the received buffer', () => {
    const [encoded] = carried(encodeMessage(plainMessage('append', 1, 2, 1, {
      entries: [{ index: 1, term: 1, data: Uint8Array.of(1, 2, 3) }] })))
    const message = decodeMessage(encoded!, new SnapshotAssembly())
    expect(message!.entries[0]!.data.buffer.byteLength).to.equal(3)
  })

  it('drops a kind of a later release', () => {
    const [encoded] = encodeMessage(plainMessage('heartbeat', 1, 2, 1))
    expect(decodeMessage({ ...encoded!, kind: 'gossip' }, new SnapshotAssembly())).to.equal(undefined)
  })

  describe('snapshots', () => {
    for (const bytes of [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES]) {
      it(`of ${bytes} bytes arrive whole`, () => {
        const message = snapshotOf(bytes)
        const chunks = encodeMessage(message)
        expect(chunks.length).to.equal(Math.max(1, Math.ceil(bytes / CHUNK_BYTES)))
        const [whole, ...more] = received(chunks)
        expect(more).to.deep.equal([])
        expect(whole).to.deep.equal(message)
      })
    }

    const parts = () => encodeMessage(snapshotOf(3 * CHUNK_BYTES + 5))
    const wrongs: readonly [string, (chunks: RaftMessage[]) => RaftMessage[]][] = [
      ['a chunk is missing', ([a, , c, d]) => [a!, c!, d!]],
      ['the first is missing', ([, b, c, d]) => [b!, c!, d!]],
      ['the last is missing', ([a, b, c]) => [a!, b!, c!]],
      ['two are swapped', ([a, b, c, d]) => [a!, c!, b!, d!]],
      ['one comes twice', ([a, b, c, d]) => [a!, b!, b!, c!, d!]],
      ['one is of another snapshot', ([a, , c, d]) => [
        a!, encodeMessage(snapshotOf(3 * CHUNK_BYTES + 5, 8))[1]!, c!, d!]],
      ['the last is too long', ([a, b, c, d]) => [a!, b!, c!, {
        ...d!, snapshot: { ...d!.snapshot!, data: new Uint8Array(6) } }]],
      ['the last is too short', ([a, b, c, d]) => [a!, b!, c!, {
        ...d!, snapshot: { ...d!.snapshot!, data: new Uint8Array(4) } }]],
      ['it claims to be larger than any', ([a, b, c, d]) => [a!, b!, c!, d!].map((chunk) => ({
        ...chunk, snapshot: { ...chunk.snapshot!, totalBytes: 2 ** 31 } }))],
      ['it carries no chunk', ([a]) => [{ ...a!, snapshot: null }]]
    ]
    for (const [what, change] of wrongs) {
      it(`are dropped when ${what}`, () => {
        expect(received(change(parts()))).to.deep.equal([])
      })
    }

    it('arrive after one that broke off', () => {
      const [a, b] = encodeMessage(snapshotOf(3 * CHUNK_BYTES, 8))
      expect(received([a!, b!, ...parts()])).to.deep.equal([snapshotOf(3 * CHUNK_BYTES + 5)])
    })

    it('arrive with heartbeats between their chunks', () => {
      const heartbeat = plainMessage('heartbeat', 1, 2, 5)
      const mixed = parts().flatMap((chunk) => [chunk, ...encodeMessage(heartbeat)])
      expect(received(mixed).map(({ kind }) => kind)).to.deep.equal(
        ['heartbeat', 'heartbeat', 'heartbeat', 'snapshot', 'heartbeat'])
    })
  })
})

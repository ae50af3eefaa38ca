// The Network port over real connections: streams.

import { expect } from 'chai'

import { WeirError } from '../../src/base/error-code.ts'
import {
  NetworkError, stream, type Caller, type Listener, type MessageStream, type Peer, type StreamHandlers
} from '../../src/ports.ts'
import { grpcNetwork } from '../../src/rpc/grpc-network.ts'
import type { ProduceRequest, ProduceResponse } from '../../src/rpc/messages.ts'
import { methods } from '../../src/rpc/protos.ts'

const METHOD = methods.data.produceStream
const KIBIBYTE = 1024

type ServerEnd = MessageStream<ProduceResponse, ProduceRequest>

function request(timeoutMs: number, bytes = 0): ProduceRequest {
  return { acks: 1, timeoutMs, partitions: [{ topic: '', partition: 0, batch: new Uint8Array(bytes) }] }
}

function response(partition: number, bytes = 0): ProduceResponse {
  return { partitions: [{
    topic: 'x'.repeat(bytes), partition, status: null, baseOffset: 0, logAppendTime: 0, logStartOffset: 0 }] }
}

/** One end and what it got; `over` resolves with what `close` said. */
function record<Out, In>(end: MessageStream<Out, In>, more: Partial<StreamHandlers<In>> = {}) {
  const messages: In[] = []
  const events: string[] = []
  const over = new Promise<NetworkError | undefined>((resolve) => {
    end.handle({
      ...more,
      message: (message) => {
        messages.push(message)
        more.message?.(message)
      },
      end: () => {
        events.push('end')
        more.end?.()
      },
      close: (error) => {
        events.push('close')
        resolve(error)
      }
    })
  })
  return { end, messages, events, over }
}

describe('streams over gRPC', () => {
  const network = grpcNetwork({ maxMessageBytes: 64 * KIBIBYTE })
  let listener: Listener
  let peer: Peer
  /** What the server does with the next stream. */
  let serve: (end: ServerEnd, caller: Caller) => void

  beforeEach(async () => {
    listener = await network.listen('127.0.0.1:0', [stream(METHOD, (end, caller) => { serve(end, caller) })])
    peer = network.dial(listener.address)
  })

  afterEach(async () => {
    peer.close()
    await listener.close(0)
  })

  /** Opens a stream; `server` resolves with its other end once that is there. */
  function open(onServer: Partial<StreamHandlers<ProduceRequest>> = {}, onClient = {}) {
    const server = new Promise<ReturnType<typeof record<ProduceResponse, ProduceRequest>> & { caller: Caller }>(
      (resolve) => {
        serve = (end, caller) => {
          const recorded = { ...record(end, onServer), caller }
          resolve(recorded)
        }
      })
    return { client: record(peer.open(METHOD), onClient), server }
  }

  it('delivers in order, both ways, and ends in order when both sides have', async () => {
    const { client, server } = open()
    const there = await server
    for (let at = 0; at < 200; at++) {
      client.end.send(request(at, at * 100))
      there.end.send(response(at, at * 100))
    }
    client.end.end()
    while (!there.events.includes('end')) await new Promise((resolve) => { setTimeout(resolve, 1) })
    there.end.end()
    expect(await client.over).to.equal(undefined)
    expect(await there.over).to.equal(undefined)
    const counting = Array.from({ length: 200 }, (_none, at) => at)
    expect(there.messages.map(({ timeoutMs }) => timeoutMs)).to.deep.equal(counting)
    expect(client.messages.map(({ partitions }) => partitions[0]!.partition)).to.deep.equal(counting)
    expect(there.messages[199]!.partitions[0]!.batch!.length).to.equal(19_900)
    expect(client.events).to.deep.equal(['end', 'close'])
    expect(there.events).to.deep.equal(['end', 'close'])
  })

  it('goes on answering a side that has ended', async () => {
    const { client, server } = open()
    client.end.end()
    const there = await server
    while (!there.events.includes('end')) await new Promise((resolve) => { setTimeout(resolve, 1) })
    there.end.send(response(1))
    there.end.send(response(2))
    there.end.end()
    expect(await client.over).to.equal(undefined)
    expect(client.messages).to.have.length(2)
  })

  it('ends for both when the server ends', async () => {
    const { client, server } = open()
    const there = await server
    there.end.send(response(1))
    there.end.end()
    expect(await client.over).to.equal(undefined)
    expect(await there.over).to.equal(undefined)
    expect(client.messages).to.have.length(1)
    expect(client.events).to.deep.equal(['end', 'close'])
  })

  it('knows its caller, and tells when that is gone', async () => {
    const { client, server } = open()
    const { caller, over } = await server
    expect(caller.dialled).to.equal(listener.address)
    expect(caller.timeoutMs).to.equal(Infinity)
    expect(caller.signal.aborted).to.equal(false)
    client.end.destroy('enough')
    await over
    expect(caller.signal.aborted).to.equal(true)
  })

  it('closes with an error on both sides when the client drops it', async () => {
    const { client, server } = open()
    const there = await server
    client.end.destroy('enough')
    expect(await client.over).to.be.instanceOf(NetworkError).with.property('code', 'CANCELLED')
    expect(await there.over).to.be.instanceOf(NetworkError).with.property('code', 'UNAVAILABLE')
    expect(client.events).to.deep.equal(['close'])
    expect(there.events).to.deep.equal(['close'])
  })

  it('closes with the reason on both sides when the server drops it', async () => {
    const { client, server } = open()
    const there = await server
    there.end.destroy('too many of them')
    for (const error of [await client.over, await there.over]) {
      expect(error).to.be.instanceOf(NetworkError).with.property('code', 'CANCELLED')
      expect(error!.message).to.contain('too many of them')
    }
    expect(client.events).to.deep.equal(['close'])
    expect(there.events).to.deep.equal(['close'])
  })

  it('holds a sender up whose receiver pauses, and goes on without loss', async () => {
    const size = 32 * KIBIBYTE
    const total = 2_000
    let sent = 0
    let drains = 0
    const { client, server } = open({}, { drain: () => {
      drains++
      fill()
    } })
    function fill(): void {
      while (sent < total) if (!client.end.send(request(sent++, size))) return
      client.end.end()
    }
    const there = await server
    there.end.pause()
    fill()
    // As much as windows and buffers on the way hold is gone at once; after that nothing moves.
    let stuckAt = -1
    while (stuckAt !== sent) {
      stuckAt = sent
      await new Promise((resolve) => { setTimeout(resolve, 50) })
    }
    expect(sent).to.be.lessThan(total)
    expect(there.messages.length).to.be.at.most(1)
    there.end.resume()
    while (!there.events.includes('end')) await new Promise((resolve) => { setTimeout(resolve, 1) })
    there.end.end()
    expect(await client.over).to.equal(undefined)
    expect(there.messages.map(({ timeoutMs }) => timeoutMs))
      .to.deep.equal(Array.from({ length: total }, (_x, at) => at))
    expect(drains).to.be.greaterThan(0)
  })

  it('holds a server up whose client pauses', async () => {
    const total = 2_000
    let sent = 0
    const { client, server } = open({ drain: () => { fill() } })
    client.end.pause()
    const there = await server
    function fill(): void {
      while (sent < total) if (!there.end.send(response(sent++, 32 * KIBIBYTE))) return
      there.end.end()
    }
    fill()
    let stuckAt = -1
    while (stuckAt !== sent) {
      stuckAt = sent
      await new Promise((resolve) => { setTimeout(resolve, 50) })
    }
    expect(sent).to.be.lessThan(total)
    client.end.resume()
    expect(await client.over).to.equal(undefined)
    expect(client.messages.map(({ partitions }) => partitions[0]!.partition))
      .to.deep.equal(Array.from({ length: total }, (_x, at) => at))
  })

  it('carries bulk both ways at once', async () => {
    const total = 1_500
    const { client, server } = open()
    const there = await server
    for (let at = 0; at < total; at++) {
      client.end.send(request(at, 16 * KIBIBYTE))
      there.end.send(response(at, 16 * KIBIBYTE))
    }
    client.end.end()
    while (!there.events.includes('end')) await new Promise((resolve) => { setTimeout(resolve, 1) })
    there.end.end()
    expect(await client.over).to.equal(undefined)
    expect([client.messages.length, there.messages.length]).to.deep.equal([total, total])
  })

  it('refuses a malformed message, by an error that names it', async () => {
    serve = (end) => { record(end) }
    const raw = { ...METHOD, encodeRequest: () => Uint8Array.from([0xff]) }
    const client = record(peer.open(raw))
    client.end.send(request(0))
    const error = await client.over
    expect(error).to.be.instanceOf(NetworkError)
    expect(error!.cause).to.be.instanceOf(WeirError).with.property('name', 'INVALID_REQUEST')
  })

  it('does not send what is too large', async () => {
    const { client, server } = open()
    await server
    client.end.send(request(0, 65 * KIBIBYTE))
    expect(await client.over).to.be.instanceOf(NetworkError).with.property('code', 'OVERSIZE')
    const { client: other, server: otherServer } = open()
    const there = await otherServer
    there.end.send(response(0, 65 * KIBIBYTE))
    expect(await there.over).to.be.instanceOf(NetworkError).with.property('code', 'OVERSIZE')
    expect(await other.over).to.be.instanceOf(NetworkError).with.property('code', 'OVERSIZE')
  })

  it('answers a surprise in the handler with UNKNOWN_SERVER_ERROR', async () => {
    serve = () => { throw new TypeError('undefined is not a function') }
    const opened = record(peer.open(METHOD))
    expect((await opened.over)!.cause).to.be.instanceOf(WeirError).with.property('name', 'UNKNOWN_SERVER_ERROR')
    const { client, server } = open({ message: () => { throw new TypeError('not a function') } })
    await server
    client.end.send(request(0))
    expect((await client.over)!.cause).to.be.instanceOf(WeirError).with.property('name', 'UNKNOWN_SERVER_ERROR')
    expect(await (await server).over).to.be.instanceOf(NetworkError)
  })

  it('closes with UNAVAILABLE when the server dies', async () => {
    const { client, server } = open()
    const there = await server
    await listener.close(0)
    expect(await client.over).to.be.instanceOf(NetworkError).with.property('code', 'UNAVAILABLE')
    expect(await there.over).to.be.instanceOf(NetworkError).with.property('code', 'UNAVAILABLE')
  })

  it('closes with UNAVAILABLE when its peer is closed here', async () => {
    const { client, server } = open()
    const there = await server
    peer.close()
    expect(await client.over).to.be.instanceOf(NetworkError).with.property('code', 'UNAVAILABLE')
    expect(await there.over).to.be.instanceOf(NetworkError).with.property('code', 'UNAVAILABLE')
    const late = record(peer.open(METHOD))
    expect(late.end.send(request(0))).to.equal(true)
    expect((await late.over)!.message).to.contain('closed here')
  })

  it('closes with UNAVAILABLE where nobody listens', async () => {
    await listener.close(0)
    const error = await record(peer.open(METHOD)).over
    expect(error).to.be.instanceOf(NetworkError).with.property('code', 'UNAVAILABLE')
  })

  it('sends what was queued before it was connected', async () => {
    const arrived: number[] = []
    serve = (end) => { record(end, {
      message: ({ timeoutMs }) => { arrived.push(timeoutMs) },
      end: () => { end.end() }
    }) }
    const client = record(peer.open(METHOD))
    for (const at of [1, 2, 3]) client.end.send(request(at))
    client.end.end()
    expect(await client.over).to.equal(undefined)
    expect(arrived).to.deep.equal([1, 2, 3])
  })

  it('streams of one peer are independent', async () => {
    const { client: first, server: firstServer } = open()
    const firstThere = await firstServer
    firstThere.end.pause()
    const { client: second, server: secondServer } = open()
    const secondThere = await secondServer
    first.end.destroy('enough')
    await firstThere.over
    second.end.send(request(5))
    second.end.end()
    while (!secondThere.events.includes('end')) await new Promise((resolve) => { setTimeout(resolve, 1) })
    secondThere.end.end()
    expect(await second.over).to.equal(undefined)
    expect(secondThere.messages).to.have.length(1)
  })
})

// The Network port over real connections: calls.

import { Client, credentials, Metadata, status, type ServiceError } from '@grpc/grpc-js'
import { expect } from 'chai'

import { ErrorCode, WeirError, weirError } from '../../src/base/error-code.ts'
import { NetworkError, unary, type Caller, type Handler, type Listener, type Peer } from '../../src/ports.ts'
import { grpcNetwork } from '../../src/rpc/grpc-network.ts'
import type { ListOffsetsRequest, ListOffsetsResponse } from '../../src/rpc/messages.ts'
import { methods } from '../../src/rpc/protos.ts'
import { failureOf } from '../support/failures.ts'

const METHOD = methods.data.listOffsets
const TIMEOUT_MS = 10_000
const REQUEST: ListOffsetsRequest = { partitions: [{ topic: 'orders', partition: 3, timestamp: 2 ** 53 - 1 }] }
const RESPONSE: ListOffsetsResponse = { partitions: [
  { topic: 'orders', partition: 3, status: null, offset: -(2 ** 53 - 1), timestamp: -1, leaderEpoch: 0 }] }

type Run = (request: ListOffsetsRequest, caller: Caller) => Promise<ListOffsetsResponse>

describe('calls over gRPC', () => {
  const unexpected: unknown[] = []
  const network = grpcNetwork({
    maxMessageBytes: 100_000, maxRequestBytes: 10_000, onUnexpected: (error) => { unexpected.push(error) } })
  const listeners: Listener[] = []
  const peers: Peer[] = []

  afterEach(async () => {
    for (const peer of peers.splice(0)) peer.close()
    await Promise.all(listeners.splice(0).map((listener) => listener.close(0)))
    unexpected.length = 0
  })

  async function listen(handlers: readonly Handler[], address = '127.0.0.1:0'): Promise<Listener> {
    const listener = await network.listen(address, handlers)
    listeners.push(listener)
    return listener
  }

  function dial(address: string): Peer {
    const peer = network.dial(address)
    peers.push(peer)
    return peer
  }

  async function serve(run: Run): Promise<Peer> {
    return dial((await listen([unary(METHOD, run)])).address)
  }

  const call = (peer: Peer, request = REQUEST, timeoutMs = TIMEOUT_MS) => peer.call(METHOD, request, timeoutMs)

  it('brings a request there and its response back', async () => {
    let received: ListOffsetsRequest | undefined
    const peer = await serve(async (request) => {
      received = request
      return RESPONSE
    })
    expect(await call(peer)).to.deep.equal(RESPONSE)
    expect(received).to.deep.equal(REQUEST)
  })

  it('tells the handler who calls, by which address, and how long it will wait', async () => {
    let caller: Caller | undefined
    const peer = await serve(async (_request, from) => {
      caller = from
      return RESPONSE
    })
    await call(peer)
    expect(caller!.peer).to.match(/^127\.0\.0\.1:\d+$/)
    expect(caller!.dialled).to.equal(peer.address)
    expect(caller!.timeoutMs).to.be.greaterThan(0).and.at.most(TIMEOUT_MS)
    expect(caller!.signal.aborted).to.equal(false)
  })

  it('brings a refusal back with its code, hint and leader', async () => {
    const fault = {
      code: ErrorCode.NOT_CONTROLLER, message: 'ask “2”', hint: 'there',
      leader: { id: 2, address: 'c2:1', leaderEpoch: 3 } }
    const peer = await serve(() => Promise.reject(new WeirError(fault)))
    const error = await failureOf(call(peer))
    expect(error).to.be.instanceOf(WeirError)
    expect((error as WeirError).fault()).to.deep.equal(fault)
    expect(unexpected).to.deep.equal([])
  })

  it('answers a surprise with UNKNOWN_SERVER_ERROR, and tells of it', async () => {
    const surprise = new TypeError('undefined is not a function')
    const peer = await serve(() => Promise.reject(surprise))
    expect(await failureOf(call(peer))).to.be.instanceOf(WeirError).with.property('name', 'UNKNOWN_SERVER_ERROR')
    expect(unexpected).to.deep.equal([surprise])
  })

  it('times out, and lets the handler know', async () => {
    let aborted: (() => void) | undefined
    const known = new Promise<void>((resolve) => { aborted = resolve })
    const peer = await serve((_request, { signal }) => new Promise(() => {
      signal.addEventListener('abort', () => { aborted!() })
    }))
    expect(await failureOf(call(peer, REQUEST, 50))).to.be.instanceOf(NetworkError).with.property('code', 'TIMEOUT')
    await known
  })

  it('refuses a call without a deadline, and says what to do', async () => {
    const { address } = await listen([unary(METHOD, async () => RESPONSE)])
    const client = new Client(address, credentials.createInsecure())
    const error = await new Promise<ServiceError | null>((resolve) => {
      const encode = (request: ListOffsetsRequest) => Buffer.from(METHOD.encodeRequest(request))
      client.makeUnaryRequest(METHOD.path, encode, (bytes) => bytes, REQUEST, (failure) => { resolve(failure) })
    })
    client.close()
    expect(error?.code).to.equal(status.INVALID_ARGUMENT)
    expect(error?.details).to.contain('without a deadline')
    expect(String(error?.metadata.get('weir-error')[0])).to.contain('grpc-timeout')
  })

  it('refuses a malformed request', async () => {
    const peer = await serve(async () => RESPONSE)
    for (const bytes of [[0xff], [0x0a, 11, 0x20, ...new Array<number>(9).fill(0x80), 0x01]]) {
      const raw = { ...METHOD, encodeRequest: () => Uint8Array.from(bytes) }
      const error = await failureOf(peer.call(raw, REQUEST, TIMEOUT_MS))
      expect(error).to.be.instanceOf(WeirError).with.property('name', 'INVALID_REQUEST')
    }
    const unknownForm = { ...METHOD, path: methods.data.fetch.path, encodeRequest: () => Uint8Array.from([0x20, 9]) }
    const fetcher = dial((await listen([unary(methods.data.fetch, async () => ({ partitions: [] }))])).address)
    const error = await failureOf(fetcher.call(unknownForm, REQUEST, TIMEOUT_MS))
    expect(error).to.be.instanceOf(WeirError).with.property('name', 'INVALID_REQUEST')
    expect((error as Error).message).to.contain('FetchForm')
  })

  it('takes a malformed response for an unknown outcome', async () => {
    const peer = await serve(async () => RESPONSE)
    const raw = { ...METHOD, decodeResponse: () => { throw new RangeError('garbled') } }
    const error = await failureOf(peer.call(raw, REQUEST, TIMEOUT_MS))
    expect(error).to.be.instanceOf(NetworkError).with.property('code', 'UNAVAILABLE')
    expect((error as Error).message).to.contain('garbled')
  })

  it('refuses a method that is not served', async () => {
    const peer = await serve(async () => RESPONSE)
    const error = await failureOf(peer.call(methods.data.fetch, {
      maxWaitMs: 0, minBytes: 0, maxBytes: 0, form: 0, partitions: [] }, TIMEOUT_MS))
    expect(error).to.be.instanceOf(WeirError).with.property('name', 'UNSUPPORTED_VERSION')
  })

  it('refuses what is larger than its limits: to send, to accept, and to answer with', async () => {
    const request = (bytes: number) => ({ partitions: [{ topic: 'x'.repeat(bytes), partition: 0, timestamp: 0 }] })
    const large = { partitions: [{ ...RESPONSE.partitions[0]!, topic: 'x'.repeat(200_000) }] }
    const peer = await serve(async ({ partitions }) => (partitions.length === 0 ? large : RESPONSE))
    expect(await call(peer, request(9_000))).to.deep.equal(RESPONSE)
    for (const refused of [request(200_000), request(11_000), { partitions: [] }]) {
      const error = await failureOf(call(peer, refused))
      expect(error).to.be.instanceOf(NetworkError).with.property('code', 'OVERSIZE')
      expect((error as Error).message).to.contain('larger than max')
    }
    expect(await call(peer)).to.deep.equal(RESPONSE)
  })

  it('fails at once where nobody listens, and gets through when somebody does', async () => {
    const { address } = await listen([])
    await listeners.pop()!.close(0)
    const peer = dial(address)
    for (let attempt = 0; attempt < 3; attempt++) {
      // The deadline is far beyond the limit of this test: waiting for it would fail here.
      expect(await failureOf(call(peer, REQUEST, 60_000))).to.be.instanceOf(NetworkError)
        .with.property('code', 'UNAVAILABLE')
    }
    await listen([unary(METHOD, async () => RESPONSE)], address)
    for (;;) {
      const outcome = await call(peer).catch((error: unknown) => error)
      if (!(outcome instanceof NetworkError)) return expect(outcome).to.deep.equal(RESPONSE)
      await new Promise((resolve) => { setTimeout(resolve, 10) })
    }
  })

  it('fails a call whose server dies', async () => {
    let arrived: (() => void) | undefined
    const running = new Promise<void>((resolve) => { arrived = resolve })
    const peer = await serve(() => new Promise(() => { arrived!() }))
    const failure = failureOf(call(peer))
    await running
    await listeners[0]!.close(0)
    expect(await failure).to.be.instanceOf(NetworkError).with.property('code', 'UNAVAILABLE')
  })

  it('finishes running calls before it closes, within the grace time', async () => {
    let arrived: (() => void) | undefined
    let answer: ((response: ListOffsetsResponse) => void) | undefined
    const running = new Promise<void>((resolve) => { arrived = resolve })
    const peer = await serve(() => new Promise((resolve) => {
      answer = resolve
      arrived!()
    }))
    const response = call(peer)
    await running
    const closed = listeners[0]!.close(TIMEOUT_MS)
    answer!(RESPONSE)
    expect(await response).to.deep.equal(RESPONSE)
    await closed
    expect(await failureOf(call(peer))).to.be.instanceOf(NetworkError).with.property('code', 'UNAVAILABLE')
  })

  it('a closed peer fails its running calls, and every later one', async () => {
    let arrived: (() => void) | undefined
    const running = new Promise<void>((resolve) => { arrived = resolve })
    const peer = await serve(() => new Promise(() => { arrived!() }))
    const failure = failureOf(call(peer))
    await running
    peer.close()
    peer.close()
    for (const error of [await failure, await failureOf(call(peer))]) {
      expect(error).to.be.instanceOf(NetworkError).with.property('code', 'UNAVAILABLE')
      expect((error as Error).message).to.contain('closed here')
    }
  })

  it('says why it cannot listen, or dial', async () => {
    const { address } = await listen([])
    expect(await failureOf(network.listen(address, []))).to.be.instanceOf(NetworkError)
      .with.property('code', 'EADDRINUSE')
    expect(await failureOf(network.listen('nonsense', []))).to.be.instanceOf(NetworkError)
      .with.property('code', 'INVALID_ADDRESS')
    expect(await failureOf(call(dial('nonsense')))).to.be.instanceOf(NetworkError)
      .with.property('code', 'INVALID_ADDRESS')
  })

  it('names the port it chose', async () => {
    const { address } = await listen([])
    expect(address).to.match(/^127\.0\.0\.1:[1-9]\d*$/)
  })

  it('answers the standard health service, without a deadline', async () => {
    const listener = await listen([unary(METHOD, async () => RESPONSE)])
    const client = new Client(listener.address, credentials.createInsecure())
    const check = (service: string) => new Promise<number>((resolve, reject) => {
      const request = Buffer.from([0x0a, service.length, ...Buffer.from(service)])
      client.makeUnaryRequest('/grpc.health.v1.Health/Check', (bytes: Buffer) => bytes, (bytes) => bytes, request,
        new Metadata(), (error, response) => {
          if (error === null) resolve(response![1]!)
          else reject(error)
        })
    })
    const SERVING = 1
    const NOT_SERVING = 2
    expect([await check(''), await check('weir.v1.Data')]).to.deep.equal([SERVING, SERVING])
    listener.setServing(false)
    expect([await check(''), await check('weir.v1.Data')]).to.deep.equal([NOT_SERVING, NOT_SERVING])
    listener.setServing(true)
    expect(await check('')).to.equal(SERVING)
    expect(await failureOf(check('weir.v1.Raft'))).to.have.property('code', status.NOT_FOUND)
    client.close()
  })

  it('shows the services it has by reflection', async () => {
    const { address } = await listen([unary(METHOD, async () => RESPONSE)])
    const client = new Client(address, credentials.createInsecure())
    const same = (bytes: Buffer): Buffer => bytes
    const stream = client.makeBidiStreamRequest('/grpc.reflection.v1.ServerReflection/ServerReflectionInfo', same, same)
    const answer = new Promise<string>((resolve, reject) => {
      stream.on('data', (bytes: Buffer) => { resolve(bytes.toString('latin1')) })
      stream.on('error', reject)
    })
    // list_services = 7
    stream.write(Buffer.from([0x3a, 0]))
    expect(await answer).to.contain('weir.v1.Data').and.to.not.contain('weir.v1.Raft')
    stream.end()
    client.close()
  })

  it('refuses a second handler of one method', async () => {
    const handler = unary(METHOD, () => Promise.reject(weirError('UNSUPPORTED_VERSION', 'never')))
    expect(await failureOf(network.listen('127.0.0.1:0', [handler, handler])))
      .to.have.property('name', 'AssertionError')
  })
})

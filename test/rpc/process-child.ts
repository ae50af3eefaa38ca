// What process.test.ts runs in a process of its own. Says nothing when all is well.

import { assert } from '../../src/base/assert.ts'
import { NetworkError, stream, unary } from '../../src/ports.ts'
import { grpcNetwork } from '../../src/rpc/grpc-network.ts'
import { methods } from '../../src/rpc/protos.ts'

/** First argument. */
export type Mode = 'closes' | 'unary' | 'message'

const network = grpcNetwork()
const METHOD = methods.data.listOffsets

async function closesAll(): Promise<void> {
  const listener = await network.listen('127.0.0.1:0', [
    unary(METHOD, () => Promise.resolve({ partitions: [] })),
    stream(methods.data.produceStream, (end) => { end.handle({ message: () => {}, close: () => {} }) })
  ])
  const peer = network.dial(listener.address)
  await peer.call(METHOD, { partitions: [] }, 60_000)
  const open = peer.open(methods.data.produceStream)
  const closed = new Promise<void>((resolve) => {
    open.handle({ message: () => {}, close: () => { resolve() } })
  })
  const nobody = network.dial('127.0.0.1:1')
  await nobody.call(METHOD, { partitions: [] }, 60_000).catch((error: unknown) => {
    assert(error instanceof NetworkError, 'nobody listens on port 1')
  })
  nobody.close()
  peer.close()
  await closed
  await listener.close(60_000)
}

async function breaksInvariant(kind: Mode): Promise<void> {
  const listener = await network.listen('127.0.0.1:0', [
    unary(METHOD, () => {
      assert(false, 'broken invariant')
      return Promise.resolve({ partitions: [] })
    }),
    stream(methods.data.produceStream, (end) => {
      end.handle({ message: () => { assert(false, 'broken invariant') }, close: () => {} })
    })
  ])
  const peer = network.dial(listener.address)
  if (kind === 'unary') {
    await peer.call(METHOD, { partitions: [] }, 60_000).catch(() => {})
  } else {
    const open = peer.open(methods.data.produceStream)
    open.handle({ message: () => {}, close: () => {} })
    open.send({ acks: 0, timeoutMs: 0, partitions: [] })
  }
  // Keeps the process alive: only the broken invariant ends it.
  setInterval(() => {}, 60_000)
}

const mode = process.argv[2] as Mode
if (mode === 'closes') await closesAll()
else await breaksInvariant(mode)

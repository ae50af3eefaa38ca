// The lines between controllers: who is let in, what happens when a line breaks or is full, and who was heard when.

import { expect } from 'chai'

import { RaftTransport, votersHash, type RaftTransportNeeds } from '../../controller/raft-transport.ts'
import { plainMessage, snapshotMessage, type Message } from '../../controller/raft/types.ts'
import { raftService } from '../../controller/service/raft.ts'
import type { Listener } from '../../src/ports.ts'
import { methods } from '../../src/rpc/protos.ts'
import { FakeNetwork } from '../support/fake-network.ts'
import { FakeLogger } from '../support/fake-ports.ts'
import { FakeTime } from '../support/fake-time.ts'

interface Side {
  readonly transport: RaftTransport
  readonly received: Message[]
  readonly events: string[]
  readonly logger: FakeLogger
  readonly listener: Listener
}

describe('raft transport', () => {
  let time: FakeTime
  let network: FakeNetwork
  let sides: Side[]
  beforeEach(() => {
    time = new FakeTime()
    network = new FakeNetwork(time)
    sides = []
  })
  afterEach(async () => {
    for (const side of sides) {
      side.transport.close()
      await time.result(side.listener.close(0))
    }
    await time.advance(0)
    expect(time.pending).to.equal(0)
    expect(network.open).to.equal(0)
  })

  const side = async (nodeId: number, more: Partial<RaftTransportNeeds> = {}): Promise<Side> => {
    const received: Message[] = []
    const events: string[] = []
    const logger = new FakeLogger()
    const transport = new RaftTransport({
      nodeId, clusterId: 'c', voters: [1, 2, 3], clock: time, network: network.node(`c${nodeId}`), logger,
      addressOf: (id) => `c${id}:1`, receive: (messages) => { received.push(...messages) },
      unreachable: (id) => { events.push(`unreachable ${id}`) },
      connectionLost: (id) => { events.push(`lost ${id}`) },
      snapshotSent: (id, ok) => { events.push(`snapshot ${id} ${ok}`) }, ...more })
    const listener = await network.node(`c${nodeId}`).listen(`c${nodeId}:1`, raftService(transport))
    const made = { transport, received, events, logger, listener }
    sides.push(made)
    return made
  }
  const heartbeat = (from: number, to: number, term = 1) => plainMessage('heartbeat', from, to, term)
  const terms = ({ received }: Side) => received.map(({ term }) => term)

  it('carries messages in order, each to whom it is for', async () => {
    const [a, b, c] = [await side(1), await side(2), await side(3)]
    a.transport.send([1, 2, 3].flatMap((term) => [heartbeat(1, 2, term), heartbeat(1, 3, term + 10)]))
    await time.settle()
    expect(terms(b)).to.deep.equal([1, 2, 3])
    expect(terms(c)).to.deep.equal([11, 12, 13])
    expect(a.events).to.deep.equal([])
  })

  it('tells when each controller was heard last', async () => {
    const [a, b] = [await side(1), await side(2)]
    expect(b.transport.lastHeardMs(1)).to.equal(undefined)
    await time.advance(500)
    a.transport.send([heartbeat(1, 2)])
    await time.settle()
    expect(b.transport.lastHeardMs(1)).to.equal(time.monotonicMs())
    const heardMs = time.monotonicMs()
    await time.advance(500)
    expect(b.transport.lastHeardMs(1)).to.equal(heardMs)
    expect(b.transport.lastHeardMs(3)).to.equal(undefined)
  })

  describe('refuses', () => {
    const refusals: readonly [string, Partial<RaftTransportNeeds>, string][] = [
      ['a controller of another cluster', { clusterId: 'x' }, 'cluster.id x is not c'],
      ['one with other voters', { voters: [1, 2] }, 'its list of controllers differs from ours: check controllers='],
      ['one that is no voter here', { nodeId: 4, voters: [1, 2, 3] }, 'controller 4 is no voter'],
      ['one that looks for another', { addressOf: () => 'c2:1', voters: [1, 3, 2] },
        'looks for controller 3, this is 2: check controllers=']
    ]
    for (const [what, more, reason] of refusals) {
      it(what, async () => {
        const b = await side(2)
        const from = more.nodeId ?? 1
        const a = await side(from, more)
        const to = what.includes('looks') ? 3 : 2
        a.transport.send([heartbeat(from, to)])
        await time.settle()
        expect(b.received).to.deep.equal([])
        expect(b.logger.lines).to.deep.equal([
          { level: 'error', text: 'controller refused', fields: { from, reason } }])
        expect(b.transport.lastHeardMs(from)).to.equal(undefined)
        expect(a.events).to.deep.equal([`unreachable ${to}`])
      })
    }

    it('a stream that does not begin with a hello', async () => {
      const b = await side(2)
      const stream = network.node('x').dial('c2:1').open(methods.raft.exchange)
      let closed = false
      stream.handle({ message: () => {}, close: () => { closed = true } })
      stream.send({ hello: null, messages: [] })
      await time.settle()
      expect(closed).to.equal(true)
      expect(b.logger.lines[0]!.fields).to.deep.equal({ from: undefined, reason: 'no hello' })
    })

    it('messages in the name of another', async () => {
      const [a, b] = [await side(1), await side(2)]
      a.transport.send([heartbeat(3, 2, 7), heartbeat(1, 2, 8)])
      await time.settle()
      expect(terms(b)).to.deep.equal([8])
    })

    it('logs a refusal once in ten seconds, however often it comes', async () => {
      const b = await side(2)
      const a = await side(1, { clusterId: 'x' })
      for (let at = 0; at < 100; at++) {
        a.transport.send([heartbeat(1, 2)])
        await time.advance(50)
      }
      expect(b.logger.lines.length).to.equal(1)
      await time.advance(6_000)
      a.transport.send([heartbeat(1, 2)])
      await time.settle()
      expect(b.logger.lines.length).to.equal(2)
    })
  })

  describe('a broken line', () => {
    it('is opened again by the next message after a pause; what comes before is dropped', async () => {
      const [a, b] = [await side(1), await side(2)]
      a.transport.send([heartbeat(1, 2, 1)])
      await time.settle()
      network.reset('c1', 'c2')
      await time.settle()
      expect(a.events).to.deep.equal(['unreachable 2'])
      await time.advance(29)
      a.transport.send([heartbeat(1, 2, 2)])
      expect(a.events).to.deep.equal(['unreachable 2', 'unreachable 2'])
      await time.advance(1)
      a.transport.send([heartbeat(1, 2, 3)])
      await time.settle()
      expect(terms(b)).to.deep.equal([1, 3])
    })

    it('is tried again while the other is down, and works once it is there', async () => {
      const a = await side(1)
      for (let at = 0; at < 10; at++) {
        a.transport.send([heartbeat(1, 2)])
        await time.advance(50)
      }
      expect(a.events.length).to.equal(10)
      const b = await side(2)
      a.transport.send([heartbeat(1, 2, 9)])
      await time.settle()
      expect(terms(b)).to.deep.equal([9])
    })

    it('reports a snapshot under way as failed, a heartbeat not', async () => {
      const [a] = [await side(1), await side(2)]
      a.transport.send([snapshotMessage(1, 2, 1, { index: 5, term: 1, data: new Uint8Array(10) })])
      await time.settle()
      network.reset('c1', 'c2')
      await time.settle()
      expect(a.events).to.deep.equal(['unreachable 2', 'snapshot 2 false'])
      await time.advance(50)
      a.transport.send([heartbeat(1, 2)])
      await time.settle()
      network.reset('c1', 'c2')
      await time.settle()
      expect(a.events).to.deep.equal(['unreachable 2', 'snapshot 2 false', 'unreachable 2'])
    })

    it('reports a snapshot that cannot be sent at once as failed', async () => {
      const a = await side(1, { addressOf: () => '' })
      a.transport.send([snapshotMessage(1, 2, 1, { index: 5, term: 1, data: new Uint8Array(10) })])
      expect(a.events).to.deep.equal(['unreachable 2', 'snapshot 2 false'])
    })

    it('goes to a new address once there is one', async () => {
      const b = await side(2)
      let address = 'nowhere:1'
      const a = await side(1, { addressOf: () => address })
      a.transport.send([heartbeat(1, 2, 1)])
      await time.advance(100)
      address = 'c2:1'
      a.transport.send([heartbeat(1, 2, 2)])
      await time.settle()
      expect(terms(b)).to.deep.equal([2])
    })
  })

  describe('a full line', () => {
    const big = (term: number) => plainMessage('append', 1, 2, term, {
      entries: [{ index: term, term, data: new Uint8Array(900_000) }] })

    it('drops what comes, and takes messages again when it drained', async () => {
      const [a, b] = [await side(1), await side(2)]
      a.transport.send([heartbeat(1, 2, 1)])
      await time.settle()
      network.cut('c1', 'c2')
      a.transport.send([big(2)])
      a.transport.send([big(3)])
      expect(a.events).to.deep.equal([])
      a.transport.send([heartbeat(1, 2, 4)])
      a.transport.send([snapshotMessage(1, 2, 5, { index: 5, term: 1, data: new Uint8Array(10) })])
      expect(a.events).to.deep.equal(['unreachable 2', 'unreachable 2', 'snapshot 2 false'])
      await time.settle()
      network.heal()
      await time.settle()
      expect(a.events.slice(3)).to.deep.equal(['unreachable 2'])
      await time.advance(50)
      a.transport.send([heartbeat(1, 2, 6)])
      await time.settle()
      expect(terms(b)).to.deep.equal([1, 6])
    })

    it('is let go of by a drain', async () => {
      const [a, b] = [await side(1), await side(2)]
      a.transport.send([big(2), big(3)])
      a.transport.send([heartbeat(1, 2, 4)])
      expect(a.events).to.deep.equal(['unreachable 2'])
      await time.settle()
      a.transport.send([heartbeat(1, 2, 5)])
      await time.settle()
      expect(terms(b)).to.deep.equal([2, 3, 5])
    })

    it('takes a large snapshot piece by piece, with heartbeats between', async () => {
      const [a, b] = [await side(1), await side(2)]
      const data = new Uint8Array(8 * 1024 * 1024).map((_, at) => at * 7)
      let waitingMax = 0
      let waiting = 0
      network.onSent = ({ message }) => {
        const { messages } = message as { messages: { snapshot: { data: Uint8Array } | null }[] }
        waiting += messages.reduce((sum, { snapshot }) => sum + (snapshot?.data.length ?? 0), 0)
        waitingMax = Math.max(waitingMax, waiting)
      }
      a.transport.send([snapshotMessage(1, 2, 5, { index: 5, term: 1, data })])
      expect(waitingMax).to.be.below(2 * 1024 * 1024)
      a.transport.send([heartbeat(1, 2, 6)])
      await time.settle()
      expect(b.received.map(({ kind }) => kind)).to.deep.equal(['heartbeat', 'snapshot'])
      const [, snapshot] = b.received
      expect(Buffer.compare(snapshot!.snapshot!.data, data)).to.equal(0)
      expect(a.events).to.deep.equal([])
    })

    it('no envelope is larger than a message may be, however much there is to say', async () => {
      const [a, b] = [await side(1), await side(2)]
      network.highWaterBytes = 1e9
      const sizes: number[] = []
      network.onSent = ({ message }) => {
        const { messages } = message as { messages: { entries: { data: Uint8Array }[] }[] }
        const entries = messages.flatMap((one) => one.entries)
        sizes.push(entries.reduce((sum, { data }) => sum + data.length, 0))
      }
      a.transport.send(Array.from({ length: 64 }, (_unset, at) => big(at + 1)))
      await time.settle()
      expect(b.received.length).to.equal(64)
      expect(Math.max(...sizes)).to.equal(900_000)
      sizes.length = 0
      a.transport.send(Array.from({ length: 1_000 }, (_unset, at) => heartbeat(1, 2, at)))
      expect(sizes.length).to.equal(1)
    })
  })

  it('says nothing after close, and ends the streams of others', async () => {
    const [a, b] = [await side(1), await side(2)]
    a.transport.send([heartbeat(1, 2, 1)])
    await time.settle()
    b.transport.close()
    await time.settle()
    expect(network.open).to.equal(0)
    a.transport.close()
    a.transport.send([heartbeat(1, 2, 2)])
    await time.settle()
    expect(terms(b)).to.deep.equal([1])
  })

  it('votersHash knows the set, not its order', () => {
    expect(votersHash([3, 1, 2])).to.equal(votersHash([1, 2, 3]))
    expect(votersHash([1, 23])).to.not.equal(votersHash([12, 3]))
    expect(votersHash([2, 10])).to.equal('2,10')
  })
})

// Whole controllers from start to close, on ports in memory.

import { expect } from 'chai'

import { startController } from '../../controller/server.ts'
import { loadConfig, type ConfigError } from '../../src/config/config.ts'
import { CONTROLLER_KEYS } from '../../src/config/keys.ts'
import { recordsOf } from '../../src/metadata/image.ts'
import { methods } from '../../src/rpc/protos.ts'
import { failureOf, throwing } from '../support/failures.ts'
import { ControllerBench, topic } from './controller-bench.ts'

describe('controller', () => {
  let bench: ControllerBench
  afterEach(async () => {
    await bench.stop()
    await bench.time.advance(0)
    expect(bench.time.pending).to.equal(0)
    expect(bench.network.open).to.equal(0)
    expect(bench.network.unexpected).to.deep.equal([])
  })

  describe('alone', () => {
    it('forms a cluster, takes brokers, makes topics, and has it all after a restart', async () => {
      bench = await new ControllerBench(1).start()
      const [node] = bench.nodes
      const broker = await bench.broker(1)
      const created = await bench.create('a', { partitions: 3 })
      expect(created).to.deep.include({ name: 'a', partitions: 3, replicationFactor: 1 })
      expect(created.topicId).to.match(/^[0-9a-f]{32}$/)
      const before = await bench.call(methods.admin.describeCluster, {})
      expect(before).to.include({ clusterId: 'c', controllerId: 1 })
      await bench.time.until('the broker knows', () => broker.image.offset === before.metadataOffset)
      const records = recordsOf(broker.image)
      broker.kill()
      await node!.stop()
      await node!.start()
      await bench.active()
      const topics = await bench.call(methods.admin.describeTopics, { names: ['a'] })
      expect(topics.topics[0]!.topic!.partitions.length).to.equal(3)
      broker.open()
      await bench.time.settle()
      expect(broker.responses.filter(({ image }) => image).length).to.equal(1)
      expect(recordsOf(broker.image)).to.deep.equal(records)
    })

    it('survives a power loss: what was answered is there', async () => {
      bench = await new ControllerBench(1).start()
      const [node] = bench.nodes
      await bench.broker(1)
      for (const name of ['a', 'b']) await bench.create(name)
      bench.network.kill('c1')
      node!.data.disk.losePower()
      node!.data.stores.losePower('/data/meta')
      await node!.stop()
      await node!.start()
      await bench.active()
      const { topics } = await bench.call(methods.admin.listTopics, {})
      expect(topics.map(({ name }) => name)).to.deep.equal(['a', 'b'])
    })

    it('starts from a snapshot', async () => {
      bench = await new ControllerBench(1, { 'raft.snapshot.entries': '5' }).start()
      const [node] = bench.nodes
      await bench.broker(1)
      for (let at = 0; at < 20; at++) await bench.create(`t${at}`)
      await node!.stop()
      await node!.start()
      expect(node!.server!.status().metadataOffset).to.be.greaterThan(10)
      await bench.active()
      expect((await bench.call(methods.admin.listTopics, {})).topics.length).to.equal(20)
    })

    it('tells its status, and serves until close', async () => {
      bench = await new ControllerBench(1).start()
      const [node] = bench.nodes
      expect(node!.server!.id).to.equal(1)
      expect(node!.server!.address).to.equal('c1:1')
      await bench.time.advance(100)
      expect(node!.server!.status()).to.deep.equal({ active: true, leaderId: 1, term: 1, metadataOffset: 2 })
      expect(bench.network.isServing('c1:1')).to.equal(true)
      const { server } = node!
      await bench.time.result(Promise.all([server!.close(), server!.close()]))
      expect(bench.network.isServing('c1:1')).to.equal(false)
      await node!.stop()
    })

    it('close ends calls under way and streams, at once', async () => {
      bench = await new ControllerBench(1).start()
      const [node] = bench.nodes
      const broker = await bench.broker(1)
      // A broker that never says that it knows of the topic keeps the answer waiting.
      broker.freeze()
      const { time } = bench
      const peer = bench.network.node('app').dial('c1:1')
      const creation = peer.call(methods.admin.createTopics, {
        requestId: '', topics: [topic('a')], validateOnly: false
      }, 5_000)
      let answered = false
      void creation.then(() => { answered = true })
      await time.advance(50)
      expect(answered).to.equal(false)
      const startMs = time.monotonicMs()
      await node!.stop()
      expect(time.monotonicMs() - startMs).to.be.below(50)
      expect((await creation).topics[0]).to.deep.include({ name: 'a', partitions: 1 })
      expect(broker.closed).to.equal(true)
      expect(broker.last!.status!.name).to.equal('NOT_CONTROLLER')
    })
  })

  describe('three of them', () => {
    it('agree on one, and on the state', async () => {
      bench = await new ControllerBench(3).start()
      await bench.broker(1)
      await bench.create('a')
      await bench.time.advance(200)
      const offsets = bench.nodes.map(({ server }) => server!.status().metadataOffset)
      expect(new Set(offsets).size).to.equal(1)
      expect(bench.nodes.filter(({ isActive }) => isActive).length).to.equal(1)
    })

    it('hand over on close, without an election', async () => {
      bench = await new ControllerBench(3).start()
      await bench.broker(1)
      const active = bench.activeNode!
      const startMs = bench.time.monotonicMs()
      await active.stop()
      await bench.active()
      expect(bench.time.monotonicMs() - startMs).to.be.below(60)
    })

    it('keep brokers unfenced over a failover, without an image and without a gap', async () => {
      bench = await new ControllerBench(3).start()
      const broker = await bench.broker(1)
      await bench.create('a')
      const killed = bench.activeNode!
      await killed.kill()
      await bench.active()
      broker.responses = []
      broker.open()
      await bench.create('b')
      await bench.time.advance(1_000)
      expect(broker.responses.some(({ image, fenced }) => image || fenced)).to.equal(false)
      expect([...broker.image.topicIdByName.keys()]).to.deep.equal(['a', 'b'])
      expect(broker.last!.controllerEpoch).to.be.greaterThan(1)
    })

    it('when idle write nothing, and each broker costs its heartbeats alone', async () => {
      bench = await new ControllerBench(3).start()
      for (const id of [1, 2, 3]) await bench.broker(id)
      await bench.time.advance(500)
      const offset = bench.activeNode!.server!.status().metadataOffset
      const sent = new Map<string, number>()
      bench.network.onSent = ({ path }) => { sent.set(path, (sent.get(path) ?? 0) + 1) }
      await bench.time.advance(1_000)
      expect(bench.activeNode!.server!.status().metadataOffset).to.equal(offset)
      // Ten heartbeats of three brokers and their answers; 22 rounds to two followers and their answers.
      expect(sent.get(methods.brokerLink.watch.path)).to.be.within(54, 66)
      expect(sent.get(methods.raft.exchange.path)).to.be.within(84, 96)
      expect([...sent.keys()].length).to.equal(2)
    })
  })

  describe('a start that fails', () => {
    beforeEach(() => { bench = new ControllerBench(1) })
    const config = (more: Readonly<Record<string, string>> = {}) => loadConfig(CONTROLLER_KEYS, 'controller', {
      flags: {
        'node.id': '1', 'cluster.id': 'c', 'listen': 'c1:1', 'data.dir': '/data', 'controllers': '1@c1:1', ...more } })

    it('because the address is taken leaves the data directory free', async () => {
      const [node] = bench.nodes
      const listener = await bench.network.node('other').listen('c1:1', [])
      expect(await failureOf(node!.start())).to.include({ code: 'EADDRINUSE' })
      await bench.time.result(listener.close(0))
      await node!.start()
      await bench.active()
    })

    it('because this node is none of the voters says so', async () => {
      const [node] = bench.nodes
      await node!.start()
      const failure = await failureOf(startController(config({ 'controllers': '2@c2:1,3@c3:1' }), node!.ports))
      expect(failure).to.include({ name: 'INVALID_CONFIG', message: 'node.id=1 is none of controllers=2@c2:1,3@c3:1' })
    })

    it('because the directory is of another cluster says so', async () => {
      const [node] = bench.nodes
      await node!.start()
      await node!.stop()
      const failure = await bench.time.result(
        failureOf(startController(config({ 'cluster.id': 'other' }), node!.ports)))
      expect(failure).to.include({ name: 'INCONSISTENT_CLUSTER_ID' })
    })

    for (const [key, value, expected] of [
      ['node.id', '0', 'an integer from 1 to 2147483647 (id)'],
      ['controllers', '0@a:1,1@b:1', 'ids from 1 to 2147483647'],
      ['controllers', '1@a:1,1@b:1', 'distinct ids']
    ] as const) {
      it(`because ${key}=${value} says so`, () => {
        const failure = throwing(() => config({ [key]: value })) as ConfigError
        expect(failure.faults).to.deep.equal([`flag --${key}: ${key}="${value}": expected ${expected}`])
      })
    }
  })
})

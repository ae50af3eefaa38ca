// What brokers ask of controllers: registration, the stream of heartbeats and metadata, drains, ISRs, producer ids.

import { expect } from 'chai'

import { recordsOf } from '../../src/metadata/image.ts'
import { methods } from '../../src/rpc/protos.ts'
import { failureOf } from '../support/failures.ts'
import { ControllerBench, type FakeBroker } from './controller-bench.ts'

describe('broker service', () => {
  let bench: ControllerBench
  afterEach(async () => {
    await bench.stop()
    await bench.time.advance(0)
    expect(bench.time.pending).to.equal(0)
    expect(bench.network.open).to.equal(0)
    expect(bench.network.unexpected).to.deep.equal([])
  })
  const alone = async () => { bench = await new ControllerBench(1).start() }
  const states = async () => {
    const { brokers } = await bench.call(methods.admin.describeCluster, {})
    return brokers.map(({ id, state }) => `${id} ${state}`)
  }
  const statuses = ({ responses }: FakeBroker) => responses.map(({ status }) => status!.name)

  describe('registration', () => {
    it('gives an epoch; a repetition gives the same, a new incarnation a higher one', async () => {
      await alone()
      const broker = await bench.registered(1)
      const { epoch } = broker
      expect(epoch).to.equal(bench.nodes[0]!.server!.status().metadataOffset)
      await broker.register()
      expect(broker.epoch).to.be.greaterThan(epoch)
    })

    it('is refused by a standby, with a hint', async () => {
      bench = await new ControllerBench(3).start()
      await bench.time.advance(200)
      const active = bench.activeNode!
      const [standby] = bench.standbys
      const failure = await failureOf(new Promise((resolve, reject) => {
        bench.registered(1).then(resolve, reject)
      }).then(() => bench.brokers[0]!.register(standby)))
      expect(failure).to.deep.include({
        name: 'NOT_CONTROLLER', leader: { id: active.id, address: active.address, leaderEpoch: 1 } })
    })

    it('of a broker of another cluster is refused', async () => {
      await alone()
      const failure = await failureOf(bench.call(methods.brokerLink.register, {
        clusterId: 'x', brokerId: 1, incarnationId: 'i', address: 'b1:1', httpAddress: '', rack: '',
        previousBrokerEpoch: -1, directoryId: 'd' }))
      expect(failure).to.include({ name: 'INCONSISTENT_CLUSTER_ID' })
    })
  })

  describe('the stream', () => {
    it('begins with an image, and unfences only when the broker acts on its own registration', async () => {
      await alone()
      const broker = await bench.registered(1)
      expect(await states()).to.deep.equal(['1 starting'])
      broker.open()
      // It never says that it has come as far as its own registration.
      broker.says = { metadataOffset: broker.epoch - 1 }
      await bench.time.advance(1_000)
      expect(broker.responses.length).to.equal(11)
      expect(broker.responses.every(({ fenced }) => fenced)).to.equal(true)
      expect(await states()).to.deep.equal(['1 fenced'])
      broker.kill()
      await bench.time.advance(100)
      const next = await bench.broker(1)
      expect(next.responses[0]).to.include({ image: true, fromOffset: -1, fenced: true })
      expect(next.image.brokers.get(1)).to.include({ fenced: false, epoch: next.epoch })
      expect(await states()).to.deep.equal(['1 active'])
    })

    it('answers each heartbeat, with news or without', async () => {
      await alone()
      const broker = await bench.broker(1)
      await bench.time.advance(200)
      broker.responses = []
      await bench.time.advance(1_000)
      expect(broker.responses.length).to.equal(10)
      const offset = broker.image.offset
      for (const response of broker.responses) {
        expect(response).to.include({
          fromOffset: offset, toOffset: offset, image: false, fenced: false, shouldShutdown: false, controllerId: 1,
          controllerEpoch: 1 })
      }
    })

    it('brings changes at once, to every broker', async () => {
      await alone()
      const brokers = [await bench.broker(1), await bench.broker(2)]
      await bench.time.advance(200)
      const startMs = bench.time.monotonicMs()
      await bench.create('a')
      expect(bench.time.monotonicMs() - startMs).to.be.below(150)
      for (const { image } of brokers) expect([...image.topicIdByName.keys()]).to.deep.equal(['a'])
    })

    it('refuses an epoch that is not current, at the opening and later', async () => {
      await alone()
      const broker = await bench.broker(1)
      await broker.register()
      await bench.time.advance(200)
      // The stream of the old registration speaks with the new epoch here; the broker field is fixed at the opening.
      expect(statuses(broker).at(-1)).to.equal('STALE_BROKER_EPOCH')
      expect(broker.closed).to.equal(true)
      broker.responses = []
      broker.says = { brokerEpoch: 1 }
      broker.open()
      await bench.time.settle()
      expect(statuses(broker)).to.deep.equal(['STALE_BROKER_EPOCH'])
      expect(broker.last!.status!.hint).to.equal('register again')
      expect(broker.closed).to.equal(true)
    })

    it('refuses a broker that knows more than this controller', async () => {
      await alone()
      const broker = await bench.registered(1)
      broker.says = { metadataOffset: 99 }
      broker.open()
      await bench.time.settle()
      expect(statuses(broker)).to.deep.equal(['INVALID_REQUEST'])
      expect(broker.closed).to.equal(true)
    })

    it('is refused by a standby, with a hint, and closed', async () => {
      bench = await new ControllerBench(3).start()
      const broker = await bench.registered(1)
      await bench.time.advance(200)
      broker.open(bench.standbys[0])
      await bench.time.settle()
      const active = bench.activeNode!
      expect(broker.last!.status).to.deep.include({
        name: 'NOT_CONTROLLER', leader: { id: active.id, address: active.address, leaderEpoch: 1 } })
      expect(broker.closed).to.equal(true)
    })

    it('is ended when its controller is no longer active', async () => {
      bench = await new ControllerBench(3).start()
      const broker = await bench.broker(1)
      const [next] = bench.standbys
      await bench.call(methods.admin.transferLeadership, { to: next!.id })
      await bench.time.settle()
      expect(broker.last!.status!.name).to.equal('NOT_CONTROLLER')
      expect(broker.closed).to.equal(true)
    })

    it('that is read slowly fills up and goes on without a gap, and gets no heartbeats on top', async () => {
      await alone()
      const broker = await bench.broker(1)
      await bench.time.advance(200)
      bench.network.highWaterBytes = 1_000
      broker.pause()
      broker.responses = []
      let sent = 0
      bench.network.onSent = ({ from }) => { if (from === 'c1') sent++ }
      for (let at = 0; at < 30; at++) {
        void bench.network.node('app').dial('c1:1').call(methods.admin.createTopics, { requestId: '',
          topics: [{ name: `t${at}`, partitions: 1, replicationFactor: 1, configs: [], assignment: [] }],
          validateOnly: false }, 5_000)
        await bench.time.advance(100)
      }
      expect(sent).to.be.below(30)
      broker.resume()
      await bench.time.advance(1_100)
      expect(broker.image.topics.size).to.equal(30)
      expect(broker.last!.fenced).to.equal(false)
    })
  })

  describe('loss of a broker', () => {
    it('moves its leaderships within the grace when its connection breaks', async () => {
      await alone()
      const brokers = [await bench.broker(1), await bench.broker(2), await bench.broker(3)]
      await bench.create('a', { partitions: 3, replicationFactor: 3 })
      brokers[0]!.kill()
      await bench.time.advance(21)
      await bench.time.settle()
      for (const { image } of brokers.slice(1)) {
        expect(image.brokers.get(1)!.fenced).to.equal(true)
        for (const { partitions } of image.topics.values()) {
          for (const { leader, isr } of partitions) {
            expect(leader).to.not.equal(1)
            expect(isr).to.not.include(1)
          }
        }
      }
    })

    it('moves them after the session timeout when it freezes', async () => {
      await alone()
      const brokers = [await bench.broker(1), await bench.broker(2)]
      await bench.time.advance(100)
      brokers[0]!.freeze()
      await bench.time.advance(590)
      expect(brokers[1]!.image.brokers.get(1)!.fenced).to.equal(false)
      await bench.time.advance(170)
      expect(brokers[1]!.image.brokers.get(1)!.fenced).to.equal(true)
      expect(bench.nodes[0]!.ports.logger.lines.filter(({ text }) => text === 'broker is fenced').length).to.equal(1)
    })

    it('a frozen broker that comes back is unfenced by its next heartbeats', async () => {
      await alone()
      const brokers = [await bench.broker(1), await bench.broker(2)]
      brokers[0]!.freeze()
      await bench.time.advance(1_000)
      brokers[0]!.beat()
      await bench.time.advance(200)
      expect(brokers[1]!.image.brokers.get(1)!.fenced).to.equal(false)
    })

    it('a broker that is back in time keeps everything', async () => {
      await alone()
      const broker = await bench.broker(1)
      await bench.time.advance(150)
      const { offset } = broker.image
      bench.network.reset('b1', 'c1')
      await bench.time.advance(10)
      expect(broker.closed).to.equal(true)
      broker.open()
      await bench.time.advance(1_000)
      expect(broker.image.offset).to.equal(offset)
    })

    it('reports of others fence a broker that is cut off silently, before its session ends', async () => {
      await alone()
      const brokers = [await bench.broker(1), await bench.broker(2), await bench.broker(3)]
      await bench.time.advance(100)
      bench.network.cut('b1', 'c1')
      for (const broker of brokers.slice(1)) broker.says = { unreachable: [1] }
      await bench.time.advance(450)
      expect(brokers[1]!.image.brokers.get(1)!.fenced).to.equal(true)
    })
  })

  describe('wishes of a broker', () => {
    it('want_fence fences it, once, for as long as it says so', async () => {
      await alone()
      const broker = await bench.broker(1)
      broker.says = { wantFence: true }
      await bench.time.advance(1_000)
      expect(broker.last!.fenced).to.equal(true)
      const { offset } = broker.image
      await bench.time.advance(1_000)
      expect(broker.image.offset).to.equal(offset)
      broker.says = {}
      await bench.time.advance(200)
      expect(broker.last!.fenced).to.equal(false)
    })

    it('want_shutdown moves leaderships away, and says so when every other broker knows', async () => {
      await alone()
      const brokers = [await bench.broker(1), await bench.broker(2), await bench.broker(3)]
      await bench.create('a', { partitions: 6, replicationFactor: 3 })
      await bench.time.advance(200)
      // Broker 2 reads, but says nothing for a while.
      brokers[1]!.freeze()
      brokers[0]!.says = { wantShutdown: true }
      await bench.time.advance(300)
      expect(await states()).to.deep.equal(['1 draining', '2 active', '3 active'])
      expect(brokers[0]!.last!.shouldShutdown).to.equal(false)
      const leaders = [...brokers[2]!.image.topics.values()].flatMap(({ partitions }) => (
        partitions.map(({ leader }) => leader)))
      expect(leaders).to.not.include(1)
      brokers[1]!.beat()
      await bench.time.settle()
      expect(brokers[0]!.last!.shouldShutdown).to.equal(true)
    })

    it('a drain does not wait for a broker that is fenced meanwhile', async () => {
      await alone()
      const brokers = [await bench.broker(1), await bench.broker(2)]
      await bench.time.advance(200)
      brokers[1]!.freeze()
      brokers[0]!.says = { wantShutdown: true }
      await bench.time.advance(100)
      expect(brokers[0]!.last!.shouldShutdown).to.equal(false)
      brokers[1]!.kill()
      await bench.time.advance(30)
      await bench.time.settle()
      expect(brokers[0]!.last!.shouldShutdown).to.equal(true)
    })

    it('a drain of the only broker ends when nothing can be moved any more', async () => {
      await alone()
      const broker = await bench.broker(1)
      broker.says = { wantShutdown: true }
      await bench.time.advance(300)
      expect(broker.last!.shouldShutdown).to.equal(true)
    })
  })

  describe('requests', () => {
    it('alter partitions: each its own outcome', async () => {
      await alone()
      const brokers = [await bench.broker(1), await bench.broker(2)]
      const { topicId } = await bench.create('a', { assignment: [{ brokers: [1, 2] }] })
      const isr = (ids: number[]) => ids.map((id) => ({ brokerId: id, brokerEpoch: brokers[id - 1]!.epoch }))
      const { alterPartitions } = methods.brokerLink
      const ask = (partitionEpoch: number, ids: number[], id = topicId) => bench.call(alterPartitions, {
        brokerId: 1, brokerEpoch: brokers[0]!.epoch,
        partitions: [{ topicId: id, partition: 0, leaderEpoch: 0, partitionEpoch, newIsr: isr(ids) }] })
      const done = await ask(0, [1])
      expect(done.partitions[0]).to.deep.include({ leaderEpoch: 0, partitionEpoch: 1, isr: [1] })
      expect(done.partitions[0]!.status!.name).to.equal('NONE')
      expect((await ask(0, [1, 2])).partitions[0]!.status!.name).to.equal('INVALID_UPDATE_VERSION')
      expect((await ask(0, [1], 'f'.repeat(32))).partitions[0]).to.deep.include({ partitionEpoch: -1, isr: [] })
      await bench.time.settle()
      expect(brokers[1]!.image.topics.get(topicId)!.partitions[0]!.isr).to.deep.equal([1])
    })

    it('alter partitions of an old incarnation, or of too many, is refused', async () => {
      await alone()
      const broker = await bench.broker(1)
      const ask = (brokerEpoch: number, count: number) => failureOf(bench.call(methods.brokerLink.alterPartitions, {
        brokerId: 1, brokerEpoch, partitions: Array.from({ length: count }, (_unset, partition) => (
          { topicId: 'x', partition, leaderEpoch: 0, partitionEpoch: 0, newIsr: [] })) }))
      expect(await ask(broker.epoch - 1, 1)).to.include({ name: 'STALE_BROKER_EPOCH' })
      expect(await ask(broker.epoch, 10_001)).to.include({
        name: 'INVALID_REQUEST', message: '10001 partitions in one request, at most 10000 are taken' })
    })

    it('producer ids: blocks never overlap, also over a failover', async () => {
      bench = await new ControllerBench(3).start()
      const broker = await bench.broker(1)
      const ask = () => bench.call(methods.brokerLink.allocateProducerIds, {
        brokerId: 1, brokerEpoch: broker.epoch })
      expect(await ask()).to.include({ first: 0, count: 1000 })
      const blocks = await Promise.all([ask(), ask()])
      await bench.activeNode!.kill()
      await bench.active()
      blocks.push(await ask())
      expect(blocks.map(({ first }) => first)).to.deep.equal([1000, 2000, 3000])
      expect(await failureOf(bench.call(methods.brokerLink.allocateProducerIds, { brokerId: 1, brokerEpoch: 0 })))
        .to.include({ name: 'STALE_BROKER_EPOCH' })
    })
  })

  it('a broker far behind gets an image, one close behind the rest, from whichever controller', async () => {
    bench = await new ControllerBench(3).start()
    const ahead = await bench.broker(1)
    const behind = await bench.broker(2)
    await bench.time.advance(200)
    behind.kill()
    await bench.time.advance(100)
    await bench.create('a')
    await bench.activeNode!.kill()
    await bench.active()
    behind.responses = []
    behind.open()
    ahead.open()
    await bench.time.advance(300)
    expect(behind.responses.some(({ image }) => image)).to.equal(false)
    expect(recordsOf(behind.image)).to.deep.equal(recordsOf(ahead.image))
  })
})

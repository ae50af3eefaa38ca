// Administration on whole controllers: topics, configuration, cluster, quorum, and calls that arrive at a standby.

import { expect } from 'chai'

import { NetworkError } from '../../src/ports.ts'
import type { ConfigResource } from '../../src/rpc/messages.ts'
import { methods } from '../../src/rpc/protos.ts'
import { failureOf } from '../support/failures.ts'
import { ControllerBench, topic, type ControllerNode, type Settings } from './controller-bench.ts'

const TOPIC = 0
const BROKER = 1
type Scope = typeof TOPIC | typeof BROKER
const { admin } = methods
const resource = (scope: Scope, name: string): ConfigResource => ({ scope, name })

describe('admin service', () => {
  let bench: ControllerBench
  afterEach(async () => {
    await bench.stop()
    await bench.time.advance(0)
    expect(bench.time.pending).to.equal(0)
    expect(bench.network.open).to.equal(0)
    expect(bench.network.unexpected).to.deep.equal([])
  })
  const alone = async (settings?: Settings) => { bench = await new ControllerBench(1, settings).start() }
  const brokers = async (...ids: number[]) => {
    const all = []
    for (const id of ids) all.push(await bench.broker(id))
    return all
  }

  describe('topics', () => {
    it('takes defaults, and fewer replicas when there are fewer brokers', async () => {
      await alone({ 'num.partitions': '4' })
      await brokers(1, 2)
      expect(await bench.create('a')).to.deep.include({ partitions: 4, replicationFactor: 2 })
      expect(await bench.create('b', { partitions: 2, replicationFactor: 1 })).to.deep.include(
        { partitions: 2, replicationFactor: 1 })
    })

    it('refuses each wrong one by itself', async () => {
      await alone()
      await brokers(1)
      const { topics } = await bench.call(admin.createTopics, { requestId: '',
        topics: [topic('a'), topic('b/c'), topic('d', { replicationFactor: 2 }), topic('a'), topic('e')],
        validateOnly: false })
      expect(topics.map(({ name, status }) => `${name} ${status!.name}`)).to.deep.equal([
        'a NONE', 'b/c INVALID_TOPIC_EXCEPTION', 'd INVALID_REPLICATION_FACTOR', 'a INVALID_REQUEST', 'e NONE'])
    })

    it('only validates when asked to', async () => {
      await alone()
      await brokers(1)
      const { topics } = await bench.call(admin.createTopics, {
        requestId: '', topics: [topic('a')], validateOnly: true
      })
      expect(topics[0]).to.deep.include({ name: 'a', topicId: '', partitions: 1, replicationFactor: 1 })
      expect((await bench.call(admin.listTopics, {})).topics).to.deep.equal([])
    })

    it('is bounded by max.partitions', async () => {
      await alone({ 'max.partitions': '5' })
      await brokers(1)
      await bench.create('a', { partitions: 3 })
      const refused = await bench.create('b', { partitions: 3 })
      expect(refused.status).to.deep.include({
        name: 'POLICY_VIOLATION', hint: 'delete topics, or raise max.partitions on the controllers' })
      expect((await bench.create('c', { partitions: 2 })).status!.name).to.equal('NONE')
    })

    it('answers once the brokers know, or the longest wait is over', async () => {
      await alone()
      const [quick, slow] = await brokers(1, 2)
      const before = bench.time.monotonicMs()
      slow!.freeze()
      await bench.create('a')
      // The frozen one is fenced after its session timeout: nobody waits for it longer.
      expect(bench.time.monotonicMs() - before).to.be.within(500, 800)
      expect([...quick!.image.topicIdByName.keys()]).to.deep.equal(['a'])
    })

    it('grow, are listed by name, described and deleted', async () => {
      await alone()
      await brokers(1, 2)
      for (const name of ['b', 'a']) await bench.create(name, { configs: [{ key: 'retention.ms', value: '5' }] })
      const grown = await bench.call(admin.addPartitions, { requestId: '',
        topics: [{ name: 'a', total: 3 }, { name: 'b', total: 1 }, { name: 'x', total: 1 }] })
      expect(grown.topics.map(({ name, status }) => `${name} ${status!.name}`)).to.deep.equal(
        ['a NONE', 'b INVALID_PARTITIONS', 'x UNKNOWN_TOPIC_OR_PARTITION'])
      const { topics } = await bench.call(admin.listTopics, {})
      expect(topics.map(({ name, partitions, replicationFactor }) => [name, partitions, replicationFactor]))
        .to.deep.equal([['a', 3, 2], ['b', 1, 2]])
      const described = await bench.call(admin.describeTopics, { names: ['a', 'x'] })
      expect(described.topics[0]!.topic!.partitions.map(({ partition }) => partition)).to.deep.equal([0, 1, 2])
      expect(described.topics[0]!.configs).to.deep.equal([{ key: 'retention.ms', value: '5' }])
      expect(described.topics[1]!.topic!.status!.name).to.equal('UNKNOWN_TOPIC_OR_PARTITION')
      const gone = await bench.call(admin.deleteTopics, { requestId: '', names: ['a', 'x'] })
      expect(gone.topics.map(({ status }) => status!.name)).to.deep.equal(['NONE', 'UNKNOWN_TOPIC_OR_PARTITION'])
      expect((await bench.call(admin.listTopics, {})).topics.map(({ name }) => name)).to.deep.equal(['b'])
    })

    it('more than a thousand items in one request are refused', async () => {
      await alone()
      const names = Array.from({ length: 1_001 }, (_unset, at) => `t${at}`)
      const resources = names.map((name) => resource(TOPIC, name))
      const calls = [
        () => bench.call(admin.describeTopics, { names }),
        () => bench.call(admin.deleteTopics, { requestId: '', names }),
        () => bench.call(admin.createTopics, {
          requestId: '', topics: names.map((name) => topic(name)), validateOnly: false
        }),
        () => bench.call(admin.addPartitions, { requestId: '', topics: names.map((name) => ({ name, total: 1 })) }),
        () => bench.call(admin.describeConfigs, { resources }),
        () => bench.call(admin.alterConfigs, { requestId: '',
          resources: resources.map((one) => ({ resource: one, set: [], unset: [] })), validateOnly: false })]
      for (const call of calls) {
        expect(await failureOf(call())).to.include({
          name: 'INVALID_REQUEST', message: '1001 items in one request, at most 1000 are taken', hint: 'split it' })
      }
    })
  })

  describe('configuration', () => {
    const alter = async (scope: Scope, name: string, set: Settings, unset: string[] = [], validateOnly = false) => {
      const { resources } = await bench.call(admin.alterConfigs, { requestId: '',
        validateOnly, resources: [{
          resource: resource(scope, name), set: Object.entries(set).map(([key, value]) => ({ key, value })), unset }] })
      return resources[0]!.status!.name
    }
    const describeOf = async (scope: Scope, name: string) => {
      const { resources } = await bench.call(admin.describeConfigs, { resources: [resource(scope, name)] })
      return resources[0]!
    }
    const valueOf = async (scope: Scope, name: string, key: string) => {
      const { value, source } = (await describeOf(scope, name)).values.find((one) => one.key === key)!
      return `${value} ${source}`
    }

    it('of a topic: every key, what was set and what is the default', async () => {
      await alone()
      await brokers(1)
      await bench.create('a')
      expect(await alter(TOPIC, 'a', { 'retention.ms': '1000', 'flush.mode': 'replicated' })).to.equal('NONE')
      expect(await valueOf(TOPIC, 'a', 'retention.ms')).to.equal('1000 topic')
      expect(await valueOf(TOPIC, 'a', 'retention.bytes')).to.equal('-1 default')
      expect(await alter(TOPIC, 'a', {}, ['retention.ms'])).to.equal('NONE')
      expect(await valueOf(TOPIC, 'a', 'retention.ms')).to.equal('604800000 default')
      expect(await valueOf(TOPIC, 'a', 'flush.mode')).to.equal('replicated topic')
      const { values } = await describeOf(TOPIC, 'a')
      expect(values.find(({ key }) => key === 'retention.ms')).to.include({ type: 'int', unit: 'ms' })
    })

    it('of a topic: faults are told and change nothing', async () => {
      await alone()
      await brokers(1)
      await bench.create('a')
      expect(await alter(TOPIC, 'a', { 'retention.ms': 'x' })).to.equal('INVALID_CONFIG')
      expect(await alter(TOPIC, 'a', { ['__proto__']: 'x' })).to.equal('INVALID_CONFIG')
      expect(await alter(TOPIC, 'a', { nonsense: 'x' })).to.equal('INVALID_CONFIG')
      expect(await alter(TOPIC, 'x', { 'retention.ms': '1' })).to.equal('UNKNOWN_TOPIC_OR_PARTITION')
      expect(await alter(TOPIC, 'a', { 'retention.ms': '1' }, [], true)).to.equal('NONE')
      expect(await valueOf(TOPIC, 'a', 'retention.ms')).to.equal('604800000 default')
      expect((await describeOf(TOPIC, 'x')).status!.name).to.equal('UNKNOWN_TOPIC_OR_PARTITION')
    })

    it('of brokers: own before the cluster\'s before the default', async () => {
      await alone()
      await brokers(1, 2)
      const [first] = (await describeOf(BROKER, '')).values
      expect(first!.source).to.equal('default')
      const dynamic = (await describeOf(BROKER, '1')).values
      expect(dynamic.map(({ key }) => key)).to.include('replica.lag.time.max.ms')
      for (const name of ['3', 'x', '1e0', ' 1', '-1', '01x']) {
        expect((await describeOf(BROKER, name)).status!.name, name).to.equal('BROKER_ID_NOT_REGISTERED')
      }
    })
  })

  describe('cluster', () => {
    it('tells of brokers, controllers and health', async () => {
      await alone()
      const [first] = await brokers(1, 2, 3)
      await bench.create('a', {
        partitions: 3, replicationFactor: 3, configs: [{ key: 'min.insync.replicas', value: '3' }] })
      await bench.time.advance(200)
      const well = await bench.call(admin.describeCluster, {})
      expect(well.health).to.deep.equal({ topics: 1, partitions: 3, leaderless: 0, underReplicated: 0, underMinIsr: 0 })
      expect(well.brokers.map(({ id, state, leads, replicas }) => [id, state, leads, replicas])).to.deep.equal(
        [[1, 'active', 1, 3], [2, 'active', 1, 3], [3, 'active', 1, 3]])
      expect(well.brokers.map(({ metadataOffset }) => metadataOffset)).to.deep.equal(
        [well.metadataOffset, well.metadataOffset, well.metadataOffset])
      expect(well.controllers).to.deep.equal([{ id: 1, address: 'c1:1', active: true }])
      first!.kill()
      await bench.time.advance(50)
      const ill = await bench.call(admin.describeCluster, {})
      expect(ill.health).to.deep.equal({ topics: 1, partitions: 3, leaderless: 0, underReplicated: 3, underMinIsr: 3 })
      expect(ill.brokers[0]).to.include({ id: 1, state: 'fenced', leads: 0, replicas: 3 })
    })

    it('lists partitions, all or the ill ones', async () => {
      await alone()
      const [first] = await brokers(1, 2)
      await bench.create('a', { assignment: [{ brokers: [1, 2] }] })
      await bench.create('b', { assignment: [{ brokers: [2] }] })
      await bench.create('c', { assignment: [{ brokers: [1] }] })
      const list = async (topics: string[], onlyUnhealthy: boolean) => (
        (await bench.call(admin.listPartitions, { topics, onlyUnhealthy })).partitions.map((one) => one.topic))
      expect(await list([], false)).to.have.members(['a', 'b', 'c'])
      expect(await list([], true)).to.deep.equal([])
      first!.kill()
      await bench.time.advance(50)
      expect(await list([], true)).to.have.members(['a', 'c'])
      expect(await list(['b'], false)).to.deep.equal(['b'])
      expect(await failureOf(list(['b', 'x'], false))).to.include({ name: 'UNKNOWN_TOPIC_OR_PARTITION' })
    })

    it('elects preferred leaders, and refuses too many at once', async () => {
      await alone({ 'leader.rebalance.delay.ms': '0' })
      const [first] = await brokers(1, 2)
      await bench.create('a', { assignment: [{ brokers: [1, 2] }] })
      const leader = async () => (
        (await bench.call(admin.describeTopics, { names: ['a'] })).topics[0]!.topic!.partitions[0]!.leader)
      await bench.call(admin.drainBroker, { requestId: '', id: 1 })
      expect(await leader()).to.equal(2)
      await bench.call(admin.resumeBroker, { requestId: '', id: 1 })
      const elect = (count: number) => bench.call(admin.electLeaders, { requestId: '',
        partitions: Array.from({ length: count }, () => ({ topic: 'a', partition: 0 })), unclean: false })
      const results = await elect(1)
      expect(results.partitions[0]!.status!.name).to.be.oneOf(['NONE', 'PREFERRED_LEADER_NOT_AVAILABLE'])
      expect(await failureOf(elect(100_001))).to.include({ name: 'INVALID_REQUEST' })
      expect(first!.closed).to.equal(false)
    })

    it('drains and resumes a broker', async () => {
      await alone()
      await brokers(1, 2)
      await bench.create('a', { partitions: 4, replicationFactor: 2 })
      expect(await bench.call(admin.drainBroker, { requestId: '', id: 1 })).to.deep.equal({ moved: 2, remaining: 0 })
      const state = async () => (await bench.call(admin.describeCluster, {})).brokers[0]!.state
      expect(await state()).to.equal('draining')
      expect(await bench.call(admin.resumeBroker, { requestId: '', id: 1 })).to.deep.equal({})
      expect(await state()).to.equal('active')
      expect(await failureOf(bench.call(admin.drainBroker, { requestId: '', id: 9 })))
        .to.include({ name: 'BROKER_ID_NOT_REGISTERED' })
      expect(await failureOf(bench.call(admin.resumeBroker, { requestId: '', id: 9 }))).to.include(
        { name: 'BROKER_ID_NOT_REGISTERED' })
    })

    it('gives leaderships back to a preferred leader that has been back long enough', async () => {
      await alone({ 'leader.rebalance.delay.ms': '2000' })
      const [first, second] = await brokers(1, 2)
      const { topicId } = await bench.create('a', { assignment: [{ brokers: [1, 2] }] })
      first!.kill()
      await bench.time.advance(100)
      const partition = () => second!.image.topics.get(topicId)!.partitions[0]!
      expect(partition()).to.include({ leader: 2 })
      first!.open()
      await bench.time.advance(300)
      // Back in the ISR.
      await bench.call(methods.brokerLink.alterPartitions, {
        brokerId: 2, brokerEpoch: second!.epoch, partitions: [{
          topicId, partition: 0, leaderEpoch: partition().leaderEpoch, partitionEpoch: partition().partitionEpoch,
          newIsr: [{ brokerId: 1, brokerEpoch: first!.epoch }, { brokerId: 2, brokerEpoch: second!.epoch }] }] })
      await bench.time.advance(1_300)
      expect(partition()).to.include({ leader: 2 })
      await bench.time.advance(1_500)
      expect(partition()).to.include({ leader: 1 })
    })
  })

  describe('quorum', () => {
    beforeEach(async () => {
      bench = await new ControllerBench(3).start()
      await bench.time.advance(300)
    })

    it('is described: who leads, how far each is, when it was heard', async () => {
      const active = bench.activeNode!
      const [standby, other] = bench.standbys
      await other!.kill()
      await bench.time.advance(1_000)
      const { leaderId, term, commitIndex, voters } = await bench.call(admin.describeQuorum, {}, standby)
      expect({ leaderId, term }).to.deep.equal({ leaderId: active.id, term: 1 })
      const of = (node: ControllerNode) => voters.find(({ id }) => id === node.id)!
      expect(of(active)).to.deep.equal({
        id: active.id, address: active.address, role: 'leader', matchIndex: commitIndex, lastContactMs: 0 })
      expect(of(standby!)).to.include({ role: 'follower', matchIndex: commitIndex })
      expect(of(standby!).lastContactMs).to.be.within(0, 46)
      expect(of(other!)).to.include({ role: 'unknown' })
      expect(of(other!).lastContactMs).to.be.within(1_000, 1_100)
    })

    it('hands leadership to a voter, from wherever it is asked', async () => {
      const [standby, other] = bench.standbys
      expect(await bench.call(admin.transferLeadership, { to: other!.id }, standby)).to.deep.equal(
        { leaderId: other!.id })
      expect(await bench.active()).to.equal(other)
      expect(await bench.call(admin.transferLeadership, { to: other!.id })).to.deep.equal({ leaderId: other!.id })
    })

    it('does not hand it to a stranger, nor to a dead voter, and goes on', async () => {
      const active = bench.activeNode!
      expect(await failureOf(bench.call(admin.transferLeadership, { to: 9 }))).to.include(
        { name: 'INVALID_REQUEST', message: 'controller 9 is not one of the voters' })
      const dead = bench.standbys[0]!
      await dead.kill()
      const startMs = bench.time.monotonicMs()
      expect(await failureOf(bench.call(admin.transferLeadership, { to: dead.id }))).to.include(
        { name: 'REQUEST_TIMED_OUT', message: `controller ${dead.id} did not take over in time` })
      // As soon as Raft gave it up, not when the caller's time is over.
      expect(bench.time.monotonicMs() - startMs).to.be.below(400)
      expect(bench.activeNode).to.equal(active)
      await bench.broker(1)
      expect((await bench.create('a')).status!.name).to.equal('NONE')
    })
  })

  describe('on a standby', () => {
    beforeEach(async () => {
      bench = await new ControllerBench(3).start()
      await bench.time.advance(300)
    })

    it('is passed on, and refusals come back whole', async () => {
      await bench.broker(1)
      const [standby] = bench.standbys
      const { topics } = await bench.call(admin.createTopics, {
        requestId: '', topics: [topic('a')], validateOnly: false
      }, standby)
      expect(topics[0]!.status!.name).to.equal('NONE')
      expect((await bench.call(admin.listTopics, {}, standby)).topics.map(({ name }) => name)).to.deep.equal(['a'])
      expect(await failureOf(bench.call(admin.drainBroker, { requestId: '', id: 9 }, standby))).to.include({
        name: 'BROKER_ID_NOT_REGISTERED', hint: '`weir node list` shows the brokers' })
    })

    it('waits for an election to end', async () => {
      const [standby, other] = bench.standbys
      await bench.activeNode!.kill()
      await other!.kill()
      await standby!.kill()
      await standby!.start()
      const call = bench.network.node('app').dial(standby!.address).call(admin.listTopics, {}, 5_000)
      await bench.time.advance(1_000)
      await other!.start()
      expect(await bench.time.result(call)).to.deep.equal({ topics: [] })
    })

    it('is not repeated when the active one is lost during the call', async () => {
      const active = bench.activeNode!
      const [standby] = bench.standbys
      const broker = await bench.broker(1)
      broker.freeze()
      const peer = bench.network.node('app').dial(standby!.address)
      const call = failureOf(peer.call(admin.createTopics, {
        requestId: '', topics: [topic('a')], validateOnly: false
      }, 5_000))
      // It is committed; its answer waits for the broker to know.
      await bench.time.advance(20)
      await active.kill()
      expect(await bench.time.result(call)).to.include({
        name: 'NETWORK_EXCEPTION', retriable: true, hint: 'look whether it was carried out, then retry' })
      await bench.active()
      expect((await bench.call(admin.listTopics, {})).topics.map(({ name }) => name)).to.deep.equal(['a'])
    })

    it('is repeated under its request id when the active one is lost, and carried out once', async () => {
      const active = bench.activeNode!
      const [standby] = bench.standbys
      const broker = await bench.broker(1)
      broker.freeze()
      const call = bench.network.node('app').dial(standby!.address).call(admin.createTopics, {
        requestId: 'q-1', topics: [topic('a')], validateOnly: false }, 5_000)
      await bench.time.advance(20)
      await active.kill()
      const { topics } = await bench.time.result(call)
      expect(topics[0]).to.deep.include({ name: 'a', partitions: 1 })
      expect(topics[0]!.status!.name).to.equal('NONE')
      expect((await bench.call(admin.describeTopics, { names: ['a'] })).topics[0]!.topic!.topicId)
        .to.equal(topics[0]!.topicId)
    })

    it('refuses a request id that no log should hold', async () => {
      for (const requestId of ['x'.repeat(65), 'a b', 'ü']) {
        expect(await failureOf(bench.call(admin.deleteTopics, { requestId, names: ['a'] }))).to.include(
          { name: 'INVALID_REQUEST' })
      }
    })

    it('is not repeated when the active one loses its leadership during the call', async () => {
      const active = bench.activeNode!
      await bench.broker(1)
      const [standby, other] = bench.standbys
      // No majority is reached, so the command waits for its commit. The standby still reaches the active one.
      for (const node of [standby!, other!]) bench.network.cut(active.name, node.name)
      const call = failureOf(bench.network.node('app').dial(active.address)
        .call(admin.createTopics, { requestId: '', topics: [topic('a')], validateOnly: false }, 5_000))
      await bench.time.until('it gave up', () => !active.isActive)
      expect(await bench.time.result(call)).to.include({ name: 'NETWORK_EXCEPTION' })
      bench.network.heal()
    })

    it('is tried again when the asked one never began: a transfer is under way', async () => {
      await bench.broker(1)
      const [standby, other] = bench.standbys
      const peer = bench.network.node('app').dial(bench.activeNode!.address)
      const transfer = peer.call(admin.transferLeadership, { to: other!.id }, 5_000)
      const created = bench.network.node('app').dial(standby!.address)
        .call(admin.createTopics, { requestId: '', topics: [topic('a')], validateOnly: false }, 5_000)
      expect(await bench.time.result(transfer)).to.deep.equal({ leaderId: other!.id })
      expect((await bench.time.result(created)).topics[0]!.status!.name).to.equal('NONE')
      expect(await bench.active()).to.equal(other)
    })

    it('ends before the caller\'s deadline when there is no majority, and leaves nothing behind', async () => {
      const [standby, other] = bench.standbys
      await bench.activeNode!.kill()
      await other!.kill()
      await bench.time.advance(1_000)
      const startMs = bench.time.monotonicMs()
      const failure = await failureOf(bench.call(admin.listTopics, {}, standby, 700))
      expect(failure).to.include({ name: 'REQUEST_TIMED_OUT' })
      expect(bench.time.monotonicMs() - startMs).to.be.within(600, 700)
    })

    it('ends at once when the standby stops', async () => {
      const [standby, other] = bench.standbys
      await bench.activeNode!.kill()
      await other!.kill()
      await bench.time.advance(1_000)
      const call = failureOf(bench.network.node('app').dial(standby!.address).call(admin.listTopics, {}, 60_000))
      await bench.time.advance(100)
      await standby!.stop()
      const failure = await bench.time.result(call)
      expect(failure).to.not.be.instanceOf(NetworkError)
      expect(failure).to.include({ name: 'REQUEST_TIMED_OUT' })
    })
  })
})

// Administration calls against fake nodes: outcomes, repetitions after a lost answer, offsets, waiting for a topic.

import { expect } from 'chai'

import { openConnection } from '../../src/client/connection.ts'
import type { Position, Weir, WeirError } from '../../src/client/index.ts'
import { NetworkError, unary, type Handler } from '../../src/ports.ts'
import { buildBatch } from '../../src/records/builder.ts'
import { okStatus } from '../../src/rpc/outcome.ts'
import { methods } from '../../src/rpc/protos.ts'
import { FakeCluster, fakeController, statusOf } from './fake-broker.ts'
import { fixedRandom, World } from './fake-world.ts'

const CONTROLLER = 'controller-1:7101'

describe('Admin', () => {
  let world: World
  let cluster: FakeCluster
  let weir: Weir
  /** Answers to the calls of one test; each is made when its call comes. */
  let created: (() => Promise<void>)[]
  let deleted: (() => Promise<void>)[]
  /** Ids of requests that changed something. */
  let carriedOut: Set<string>

  beforeEach(async () => {
    world = new World()
    cluster = new FakeCluster(world)
    created = []
    deleted = []
    carriedOut = new Set()
    for (const broker of cluster.brokers) Object.assign(broker, { handlers: [...broker.handlers, ...adminHandlers()] })
    weir = await world.get(openConnection({ bootstrap: cluster.addresses, timeoutMs: 8_000 },
      { clock: world, timers: world, random: fixedRandom(7), network: cluster.network }))
  })

  afterEach(async () => {
    await world.get(weir.close())
    await world.run(5_000)
    expect(world.pending).to.equal(0)
  })

  function adminHandlers(): readonly Handler[] {
    return [
      unary(methods.admin.createTopics, async ({ topics: [topic], requestId }) => {
        const known = cluster.topics.has(topic!.name) && !carriedOut.has(requestId)
        if (!cluster.topics.has(topic!.name)) cluster.create(topic!.name, topic!.partitions)
        if (!known) carriedOut.add(requestId)
        await created.shift()?.()
        const { name, partitions } = topic!
        return { topics: [known
          ? { name, topicId: '', partitions: 0, replicationFactor: 0, status: statusOf('TOPIC_ALREADY_EXISTS') }
          : { name, topicId: 'a'.repeat(32), partitions, replicationFactor: 1, status: okStatus }] }
      }),
      unary(methods.admin.deleteTopics, async ({ names: [name], requestId }) => {
        const known = cluster.topics.delete(name!) || carriedOut.has(requestId)
        if (known) carriedOut.add(requestId)
        await deleted.shift()?.()
        return { topics: [{ name: name!, status: known ? okStatus : statusOf('UNKNOWN_TOPIC_OR_PARTITION') }] }
      }),
      unary(methods.admin.describeTopics, ({ names }) => Promise.resolve({
        topics: cluster.metadata(names).topics.map((topic) => (
          { topic, configs: [{ key: 'retention.ms', value: '5' }] })) }))
    ]
  }

  const lost = () => Promise.reject(new NetworkError('UNAVAILABLE', 'the connection broke'))

  async function failure(promise: Promise<unknown>): Promise<WeirError> {
    return await world.get(promise.then(() => undefined, (error: unknown) => error)) as WeirError
  }

  it('creates a topic, and refuses a second one of its name', async () => {
    const topic = { name: 't', partitions: 3 }
    expect(await world.get(weir.admin.createTopic(topic)))
      .to.deep.equal({ name: 't', topicId: 'a'.repeat(32), partitions: 3, replicationFactor: 1 })
    expect((await failure(weir.admin.createTopic(topic))).name).to.equal('TOPIC_ALREADY_EXISTS')
    const [outcome] = await world.get(weir.admin.createTopics([topic]))
    expect(outcome!.error?.name).to.equal('TOPIC_ALREADY_EXISTS')
  })

  it('takes its own work for done when the answer was lost', async () => {
    created.push(lost)
    expect(await world.get(weir.admin.createTopic({ name: 't', partitions: 3 })))
      .to.include({ name: 't', topicId: 'a'.repeat(32), partitions: 3 })
    deleted.push(lost)
    await world.get(weir.admin.deleteTopic('t'))
    expect((await failure(weir.admin.deleteTopic('t'))).name).to.equal('UNKNOWN_TOPIC_OR_PARTITION')
  })

  it('does not take another one\'s topic for its own when an answer was lost', async () => {
    cluster.create('t', 1)
    created.push(lost)
    expect((await failure(weir.admin.createTopic({ name: 't', partitions: 3 }))).name).to.equal('TOPIC_ALREADY_EXISTS')
  })

  it('goes to another node when one is silent, and gives up at the deadline', async () => {
    cluster.create('t', 1)
    cluster.broker(1).frozen = true
    expect((await world.get(weir.admin.describeTopic('t'))).configs).to.deep.equal({ 'retention.ms': '5' })
    for (const broker of cluster.brokers) broker.frozen = true
    const before = world.monotonicMs()
    expect((await failure(weir.admin.describeTopic('t'))).name).to.equal('REQUEST_TIMED_OUT')
    expect(world.monotonicMs() - before).to.be.within(7_000, 8_100)
  })

  it('works on a controller', async () => {
    cluster.network.serve(CONTROLLER, fakeController(cluster))
    const other = await world.get(openConnection({ bootstrap: [CONTROLLER] },
      { clock: world, timers: world, random: fixedRandom(7), network: cluster.network }))
    for (const broker of cluster.brokers) broker.down = true
    expect((await world.get(other.admin.describeCluster())).brokers.length).to.equal(3)
    await world.get(other.close())
  })

  it('answers offsets of every partition', async () => {
    cluster.create('t', 2)
    const bytes = buildBatch([1, 2, 3].map((timestamp) => ({ key: null, value: null, headers: [], timestamp })))
    cluster.append('t', 1, bytes)
    const offsets = async (position: Position, partitions?: readonly number[]) => {
      const found = await world.get(weir.admin.offsets('t', position, partitions))
      return found.map(({ partition, offset }) => [partition, offset])
    }
    expect(await offsets('end')).to.deep.equal([[0, 0], [1, 3]])
    expect(await offsets('start', [1])).to.deep.equal([[1, 0]])
    expect(await offsets({ fromEnd: 1 })).to.deep.equal([[0, 0], [1, 2]])
    expect(await offsets({ timestamp: 99 }, [1])).to.deep.equal([[1, 3]])
  })

  it('waits for a topic and for the leaders of its partitions', async () => {
    const waiting = weir.admin.waitForTopic('t', 10_000)
    await world.run(1_000)
    cluster.create('t', 2)
    cluster.moveLeader('t', 1, -1)
    let settled = false
    void waiting.then(() => { settled = true })
    await world.run(1_000)
    expect(settled).to.equal(false)
    cluster.moveLeader('t', 1, 3)
    expect((await world.get(waiting)).partitions.length).to.equal(2)
    cluster.moveLeader('t', 1, -1)
    const error = await failure(weir.admin.waitForTopic('t', 500).then(() => weir.admin.waitForTopic('none', 500)))
    expect(error.name).to.equal('REQUEST_TIMED_OUT')
  })
})

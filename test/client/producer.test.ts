// The producer against a fake cluster in virtual time: batching, order, retries, new leaders, bounds and deadlines.

import { expect } from 'chai'

import { openConnection } from '../../src/client/connection.ts'
import type { Delivery, OutgoingRecord, Producer, ProducerOptions, Weir, WeirError } from '../../src/client/index.ts'
import { baseSequence, producerId, recordCount } from '../../src/records/batch.ts'
import { FakeCluster } from './fake-broker.ts'
import { fixedRandom, World } from './fake-world.ts'

const TOPIC = 'flights'

describe('Producer', () => {
  let world: World
  let cluster: FakeCluster
  let weir: Weir

  beforeEach(async () => {
    world = new World()
    cluster = new FakeCluster(world)
    cluster.create(TOPIC, 3)
    weir = await world.get(openConnection({ bootstrap: cluster.addresses },
      { clock: world, timers: world, random: fixedRandom(7), network: cluster.network }))
  })

  afterEach(async () => {
    await world.get(weir.close(), 200_000)
    await world.run(5)
    expect(world.pending, 'timers and messages left behind').to.equal(0)
    expect(cluster.network.openStreams).to.equal(0)
  })

  const partition = (index = 0) => cluster.topics.get(TOPIC)![index]!
  const numbered = (from: number, to: number) => (
    Array.from({ length: to - from }, (_, index) => String(from + index)))

  function sendAll(
    producer: Producer, values: readonly string[], to: Partial<OutgoingRecord> = {}): Promise<Delivery>[] {
    return values.map((value) => producer.send({ topic: TOPIC, partition: 0, value, ...to }))
  }

  /** Records one at a time, so that each is a batch of its own. */
  async function sendApart(producer: Producer, values: readonly string[]): Promise<Promise<Delivery>[]> {
    const sent: Promise<Delivery>[] = []
    for (const value of values) {
      sent.push(producer.send({ topic: TOPIC, partition: 0, value }))
      sent.at(-1)!.catch(() => { /* looked at later */ })
      await world.run(1)
    }
    return sent
  }

  async function failure(promise: Promise<unknown>): Promise<WeirError> {
    const outcome = await world.get(promise.then(() => undefined, (error: unknown) => error), 200_000)
    expect(outcome, 'an error').to.be.instanceOf(Error)
    return outcome as WeirError
  }

  async function warm(options: ProducerOptions = {}): Promise<Producer> {
    const producer = weir.producer({ lingerMs: 0, ...options })
    await world.get(producer.send({ topic: TOPIC, partition: 0, value: 'warm' }))
    return producer
  }

  it('gives records of one partition their offsets in the order of the calls', async () => {
    const producer = weir.producer()
    const deliveries = await world.get(Promise.all(sendAll(producer, numbered(0, 50))))
    expect(deliveries.map(({ offset }) => offset)).to.deep.equal(numbered(0, 50).map(Number))
    expect(partition().values()).to.deep.equal(numbered(0, 50))
    expect(producer.stats).to.deep.equal({ sent: 50, acknowledged: 50, failed: 0, retries: 0, bufferedBytes: 0 })
  })

  it('waits lingerMs for company, not longer', async () => {
    const producer = await warm({ lingerMs: 20 })
    const before = partition().batches.length
    const first = sendAll(producer, ['a'])
    await world.run(15)
    expect(partition().batches.length).to.equal(before)
    const second = sendAll(producer, ['b'])
    await world.run(7)
    await world.get(Promise.all([...first, ...second]))
    expect(partition().batches.length).to.equal(before + 1)
  })

  it('sends a full batch before lingerMs is over', async () => {
    const producer = await warm({ lingerMs: 10_000, batchBytes: 1024 })
    const sent = sendAll(producer, numbered(0, 40), { headers: { filler: 'x'.repeat(100) } })
    await world.run(20)
    expect(partition().batches.length).to.be.greaterThan(3)
    expect(partition().batches.every(({ bytes }) => bytes.length <= 1300)).to.equal(true)
    await world.get(producer.flush())
    await world.get(Promise.all(sent))
  })

  it('flush sends what lingers', async () => {
    const producer = await warm({ lingerMs: 10_000 })
    const sent = sendAll(producer, ['a', 'b'])
    await world.get(producer.flush(), 50)
    expect((await world.get(Promise.all(sent))).length).to.equal(2)
  })

  it('sends keyed records where Kafka does, and others to one partition per batch', async () => {
    const producer = weir.producer()
    const keyed = await world.get(producer.send({ topic: TOPIC, key: 'abc', value: '' }))
    expect(keyed.partition).to.equal(479470107 % 3)
    const sticky = await world.get(Promise.all(numbered(0, 20).map((value) => producer.send({ topic: TOPIC, value }))))
    expect(new Set(sticky.map((delivery) => delivery.partition)).size).to.equal(1)
  })

  it('compresses', async () => {
    const producer = weir.producer({ compression: 'gzip' })
    await world.get(Promise.all(sendAll(producer, new Array<string>(100).fill('y'.repeat(100)))))
    expect(partition().values().length).to.equal(100)
    expect(partition().batches.reduce((sum, { bytes }) => sum + bytes.length, 0)).to.be.lessThan(2_000)
  })

  it('keeps at most maxInFlight batches of a partition unanswered, one before the first is acknowledged', async () => {
    const producer = weir.producer({ lingerMs: 0 })
    const leader = cluster.broker(1)
    leader.mute = true
    const first = await sendApart(producer, numbered(0, 8))
    expect(leader.produced.length).to.equal(1)
    leader.mute = false
    cluster.network.cut(leader.address)
    await world.get(producer.flush())
    leader.mute = true
    const before = leader.produced.length
    const second = await sendApart(producer, numbered(8, 20))
    expect(leader.produced.length - before).to.equal(5)
    leader.mute = false
    cluster.network.cut(leader.address)
    await world.get(producer.flush())
    expect(partition().values()).to.deep.equal(numbered(0, 20))
    await world.get(Promise.all([...first, ...second]))
  })

  it('keeps the order when a batch in the middle is refused', async () => {
    const producer = await warm()
    cluster.broker(1).refusals.push('NOT_ENOUGH_REPLICAS')
    const sent = await sendApart(producer, numbered(0, 6))
    const offsets = (await world.get(Promise.all(sent))).map(({ offset }) => offset)
    expect(partition().values()).to.deep.equal(['warm', ...numbered(0, 6)])
    expect(offsets).to.deep.equal([1, 2, 3, 4, 5, 6])
    expect(producer.stats.retries).to.be.greaterThan(0)
  })

  it('keeps the order without idempotence, too', async () => {
    const producer = await warm({ idempotent: false, acks: 1 })
    cluster.broker(1).refusals.push('NOT_ENOUGH_REPLICAS', 'NOT_ENOUGH_REPLICAS')
    await world.get(Promise.all(await sendApart(producer, numbered(0, 6))))
    expect(partition().values()).to.deep.equal(['warm', ...numbered(0, 6)])
  })

  it('sends again after a broken stream, without duplicates and in order', async () => {
    const producer = await warm()
    const leader = cluster.broker(1)
    leader.mute = true
    const sent = await sendApart(producer, numbered(0, 9))
    leader.mute = false
    cluster.network.cut(leader.address)
    await world.get(Promise.all(sent))
    expect(partition().values()).to.deep.equal(['warm', ...numbered(0, 9)])
    const stamps = partition().batches.map(({ bytes }) => [producerId(bytes), baseSequence(bytes), recordCount(bytes)])
    expect(new Set(stamps.map(([id]) => id)).size).to.equal(1)
    for (let index = 1; index < stamps.length; index++) {
      expect(stamps[index]![1]).to.equal(stamps[index - 1]![1]! + stamps[index - 1]![2]!)
    }
  })

  it('finds the new leader at once when the old one dies', async () => {
    const producer = await warm()
    const leader = cluster.broker(1)
    leader.mute = true
    const sent = await sendApart(producer, numbered(0, 3))
    cluster.kill(1)
    await world.run(30)
    cluster.moveLeader(TOPIC, 0, 2)
    const before = world.monotonicMs()
    await world.get(Promise.all(sent))
    expect(world.monotonicMs() - before).to.be.lessThan(150)
    expect(partition().values()).to.deep.equal(['warm', '0', '1', '2'])
  })

  it('notices a leader that is silent behind an open connection', async () => {
    const producer = await warm()
    cluster.broker(1).frozen = true
    const sent = await sendApart(producer, numbered(0, 3))
    cluster.moveLeader(TOPIC, 0, 2)
    const before = world.monotonicMs()
    await world.get(Promise.all(sent))
    expect(world.monotonicMs() - before).to.be.lessThan(700)
    expect(partition().values()).to.deep.equal(['warm', '0', '1', '2'])
  })

  it('follows the leader that a refusal names, without waiting', async () => {
    const producer = await warm()
    cluster.moveLeader(TOPIC, 0, 2)
    const before = world.monotonicMs()
    await world.get(producer.send({ topic: TOPIC, partition: 0, value: 'x' }))
    expect(world.monotonicMs() - before).to.be.lessThan(5)
    expect(partition().values()).to.deep.equal(['warm', 'x'])
  })

  it('drops a batch that is refused for good, and goes on with a new producer id', async () => {
    const producer = await warm()
    cluster.broker(1).refusals.push('MESSAGE_TOO_LARGE')
    const sent = await sendApart(producer, ['bad', 'a', 'b', 'c'])
    expect((await failure(sent[0]!)).name).to.equal('MESSAGE_TOO_LARGE')
    await world.get(Promise.all(sent.slice(1)))
    expect(partition().values()).to.deep.equal(['warm', 'a', 'b', 'c'])
    expect(new Set(partition().batches.map(({ bytes }) => producerId(bytes))).size).to.equal(2)
    expect(producer.stats).to.include({ sent: 5, acknowledged: 4, failed: 1, bufferedBytes: 0 })
  })

  it('starts anew when the leader has lost its sequence numbers and nothing is in doubt', async () => {
    const producer = await warm()
    partition().producers.set([...partition().producers.keys()][0]!, [{ first: 500, last: 500, offset: 0 }])
    await world.get(producer.send({ topic: TOPIC, partition: 0, value: 'x' }))
    expect(partition().values()).to.deep.equal(['warm', 'x'])
  })

  it('does not repeat a batch in doubt under another producer id', async () => {
    const producer = await warm()
    const leader = cluster.broker(1)
    leader.mute = true
    const [sent] = await sendApart(producer, ['x'])
    partition().producers.set([...partition().producers.keys()][0]!, [{ first: 500, last: 500, offset: 0 }])
    leader.mute = false
    cluster.network.cut(leader.address)
    const error = await failure(sent!)
    expect(error.name).to.equal('OUT_OF_ORDER_SEQUENCE_NUMBER')
    expect(error.message).to.contain('may be in the log')
    await world.get(producer.send({ topic: TOPIC, partition: 0, value: 'y' }))
    expect(partition().values()).to.deep.equal(['warm', 'x', 'y'])
  })

  it('gives up after deliveryTimeoutMs and says whether the records may be there', async () => {
    const producer = await warm({ deliveryTimeoutMs: 3_000 })
    cluster.moveLeader(TOPIC, 0, -1)
    const before = world.monotonicMs()
    const error = await failure(producer.send({ topic: TOPIC, partition: 0, value: 'x' }))
    expect(world.monotonicMs() - before).to.be.within(3_000, 3_200)
    expect(error.name).to.equal('REQUEST_TIMED_OUT')
    expect(error.message).to.contain('deliveryTimeoutMs=3000')
    cluster.moveLeader(TOPIC, 0, 3)
    await world.get(producer.send({ topic: TOPIC, partition: 0, value: 'y' }))
    expect(partition().values()).to.deep.equal(['warm', 'y'])
  })

  it('bounds what waits: send blocks, then times out', async () => {
    const producer = await warm({ maxBufferedBytes: 4_096, maxBlockMs: 1_000, deliveryTimeoutMs: 5_000 })
    cluster.broker(1).mute = true
    const sent = sendAll(producer, numbered(0, 12), { headers: { filler: 'x'.repeat(500) } })
    for (const one of sent) one.catch(() => { /* looked at later */ })
    await world.run(500)
    const { bufferedBytes } = producer.stats
    expect(bufferedBytes).to.be.within(1, 4_096)
    const error = await failure(sent.at(-1)!)
    expect(error.message).to.contain('maxBlockMs=1000').and.to.contain('maxBufferedBytes=4096')
    cluster.broker(1).mute = false
    cluster.network.cut(cluster.broker(1).address)
    await world.get(sent[0]!)
    await world.get(producer.flush())
    expect(producer.stats.bufferedBytes).to.equal(0)
  })

  it('keeps the order of records that waited for room', async () => {
    const producer = await warm({ maxBufferedBytes: 2_048 })
    await world.get(Promise.all(sendAll(producer, numbered(0, 100), { headers: { filler: 'x'.repeat(200) } })))
    expect(partition().values()).to.deep.equal(['warm', ...numbered(0, 100)])
  })

  it('waits for a topic that was just made, and refuses one that is not there', async () => {
    const producer = weir.producer()
    const sent = producer.send({ topic: 'late', value: 'x' })
    await world.run(500)
    cluster.create('late', 1)
    expect((await world.get(sent)).offset).to.equal(0)
    const error = await failure(producer.send({ topic: 'never', value: 'x' }))
    expect(error.name).to.equal('UNKNOWN_TOPIC_OR_PARTITION')
    expect(error.message).to.contain('never')
  })

  it('refuses a partition that is not there, and options out of range by name', async () => {
    const error = await failure(weir.producer().send({ topic: TOPIC, partition: 9, value: 'x' }))
    expect(error.message).to.contain('0 to 2').and.to.contain('9')
    expect(() => weir.producer({ maxInFlight: 6 })).to.throw('maxInFlight=6')
    expect(() => weir.producer({ acks: 1, idempotent: true })).to.throw('idempotent=true with acks=1')
  })

  it('resolves with offset -1 for acks 0', async () => {
    const producer = weir.producer({ acks: 0 })
    expect((await world.get(producer.send({ topic: TOPIC, partition: 0, value: 'x' }))).offset).to.equal(-1)
    await world.get(producer.close())
    expect(partition().values()).to.deep.equal(['x'])
  })

  it('close flushes, and send rejects from then on', async () => {
    const producer = weir.producer({ lingerMs: 10_000 })
    const sent = sendAll(producer, ['a'])
    const closed = producer.close()
    expect((await failure(producer.send({ topic: TOPIC, value: 'x' }))).message).to.contain('closed')
    await world.get(closed, 50)
    await world.get(sent[0]!)
  })
})

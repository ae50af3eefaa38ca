// The consumer against a fake cluster in virtual time: positions, ends, credit, errors, new leaders.

import { expect } from 'chai'

import { openConnection } from '../../src/client/connection.ts'
import type { ConsumedRecord, Consumer, ConsumerOptions, Weir, WeirError } from '../../src/client/index.ts'
import { buildBatch, buildControlBatch } from '../../src/records/builder.ts'
import { codecByName } from '../../src/records/compression.ts'
import { FakeCluster, text } from './fake-broker.ts'
import { fixedRandom, World } from './fake-world.ts'

const TOPIC = 'flights'

describe('Consumer', () => {
  let world: World
  let cluster: FakeCluster
  let weir: Weir

  beforeEach(async () => {
    world = new World()
    cluster = new FakeCluster(world)
    cluster.create(TOPIC, 2)
    weir = await world.get(openConnection({ bootstrap: cluster.addresses },
      { clock: world, timers: world, random: fixedRandom(7), network: cluster.network }))
  })

  afterEach(async () => {
    await world.get(weir.close())
    await world.run(5)
    expect(world.pending, 'timers and messages left behind').to.equal(0)
    expect(cluster.network.openStreams).to.equal(0)
  })

  /** One batch of records with these values; the timestamp of value N is N. */
  function put(values: readonly (number | string)[], partition = 0, codec = 'none'): void {
    cluster.append(TOPIC, partition, buildBatch(values.map((value) => ({
      key: null, value: new TextEncoder().encode(String(value)), headers: [{ key: 'h', value: null }],
      timestamp: Number.isInteger(value) ? Number(value) : 0
    })), { codec: codecByName(codec) }))
  }

  const span = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)
  const values = (records: readonly ConsumedRecord[]) => records.map(({ value }) => text(value))
  const only = (from: ConsumerOptions['from'], more: Partial<ConsumerOptions> = {}): Consumer => (
    weir.consumer({ partitions: [{ topic: TOPIC, partition: 0 }], ...from === undefined ? {} : { from }, ...more }))

  async function collect(consumer: Consumer): Promise<ConsumedRecord[]> {
    const records: ConsumedRecord[] = []
    for await (const record of consumer) records.push(record)
    return records
  }

  async function failure(promise: Promise<unknown>): Promise<WeirError> {
    const outcome = await world.get(promise.then(() => undefined, (error: unknown) => error))
    expect(outcome, 'an error').to.be.instanceOf(Error)
    return outcome as WeirError
  }

  it('reads everything from the start to the end, then iteration ends', async () => {
    put(span(0, 5))
    put(span(5, 9), 0, 'zstd')
    put(['other'], 1)
    const consumer = weir.consumer({ topics: [TOPIC], from: 'start', until: 'end' })
    const records = await world.get(collect(consumer))
    const mine = records.filter(({ partition }) => partition === 0)
    expect(values(mine)).to.deep.equal(span(0, 9).map(String))
    expect(mine.map(({ offset }) => offset)).to.deep.equal(span(0, 9))
    expect(mine[3]).to.deep.include({ topic: TOPIC, timestamp: 3, key: null, headers: [{ key: 'h', value: null }] })
    expect(records.length).to.equal(10)
    expect(consumer.finished).to.equal(true)
  })

  it('ends at once when there is nothing before `until`', async () => {
    expect(await world.get(collect(only('start', { until: 'end' })), 1_000)).to.deep.equal([])
  })

  it('stops in the middle of a batch at `until`', async () => {
    put(span(0, 10))
    const consumer = only('start', { until: 4 })
    expect(values(await world.get(collect(consumer)))).to.deep.equal(['0', '1', '2', '3'])
    expect(consumer.position(TOPIC, 0)).to.equal(4)
  })

  it('begins at an offset in the middle of a batch, at a time, and before the end', async () => {
    put(span(0, 10))
    put(span(10, 20))
    const firstFrom = async (from: ConsumerOptions['from']) => (
      values(await world.get(collect(only(from, { until: 'end' }))))[0])
    expect(await firstFrom(7)).to.equal('7')
    expect(await firstFrom({ timestamp: 15 })).to.equal('10')
    expect(await firstFrom({ fromEnd: 3 })).to.equal('17')
    expect(await firstFrom({ fromEnd: 300 })).to.equal('0')
    expect(await firstFrom({ timestamp: 999 })).to.equal(undefined)
  })

  it('waits for new records, from the end by default', async () => {
    put(['old'])
    const consumer = only(undefined)
    const polled = consumer.poll(10_000)
    await world.run(1_000)
    put(['new'])
    expect(values(await world.get(polled, 100))).to.deep.equal(['new'])
    expect(consumer.position(TOPIC, 0)).to.equal(2)
    expect(consumer.highWatermark(TOPIC, 0)).to.equal(2)
  })

  it('poll answers with nothing after maxWaitMs', async () => {
    const consumer = only('start')
    const before = world.monotonicMs()
    expect(await world.get(consumer.poll(250))).to.deep.equal([])
    expect(world.monotonicMs() - before).to.be.within(250, 251)
  })

  it('never has more than maxBufferedBytes and one batch ahead, and goes on when records are taken', async () => {
    const maxBufferedBytes = 64 * 1024
    for (let index = 0; index < 40; index++) put(['x'.repeat(20_000)])
    const size = 20_100
    const consumer = only('start', { maxBufferedBytes })
    await world.run(2_000)
    const fetcher = [...cluster.broker(1).fetchers][0]!
    expect(fetcher.creditBytes).to.be.within(-size, 0)
    let taken = 0
    while (taken < 40) {
      taken += (await world.get(consumer.poll(1_000))).length
      expect(fetcher.creditBytes).to.be.lessThan(maxBufferedBytes)
    }
    expect(taken).to.equal(40)
  })

  it('goes on at the next offset after a broken stream', async () => {
    put(span(0, 3))
    const consumer = only('start')
    expect((await world.get(consumer.poll(1_000))).length).to.equal(3)
    cluster.network.cut(cluster.broker(1).address)
    put(span(3, 6))
    expect(values(await world.get(consumer.poll(1_000)))).to.deep.equal(['3', '4', '5'])
  })

  it('follows a new leader, also when the old one is silent', async () => {
    put(span(0, 3))
    const consumer = only('start')
    expect((await world.get(consumer.poll(1_000))).length).to.equal(3)
    cluster.moveLeader(TOPIC, 0, 2)
    put(span(3, 5))
    expect(values(await world.get(consumer.poll(1_000)))).to.deep.equal(['3', '4'])
    cluster.broker(2).frozen = true
    cluster.moveLeader(TOPIC, 0, 3)
    put([5])
    const before = world.monotonicMs()
    expect(values(await world.get(consumer.poll(10_000)))).to.deep.equal(['5'])
    expect(world.monotonicMs() - before).to.be.lessThan(1_500)
  })

  it('waits for a leader when there is none', async () => {
    cluster.moveLeader(TOPIC, 0, -1)
    const consumer = weir.consumer({ partitions: [{ topic: TOPIC, partition: 0, from: 'start' }] })
    const polled = consumer.poll(20_000)
    await world.run(2_000)
    cluster.moveLeader(TOPIC, 0, 2)
    put([1])
    expect(values(await world.get(polled, 1_000))).to.deep.equal(['1'])
  })

  it('tells the caller of an offset that is out of range', async () => {
    put(span(0, 3))
    const consumer = only(50)
    expect((await failure(consumer.poll(1_000))).name).to.equal('OFFSET_OUT_OF_RANGE')
    await world.get(consumer.seek(TOPIC, 0, 'start'))
    expect((await world.get(consumer.poll(1_000))).length).to.equal(3)
  })

  it('finds its way again when `from` says how', async () => {
    put(span(0, 3))
    const consumer = only('start')
    expect((await world.get(consumer.poll(1_000))).length).to.equal(3)
    for (const broker of cluster.brokers) broker.frozen = true
    for (let offset = 3; offset < 8; offset++) put([offset])
    // Retention removed what the consumer had not fetched yet.
    cluster.topics.get(TOPIC)![0]!.startOffset = 6
    for (const broker of cluster.brokers) broker.frozen = false
    cluster.network.cut(cluster.broker(1).address)
    const found: number[] = []
    while (found.length < 2) found.push(...(await world.get(consumer.poll(5_000))).map(({ offset }) => offset))
    expect(found).to.deep.equal([6, 7])
  })

  it('seek drops what was fetched ahead', async () => {
    put(span(0, 5))
    put(span(5, 10))
    const consumer = only('start')
    await world.run(100)
    await world.get(consumer.seek(TOPIC, 0, 8))
    expect(values(await world.get(consumer.poll(1_000)))).to.deep.equal(['8', '9'])
    await world.get(consumer.seek(TOPIC, 0, 1))
    expect(values(await world.get(consumer.poll(1_000)))[0]).to.equal('1')
  })

  it('pause holds one partition back, resume goes on where it was', async () => {
    put(span(0, 4))
    put(['other'], 1)
    const consumer = weir.consumer({ topics: [TOPIC], from: 'start' })
    await world.run(100)
    consumer.pause(TOPIC, 0)
    expect(values(await world.get(consumer.poll(500)))).to.deep.equal(['other'])
    expect(await world.get(consumer.poll(500))).to.deep.equal([])
    consumer.resume(TOPIC, 0)
    expect(values(await world.get(consumer.poll(500)))).to.deep.equal(['0', '1', '2', '3'])
  })

  it('leaves control records out, unless they are asked for', async () => {
    put([0])
    cluster.append(TOPIC, 0, buildControlBatch(
      { type: 'COMMIT', producerId: 1, producerEpoch: 0, coordinatorEpoch: 0, timestamp: 0 }))
    put([2])
    const offsets = async (raw: boolean) => (
      (await world.get(collect(only('start', { until: 'end', raw })))).map(({ offset }) => offset))
    expect(await offsets(false)).to.deep.equal([0, 2])
    expect(await offsets(true)).to.deep.equal([0, 1, 2])
  })

  it('refuses a batch whose checksum is wrong', async () => {
    put(span(0, 3))
    cluster.topics.get(TOPIC)![0]!.batches[0]!.bytes[70]! ^= 1
    expect((await failure(only('start').poll(1_000))).name).to.equal('CORRUPT_MESSAGE')
  })

  it('finds partitions that were added, and reads them from their start', async () => {
    const consumer = weir.consumer({ topics: [TOPIC] })
    await world.run(100)
    cluster.create(TOPIC, 3)
    put(['fresh'], 2)
    expect(values(await world.get(consumer.poll(20_000)))).to.deep.equal(['fresh'])
  })

  it('ends quietly when closed, with an error when aborted', async () => {
    const closed = only('start')
    const iterated = collect(closed)
    await world.run(100)
    await world.get(closed.close())
    expect(await world.get(iterated)).to.deep.equal([])
    const abort = new AbortController()
    const aborted = collect(only('start', { signal: abort.signal }))
    await world.run(100)
    abort.abort(new Error('enough'))
    expect((await failure(aborted)).message).to.contain('enough')
  })

  it('refuses groups, unknown topics and contradictions', async () => {
    expect(() => weir.consumer({ topics: [TOPIC], group: 'g' })).to.throw('no consumer groups')
    expect(() => weir.consumer({})).to.throw('neither topics nor partitions')
    expect(() => weir.consumer({ topics: [TOPIC], partitions: [{ topic: TOPIC, partition: 0 }] })).to.throw('twice')
    expect((await failure(weir.consumer({ topics: ['never'] }).poll(10_000))).name)
      .to.equal('UNKNOWN_TOPIC_OR_PARTITION')
  })
})

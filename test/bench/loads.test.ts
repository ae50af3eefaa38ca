// Every load, small, on a cluster in this process: it ends, it counts what it sent, and it leaves no topic behind.

import { expect } from 'chai'

import { benchFetch, fetchBySdk, fetchRaw } from '../../src/bench/fetch.ts'
import { benchLatency } from '../../src/bench/latency.ts'
import { benchPartitions } from '../../src/bench/partitions.ts'
import { benchProduce } from '../../src/bench/produce.ts'
import { benchRawProduce } from '../../src/bench/raw-produce.ts'
import type { BenchWorld, Load } from '../../src/bench/world.ts'
import { WeirError } from '../../src/base/error-code.ts'
import { systemClock, systemRandom, systemTimers } from '../../src/os/system.ts'
import { grpcNetwork } from '../../src/rpc/grpc-network.ts'
import { startCluster, type Cluster } from '../../src/testing/cluster.ts'

const LOAD: Load = {
  topic: undefined, partitions: 2, replicationFactor: 2, flushMode: 'sync', records: 500, durationMs: Infinity,
  recordBytes: 100, batchBytes: 2_048, acks: 'all', compression: 'lz4', lingerMs: 0
}

describe('loads of the bench', function () {
  this.timeout(20_000)
  let cluster: Cluster
  let world: BenchWorld

  before(async () => {
    cluster = await startCluster({ controllers: 1, brokers: 2 })
    world = {
      weir: await cluster.connect(), clock: systemClock(), timers: systemTimers(), random: systemRandom(),
      network: grpcNetwork(), ownCpuSeconds: () => 0, signal: new AbortController().signal, onProgress: () => undefined,
      scrape: () => Promise.reject(new Error('there is no HTTP here')) }
  })
  after(() => cluster.close())
  afterEach(async () => { expect(await world.weir.admin.listTopics()).to.deep.equal([]) })

  it('produce: every record is acknowledged', async () => {
    const report = await benchProduce(world, LOAD)
    expect(report).to.include({ path: 'sdk', records: 500, bytes: 50_000 })
    expect(report.latencyMs.count).to.be.above(0)
    expect(report.cpuSecondsPerGb).to.deep.equal({ client: 0, nodes: undefined })
  })

  it('raw produce: whole batches, at least as many records as asked for', async () => {
    const report = await benchRawProduce(world, LOAD)
    expect(report.path).to.equal('raw')
    expect(report.records).to.be.within(500, 600)
    expect(report.bytes).to.equal(report.records * 100)
  })

  it('fetch: reads what it wrote, through the SDK and past it', async () => {
    const sdk = await benchFetch(world, LOAD, fetchBySdk)
    expect(sdk.records).to.be.within(500, 600)
    expect(sdk.bytes).to.equal(sdk.records * 100)
    const raw = await benchFetch(world, LOAD, fetchRaw)
    expect(raw.records).to.be.within(500, 600)
  })

  it('fetch of a given topic stops at the number asked for, and keeps the topic', async () => {
    await world.weir.admin.createTopic({ name: 'given', partitions: 1, replicationFactor: 1 })
    const load = { ...LOAD, topic: 'given' }
    await benchProduce(world, load)
    const report = await benchFetch(world, { ...load, records: 100 }, fetchBySdk)
    expect(report.records).to.be.within(100, 500)
    expect((await world.weir.admin.listTopics()).map(({ name }) => name)).to.deep.equal(['given'])
    await world.weir.admin.deleteTopic('given')
  })

  it('latency: every record is timed to its acknowledgement and to its consumer', async () => {
    // What is due in the first second only warms up.
    const report = await benchLatency(world, { ...LOAD, records: 600 }, 500)
    expect(report.records).to.equal(600)
    expect(report.produceMs.count).to.equal(100)
    expect(report.consumeMs.count).to.equal(100)
    expect(report.produceMs.p50).to.be.above(0)
  })

  it('partitions: made, led, gone', async () => {
    const report = await benchPartitions(world, 20, 2)
    expect(report).to.include({ partitions: 20, replicationFactor: 2 })
    expect(report.ledMs).to.be.at.least(report.createMs)
  })

  it('an aborted run ends early with what it has', async () => {
    const abort = new AbortController()
    const onProgress = (done: number) => { if (done > 0) abort.abort() }
    const report = await benchProduce({ ...world, signal: abort.signal, onProgress }, { ...LOAD, records: Infinity })
    expect(report.records).to.be.above(0)
  })

  it('a refusal is what it rejects with, and the topic goes all the same', async () => {
    const tooLarge: Load = { ...LOAD, recordBytes: 2_000_000, compression: 'none' }
    const refused = await benchRawProduce(world, tooLarge).catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(WeirError).with.property('name', 'MESSAGE_TOO_LARGE')
  })
})

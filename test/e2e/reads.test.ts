// Readers through failovers, and the finer points of reading: positions by time, a fetch from the middle of a batch,
// a long poll that is woken. And the weaker promises of acks 0 and 1.

import { expect } from 'chai'

import type { Peer } from '../../src/ports.ts'
import { methods } from '../../src/rpc/protos.ts'
import { KEPT, Ledger, pause, until } from '../support/ledger.ts'
import { useCluster } from '../support/faults.ts'
import { testNetwork } from '../support/network.ts'
import { expectSameReplicas } from '../support/replicas.ts'

describe('reading and weaker acknowledgements', function () {
  this.timeout(30_000)
  const stage = useCluster()
  const network = testNetwork()
  const peers: Peer[] = []
  after(() => { for (const peer of peers) peer.close() })

  it('a consumer follows through failovers: no gap, nothing twice', async () => {
    const { topic, ledger } = await stage.begin({ partitions: 3 })
    const next = [0, 0, 0]
    const wrong: string[] = []
    const consumer = stage.weir.consumer({ topics: [topic], from: 'start' })
    const reading = (async () => {
      for await (const { partition, offset } of consumer) {
        if (offset !== next[partition]) wrong.push(`${partition}: ${offset} instead of ${next[partition]}`)
        next[partition] = offset + 1
      }
    })()
    for (const broker of stage.cluster.brokers) {
      await broker.kill()
      await ledger.progress()
      await broker.restart()
      await ledger.progress()
    }
    await ledger.stop()
    const ends = (await stage.weir.admin.offsets(topic, 'end')).map(({ offset }) => offset)
    await until(() => Promise.resolve(next.every((offset, partition) => offset >= ends[partition]!) ? undefined
      : `read up to ${next.join(', ')} of ${ends.join(', ')}`))
    await consumer.close()
    await reading
    expect(wrong).to.deep.equal([])
    expect(next).to.deep.equal(ends)
    expect(await ledger.check()).to.include({ ...KEPT, failed: 0 })
  })

  it('acks 1 and acks 0 arrive, and fault-free not one is lost or doubled', async () => {
    for (const acks of [1, 0] as const) {
      const topic = `acks-${acks}`
      await stage.weir.admin.createTopic({ name: topic, partitions: 2, replicationFactor: 3 })
      const ledger = new Ledger(stage.weir, { topic, partitions: 2, producer: { acks } }).start()
      await ledger.progress(50)
      await ledger.stop()
      await pause(50)
      expect(await ledger.check()).to.include({ ...KEPT, failed: 0 })
      await expectSameReplicas(stage.cluster, stage.weir, topic)
    }
  })

  it('acks 1 while a leader dies: order and content hold, and the replicas agree', async () => {
    const { topic, ledger } = await stage.begin({}, { producer: { acks: 1 } })
    const leader = await stage.cluster.leaderOf(topic, 0)
    await stage.cluster.broker(leader).kill()
    await ledger.progress()
    await stage.cluster.broker(leader).restart()
    const { corrupt, reordered } = await ledger.check()
    expect({ corrupt, reordered }).to.deep.equal({ corrupt: 0, reordered: 0 })
    await expectSameReplicas(stage.cluster, stage.weir, topic)
  })

  it('positions by time: the first record with that or a later timestamp, over segments and a failover', async () => {
    const topic = await quiet('times', { 'segment.bytes': '1024', 'max.message.bytes': '1000' })
    const producer = stage.weir.producer({ lingerMs: 0 })
    const timestamps = [1000, 3000, 2000, 5000, 4000, 6000].map((ms) => 1_700_000_000_000 + ms)
    for (const timestamp of timestamps) {
      await producer.send({ topic, partition: 0, value: 'x'.repeat(400), timestamp })
    }
    const look = async (timestamp: number) => (await stage.weir.admin.offsets(topic, { timestamp }))[0]
    for (let round = 0; round < 2; round++) {
      expect(await look(0)).to.include({ offset: 0, timestamp: timestamps[0] })
      expect(await look(timestamps[0]! + 1)).to.include({ offset: 1, timestamp: timestamps[1] })
      expect(await look(timestamps[3]!)).to.include({ offset: 3, timestamp: timestamps[3] })
      expect(await look(timestamps[3]! + 1)).to.include({ offset: 5, timestamp: timestamps[5] })
      expect(await look(timestamps[5]! + 1)).to.include({ offset: 6 })
      const leader = stage.cluster.broker(await stage.cluster.leaderOf(topic, 0))
      await leader.restart()
    }
  })

  it('a fetch from the middle of a batch gives the rest of it', async () => {
    const topic = await quiet('middle')
    const producer = stage.weir.producer({ lingerMs: 50 })
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map((value) => producer.send({ topic, partition: 0, value })))
    const leader = await leaderPeer(topic)
    const { partitions: [answer] } = await leader.call(methods.data.fetch, {
      maxWaitMs: 0, minBytes: 1, maxBytes: 0, form: 0,
      partitions: [{ topic, partition: 0, offset: 3, maxBytes: 0 }] }, 2_000)
    expect(answer!.records.map(({ offset, value }) => `${offset}=${Buffer.from(value!).toString()}`))
      .to.deep.equal(['3=d', '4=e'])
    const consumer = stage.weir.consumer({ partitions: [{ topic, partition: 0, from: 2 }], until: 'end' })
    const offsets: number[] = []
    for await (const { offset } of consumer) offsets.push(offset)
    expect(offsets).to.deep.equal([2, 3, 4])
  })

  it('a long poll is woken by a record, not by its deadline', async () => {
    const topic = await quiet('poll')
    const leader = await leaderPeer(topic)
    let answered = false
    const poll = leader.call(methods.data.fetch, {
      maxWaitMs: 20_000, minBytes: 1, maxBytes: 0, form: 0,
      partitions: [{ topic, partition: 0, offset: 0, maxBytes: 0 }] }, 25_000).finally(() => { answered = true })
    await pause(50)
    expect(answered).to.equal(false)
    await stage.weir.producer().send({ topic, partition: 0, value: 'wake up' })
    expect((await poll).partitions[0]!.records.map(({ value }) => Buffer.from(value!).toString()))
      .to.deep.equal(['wake up'])
  })

  it('a long poll at a leader that is deposed is told who leads', async () => {
    const topic = await quiet('deposed')
    const leader = await stage.cluster.leaderOf(topic, 0)
    const poll = (await leaderPeer(topic)).call(methods.data.fetch, {
      maxWaitMs: 20_000, minBytes: 1, maxBytes: 0, form: 0,
      partitions: [{ topic, partition: 0, offset: 0, maxBytes: 0 }] }, 25_000)
    await pause(20)
    await stage.weir.admin.drainBroker(leader)
    const { status } = (await poll).partitions[0]!
    expect(status!.name).to.equal('NOT_LEADER_OR_FOLLOWER')
    expect(status!.leader!.id).to.not.equal(leader)
    await stage.weir.admin.resumeBroker(leader)
  })

  async function quiet(topic: string, configs: Readonly<Record<string, string>> = {}): Promise<string> {
    await stage.weir.admin.createTopic({ name: topic, partitions: 1, replicationFactor: 3, configs })
    await stage.weir.admin.waitForTopic(topic, 5_000)
    return topic
  }

  async function leaderPeer(topic: string): Promise<Peer> {
    const peer = network.dial(stage.cluster.broker(await stage.cluster.leaderOf(topic, 0)).address)
    peers.push(peer)
    return peer
  }
})

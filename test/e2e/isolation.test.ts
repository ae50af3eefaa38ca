// Nodes cut off silently, with their processes and timers going on: the old one must promise nothing, and fall in line
// when it is back.

import { expect } from 'chai'

import { KEPT, pause } from '../support/ledger.ts'
import { othersOf, useCluster } from '../support/faults.ts'
import { expectSameReplicas } from '../support/replicas.ts'

/** Less than broker.session.timeout.ms: nobody is fenced for it. */
const SHORT_CUT_MS = 250

describe('isolation under load', function () {
  this.timeout(30_000)
  const stage = useCluster()

  it('the leader is isolated: another takes over; healed, the old one follows', async () => {
    const { topic, ledger } = await stage.begin()
    const leader = await stage.cluster.leaderOf(topic, 0)
    ledger.resetGap()
    stage.cluster.broker(leader).isolate()
    await ledger.progress()
    expect(ledger.unavailableMs).to.be.below(8_000)
    expect(await stage.cluster.leaderOf(topic, 0)).to.not.equal(leader)
    stage.cluster.broker(leader).heal()
    await ledger.progress()
    expect(await ledger.check()).to.include({ ...KEPT, failed: 0 })
    await expectSameReplicas(stage.cluster, stage.weir, topic)
  })

  it('a follower is isolated for a moment, again and again: no harm', async () => {
    const { topic, ledger } = await stage.begin({ partitions: 3 })
    for (const broker of stage.cluster.brokers) {
      broker.isolate()
      await pause(SHORT_CUT_MS)
      broker.heal()
      await ledger.progress()
    }
    expect(await ledger.check()).to.include({ ...KEPT, failed: 0 })
    await expectSameReplicas(stage.cluster, stage.weir, topic)
  })

  it('a leader without followers confirms nothing, and what it wrote alone is cut off its log', async () => {
    const { topic, ledger } = await stage.begin()
    await ledger.stop()
    const leader = await stage.cluster.leaderOf(topic, 0)
    const followers = othersOf(leader).map((id) => stage.cluster.broker(id))
    const alone = stage.weir.producer({ acks: 1 })
    const safe = stage.weir.producer()
    const before = { topic, partition: 0, key: 'x', value: 'before' }
    await Promise.all([alone, safe].map((producer) => producer.send(before)))
    for (const follower of followers) follower.isolate()
    let confirmed = false
    const divergent = await Promise.all(['a', 'b', 'c'].map((value) => (
      alone.send({ topic, partition: 0, key: 'alone', value }))))
    const waiting = safe.send({ topic, partition: 0, key: 'safe', value: 'once' }).then((delivery) => {
      confirmed = true
      return delivery
    })
    await pause(SHORT_CUT_MS)
    expect(confirmed, 'confirmed by a leader alone').to.equal(false)
    stage.cluster.broker(leader).isolate()
    for (const follower of followers) follower.heal()
    const delivery = await waiting
    expect(delivery.offset).to.equal(divergent[0]!.offset)
    stage.cluster.broker(leader).heal()
    await expectSameReplicas(stage.cluster, stage.weir, topic)
    const keys: string[] = []
    const consumer = stage.weir.consumer({ partitions: [{ topic, partition: 0, from: delivery.offset }], until: 'end' })
    for await (const record of consumer) keys.push(Buffer.from(record.key!).toString())
    expect(keys).to.deep.equal(['safe'])
  })

  it('the active controller is isolated: another takes over, and producing goes on', async () => {
    const { topic, ledger } = await stage.begin({ partitions: 3 })
    const active = await stage.activeController()
    ledger.resetGap()
    active.isolate()
    await ledger.progress(200)
    await stage.cluster.ready()
    const next = await stage.activeController()
    expect(next.id).to.not.equal(active.id)
    active.heal()
    await ledger.progress(50)
    expect(ledger.unavailableMs).to.be.below(8_000)
    expect(await ledger.check()).to.include({ ...KEPT, failed: 0 })
    expect((await stage.weir.admin.describeQuorum()).voters.filter(({ role }) => role === 'leader')).to.have.length(1)
    await expectSameReplicas(stage.cluster, stage.weir, topic)
  })
})

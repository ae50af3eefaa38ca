// Nodes killed, one or two at a time, while records are produced: nothing acknowledged is lost, doubled or out of
// order, no produce fails, and the replicas end up equal.

import { expect } from 'chai'

import { KEPT, until } from '../support/ledger.ts'
import { othersOf, useCluster } from '../support/faults.ts'
import { allInSync, expectSameReplicas } from '../support/replicas.ts'

describe('failover under load', function () {
  this.timeout(30_000)
  const stage = useCluster()

  it('the leader is killed: another takes over', async () => {
    const { topic, ledger } = await stage.begin()
    const leader = await stage.cluster.leaderOf(topic, 0)
    ledger.resetGap()
    await stage.cluster.broker(leader).kill()
    await ledger.progress()
    expect(ledger.unavailableMs).to.be.below(8_000)
    expect(await stage.cluster.leaderOf(topic, 0)).to.not.equal(leader)
    await stage.cluster.broker(leader).restart()
    await ledger.progress()
    expect(await ledger.check()).to.include({ ...KEPT, failed: 0 })
    await expectSameReplicas(stage.cluster, stage.weir, topic)
  })

  it('a follower is killed: the leader stays', async () => {
    const { topic, ledger } = await stage.begin()
    const leader = await stage.cluster.leaderOf(topic, 0)
    const [follower] = othersOf(leader)
    await stage.cluster.broker(follower!).kill()
    await ledger.progress()
    expect(await stage.cluster.leaderOf(topic, 0)).to.equal(leader)
    await stage.cluster.broker(follower!).restart()
    expect(await ledger.check()).to.include({ ...KEPT, failed: 0 })
    await expectSameReplicas(stage.cluster, stage.weir, topic)
  })

  it('the active controller is killed: producing goes on', async () => {
    const { topic, ledger } = await stage.begin({ partitions: 3 })
    const active = await stage.activeController()
    ledger.resetGap()
    await active.kill()
    await ledger.progress(50)
    expect((await stage.activeController()).id).to.not.equal(active.id)
    await ledger.progress(50)
    expect(ledger.unavailableMs).to.be.below(8_000)
    await active.restart()
    expect(await ledger.check()).to.include({ ...KEPT, failed: 0 })
    await expectSameReplicas(stage.cluster, stage.weir, topic)
  })

  it('the leader and the active controller are killed together', async () => {
    const { topic, ledger } = await stage.begin()
    const leader = await stage.cluster.leaderOf(topic, 0)
    const active = await stage.activeController()
    ledger.resetGap()
    await Promise.all([stage.cluster.broker(leader).kill(), active.kill()])
    await ledger.progress()
    expect(ledger.unavailableMs).to.be.below(8_000)
    await Promise.all([stage.cluster.broker(leader).restart(), active.restart()])
    await ledger.progress()
    expect(await ledger.check()).to.include({ ...KEPT, failed: 0 })
    await expectSameReplicas(stage.cluster, stage.weir, topic)
  })

  it('a broker killed and restarted at once is let in at once, and joins again', async () => {
    const { topic, ledger } = await stage.begin({ partitions: 3 })
    for (const broker of stage.cluster.brokers) {
      await broker.restart()
      await ledger.progress()
    }
    await stage.cluster.ready()
    expect(await ledger.check()).to.include({ ...KEPT, failed: 0 })
    await expectSameReplicas(stage.cluster, stage.weir, topic)
  })

  it('the next leader is killed as soon as it leads, and the next', async () => {
    const { topic, ledger } = await stage.begin()
    for (let round = 0; round < 3; round++) {
      const broker = stage.cluster.broker(await stage.cluster.leaderOf(topic, 0))
      await broker.kill()
      await stage.cluster.leaderOf(topic, 0)
      await broker.restart()
      await ledger.progress(1)
      // Not faster than replicas come back: with the last of the in-sync ones gone nobody may lead.
      await allInSync(stage.weir, topic)
    }
    expect(await ledger.check()).to.include({ ...KEPT, failed: 0 })
    await expectSameReplicas(stage.cluster, stage.weir, topic)
  })

  it('a follower that comes back joins only once it has everything: it can lead at once', async () => {
    const { topic, ledger } = await stage.begin({}, { perSecond: 3_000, valueBytes: 2_000 })
    const leader = await stage.cluster.leaderOf(topic, 0)
    const [late, other] = othersOf(leader).map((id) => stage.cluster.broker(id))
    await late!.kill()
    await ledger.progress(3_000)
    await other!.kill()
    await ledger.progress(10)
    await late!.restart()
    await until(async () => {
      const { isr } = (await stage.weir.admin.describeTopic(topic)).partitions[0]!
      return isr.includes(late!.id) ? undefined : `the ISR is ${isr.join(',')}`
    })
    await stage.cluster.broker(leader).kill()
    await ledger.progress()
    expect(await stage.cluster.leaderOf(topic, 0)).to.equal(late!.id)
    await Promise.all([stage.cluster.broker(leader).start(), other!.start()])
    expect(await ledger.check()).to.include({ ...KEPT, failed: 0 })
    await expectSameReplicas(stage.cluster, stage.weir, topic)
  })
})

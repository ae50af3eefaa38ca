// Every node stopped in good order and started again, one after the other: no produce fails, and hardly one waits.

import { expect } from 'chai'

import { systemClock } from '../../src/os/system.ts'
import { KEPT } from '../support/ledger.ts'
import { useCluster } from '../support/faults.ts'
import { allInSync, expectSameReplicas } from '../support/replicas.ts'

describe('rolling restart under load', function () {
  this.timeout(30_000)
  const stage = useCluster()

  it('of the brokers', async () => {
    const { topic, ledger } = await stage.begin({ partitions: 6, configs: { 'min.insync.replicas': '2' } })
    ledger.resetGap()
    for (const broker of stage.cluster.brokers) {
      await broker.stop()
      expect(broker.state).to.equal('stopped')
      await ledger.progress(2)
      await broker.start()
      await stage.cluster.ready()
      await allInSync(stage.weir, topic)
    }
    expect(ledger.unavailableMs).to.be.below(8_000)
    expect(await ledger.check()).to.include({ ...KEPT, failed: 0 })
    await expectSameReplicas(stage.cluster, stage.weir, topic)
  })

  it('of the controllers', async () => {
    const { topic, ledger } = await stage.begin({ partitions: 3 })
    ledger.resetGap()
    for (const controller of stage.cluster.controllers) {
      await controller.stop()
      await ledger.progress(10)
      await controller.start()
      await stage.cluster.ready()
    }
    expect(ledger.unavailableMs).to.be.below(8_000)
    expect(await ledger.check()).to.include({ ...KEPT, failed: 0 })
    await expectSameReplicas(stage.cluster, stage.weir, topic)
  })

  it('of all brokers at once: nobody waits for an heir that cannot come, and nothing is lost', async () => {
    const { topic, ledger } = await stage.begin({ partitions: 3 })
    const alone = await stage.weir.admin.createTopic({ name: 'alone', partitions: 3, replicationFactor: 1 })
    expect(alone.replicationFactor).to.equal(1)
    const startMs = systemClock().monotonicMs()
    await Promise.all(stage.cluster.brokers.map((broker) => broker.stop()))
    expect(systemClock().monotonicMs() - startMs).to.be.below(4_000)
    await Promise.all(stage.cluster.brokers.map((broker) => broker.start()))
    await ledger.progress()
    expect(await ledger.check()).to.include({ ...KEPT, failed: 0 })
    await expectSameReplicas(stage.cluster, stage.weir, topic)
  })
})

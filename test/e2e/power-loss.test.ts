// Power lost at once on every disk, while records are produced: what was acknowledged had been flushed.

import { expect } from 'chai'

import { KEPT, until } from '../support/ledger.ts'
import { useCluster } from '../support/faults.ts'
import { allInSync, expectSameReplicas } from '../support/replicas.ts'

describe('power loss', function () {
  this.timeout(30_000)
  const stage = useCluster({ brokerConfig: { 'log.checkpoint.interval.ms': '100' } })

  it('of every broker: everything acknowledged is there', async () => {
    const configs = { 'segment.bytes': '20000', 'max.message.bytes': '16000' }
    const { topic, ledger } = await stage.begin({ partitions: 3, configs },
      { perSecond: 3_000, producer: { batchBytes: 8_000 } })
    for (let round = 0; round < 2; round++) {
      await ledger.progress(100)
      await Promise.all(stage.cluster.brokers.map((broker) => broker.powerLoss()))
      await Promise.all(stage.cluster.brokers.map((broker) => broker.start()))
    }
    await ledger.progress()
    expect(await ledger.check()).to.include({ ...KEPT, failed: 0 })
    await expectSameReplicas(stage.cluster, stage.weir, topic)
  })

  it('of every broker and every controller: everything acknowledged is there', async () => {
    const { topic, ledger } = await stage.begin({ partitions: 3 })
    const nodes = [...stage.cluster.controllers, ...stage.cluster.brokers]
    await ledger.progress(100)
    await Promise.all(nodes.map((node) => node.powerLoss()))
    await Promise.all(nodes.map((node) => node.start()))
    await ledger.progress()
    expect(await ledger.check()).to.include({ ...KEPT, failed: 0 })
    await expectSameReplicas(stage.cluster, stage.weir, topic)
  })

  it('of one broker after the other, with flush.mode=replicated: the others have it', async () => {
    const { topic, ledger } = await stage.begin({ partitions: 3, configs: { 'flush.mode': 'replicated' } })
    for (const broker of stage.cluster.brokers) {
      await ledger.progress(20)
      await broker.powerLoss()
      await ledger.progress(5)
      await broker.start()
      await allInSync(stage.weir, topic)
    }
    await ledger.progress()
    expect(await ledger.check()).to.include({ ...KEPT, failed: 0 })
    await expectSameReplicas(stage.cluster, stage.weir, topic)
  })

  it('and worse: a broker loses its disk. It comes back empty and gets everything again', async () => {
    const { topic, ledger } = await stage.begin({ partitions: 3, configs: { 'min.insync.replicas': '2' } })
    for (const broker of stage.cluster.brokers) {
      await allInSync(stage.weir, topic)
      await broker.kill()
      await broker.disk.remove(broker.directory)
      await until(async () => {
        const { brokers } = await stage.weir.admin.describeCluster()
        return brokers.find(({ id }) => id === broker.id)?.state === 'fenced' ? undefined : 'it is not fenced'
      })
      await broker.start()
      await ledger.progress()
    }
    expect(await ledger.check()).to.include({ ...KEPT, failed: 0 })
    await expectSameReplicas(stage.cluster, stage.weir, topic)
  })

  it('of a controller: it comes back with what it voted and knew', async () => {
    const { topic, ledger } = await stage.begin()
    for (const controller of stage.cluster.controllers) {
      await controller.powerLoss()
      await controller.start()
      await stage.cluster.ready()
    }
    expect((await stage.weir.admin.describeTopic(topic)).partitions).to.have.length(1)
    expect(await ledger.check()).to.include({ ...KEPT, failed: 0 })
  })
})

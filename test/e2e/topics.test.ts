// Topics that change under load: partitions added, topics deleted and made again under the same name, files removed.

import { expect } from 'chai'

import { WeirError } from '../../src/base/error-code.ts'
import { KEPT, Ledger, pause, until } from '../support/ledger.ts'
import { useCluster } from '../support/faults.ts'
import { expectSameReplicas } from '../support/replicas.ts'

describe('topics under load', function () {
  this.timeout(30_000)
  const stage = useCluster()

  it('partitions are added: the old ones go on, the new ones take records', async () => {
    const { topic, ledger } = await stage.begin({ partitions: 2 })
    await stage.weir.admin.addPartitions(topic, 5)
    await stage.weir.admin.waitForTopic(topic, 5_000)
    await ledger.progress()
    const fresh = await stage.cluster.connect()
    const producer = fresh.producer()
    const deliveries = await Promise.all([2, 3, 4].map((partition) => (
      producer.send({ topic, partition, key: 'k', value: 'v' }))))
    expect(deliveries.map(({ partition, offset }) => `${partition}@${offset}`)).to.deep.equal(['2@0', '3@0', '4@0'])
    await ledger.stop()
    await expectSameReplicas(stage.cluster, stage.weir, topic)
    expect(await fresh.admin.offsets(topic, 'end', [2, 3, 4]))
      .to.deep.equal([2, 3, 4].map((partition) => ({ partition, offset: 1, timestamp: -1 })))
  })

  it('a partition is added while a broker and the active controller are down', async () => {
    const { topic, ledger } = await stage.begin({ partitions: 1 })
    const [down] = stage.cluster.brokers
    await Promise.all([down!.kill(), (await stage.activeController()).kill()])
    await stage.weir.admin.addPartitions(topic, 3)
    await ledger.progress()
    await down!.restart()
    expect((await stage.weir.admin.describeTopic(topic)).partitions).to.have.length(3)
    expect(await ledger.check()).to.include({ ...KEPT, failed: 0 })
    await expectSameReplicas(stage.cluster, stage.weir, topic)
  })

  it('a topic is deleted: its files go', async () => {
    const { topic, ledger } = await stage.begin({ partitions: 3 })
    await ledger.stop()
    expect(await filesOf(topic)).to.have.length.above(8)
    await stage.weir.admin.deleteTopic(topic)
    await until(async () => {
      const left = await filesOf(topic)
      return left.length === 0 ? undefined : `these files are left: ${left.join(', ')}`
    })
    const error: unknown = await stage.weir.admin.describeTopic(topic).catch((reason: unknown) => reason)
    expect(error).to.be.instanceOf(WeirError).with.property('name', 'UNKNOWN_TOPIC_OR_PARTITION')
  })

  it('a topic is deleted while a broker is down: its directories are set aside when it is back', async () => {
    const { topic, ledger } = await stage.begin({ partitions: 3 })
    await ledger.stop()
    const [down] = stage.cluster.brokers
    await down!.kill()
    await stage.weir.admin.deleteTopic(topic)
    await down!.restart()
    await stage.cluster.ready()
    const names = (await down!.disk.list(down!.directory)).filter((name) => name.startsWith(`${topic}-`))
    expect(names.map((name) => name.replace(/[0-9a-f]{32}/, 'ID')))
      .to.deep.equal([0, 1, 2].map((partition) => `${topic}-${partition}.ID-stray`))
    await stage.weir.admin.createTopic({ name: topic, partitions: 3, replicationFactor: 3 })
    await expectSameReplicas(stage.cluster, stage.weir, topic)
  })

  it('a topic is deleted and made again under its name, again and again, under load', async () => {
    const { topic, ledger } = await stage.begin({ partitions: 2 })
    for (let round = 0; round < 3; round++) {
      await stage.weir.admin.deleteTopic(topic)
      await stage.weir.admin.createTopic({ name: topic, partitions: 2, replicationFactor: 3 })
      await stage.weir.admin.waitForTopic(topic, 5_000)
      await pause(50)
    }
    await ledger.stop()
    await stage.weir.admin.deleteTopic(topic)
    await stage.weir.admin.createTopic({ name: topic, partitions: 2, replicationFactor: 3 })
    const fresh = new Ledger(await stage.cluster.connect(), { topic, partitions: 2 }).start()
    await fresh.progress(20)
    expect(await fresh.check()).to.include({ ...KEPT, failed: 0 })
    expect((await stage.weir.admin.offsets(topic, 'start')).map(({ offset }) => offset)).to.deep.equal([0, 0])
    await expectSameReplicas(stage.cluster, stage.weir, topic)
  })

  async function filesOf(topic: string): Promise<string[]> {
    const found: string[] = []
    for (const { disk, directory } of stage.cluster.brokers) {
      for (const name of await disk.list(directory)) {
        if (name.startsWith(`${topic}-`)) found.push(...(await disk.list(`${directory}/${name}`)))
      }
    }
    return found
  }
})

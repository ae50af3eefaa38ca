// Directories of partitions that the first image does not assign to this broker go out of the way, once, and no others.

import { expect } from 'chai'

import { LogManager } from '../../broker/log/log-manager.ts'
import { ReplicaManager } from '../../broker/replica/replica-manager.ts'
import { loadConfig } from '../../src/config/config.ts'
import { BROKER_KEYS } from '../../src/config/keys.ts'
import { MetadataDelta } from '../../src/metadata/delta.ts'
import { EMPTY_IMAGE, type MetadataImage } from '../../src/metadata/image.ts'
import type { MetadataRecord } from '../../src/metadata/records.ts'
import { FakeNetwork } from '../support/fake-network.ts'
import { fakeData, fakePorts, type FakeData } from '../support/fake-ports.ts'
import { FakeTime } from '../support/fake-time.ts'

const ID = { kept: '1'.repeat(32), moved: '2'.repeat(32), late: '3'.repeat(32) }

function topic(topicId: string, name: string, ...replicas: readonly (readonly number[])[]): MetadataRecord[] {
  return [{ kind: 'topic', topicId, name }, ...replicas.map((of, partition): MetadataRecord => ({
    kind: 'partition', topicId, partition, replicas: of, isr: of, leader: of[0]!, leaderEpoch: 0, partitionEpoch: 0,
    adding: [], removing: [], leaderRecovering: false }))]
}

async function start(time: FakeTime, data: FakeData) {
  const ports = fakePorts({ time, network: new FakeNetwork(time), name: 'b1', data, seed: 1 })
  const config = loadConfig(BROKER_KEYS, 'broker', { flags: {
    'node.id': '1', 'cluster.id': 'c1', 'data.dir': '/data', 'controllers': '1@h:1', 'listen': 'h:2' } })
  const logs = await time.result(LogManager.open({
    ...ports, dir: '/data', nodeId: 1, clusterId: 'c1', flushConcurrency: 1, tailCacheBytes: 2 ** 20,
    checkpointIntervalMs: 60_000, retentionCheckIntervalMs: 60_000 }))
  let image: MetadataImage = EMPTY_IMAGE
  let faults = 0
  const replicas = new ReplicaManager({
    brokerId: 1, ports, config, logs, image: () => image, brokerEpoch: () => 1, proposeIsr: () => {},
    onUnreachable: () => {}, onStorageFault: () => { faults++ } })
  return {
    ports, logs, replicas,
    get faults() { return faults },
    apply: async (...records: readonly MetadataRecord[]) => {
      const delta = new MetadataDelta(image)
      for (const record of records) delta.replay(record)
      const previous = image
      image = delta.apply(image.offset + 1)
      await time.result(replicas.apply(delta, previous, image))
    },
    stop: async () => {
      await time.result(replicas.close())
      await time.result(logs.close(1))
    },
    dirs: async () => (await data.disk.list('/data')).filter((name) => /-\d/.test(name))
      .map((name) => name.replace(/\.[0-9a-f]{32}/, ''))
  }
}

describe('replica manager, strays', () => {
  it('sets them aside after the first image, and never later', async () => {
    const time = new FakeTime()
    const data = fakeData(time)
    const first = await start(time, data)
    await first.apply(...topic(ID.kept, 'kept', [1], [1, 2]), ...topic(ID.moved, 'moved', [1], [1]))
    expect(await first.dirs()).to.deep.equal(['kept-0', 'kept-1', 'moved-0', 'moved-1'])
    await first.stop()

    const second = await start(time, data)
    // Meanwhile: one partition moved away, and `gone` was deleted, which had an open name twin.
    await data.disk.makeDir('/data/gone-0')
    expect((await second.dirs()).length, 'nothing before the image').to.equal(5)
    await second.apply(...topic(ID.kept, 'kept', [1], [2, 1]), ...topic(ID.moved, 'moved', [2], [1]))
    expect(await second.dirs()).to.deep.equal(
      ['gone-0-stray', 'kept-0', 'kept-1', 'moved-0-stray', 'moved-1'])
    expect(second.replicas.partition(ID.moved, 0)).to.equal(undefined)
    expect(second.replicas.partition(ID.moved, 1)?.role).to.equal('leader')
    await data.disk.makeDir('/data/other-7')
    await second.apply(...topic(ID.late, 'late', [1]))
    expect(await second.dirs()).to.deep.equal(
      ['gone-0-stray', 'kept-0', 'kept-1', 'late-0', 'moved-0-stray', 'moved-1', 'other-7'])
    expect(second.faults).to.equal(0)
    await second.stop()
  })

  it('keeps the directory of a log that cannot be opened', async () => {
    const time = new FakeTime()
    const data = fakeData(time)
    const first = await start(time, data)
    await first.apply(...topic(ID.kept, 'kept', [1]))
    await first.stop()
    const second = await start(time, data)
    data.disk.failNext('list', /kept-0/, 'EIO')
    await second.apply(...topic(ID.kept, 'kept', [1]))
    expect([await second.dirs(), second.faults]).to.deep.equal([['kept-0'], 1])
    await second.stop()
  })

  it('goes on when the disk refuses', async () => {
    const time = new FakeTime()
    const data = fakeData(time)
    const first = await start(time, data)
    await data.disk.makeDir('/data/gone-0')
    data.disk.failNext('rename', /gone-0/, 'EIO')
    await first.apply(...topic(ID.kept, 'kept', [1]))
    expect(await first.dirs()).to.deep.equal(['gone-0', 'kept-0'])
    expect(first.ports.logger.texts('error')).to.deep.equal(['stray directories could not be set aside'])
    expect(first.replicas.partition(ID.kept, 0)?.role).to.equal('leader')
    await first.stop()
  })
})

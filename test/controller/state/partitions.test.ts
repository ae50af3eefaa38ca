// AlterPartition: who may change an ISR, and in which order a proposal is judged.

import { expect } from 'chai'

import type { CommandOf, IsrProposal } from '../../../controller/state/commands.ts'
import { nameOf, StateCluster } from './cluster.ts'

type Alter = CommandOf<'alterPartition'>

/** `command` with its only proposal changed. */
function changed(command: Alter, more: Partial<IsrProposal>): Alter {
  return { ...command, partitions: [{ ...command.partitions[0]!, ...more }] }
}

/** Brokers 1 to 4, partition [1, 2, 3] led by 1 in leader epoch 2, partition epoch 3, ISR 1 and 2. */
function start(): StateCluster {
  const cluster = new StateCluster().brokers(1, 2, 3, 4).topic([1, 2, 3])
  cluster.fence(1)
  cluster.unfence(1)
  cluster.setIsr([2, 1])
  cluster.run({ kind: 'electLeaders', partitions: [], unclean: false })
  expect(cluster.partition()).to.deep.include({ leader: 1, leaderEpoch: 2, partitionEpoch: 3, isr: [1, 2] })
  return cluster
}

describe('alter partition', () => {
  it('changes the ISR and the partition epoch, not the leader epoch', () => {
    const cluster = start()
    const [result] = cluster.run(cluster.proposal([3, 1]))
    expect(result).to.deep.include({ partition: 0, fault: undefined })
    expect(cluster.partition()).to.deep.include({ leader: 1, leaderEpoch: 2, partitionEpoch: 4, isr: [1, 3] })
    expect(result!.image).to.deep.equal(cluster.partition())
  })

  it('answers a repeated request with the state, and writes nothing', () => {
    const cluster = start()
    const command = cluster.proposal([1, 2, 3])
    cluster.run(command)
    const [result] = cluster.run(command)
    expect(cluster.records).to.deep.equal([])
    expect(result).to.deep.include({ fault: undefined, image: cluster.partition() })
  })

  it('refuses the whole request of another incarnation', () => {
    const cluster = start()
    const tried = cluster.try({ ...cluster.proposal([1]), brokerEpoch: 1 })
    expect(nameOf(tried as never)).to.equal('STALE_BROKER_EPOCH')
  })

  const isr = (cluster: StateCluster, ...ids: readonly number[]) => ids.map((id) => (
    { brokerId: id, brokerEpoch: cluster.image.brokers.get(id)?.epoch ?? 0 }))
  const table: readonly [string, string, (cluster: StateCluster) => Alter][] = [
    ['an unknown topic', 'UNKNOWN_TOPIC_ID', (c) => changed(c.proposal([1]), { topicId: 'none' })],
    ['an unknown partition', 'UNKNOWN_TOPIC_OR_PARTITION', (c) => changed(c.proposal([1]), { partition: 1 })],
    ['a leader epoch from the future', 'NOT_CONTROLLER', (c) => changed(c.proposal([1]), { leaderEpoch: 3 })],
    ['a partition epoch from the future', 'NOT_CONTROLLER', (c) => changed(c.proposal([1]), { partitionEpoch: 4 })],
    ['a future partition epoch in a past leader epoch', 'NOT_CONTROLLER',
      (c) => changed(c.proposal([1]), { leaderEpoch: 1, partitionEpoch: 4 })],
    ['a past leader epoch', 'FENCED_LEADER_EPOCH', (c) => changed(c.proposal([1]), { leaderEpoch: 1 })],
    ['a past leader epoch of another broker', 'FENCED_LEADER_EPOCH',
      (c) => ({ ...changed(c.proposal([1]), { leaderEpoch: 1 }), brokerId: 2, brokerEpoch: c.epoch(2) })],
    ['a broker that does not lead', 'INVALID_REQUEST',
      (c) => ({ ...changed(c.proposal([1]), { partitionEpoch: 2 }), brokerId: 2, brokerEpoch: c.epoch(2) })],
    ['a past partition epoch', 'INVALID_UPDATE_VERSION', (c) => changed(c.proposal([1]), { partitionEpoch: 2 })],
    ['a past partition epoch and a bad ISR', 'INVALID_UPDATE_VERSION',
      (c) => changed(c.proposal([1, 4]), { partitionEpoch: 2 })],
    ['a broker twice', 'INVALID_REQUEST', (c) => changed(c.proposal([1]), { newIsr: isr(c, 1, 1) })],
    ['a broker that is no replica', 'INVALID_REQUEST', (c) => c.proposal([1, 4])],
    ['an ISR without its leader', 'INVALID_REQUEST', (c) => c.proposal([2])],
    ['an empty ISR', 'INVALID_REQUEST', (c) => c.proposal([])],
    ['a former self of a follower', 'INELIGIBLE_REPLICA', (c) => {
      const command = c.proposal([1, 2, 3])
      c.register(3, { incarnationId: 'next' })
      c.unfence(3)
      return command
    }],
    ['a fenced follower', 'INELIGIBLE_REPLICA', (c) => {
      c.fence(3)
      return c.proposal([1, 2, 3])
    }],
    ['a draining follower', 'INELIGIBLE_REPLICA', (c) => {
      c.run({ kind: 'drainBroker', brokerId: 3 })
      return c.proposal([1, 2, 3])
    }],
    ['a follower that is forgotten', 'INELIGIBLE_REPLICA', (c) => {
      c.fence(3)
      c.run({ kind: 'unregisterBroker', brokerId: 3 })
      return c.proposal([1, 2, 3])
    }]
  ]
  for (const [what, expected, make] of table) {
    it(`refuses ${what}: ${expected}`, () => {
      const cluster = start()
      const before = cluster.partition()
      const command = make(cluster)
      expect(cluster.run(command).map(nameOf)).to.deep.equal([expected])
      expect(cluster.records).to.deep.equal([])
      expect(cluster.partition().isr).to.deep.equal(before.isr)
    })
  }

  it('judges each partition by itself, and one named twice once', () => {
    const cluster = start()
    const { partitions: [first], ...rest } = cluster.proposal([1])
    const results = cluster.run({ ...rest, partitions: [first!, { ...first!, partition: 7 }, first!] })
    expect(results.map(nameOf)).to.deep.equal(['', 'UNKNOWN_TOPIC_OR_PARTITION', 'INVALID_REQUEST'])
  })

  it('takes a recovering leader alone first, and others after it', () => {
    const cluster = new StateCluster().brokers(1, 2).topic([1, 2], [1])
    cluster.fence(1)
    cluster.run({ kind: 'electLeaders', partitions: [{ topic: 't', partition: 0 }], unclean: true })
    cluster.unfence(1)
    expect(cluster.partition()).to.include({ leader: 2, leaderRecovering: true })
    expect(cluster.run(cluster.proposal([2, 1])).map(nameOf)).to.deep.equal(['INVALID_REQUEST'])
    cluster.setIsr([2])
    expect(cluster.partition().leaderRecovering).to.equal(false)
    cluster.setIsr([1, 2])
  })
})

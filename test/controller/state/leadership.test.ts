// Elections that an admin or the rebalancing asks for.

import { expect } from 'chai'

import { nameOf, StateCluster } from './cluster.ts'

describe('elections asked for', () => {
  const elect = (cluster: StateCluster, unclean: boolean, partition = 0) => cluster.run({
    kind: 'electLeaders', unclean, partitions: [{ topic: 't', partition }] }).map(nameOf)

  it('moves leadership to the preferred leader, once it is in sync', () => {
    const cluster = new StateCluster().brokers(1, 2).topic([1, 2])
    expect(elect(cluster, false)).to.deep.equal(['ELECTION_NOT_NEEDED'])
    cluster.fence(1)
    expect(elect(cluster, false)).to.deep.equal(['PREFERRED_LEADER_NOT_AVAILABLE'])
    cluster.unfence(1)
    expect(elect(cluster, false)).to.deep.equal(['PREFERRED_LEADER_NOT_AVAILABLE'])
    cluster.setIsr([1, 2])
    expect(elect(cluster, false)).to.deep.equal([''])
    expect(cluster.partition()).to.deep.include({ leader: 1, leaderEpoch: 2, isr: [1, 2] })
    expect(elect(cluster, false, 5)).to.deep.equal(['UNKNOWN_TOPIC_OR_PARTITION'])
  })

  it('elects uncleanly only without a leader and with somebody alive', () => {
    const cluster = new StateCluster().brokers(1, 2).topic([1, 2], [1])
    expect(elect(cluster, true)).to.deep.equal(['ELECTION_NOT_NEEDED'])
    cluster.fence(1)
    cluster.fence(2)
    expect(elect(cluster, true)).to.deep.equal(['ELIGIBLE_LEADERS_NOT_AVAILABLE'])
    cluster.unfence(2)
    expect(cluster.partition().leader).to.equal(-1)
    expect(elect(cluster, true)).to.deep.equal([''])
    expect(cluster.partition()).to.deep.include({ leader: 2, isr: [2], leaderRecovering: true })
  })

  it('names only what changed when asked for all', () => {
    const cluster = new StateCluster().brokers(1, 2).topic([1, 2])
    cluster.create('u', { assignment: [[2, 1]] })
    cluster.run({ kind: 'drainBroker', brokerId: 1 })
    cluster.run({ kind: 'resumeBroker', brokerId: 1 })
    cluster.setIsr([1, 2])
    const results = cluster.run({ kind: 'electLeaders', partitions: [], unclean: false })
    expect(results).to.deep.equal([{ topic: 't', partition: 0, fault: undefined }])
  })

  it('rebalances a bounded batch, for the brokers named', () => {
    const cluster = new StateCluster().brokers(1, 2)
    cluster.create('t', { assignment: [[1, 2], [1, 2], [2, 1]] })
    cluster.fence(1)
    cluster.unfence(1)
    for (const partition of [0, 1, 2]) {
      const command = cluster.proposal([1, 2])
      const { partitionEpoch, leaderEpoch } = cluster.partition('t', partition)
      const [proposal] = command.partitions
      cluster.run({ ...command, partitions: [{ ...proposal!, partition, partitionEpoch, leaderEpoch }] })
    }
    expect(cluster.run({ kind: 'rebalanceLeaders', brokers: [2], max: 10 })).to.equal(0)
    expect(cluster.run({ kind: 'rebalanceLeaders', brokers: [1, 2], max: 1 })).to.equal(1)
    expect(cluster.run({ kind: 'rebalanceLeaders', brokers: [1, 2], max: 10 })).to.equal(1)
    expect(cluster.run({ kind: 'rebalanceLeaders', brokers: [1, 2], max: 10 })).to.equal(0)
    expect([0, 1, 2].map((partition) => cluster.partition('t', partition).leader)).to.deep.equal([1, 1, 2])
  })
})

// Brokers: registration, fencing, draining, and what each does to leaderships and ISRs.

import { expect } from 'chai'

import type { registration } from './cluster.ts'
import { nameOf, StateCluster } from './cluster.ts'

describe('register broker', () => {
  it('writes a fenced registration whose epoch is the metadata offset of its record', () => {
    const cluster = new StateCluster()
    const offset = cluster.image.offset
    expect(cluster.register(1, { rack: 'a' })).to.deep.equal({ brokerEpoch: offset + 1 })
    expect(cluster.image.offset).to.equal(offset + 1)
    expect(cluster.image.brokers.get(1)).to.deep.equal({
      id: 1, epoch: offset + 1, incarnationId: 'i1', address: 'h1:1', httpAddress: '', rack: 'a', fenced: true,
      draining: false, directoryId: 'd1' })
  })

  it('keeps the epoch of an incarnation that asks again', () => {
    const cluster = new StateCluster().brokers(1)
    const epoch = cluster.epoch(1)
    const { incarnationId } = cluster.image.brokers.get(1)!
    expect(cluster.register(1, { incarnationId })).to.deep.equal({ brokerEpoch: epoch })
    expect(cluster.records).to.deep.equal([])
  })

  it('fences the old incarnation in the same group: out of every ISR and leadership', () => {
    const cluster = new StateCluster().brokers(1, 2, 3).topic([1, 2, 3])
    const old = cluster.epoch(1)
    expect(cluster.register(1, { incarnationId: 'next' })).to.deep.equal({ brokerEpoch: cluster.image.offset })
    expect(cluster.records.map(({ kind }) => kind)).to.deep.equal(['partitionChange', 'registerBroker'])
    expect(cluster.epoch(1)).to.be.greaterThan(old)
    expect(cluster.image.brokers.get(1)!.fenced).to.equal(true)
    expect(cluster.partition()).to.include({ leader: 2, leaderEpoch: 1 }).and.deep.include({ isr: [2, 3] })
  })

  it('does so for partitions it only followed, without a new leader epoch', () => {
    const cluster = new StateCluster().brokers(1, 2, 3).topic([1, 2, 3])
    cluster.register(2, { incarnationId: 'next' })
    expect(cluster.partition()).to.include({ leader: 1, leaderEpoch: 0, partitionEpoch: 1 })
      .and.deep.include({ isr: [1, 3] })
  })

  it('leaves the last member of an ISR in it, and lets it lead again once unfenced', () => {
    const cluster = new StateCluster().brokers(1, 2).topic([1, 2], [1])
    cluster.register(1, { incarnationId: 'next' })
    expect(cluster.partition()).to.include({ leader: -1, leaderEpoch: 1 }).and.deep.include({ isr: [1] })
    cluster.unfence(1)
    expect(cluster.partition()).to.include({ leader: 1, leaderEpoch: 2 }).and.deep.include({ isr: [1] })
  })

  it('takes the last member out when it comes with an empty disk: it must not lead by what it lost', () => {
    const cluster = new StateCluster().brokers(1, 2).topic([1, 2], [1])
    cluster.fence(1)
    cluster.register(1, { incarnationId: 'next', directoryId: 'new disk' })
    cluster.unfence(1)
    expect(cluster.partition()).to.include({ leader: -1 }).and.deep.include({ isr: [] })
  })

  it('ends the draining of the incarnation before', () => {
    const cluster = new StateCluster().brokers(1)
    cluster.run({ kind: 'drainBroker', brokerId: 1 })
    cluster.register(1, { incarnationId: 'next' })
    expect(cluster.image.brokers.get(1)!.draining).to.equal(false)
  })

  const refusals: readonly [string, string, Partial<ReturnType<typeof registration>>][] = [
    ['another cluster', 'INCONSISTENT_CLUSTER_ID', { clusterId: 'x' }],
    ['a negative id', 'INVALID_REQUEST', { brokerId: -1 }],
    ['no incarnation id', 'INVALID_REQUEST', { incarnationId: '' }],
    ['no address', 'INVALID_REQUEST', { address: '' }],
    ['an endless rack', 'INVALID_REQUEST', { rack: 'x'.repeat(65) }],
    ['an endless address', 'INVALID_REQUEST', { httpAddress: 'x'.repeat(256) }],
    ['an active broker with another disk', 'DUPLICATE_BROKER_REGISTRATION',
      { incarnationId: 'next', directoryId: 'other' }],
    ['the address of another broker', '', { brokerId: 9, address: 'h1:1' }]
  ]
  for (const [what, expected, more] of refusals) {
    it(`${expected === '' ? 'takes' : 'refuses'} ${what}`, () => {
      const cluster = new StateCluster().brokers(1)
      expect(nameOf(cluster.register(1, more) as never)).to.equal(expected)
      expect(cluster.records.length > 0).to.equal(expected === '')
    })
  }
})

describe('fence and unfence', () => {
  it('moves leaderships in order of assignment within the ISR', () => {
    const cluster = new StateCluster().brokers(1, 2, 3).topic([1, 3, 2])
    cluster.fence(1)
    expect(cluster.partition()).to.include({ leader: 3, leaderEpoch: 1 }).and.deep.include({ isr: [3, 2] })
    cluster.fence(2)
    expect(cluster.partition()).to.include({ leader: 3, leaderEpoch: 1 }).and.deep.include({ isr: [3] })
    cluster.fence(3)
    expect(cluster.partition()).to.include({ leader: -1, leaderEpoch: 2 }).and.deep.include({ isr: [3] })
    cluster.unfence(1)
    expect(cluster.partition().leader, '1 is not in sync').to.equal(-1)
    cluster.unfence(3)
    expect(cluster.partition()).to.include({ leader: 3, leaderEpoch: 3 })
  })

  it('does not change a leaderless partition that waits for the broker fenced', () => {
    const cluster = new StateCluster().brokers(1).topic([1])
    cluster.fence(1)
    cluster.fence(1)
    expect(cluster.records).to.deep.equal([])
  })

  it('elects outside the ISR only where the topic allows it, and starts a new ISR', () => {
    const cluster = new StateCluster().brokers(1, 2).topic([1, 2], [1])
    cluster.run({
      kind: 'alterConfigs', validateOnly: false, resources: [{
        scope: 'topic', name: 't', set: [{ key: 'unclean.leader.election.enable', value: 'true' }], unset: [] }] })
    cluster.fence(1)
    expect(cluster.partition()).to.include({ leader: 2, leaderRecovering: true }).and.deep.include({ isr: [2] })
  })

  it('refuses another epoch and unknown brokers', () => {
    const cluster = new StateCluster().brokers(1)
    for (const kind of ['fenceBroker', 'unfenceBroker', 'allocateProducerIds'] as const) {
      expect(nameOf(cluster.try({ kind, brokerId: 1, brokerEpoch: 0 }) as never)).to.equal('STALE_BROKER_EPOCH')
      expect(nameOf(cluster.try({ kind, brokerId: 2, brokerEpoch: 0 }) as never)).to.equal('BROKER_ID_NOT_REGISTERED')
    }
  })
})

describe('drain, resume, unregister', () => {
  it('moves leaderships and leaves ISRs in one step, and tells what it could not move', () => {
    const cluster = new StateCluster().brokers(1, 2)
    cluster.create('moves', { assignment: [[1, 2]] })
    cluster.create('follows', { assignment: [[2, 1]] })
    cluster.create('stays', { assignment: [[1]] })
    expect(cluster.run({ kind: 'drainBroker', brokerId: 1 })).to.deep.equal({ moved: 1, remaining: 1 })
    expect(cluster.partition('moves')).to.include({ leader: 2, leaderEpoch: 1 }).and.deep.include({ isr: [2] })
    expect(cluster.partition('follows')).to.include({ leader: 2, leaderEpoch: 0 }).and.deep.include({ isr: [2] })
    expect(cluster.partition('stays')).to.include({ leader: 1, leaderEpoch: 0 }).and.deep.include({ isr: [1] })
    expect(cluster.run({ kind: 'drainBroker', brokerId: 1 })).to.deep.equal({ moved: 0, remaining: 1 })
    expect(cluster.records, 'repeated').to.deep.equal([])
  })

  it('lets a draining leader take a follower in, and then moves to it', () => {
    const cluster = new StateCluster().brokers(1, 2).topic([1, 2], [1])
    expect(cluster.run({ kind: 'drainBroker', brokerId: 1 })).to.deep.equal({ moved: 0, remaining: 1 })
    cluster.setIsr([1, 2])
    expect(cluster.run({ kind: 'drainBroker', brokerId: 1 })).to.deep.equal({ moved: 1, remaining: 0 })
  })

  it('resumes: may lead and be in sync again', () => {
    const cluster = new StateCluster().brokers(1, 2).topic([1, 2])
    cluster.run({ kind: 'drainBroker', brokerId: 1 })
    cluster.run({ kind: 'resumeBroker', brokerId: 1 })
    expect(cluster.image.brokers.get(1)!.draining).to.equal(false)
    cluster.setIsr([1, 2])
    cluster.run({ kind: 'resumeBroker', brokerId: 1 })
    expect(cluster.records).to.deep.equal([])
  })

  it('forgets fenced brokers only', () => {
    const cluster = new StateCluster().brokers(1)
    expect(nameOf(cluster.try({ kind: 'unregisterBroker', brokerId: 1 }) as never)).to.equal('INVALID_REQUEST')
    cluster.fence(1)
    cluster.run({ kind: 'unregisterBroker', brokerId: 1 })
    expect(cluster.image.brokers.size).to.equal(0)
    for (const kind of ['unregisterBroker', 'drainBroker', 'resumeBroker'] as const) {
      expect(nameOf(cluster.try({ kind, brokerId: 1 }) as never)).to.equal('BROKER_ID_NOT_REGISTERED')
    }
  })
})

describe('producer ids', () => {
  it('come in blocks that never overlap', () => {
    const cluster = new StateCluster().brokers(1)
    const allocate = () => cluster.run({
      kind: 'allocateProducerIds', brokerId: 1, brokerEpoch: cluster.epoch(1) })
    expect([allocate(), allocate()]).to.deep.equal([{ first: 0, count: 1000 }, { first: 1000, count: 1000 }])
  })
})

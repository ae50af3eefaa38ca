// The router and the view it keeps: any node as bootstrap, never back in time, a slow node costs 50 ms.

import { expect } from 'chai'

import { ClusterView } from '../../src/client/cluster-view.ts'
import { openConnection } from '../../src/client/connection.ts'
import type { WeirError } from '../../src/client/index.ts'
import { Router } from '../../src/client/router.ts'
import type { GetMetadataResponse } from '../../src/rpc/messages.ts'
import { FakeCluster, fakeController, statusOf } from './fake-broker.ts'
import { fixedRandom, World } from './fake-world.ts'

function answer(metadataOffset: number, leader: number, leaderEpoch: number): GetMetadataResponse {
  return {
    clusterId: 'fake', metadataOffset, controllerId: 1,
    brokers: [1, 2].map((id) => ({ id, address: `broker-${id}:7201`, rack: '', fenced: false })),
    topics: [{ status: null, name: 't', topicId: 'a'.repeat(32), partitions: [
      { partition: 0, leader, leaderEpoch, partitionEpoch: 0, replicas: [], isr: [] }] }]
  }
}

describe('ClusterView', () => {
  const leaderOf = (view: ClusterView) => view.topic('t')?.partitions[0]

  it('keeps the answer with the larger metadata offset', () => {
    const view = new ClusterView()
    expect(view.take(answer(10, 1, 5))).to.deep.equal(['t'])
    expect(view.take(answer(9, 2, 6))).to.deep.equal([])
    expect(leaderOf(view)).to.deep.include({ leader: 1, leaderEpoch: 5 })
    expect(view.take(answer(11, 2, 6))).to.deep.equal(['t'])
    expect(leaderOf(view)).to.deep.include({ leader: 2, leaderEpoch: 6, address: 'broker-2:7201' })
  })

  it('never goes back to a lower leader epoch of a partition', () => {
    const view = new ClusterView()
    view.take(answer(10, 1, 5))
    expect(view.hint('t', 0, { id: 2, address: 'broker-2:7201', leaderEpoch: 6 })).to.equal(true)
    expect(view.take(answer(11, 1, 5))).to.deep.equal([])
    expect(leaderOf(view)).to.deep.include({ leader: 2, leaderEpoch: 6 })
    expect(view.hint('t', 0, { id: 1, address: 'broker-1:7201', leaderEpoch: 5 })).to.equal(false)
    expect(view.hint('t', 0, { id: 1, address: 'broker-1:7201', leaderEpoch: 6 })).to.equal(false)
  })

  it('begins anew with a topic of the same name', () => {
    const view = new ClusterView()
    view.take(answer(10, 1, 5))
    const { topics: [topic], ...rest } = answer(11, 2, 0)
    view.take({ ...rest, topics: [{ ...topic!, topicId: 'b'.repeat(32) }] })
    expect(leaderOf(view)).to.deep.include({ leader: 2, leaderEpoch: 0 })
  })

  it('forgets a topic that a newer answer does not know, not one that an older answer does not know', () => {
    const view = new ClusterView()
    view.take(answer(10, 1, 5))
    const without = (metadataOffset: number): GetMetadataResponse => ({ ...answer(metadataOffset, 1, 5), topics: [
      { status: statusOf('UNKNOWN_TOPIC_OR_PARTITION'), name: 't', topicId: '', partitions: [] }] })
    view.take(without(9))
    expect(view.topic('t')).to.not.equal(undefined)
    expect(view.take(without(11))).to.deep.equal(['t'])
    expect(view.topic('t')).to.equal(undefined)
  })

  it('takes nothing of another cluster', () => {
    const view = new ClusterView()
    view.take(answer(10, 1, 5))
    expect(view.take({ ...answer(99, 2, 9), clusterId: 'other' })).to.equal(undefined)
    expect(leaderOf(view)).to.deep.include({ leader: 1 })
  })
})

describe('Router', () => {
  let world: World
  let cluster: FakeCluster
  let router: Router

  beforeEach(() => {
    world = new World()
    cluster = new FakeCluster(world)
    cluster.create('t', 3)
    cluster.network.serve('controller-1:7101', fakeController(cluster))
  })

  afterEach(async () => {
    router.close()
    await world.run(20_000)
    expect(world.pending).to.equal(0)
  })

  const ports = () => ({ clock: world, timers: world, random: fixedRandom(3), network: cluster.network })
  const make = (...bootstrap: string[]) => { router = new Router(ports(), bootstrap, 5_000) }

  async function failure(promise: Promise<unknown>): Promise<WeirError> {
    return await world.get(promise.then(() => undefined, (error: unknown) => error)) as WeirError
  }

  it('finds brokers through a controller', async () => {
    make('controller-1:7101')
    const { partitions } = await world.get(router.follow('t', world.monotonicMs() + 1_000))
    expect(partitions.map(({ address }) => address)).to.deep.equal(cluster.addresses)
  })

  it('asks a second node after 50 ms', async () => {
    cluster.broker(1).frozen = true
    make(cluster.broker(1).address, cluster.broker(2).address)
    const before = world.monotonicMs()
    await world.get(router.refresh())
    expect(world.monotonicMs() - before).to.be.within(50, 52)
  })

  it('asks the next node at once when one refuses the connection', async () => {
    cluster.broker(1).down = true
    make(cluster.broker(1).address, cluster.broker(2).address)
    const before = world.monotonicMs()
    await world.get(router.refresh())
    expect(world.monotonicMs() - before).to.be.lessThan(2)
  })

  it('has one refresh at a time', async () => {
    make(cluster.broker(1).address)
    const both = Promise.all([router.refresh(), router.refresh()])
    await world.get(both)
    expect(cluster.network.calls.length).to.equal(1)
  })

  it('does not believe a broker that is behind', async () => {
    make(...cluster.addresses)
    await world.get(router.follow('t', world.monotonicMs() + 1_000))
    const old = cluster.metadata(['t'])
    cluster.moveLeader('t', 0, 2)
    await world.get(router.refresh())
    for (const broker of cluster.brokers) broker.stale = old
    await world.get(router.refresh())
    expect(router.partition('t', 0)).to.deep.include({ leader: 2, leaderEpoch: 1 })
  })

  it('tells who watches of new leaders only', async () => {
    make(...cluster.addresses)
    await world.get(router.follow('t', world.monotonicMs() + 1_000))
    const told: string[] = []
    router.watch((topic) => { told.push(topic) })
    await world.get(router.refresh())
    expect(told).to.deep.equal([])
    cluster.moveLeader('t', 1, 3)
    await world.get(router.refresh())
    expect(told).to.deep.equal(['t'])
  })

  it('connect fails with a reason when nobody answers in time', async () => {
    make('nobody:1')
    const error = await failure(openConnection({ bootstrap: ['nobody:1'], timeoutMs: 500 }, ports()))
    expect(error.name).to.equal('REQUEST_TIMED_OUT')
    expect(error.message).to.contain('nobody:1')
  })

  it('connect honours the signal', async () => {
    make('nobody:1')
    const abort = new AbortController()
    const connecting = openConnection({ bootstrap: ['nobody:1'], signal: abort.signal }, ports())
    const failed = failure(connecting)
    await world.run(50)
    abort.abort(new Error('enough'))
    expect((await failed).message).to.contain('enough')
  })

  it('tells an operation from its deadline, and a topic that is not there from one that is slow', async () => {
    make(...cluster.addresses)
    expect((await failure(router.follow('never', world.monotonicMs() + 10_000))).name)
      .to.equal('UNKNOWN_TOPIC_OR_PARTITION')
    for (const broker of cluster.brokers) broker.frozen = true
    expect((await failure(router.follow('other', world.monotonicMs() + 1_000))).name).to.equal('REQUEST_TIMED_OUT')
  })
})

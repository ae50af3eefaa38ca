// Raft on ports: three voters that elect, replicate, restart, take and send snapshots, and die by a failed write.

import { expect } from 'chai'

import { plainMessage } from '../../controller/raft/types.ts'
import { bytes } from '../support/bytes.ts'
import { failureOf } from '../support/failures.ts'
import { RaftBench, type DriverOptions } from './raft-bench.ts'

describe('raft driver', () => {
  let bench: RaftBench
  const begin = async (count: number, options?: DriverOptions) => {
    bench = await new RaftBench(count, options).start()
    return bench.elected()
  }
  /** No bench leaves a timer behind. */
  afterEach(async () => {
    await bench.stop()
    await bench.time.advance(0)
    expect(bench.time.pending).to.equal(0)
    expect(bench.network.open).to.equal(0)
  })

  it('elects one leader within a few election timeouts, and all know it', async () => {
    const leader = await begin(3)
    expect(bench.time.monotonicMs() - 1_000).to.be.below(1_000)
    await bench.time.advance(200)
    expect(bench.nodes.map(({ leadership }) => leadership.leaderId)).to.deep.equal(bench.nodes.map(() => leader.id))
    await bench.time.advance(5_000)
    expect(bench.leader).to.equal(leader)
    expect(leader.leadership.term).to.equal(1)
  })

  it('replicates in order to every node', async () => {
    await begin(3)
    const words = Array.from({ length: 40 }, (_unset, at) => `w${at}`)
    for (const word of words) await bench.commit(word)
    for (const { applied } of bench.nodes) expect(applied).to.deep.equal(words)
  })

  it('writes the proposals of one turn with one sync', async () => {
    const leader = await begin(3)
    await bench.commit('first')
    leader.saves = []
    for (let at = 0; at < 100; at++) expect(leader.driver.propose(bytes(`w${at}`))).to.equal(true)
    await bench.time.until('all are applied', () => leader.applied.length === 101)
    expect(leader.saves.filter(({ entries }) => entries.length > 0).map(({ entries }) => entries.length))
      .to.deep.equal([100])
  })

  it('does not write when only the commit index moved', async () => {
    const leader = await begin(3)
    await bench.commit('a')
    await bench.time.advance(500)
    for (const node of bench.nodes) node.saves = []
    await bench.commit('b')
    await bench.time.advance(500)
    for (const node of bench.nodes) {
      expect(node.applied).to.deep.equal(['a', 'b'])
      expect(node.saves.map(({ entries }) => entries.length)).to.deep.equal([1])
    }
    expect(leader.store.saved.commit).to.be.below(leader.driver.status().commit)
  })

  it('writes nothing and sends heartbeats only when idle', async () => {
    const leader = await begin(3)
    await bench.commit('a')
    await bench.time.advance(500)
    for (const node of bench.nodes) {
      node.saves = []
      node.sent = []
    }
    await bench.time.advance(4_500)
    for (const node of bench.nodes) expect(node.saves).to.deep.equal([])
    // One to each follower every 45 ms.
    expect(leader.sent.map(({ kind }) => kind)).to.deep.equal(Array.from({ length: 200 }, () => 'heartbeat'))
  })

  it('refuses proposals and transfers on a follower', async () => {
    const leader = await begin(3)
    await bench.time.advance(100)
    for (const node of bench.others(leader)) {
      expect(node.driver.propose(bytes('x'))).to.equal(false)
      expect(node.driver.transfer(leader.id)).to.equal(false)
      expect(await failureOf(node.driver.readBarrier())).to.include({ name: 'NOT_CONTROLLER' })
    }
    expect(leader.driver.transfer(9)).to.equal(false)
  })

  it('hands leadership over at once', async () => {
    const leader = await begin(3)
    await bench.commit('a')
    const [next] = bench.others(leader)
    expect(leader.driver.transfer(next!.id)).to.equal(true)
    expect(leader.driver.propose(bytes('x'))).to.equal(false)
    const startMs = bench.time.monotonicMs()
    await bench.time.until('it leads', () => next!.leads && !leader.leads)
    expect(bench.time.monotonicMs() - startMs).to.be.below(20)
    await bench.commit('b')
  })

  it('survives the restart of every node at once, with everything committed', async () => {
    await begin(3)
    for (const word of ['a', 'b', 'c']) await bench.commit(word)
    const term = bench.leader!.leadership.term
    for (const node of bench.nodes) await node.powerLoss()
    for (const node of bench.nodes) await node.start()
    const leader = await bench.elected()
    expect(leader.leadership.term).to.be.greaterThan(term)
    await bench.commit('d')
    for (const { applied } of bench.nodes) expect(applied).to.deep.equal(['a', 'b', 'c', 'd'])
  })

  it('goes on without the leader, which catches up later', async () => {
    const leader = await begin(3)
    await bench.commit('a')
    await leader.powerLoss()
    await bench.time.until('another leads', () => bench.leader !== undefined)
    await bench.commit('b')
    await leader.start()
    await bench.time.until('it caught up', () => leader.applied.join() === 'a,b')
  })

  it('a leader cut off stops leading; what it took meanwhile is gone', async () => {
    const leader = await begin(3)
    await bench.commit('a')
    bench.isolate(leader)
    expect(leader.driver.propose(bytes('lost'))).to.equal(true)
    await bench.time.until('it gave up', () => !leader.leads)
    expect(leader.driver.propose(bytes('x'))).to.equal(false)
    await bench.commit('b', bench.others(leader))
    bench.network.heal()
    await bench.time.until('it caught up', () => leader.applied.join() === 'a,b')
  })

  it('refuses what rests on another term than the state machine knows of', async () => {
    const leader = await begin(3)
    await bench.commit('a')
    const { term } = leader.leadership
    const [other] = bench.others(leader)
    let release: (() => void) | undefined
    leader.store.save = () => new Promise<void>((resolve) => { release = resolve })
    leader.driver.propose(bytes('b'))
    await bench.time.until('it writes', () => release !== undefined)
    // While it writes it loses the leadership and wins it back.
    leader.driver.step([
      plainMessage('heartbeat', other!.id, leader.id, term + 1),
      plainMessage('timeout-now', other!.id, leader.id, term + 1),
      plainMessage('vote-reply', other!.id, leader.id, term + 2)])
    expect(leader.driver.status()).to.include({ role: 'leader', term: term + 2 })
    expect(leader.leadership).to.deep.equal({ leaderId: leader.id, term })
    const { last } = leader.driver.status()
    expect(leader.driver.propose(bytes('c'))).to.equal(false)
    expect(leader.driver.status().last).to.equal(last)
    release!()
    await leader.powerLoss()
  })

  describe('reads', () => {
    it('are confirmed by a round of heartbeats, many by one', async () => {
      const leader = await begin(3)
      await bench.commit('a')
      await bench.time.advance(100)
      leader.sent = []
      const startMs = bench.time.monotonicMs()
      await bench.time.result(Promise.all(Array.from({ length: 50 }, () => leader.driver.readBarrier())))
      expect(bench.time.monotonicMs() - startMs).to.be.below(5)
      expect(leader.sent.length).to.be.at.most(4)
    })

    it('fail on a leader that is cut off', async () => {
      const leader = await begin(3)
      await bench.commit('a')
      bench.isolate(leader)
      expect(await bench.time.result(failureOf(leader.driver.readBarrier()))).to.include({ name: 'NOT_CONTROLLER' })
    })

    it('fail when the node closes', async () => {
      const leader = await begin(3)
      const read = failureOf(leader.driver.readBarrier())
      await leader.stop()
      expect(await read).to.include({ name: 'NOT_CONTROLLER' })
      expect(await failureOf(leader.driver.readBarrier())).to.include({ name: 'NOT_CONTROLLER' })
    })
  })

  describe('snapshots', () => {
    const words = (count: number) => Array.from({ length: count }, (_unset, at) => `word ${at}`)

    it('are taken by entries, and the log is cut behind a tail', async () => {
      const leader = await begin(1, { snapshotEntries: 50 })
      const all = words(1_300)
      for (const word of all) leader.driver.propose(bytes(word))
      await bench.time.until('all are applied', () => leader.applied.length === all.length)
      await bench.time.settle()
      const { snapshot } = (await reopened()).loaded
      expect(snapshot!.index).to.be.within(1_251, 1_301)
      expect(leader.store.loaded.entries[0]!.index).to.equal(snapshot!.index + 1 - 1_000)
      await bench.elected()
      await bench.commit('more')
      expect(leader.applied).to.deep.equal([...all, 'more'])
      expect(leader.restores).to.equal(1)

      async function reopened() {
        await leader.stop()
        await leader.start()
        return leader.store
      }
    })

    it('are taken by bytes', async () => {
      const leader = await begin(1, { snapshotBytes: 1_000 })
      await bench.commit('x'.repeat(990))
      expect(leader.ports.logger.texts('info')).to.not.include('snapshot')
      await bench.commit('y'.repeat(10))
      await bench.time.settle()
      expect(leader.ports.logger.texts('info').filter((line) => line === 'snapshot').length).to.equal(1)
      await bench.commit('z'.repeat(990))
      await bench.time.settle()
      expect(leader.ports.logger.texts('info').filter((line) => line === 'snapshot').length).to.equal(1)
    })

    it('do not hold up commits while they are written', async () => {
      const leader = await begin(3, { snapshotEntries: 3 })
      let release: (() => void) | undefined
      let begun = 0
      const compactTo = leader.store.compactTo.bind(leader.store)
      leader.store.compactTo = async (snapshot, keepFrom) => {
        begun++
        await new Promise<void>((resolve) => { release = resolve })
        return compactTo(snapshot, keepFrom)
      }
      for (const word of words(20)) await bench.commit(word)
      expect(leader.ports.logger.texts('info')).to.not.include('snapshot')
      expect(bench.leader).to.equal(leader)
      expect(begun).to.equal(1)
      release!()
      await bench.time.settle()
      expect(leader.ports.logger.texts('info')).to.include('snapshot')
    })

    it('bring a follower up that is behind the log', async () => {
      const leader = await begin(3, { snapshotEntries: 100 })
      await bench.commit('a')
      const [slow, other] = bench.others(leader)
      await slow!.powerLoss()
      const all = words(1_500)
      for (const word of all) leader.driver.propose(bytes(word))
      await bench.time.until('all are applied', () => other!.applied.length === all.length + 1)
      await slow!.start()
      await bench.time.until('it caught up', () => slow!.applied.length === all.length + 1)
      expect(slow!.restores).to.equal(1)
      await bench.commit('b')
      expect(slow!.applied).to.deep.equal(leader.applied)
      await slow!.powerLoss()
      await slow!.start()
      await bench.time.until('it has it all again', () => slow!.applied.length === all.length + 2)
      expect(slow!.applied).to.deep.equal(leader.applied)
    })

    it('of many chunks arrive also when the stream breaks on the way', async () => {
      const leader = await begin(3, { snapshotEntries: 400 })
      const [slow, other] = bench.others(leader)
      await slow!.powerLoss()
      // 2.4 MB in ten chunks.
      const all = Array.from({ length: 1_200 }, (_unset, at) => `${at} `.padEnd(2_000, 'x'))
      for (const word of all) leader.driver.propose(bytes(word))
      await bench.time.until('all are applied', () => other!.applied.length === all.length)
      await bench.time.settle()
      let chunks = 0
      bench.network.onSent = ({ from, message }) => {
        const { messages } = message as { messages?: { kind: string }[] }
        if (from !== leader.name || messages?.[0]?.kind !== 'snapshot') return
        if (++chunks === 4) bench.time.soon(() => { bench.network.reset(leader.name, slow!.name) })
      }
      await slow!.start()
      const startMs = bench.time.monotonicMs()
      await bench.time.until('it caught up', () => slow!.applied.length === all.length)
      expect(chunks).to.be.greaterThan(10)
      // Sent again when the break was seen, not when Raft took it for lost.
      expect(bench.time.monotonicMs() - startMs).to.be.below(1_000)
      expect(slow!.applied).to.deep.equal(leader.applied)
    })
  })

  describe('a failed write', () => {
    for (const [what, fail] of [
      ['of an entry', (data) => { data.stores.failNextWrite('/data/meta', 'EIO') }],
      ['of the witness', (data) => { data.disk.failNext('sync', /witness/, 'EIO') }]
    ] as const satisfies [string, (data: RaftBench['nodes'][number]['data']) => void][]) {
      it(`${what} ends the node, which says nothing more`, async () => {
        const leader = await begin(3)
        await bench.commit('a')
        const [follower] = bench.others(leader)
        follower!.sent = []
        fail(follower!.data)
        const before = follower!.sent.length
        leader.driver.propose(bytes('b'))
        await bench.time.until('it died', () => !follower!.running)
        const acknowledged = () => follower!.sent.slice(before).filter(({ kind }) => kind === 'append-reply')
        expect(acknowledged()).to.deep.equal([])
        const { length } = follower!.sent
        await bench.time.advance(2_000)
        expect(follower!.sent.length).to.equal(length)
        expect(follower!.ports.deaths.map(({ reason }) => reason)).to.deep.equal(
          ['the Raft state could not be written or applied'])
        expect(bench.leader!.applied).to.deep.equal(['a', 'b'])
        await follower!.powerLoss()
      })
    }

    it('of a snapshot ends the node too', async () => {
      const leader = await begin(1, { snapshotEntries: 5 })
      leader.data.disk.failNext('sync', /snapshot/, 'ENOSPC')
      for (let at = 0; at < 6; at++) leader.driver.propose(bytes(`w${at}`))
      await bench.time.until('it died', () => !leader.running)
      expect(leader.ports.deaths.length).to.equal(1)
      await leader.powerLoss()
    })
  })

  it('closes in the middle of a write without acknowledging it', async () => {
    const leader = await begin(3)
    await bench.commit('a')
    const [follower] = bench.others(leader)
    let release: (() => void) | undefined
    const save = follower!.store.save.bind(follower!.store)
    follower!.store.save = async (change) => {
      await new Promise<void>((resolve) => { release = resolve })
      await save(change)
    }
    leader.driver.propose(bytes('b'))
    await bench.time.until('it writes', () => release !== undefined)
    follower!.sent = []
    let closed = false
    const closing = follower!.driver.close().then(() => { closed = true })
    await bench.time.advance(10)
    expect(closed).to.equal(false)
    release!()
    await bench.time.result(closing)
    expect(follower!.sent).to.deep.equal([])
  })
})

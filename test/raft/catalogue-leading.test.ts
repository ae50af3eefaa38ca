// Known failures of Raft cores (catalogue A of our bug list), the rest: elections, reads, voters, timing.

import { expect } from 'chai'

import { RaftLog } from '../../controller/raft/log.ts'
import type { RaftOptions } from '../../controller/raft/node.ts'
import { plainMessage, snapshotMessage, type Entry } from '../../controller/raft/types.ts'
import { RaftBench } from '../controller/raft-bench.ts'
import { hard, memoryBench, refusal } from '../store/bench.ts'
import { failureOf } from '../support/failures.ts'
import { bytes } from './raft-cluster.ts'
import { cluster, done, log, single } from './small-cluster.ts'

describe('catalogue A: Raft core, continued', () => {
  let bench: RaftBench | undefined
  afterEach(async () => {
    await bench?.stop()
    bench = undefined
  })

  it('A15 nobody campaigns, or takes leadership over, with a snapshot that is not restored', () => {
    const node = single({ hardState: hard(1, 0, 0) })
    node.step(snapshotMessage(2, 1, 1, { index: 5, term: 1, data: bytes('image') }))
    const ready = node.ready()
    node.step(plainMessage('timeout-now', 2, 1, 1))
    for (let tick = 0; tick < 30; tick++) node.tick()
    expect(node.status()).to.include({ role: 'follower', term: 1 })
    node.advance(ready)
    for (let tick = 0; tick < 30; tick++) node.tick()
    expect(node.status().role).to.equal('pre-candidate')
  })

  it('A16 a new leader reads nothing before an entry of its term is applied; repeated answers confirm nothing', () => {
    const { members, node, lead, wire } = cluster(5)
    lead(1)
    const [, second] = members
    node(2).step(plainMessage('timeout-now', 1, 2, 1))
    second!.work()
    for (const from of [3, 4]) node(2).step(plainMessage('vote-reply', from, 2, 2))
    expect(node(2).status()).to.include({ role: 'leader', commit: 1 })
    node(2).readIndex(7)
    second!.work()
    const beat = wire.find(({ kind, from }) => kind === 'heartbeat' && from === 2)
    const confirm = (from: number) => {
      node(2).step(plainMessage('heartbeat-reply', from, 2, 2, { context: beat!.context }))
      second!.work()
    }
    for (let times = 0; times < 4; times++) confirm(3)
    confirm(4)
    expect(second!.answered).to.deep.equal([])
    // A majority has its first entry; its own disk is slow, so it cannot have applied it.
    node(2).propose([bytes('x')])
    second!.take()
    for (const from of [3, 4]) node(2).step(plainMessage('append-reply', from, 2, 2, { index: 2 }))
    second!.persist()
    second!.finish()
    second!.work()
    expect(second!.answered).to.deep.equal([{ context: 7, applied: 2 }])
    // The next read needs a round of its own.
    node(2).readIndex(8)
    second!.work()
    for (let times = 0; times < 4; times++) confirm(3)
    confirm(4)
    expect(second!.answered.length).to.equal(1)
  })

  it('A16 a read waits for the first entry of the term on this disk, too', () => {
    const { members, node, lead } = cluster()
    lead(1)
    const [, second] = members
    node(2).step(plainMessage('timeout-now', 1, 2, 1))
    second!.work()
    node(2).step(plainMessage('vote-reply', 3, 2, 2))
    node(2).readIndex(7)
    second!.take()
    // The others have the entry and confirm the round, while it is still being written here.
    for (const from of [1, 3]) {
      node(2).step(plainMessage('append-reply', from, 2, 2, { index: 2 }))
      node(2).step(plainMessage('heartbeat-reply', from, 2, 2, { context: 1 }))
    }
    second!.persist()
    second!.finish()
    second!.work()
    expect(second!.answered).to.deep.equal([{ context: 7, applied: 2 }])
  })

  it('A17 a leader that slept while another was elected answers no read', async () => {
    bench = await new RaftBench(3).start()
    const old = await bench.elected()
    await bench.commit('a')
    // It does not run: its messages wait, its clock stands still.
    const read = failureOf(old.driver.readBarrier())
    bench.isolate(old)
    await bench.time.until('another leads', () => bench!.leader !== old)
    await bench.commit('b', bench.others(old))
    bench.network.heal()
    const late = failureOf(old.driver.readBarrier())
    expect(await bench.time.result(read)).to.include({ name: 'NOT_CONTROLLER' })
    expect(await bench.time.result(late)).to.include({ name: 'NOT_CONTROLLER' })
  })

  it('A18 a store of another set of voters is refused', async () => {
    const place = memoryBench()
    await (await place.open()).close()
    expect((await refusal(place.open({ votersHash: 'other' }))).message).to.contain('voters.hash')
  })

  it('A19 nobody leads alone, whatever a restart finds', () => {
    const image = { index: 3, term: 1, data: bytes('image') }
    const found: readonly Partial<RaftOptions>[] = [
      {}, { standing: { mark: 1, voice: false, founders: [] } }, { hardState: hard(4, 1, 0) },
      { hardState: hard(4, 1, 2), entries: log(1, 1, 2) }, { hardState: hard(4, 0, 3), snapshot: image, applied: 3 }]
    for (const options of found) {
      const node = single(options)
      for (let tick = 0; tick < 300; tick++) {
        node.tick()
        if (node.hasReady()) done(node)
        expect(['follower', 'pre-candidate']).to.include(node.status().role)
      }
    }
  })

  it('A22 a leader deposed by a term that nobody can win campaigns again; one that is cut off resigns', () => {
    const { node, lead, tick, away, members } = cluster()
    lead(1)
    away.add(2).add(3)
    tick(25, 1)
    expect(node(1).status().role).to.equal('follower')
    tick(10, 2, 3)
    away.clear()
    // Node 3 lacks an entry and raised its term.
    lead(1)
    away.add(3)
    node(1).propose([bytes('x')])
    tick(1, 1)
    away.clear()
    const { term } = node(1).status()
    node(1).step(plainMessage('append-reply', 3, 1, term + 5))
    expect(node(1).status()).to.include({ role: 'follower', term: term + 5 })
    members[2]!.crash()
    tick(60, 1, 2)
    expect([node(1).status().role, node(2).status().role]).to.include('leader')
    expect(members[1]!.machine.some((entry) => entry.endsWith(':x'))).to.equal(true)
  })

  it('A23 a node that was away for long and comes back disturbs nobody', () => {
    const { node, lead, tick, away, roles } = cluster()
    lead(1)
    away.add(3)
    tick(100, 1, 2, 3)
    expect(node(3).status()).to.include({ role: 'pre-candidate', term: 1 })
    away.clear()
    tick(40, 1, 2, 3)
    expect(roles()).to.deep.equal(['leader', 'follower', 'follower'])
    expect(node(1).status().term).to.equal(1)
    // A pre-vote is no sign of life of the leader: without it, the second node asks too.
    const other = cluster()
    other.lead(1)
    other.away.add(1)
    for (let at = 0; at < 30; at++) {
      other.node(2).step(plainMessage('pre-vote', 3, 2, 2, { index: 0, logTerm: 0 }))
      other.tick(1, 2)
    }
    expect(other.node(2).status().leaderId).to.not.equal(1)
  })

  it('A24 a snapshot that comes while another is being restored takes its turn', () => {
    const node = single({ hardState: hard(1, 0, 0) })
    const send = (index: number) => {
      node.step(snapshotMessage(2, 1, 1, { index, term: 1, data: bytes(`image ${index}`) }))
    }
    send(5)
    const first = node.ready()
    for (const index of [9, 7, 5]) send(index)
    node.advance(first)
    const second = done(node)
    expect([first.snapshot?.index, second.snapshot?.index]).to.deep.equal([5, 9])
    expect(node.hasReady()).to.equal(false)
    expect(node.status()).to.include({ commit: 9, applied: 9, stable: 9 })
  })

  it('A25 entries of any size are applied once each, in order, however they are cut into appends', () => {
    for (const maxAppendBytes of [1, 30, 100, 10_000]) {
      const { members, node, lead, settle, applied, tick, away } = cluster(3, { maxAppendBytes })
      lead(1)
      away.add(3)
      for (let at = 0; at < 30; at++) node(1).propose([bytes('x'.repeat(1 + (at * 37) % 200))])
      settle()
      away.clear()
      tick(60, 1)
      for (const { id, machine } of members) {
        expect(machine.length, `${id}`).to.equal(31)
        expect(applied.get(id)).to.deep.equal(Array.from({ length: 31 }, (_unset, at) => at + 1))
      }
    }
  })

  it('A26 a write that ends late acknowledges nothing that took its place', () => {
    const node = single({ hardState: hard(1, 0, 0) })
    const append = (term: number, entry: Entry) => plainMessage('append', term, 1, term, { entries: [entry] })
    node.step(append(2, { index: 1, term: 2, data: bytes('old') }))
    const old = node.ready()
    node.step(append(3, { index: 1, term: 3, data: bytes('new') }))
    node.advance(old)
    expect(node.status()).to.include({ stable: 0, last: 1 })
    expect(old.messages.map(({ term, index }) => [term, index])).to.deep.equal([[2, 1]])
    const fresh = node.ready()
    expect(fresh.entries.map(({ term }) => term)).to.deep.equal([3])
    expect(fresh.messages.map(({ term, index }) => [term, index])).to.deep.equal([[3, 1]])
    node.advance(fresh)
    expect(node.status().stable).to.equal(1)
    // As leader: what it counts for itself is of the entry that is there now.
    const raft = new RaftLog(undefined, [], 0, 0)
    raft.merge(0, log(1, 1, 1))
    const pending = raft.unstable()
    raft.merge(1, [{ index: 2, term: 3, data: bytes('z') }])
    raft.stabilize(pending)
    expect(raft.stable).to.equal(1)
  })

  it('A27 a store that got its voice knows that it may vote and lead, after a restart too', () => {
    const { members, node, tick, settle, lead } = cluster(3, { fresh: true })
    tick(1, 1, 2, 3)
    settle()
    lead(1)
    members[2]!.crash()
    members[2]!.wipe()
    members[2]!.start()
    tick(9, 1)
    expect(members[2]!.disk.standing.voice).to.equal(true)
    members[2]!.crash()
    members[2]!.start()
    members[0]!.crash()
    tick(10, 2, 3)
    node(3).campaign()
    settle()
    expect(node(3).status().role).to.equal('leader')
  })
})

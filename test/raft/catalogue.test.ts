// Known failures of Raft cores (catalogue A of our bug list), one scenario each: promises, logs, snapshots.
// CATALOGUE.md says which failures cannot occur.

import { expect } from 'chai'
import { readFileSync } from 'node:fs'

import { RaftLog } from '../../controller/raft/log.ts'
import { plainMessage, snapshotMessage, type Entry, type Message } from '../../controller/raft/types.ts'
import { RaftBench } from '../controller/raft-bench.ts'
import { change, hard, memoryBench, refusal, snapshot, entries as run } from '../store/bench.ts'
import { repoPath } from '../support/paths.ts'
import { powerLossAtEachIo } from './power-loss.ts'
import { bytes } from './raft-cluster.ts'
import { cluster, done, log, single } from './small-cluster.ts'

describe('catalogue A: Raft core', () => {
  let bench: RaftBench | undefined
  afterEach(async () => {
    await bench?.stop()
    bench = undefined
  })

  /** The messages that node `id` sends while a write of its is held, then after it. */
  async function heldWrite(provoke: (bench: RaftBench, id: number) => void) {
    bench = await new RaftBench(3).start()
    const leader = await bench.elected()
    await bench.commit('a')
    const [follower] = bench.others(leader)
    let release: (() => void) | undefined
    const save = follower!.store.save.bind(follower!.store)
    follower!.store.save = async (what) => {
      await new Promise<void>((resolve) => { release = resolve })
      return save(what)
    }
    follower!.sent = []
    provoke(bench, follower!.id)
    await bench.time.until('it writes', () => release !== undefined)
    const before = [...follower!.sent]
    return { follower: follower!, before, release: () => { release!() } }
  }

  it('A01 a vote does not leave before it is durable, nor after its write failed', async () => {
    const ask = ({ nodes }: RaftBench, id: number) => {
      const other = nodes.find((node) => node.id !== id && !node.leads)!
      nodes[id - 1]!.driver.step([plainMessage('vote', other.id, id, 7, { index: 99, logTerm: 6, context: 1 })])
    }
    const { before, follower, release } = await heldWrite(ask)
    expect(before.filter(({ kind }) => kind === 'vote-reply')).to.deep.equal([])
    release()
    await bench!.time.until('it votes', () => (
      follower.sent.some(({ kind, reject }) => kind === 'vote-reply' && !reject)))
    expect(follower.store.saved).to.include({ term: 7 })
    await bench!.stop()

    bench = await new RaftBench(3).start()
    const leader = await bench.elected()
    await bench.commit('a')
    const [voter] = bench.others(leader)
    voter!.data.stores.failNextWrite('/data/meta', 'EIO')
    voter!.sent = []
    ask(bench, voter!.id)
    await bench.time.until('it died', () => !voter!.running)
    await bench.time.advance(1_000)
    expect(voter!.sent.filter(({ kind }) => kind === 'vote-reply')).to.deep.equal([])
    await voter!.powerLoss()
  })

  it('A02 a vote lasts for its term: over stepping down, a transfer and a restart', () => {
    const { members, node, lead, settle, tick, away } = cluster()
    lead(1)
    const voteInTerm1 = (id: number) => {
      node(id).step(plainMessage('vote', 3, id, 1, { index: 99, logTerm: 9, context: 1 }))
      const reply = done(node(id)).messages.find(({ kind }) => kind === 'vote-reply')
      return reply?.reject
    }
    // The leader steps down as it hears no majority; the follower forgets who leads.
    away.add(1)
    tick(25, 1)
    expect(node(1).status()).to.include({ role: 'follower', leaderId: 0, term: 1 })
    expect(voteInTerm1(1)).to.equal(true)
    members[1]!.crash()
    members[1]!.start()
    expect(voteInTerm1(2)).to.equal(true)
    // After a transfer within a term, too: whoever takes over does so in the next one.
    away.clear()
    settle()
    const second = cluster()
    second.lead(1)
    second.node(1).transfer(2)
    second.settle()
    expect(second.node(2).status()).to.include({ role: 'leader', term: 2 })
    expect(second.members[0]!.disk.hardState).to.include({ term: 2, vote: 2 })
  })

  it('A03 an entry of an older term is not committed by counting its copies', () => {
    // S1 had x in term 2, alone; S5 leads term 3, alone; S1 leads term 4 and copies x to S2 and S3.
    const { members, node, away, wire, settle, lead, tick } = cluster(5, { maxAppendBytes: 1 })
    const start = (id: number, term: number, entries: Entry[]) => {
      members[id - 1]!.crash()
      members[id - 1]!.disk.hardState = hard(term, 0, 0)
      members[id - 1]!.disk.entries = entries
      members[id - 1]!.start()
    }
    start(1, 3, log(1, 2))
    for (const id of [2, 3, 4]) start(id, 3, log(1))
    start(5, 3, log(1, 3))
    away.add(5)
    node(1).campaign()
    // Until x, of term 2, is on a majority but the entry that begins term 4 is not.
    for (let turn = 0; turn < 40; turn++) {
      for (const member of members) member.work()
      const copies = members.filter(({ disk }) => disk.entries[1]?.term === 2).length
      if (copies >= 3) break
      for (const message of wire.splice(0)) {
        if (!away.has(message.to) && !away.has(message.from)) node(message.to).step(message)
      }
    }
    expect(members.filter(({ disk }) => disk.entries[1]?.term === 2).length).to.be.at.least(3)
    expect(members.some(({ disk }) => disk.entries.length > 2 && disk.entries[2]!.term === 4)).to.equal(true)
    expect(members.slice(1, 5).every(({ disk }) => disk.entries.length <= 2)).to.equal(true)
    for (const message of wire.splice(0)) if (message.kind === 'append-reply') node(message.to).step(message)
    expect(node(1).status()).to.include({ role: 'leader', commit: 0 })
    // S1 dies; S5 may win with the logs that lack x's successors, and nothing that was committed is lost.
    members[0]!.crash()
    away.clear()
    tick(10, 2, 3, 4)
    // It is behind, and learns the term first.
    node(5).campaign()
    settle()
    lead(5)
    settle()
    expect(node(5).status().commit).to.equal(3)
    expect(members[1]!.disk.entries.map(({ term }) => term)).to.deep.equal([1, 3, node(5).status().term])
  })

  it('A04 an append is not acknowledged before it is durable', async () => {
    const { before, follower, release } = await heldWrite(({ leader }) => { leader!.driver.propose(bytes('b')) })
    expect(before.filter(({ kind }) => kind === 'append-reply')).to.deep.equal([])
    release()
    const { last } = bench!.leader!.driver.status()
    await bench!.time.until('it acknowledges', () => (
      follower.sent.some(({ kind, index, reject }) => kind === 'append-reply' && !reject && index === last)))
  })

  for (const nodes of [1, 3]) {
    it(`A05 a leader does not count its own copy before it is durable, of ${nodes}`, () => {
      const { members, node, lead, wire } = cluster(nodes)
      lead(1)
      const before = node(1).status().commit
      node(1).propose([bytes('x')])
      const [leader, follower] = members
      leader!.take()
      // Of three, one follower has it: with the leader's own copy that would be two.
      if (follower !== undefined) {
        for (const message of wire.splice(0)) if (message.to === 2) node(2).step(message)
        follower.work()
        for (const message of wire.splice(0)) if (message.to === 1) node(1).step(message)
      }
      expect(node(1).status()).to.include({ commit: before, last: before + 1, stable: before })
      leader!.persist()
      leader!.finish()
      leader!.work()
      expect(node(1).status().commit).to.equal(before + 1)
    })
  }

  it('A06 an answer to a snapshot, or to an old append, proves no more than what that message held', () => {
    // The follower's tail is of another leader. Everything that arrives is older than that tail.
    const node = single({ hardState: hard(3, 0, 2), entries: log(1, 1, 2, 2, 2), applied: 2 })
    node.step(snapshotMessage(2, 1, 3, { index: 2, term: 1, data: bytes('image') }))
    node.step(plainMessage('append', 2, 1, 3, { index: 1, logTerm: 1, commit: 2, entries: log(1, 1).slice(1) }))
    node.step(plainMessage('append', 2, 1, 3, { index: 2, logTerm: 1, commit: 2 }))
    expect(done(node).messages.map(({ kind, index, reject }) => [kind, index, reject])).to.deep.equal([
      ['snapshot-reply', 2, false], ['append-reply', 2, false], ['append-reply', 2, false]])
    expect(node.status()).to.include({ commit: 2, last: 5 })
  })

  it('A07 an append that comes late or twice cuts nothing off', () => {
    const node = single({ hardState: hard(1, 0, 0), entries: log(1, 1, 1, 1) })
    const append = (from: number, to: number) => plainMessage('append', 2, 1, 1, {
      index: from - 1, logTerm: from === 1 ? 0 : 1, entries: log(1, 1, 1, 1, 1, 1, 1, 1).slice(from - 1, to) })
    node.step(append(5, 8))
    expect(done(node).messages.map(({ index }) => index)).to.deep.equal([8])
    for (const late of [append(5, 6), append(2, 3), append(5, 8), append(9, 8)]) node.step(late)
    const ready = done(node)
    expect(ready.entries).to.deep.equal([])
    expect(ready.messages.map(({ index }) => index)).to.deep.equal([6, 3, 8, 8])
    expect(node.status()).to.include({ last: 8, stable: 8 })
  })

  it('A08 a follower commits no entry that the message did not prove to match', () => {
    const node = single({ hardState: hard(2, 0, 1), entries: log(1, 1, 2, 2), applied: 1 })
    node.step(plainMessage('append', 2, 1, 3, { index: 2, logTerm: 1, commit: 4 }))
    expect(node.status()).to.include({ commit: 2, last: 4 })
    // One entry of the leader's, and its commit index beyond: the rest is still junk.
    const other = single({ hardState: hard(2, 0, 0), entries: log(1, 2, 2, 2) })
    other.step(plainMessage('append', 2, 1, 3, { index: 1, logTerm: 1, commit: 4, entries: log(1, 2).slice(1) }))
    expect(other.status()).to.include({ commit: 2, last: 4 })
  })

  it('A09 a refused append moves neither commit index nor log back', () => {
    const node = single({ hardState: hard(2, 0, 3), entries: log(1, 1, 1, 1), applied: 3 })
    for (const [index, logTerm] of [[4, 2], [9, 1], [2, 2], [0, 0]] as const) {
      node.step(plainMessage('append', 2, 1, 2, { index, logTerm, commit: 0 }))
      node.step(plainMessage('heartbeat', 2, 1, 2, { commit: 0 }))
      done(node)
      expect(node.status(), `${index}/${logTerm}`).to.include({ commit: 3, applied: 3, last: 4 })
    }
  })

  it('A10 the term of an entry that was compacted away matches nothing', () => {
    const image = { index: 5, term: 2, data: bytes('image') }
    const compacted = new RaftLog(image, log(1, 1, 1, 2, 2, 2), 6, 6)
    for (const index of [0, 1, 4]) {
      expect(compacted.termAt(index)).to.equal(undefined)
      for (const term of [0, 1, 2]) expect(compacted.matches(index, term), `${index}/${term}`).to.equal(false)
    }
    expect(compacted.matches(5, 2)).to.equal(true)
    // A leader that has compacted what a slow follower needs sends the snapshot and no probe of term 0.
    const { members, node, lead, away, settle, tick, wire } = cluster(3, { tailEntries: 0 })
    lead(1)
    away.add(3)
    for (const word of ['a', 'b', 'c', 'd']) {
      node(1).propose([bytes(word)])
      settle()
    }
    members[0]!.compact()
    away.clear()
    const seen: Message[] = []
    for (let at = 0; at < 12; at++) {
      for (const member of members) {
        member.node!.tick()
        member.work()
      }
      for (const message of wire.splice(0)) {
        if (message.from === 1 && message.to === 3) seen.push(message)
        node(message.to).step(message)
      }
    }
    expect(seen.filter(({ kind, index, logTerm }) => kind === 'append' && index > 0 && logTerm === 0)).to.deep.equal([])
    expect(seen.some(({ kind }) => kind === 'snapshot')).to.equal(true)
    tick(4, 1)
    expect(members[2]!.machine).to.deep.equal(members[0]!.machine)
  })

  it('A11 log and snapshot fit after a power loss at any moment of an installation', async () => {
    const results = await powerLossAtEachIo(
      (store) => store.save(change({ hardState: hard(2, 1, 3), entries: run(1, 6, 2) })),
      (store) => store.save(change({ hardState: hard(4, 0, 9), snapshot: snapshot(9, 3), entries: run(10, 12, 4) })))
    const found = new Set(results.map(({ loaded: { hardState, snapshot: image, entries } }) => (
      `${hardState.term} ${image?.index ?? 0} ${entries[0]?.index}-${entries.at(-1)?.index}`)))
    expect([...found].sort((a, b) => a.length - b.length)).to.deep.equal(['2 0 1-6', '4 9 10-12'])
    expect(results.length).to.be.above(4)
  })

  it('A12 entries go only when the snapshot that replaces them is durable', async () => {
    const results = await powerLossAtEachIo(
      (store) => store.save(change({ hardState: hard(2, 1, 6), entries: run(1, 6, 2) })),
      (store) => store.compactTo(snapshot(5, 2), 6))
    for (const { loaded: { snapshot: image, entries } } of results) {
      expect(image === undefined ? entries[0]?.index : entries[0]!.index).to.equal(image === undefined ? 1 : 6)
      expect(image?.index ?? 5).to.equal(5)
      expect(entries.at(-1)?.index).to.equal(6)
    }
    expect(new Set(results.map(({ loaded }) => loaded.snapshot?.index)).size).to.equal(2)
  })

  it('A13 a snapshot that was not finished is never chosen, whatever its name says', async () => {
    const place = memoryBench()
    let store = await place.open()
    await store.save(change({ hardState: hard(2, 1, 6), entries: run(1, 6, 2) }))
    await store.compactTo(snapshot(4, 2), 5)
    await store.close()
    const whole = place.readFile('snapshots/4-2.snapshot')
    place.writeFile('snapshots/6-2.snapshot.tmp', whole)
    place.writeFile('snapshots/9-2.snapshot', whole.subarray(0, 45))
    place.writeFile('snapshots/8-2.snapshot', whole)
    store = await place.open()
    expect(store.loaded.snapshot).to.deep.equal(snapshot(4, 2))
    await store.close()
    // And the one that counts is refused when it is cut.
    place.writeFile('snapshots/4-2.snapshot', whole.subarray(0, whole.length - 1))
    expect((await refusal(place.open())).name).to.equal('KAFKA_STORAGE_ERROR')
  })

  it('A14 after a snapshot at i the next entry applied is i + 1, once', async () => {
    const node = single({ hardState: hard(1, 0, 0) })
    node.step(snapshotMessage(2, 1, 1, { index: 5, term: 1, data: bytes('image') }))
    node.step(plainMessage('append', 2, 1, 1, {
      index: 5, logTerm: 1, commit: 7, entries: log(1, 1, 1, 1, 1, 1, 1).slice(5) }))
    expect(done(node)).to.deep.include({ committed: [] })
    expect(done(node).committed.map(({ index }) => index)).to.deep.equal([6, 7])
    // Over a restart, a snapshot of its own at each index.
    bench = await new RaftBench(1, { snapshotEntries: 1 }).start()
    const words: string[] = []
    for (const word of ['a', 'b', 'c', 'd']) {
      words.push(word)
      await bench.elected()
      await bench.commit(word)
      await bench.time.settle()
      await bench.nodes[0]!.powerLoss()
      await bench.nodes[0]!.start()
      await bench.elected()
      await bench.time.until('all is applied', () => bench!.nodes[0]!.applied.length >= words.length)
      expect(bench.nodes[0]!.applied).to.deep.equal(words)
    }
  })
})

const FILES = ['catalogue.test.ts', 'catalogue-leading.test.ts', 'catalogue-metadata.test.ts']

describe('catalogues A and C', () => {
  it('have a scenario, or a reason why there is none, for each entry', () => {
    const read = (name: string) => readFileSync(repoPath(`test/raft/${name}`), 'utf8')
    const tests = FILES.map(read).join('\n')
    const reasons = read('CATALOGUE.md')
    const ids = [...Array.from({ length: 27 }, (_unset, at) => `A${String(at + 1).padStart(2, '0')}`),
      ...Array.from({ length: 14 }, (_unset, at) => `C${String(at + 1).padStart(2, '0')}`)]
    const missing = ids.filter((id) =>
      !new RegExp(`^ +it\\(['\`]${id} `, 'm').test(tests) && !reasons.includes(`| ${id} |`))
    expect(missing).to.deep.equal([])
  })
})

// RaftNode as its driver sees it: what is refused, what a Ready holds, what counts only after advance.

import { expect } from 'chai'

import { RaftNode, type RaftOptions } from '../../controller/raft/node.ts'
import { plainMessage, snapshotMessage, type Message } from '../../controller/raft/types.ts'
import { bytes, Member, type ClusterOptions } from './raft-cluster.ts'

function options(overrides: Partial<RaftOptions> = {}): RaftOptions {
  return {
    id: 1, voters: [1, 2, 3], electionTicks: 10, heartbeatTicks: 3, maxInflightMessages: 4, maxAppendBytes: 1024,
    random: () => 0, hardState: { term: 0, vote: 0, commit: 0 }, snapshot: undefined, entries: [], applied: 0,
    ...overrides }
}

function threeNodes() {
  const wire: Message[] = []
  const clusterOptions: ClusterOptions = {
    nodes: 3, electionTicks: 10, heartbeatTicks: 3, maxInflightMessages: 4, maxAppendBytes: 1024, tailEntries: 5,
    random: (id) => id, took: () => undefined, sent: (message) => { wire.push(message) }, applied: () => undefined }
  const members = [1, 2, 3].map((id) => new Member(id, clusterOptions))
  const settle = () => {
    do {
      for (const member of members) member.work()
      for (const message of wire.splice(0)) members[message.to - 1]!.node?.step(message)
    } while (wire.length > 0 || members.some((member) => member.node?.hasReady() === true))
  }
  return { members, settle }
}

describe('RaftNode', () => {
  it('elects by time alone, replicates and applies on every node', () => {
    const { members, settle } = threeNodes()
    for (let tick = 0; tick < 11; tick++) {
      for (const member of members) member.node!.tick()
      settle()
    }
    expect(members.map(({ node }) => node!.status().role)).to.deep.equal(['leader', 'follower', 'follower'])
    expect(members[0]!.node!.propose([bytes('a'), bytes('b')])).to.deep.equal({ first: 2, last: 3, term: 1 })
    settle()
    for (const { machine } of members) expect(machine).to.deep.equal(['1:', '1:a', '1:b'])
  })

  it('campaigns soon when the leader is said to be lost, and not when it is heard again', () => {
    const lost = () => {
      const { members, settle } = threeNodes()
      members[0]!.node!.campaign()
      settle()
      members[1]!.node!.leaderLost(1)
      members[1]!.node!.leaderLost(3)
      return { members, settle, second: members[1]!.node! }
    }
    const gone = lost()
    // A random number of ticks, at most a third of the election timeout.
    for (let tick = 0; tick < 5; tick++) gone.second.tick()
    expect(gone.second.status().role).to.equal('pre-candidate')
    const alive = lost()
    alive.members[0]!.node!.tick()
    for (let tick = 0; tick < 3; tick++) alive.members[0]!.node!.tick()
    alive.settle()
    for (let tick = 0; tick < 9; tick++) alive.second.tick()
    expect(alive.second.status()).to.deep.include({ role: 'follower', leaderId: 1 })
  })

  it('is not disturbed while one follower alone lost it', () => {
    const { members, settle } = threeNodes()
    members[0]!.node!.campaign()
    settle()
    members[1]!.node!.leaderLost(1)
    for (let tick = 0; tick < 5; tick++) members[1]!.node!.tick()
    settle()
    expect(members.map(({ node }) => node!.status().term)).to.deep.equal([1, 1, 1])
    expect(members[0]!.node!.status().role).to.equal('leader')
  })

  it('commits alone only what is durable', () => {
    const node = new RaftNode(options({ voters: [1] }))
    node.campaign()
    node.readIndex(7)
    const first = node.ready()
    expect(first).to.deep.include({ role: 'leader', leaderId: 1, term: 1, committed: [], reads: [] })
    expect(first.hardState).to.deep.equal({ term: 1, vote: 1, commit: 0 })
    expect(node.status()).to.deep.include({ commit: 0, stable: 0, last: 1 })
    node.advance(first)
    const second = node.ready()
    expect(second.committed.map(({ index }) => index)).to.deep.equal([1])
    expect(second.reads).to.deep.equal([{ context: 7, index: 1 }])
    node.advance(second)
    expect(node.hasReady()).to.equal(false)
  })

  it('refuses proposals, reads and transfers of a follower', () => {
    const node = new RaftNode(options())
    expect(node.propose([bytes('a')])).to.equal(undefined)
    expect(node.readIndex(1)).to.equal(false)
    expect(node.transfer(2)).to.equal(false)
  })

  it('ignores strangers and what is not for it', () => {
    const node = new RaftNode(options())
    node.step(plainMessage('heartbeat', 9, 1, 5))
    node.step(plainMessage('heartbeat', 2, 3, 5))
    node.step(plainMessage('heartbeat', 1, 1, 5))
    expect(node.status().term).to.equal(0)
    expect(node.hasReady()).to.equal(false)
  })

  it('commits as follower only what the message proved to match', () => {
    const entries = [1, 1, 1].map((term, at) => ({ index: at + 1, term, data: bytes('x') }))
    const node = new RaftNode(options({ hardState: { term: 2, vote: 0, commit: 1 }, entries }))
    node.step(plainMessage('append', 2, 1, 2, { index: 2, logTerm: 1, commit: 3 }))
    expect(node.status()).to.include({ commit: 2, last: 3 })
  })

  it('keeps what it acknowledged behind a snapshot that matches its log', () => {
    const entries = [1, 1, 1].map((term, at) => ({ index: at + 1, term, data: bytes('x') }))
    const node = new RaftNode(options({ hardState: { term: 1, vote: 0, commit: 0 }, entries }))
    node.step(snapshotMessage(2, 1, 1, { index: 2, term: 1, data: bytes('image') }))
    const ready = node.ready()
    expect(ready.snapshot).to.equal(undefined)
    expect(ready.messages).to.deep.equal([plainMessage('snapshot-reply', 1, 2, 1, { index: 2 })])
    expect(node.status()).to.include({ commit: 2, last: 3 })
  })

  it('takes snapshots that come close together one after the other', () => {
    const node = new RaftNode(options())
    const image = (index: number) => ({ index, term: 1, data: bytes(`image ${index}`) })
    node.step(snapshotMessage(2, 1, 1, image(5)))
    const first = node.ready()
    node.step(snapshotMessage(2, 1, 1, image(9)))
    node.step(snapshotMessage(2, 1, 1, image(7)))
    // Not electable before the newest one is durable and restored.
    node.campaign()
    expect(node.status().role).to.equal('follower')
    node.advance(first)
    const second = node.ready()
    expect([first.snapshot?.index, second.snapshot?.index]).to.deep.equal([5, 9])
    expect(second.messages.map(({ index }) => index)).to.deep.equal([9, 9])
    node.advance(second)
    expect(node.hasReady()).to.equal(false)
    node.campaign()
    expect(node.status().role).to.equal('pre-candidate')
  })

  it('serves a snapshot that it had at its start', () => {
    const snapshot = { index: 4, term: 1, data: bytes('image') }
    const hardState = { term: 1, vote: 1, commit: 4 }
    const node = new RaftNode(options({ voters: [1, 2], hardState, snapshot, applied: 4 }))
    const next = () => {
      const ready = node.ready()
      node.advance(ready)
      return [...ready.early, ...ready.messages]
    }
    node.campaign()
    next()
    node.step(plainMessage('pre-vote-reply', 2, 1, 2))
    next()
    node.step(plainMessage('vote-reply', 2, 1, 2))
    next()
    node.step(plainMessage('append-reply', 2, 1, 2, { index: 4, reject: true, rejectHint: 0 }))
    expect(next()).to.deep.equal([snapshotMessage(1, 2, 2, snapshot)])
    expect(node.status().followers).to.deep.equal([{ id: 2, match: 0, next: 5, state: 'snapshot', recentActive: true,
      voice: true }])
  })

  it('hands out one Ready at a time', () => {
    const node = new RaftNode(options({ voters: [1] }))
    node.campaign()
    const ready = node.ready()
    expect(node.hasReady()).to.equal(false)
    expect(() => node.ready()).to.throw('advanced')
    expect(() => node.advance({ ...ready })).to.throw('last')
  })
})

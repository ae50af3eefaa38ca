// RaftNode as its driver sees it: what is refused, what a Ready holds, what counts only after advance.

import { expect } from 'chai'

import { RaftNode, type RaftOptions } from '../../controller/raft/node.ts'
import { plainMessage, type Message } from '../../controller/raft/types.ts'
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

  it('hands out one Ready at a time', () => {
    const node = new RaftNode(options({ voters: [1] }))
    node.campaign()
    const ready = node.ready()
    expect(node.hasReady()).to.equal(false)
    expect(() => node.ready()).to.throw('advanced')
    expect(() => node.advance({ ...ready })).to.throw('last')
  })
})

// What the scenarios of the catalogue stand on: clusters that do only what they are told, and single nodes.

import { expect } from 'chai'

import { RaftNode, type RaftOptions } from '../../controller/raft/node.ts'
import type { Entry, Message } from '../../controller/raft/types.ts'
import { hard } from '../store/bench.ts'
import { bytes, Member, type ClusterOptions } from './raft-cluster.ts'

export function cluster(nodes = 3, more: Partial<ClusterOptions> = {}) {
  const wire: Message[] = []
  const away = new Set<number>()
  const applied = new Map<number, number[]>()
  const options: ClusterOptions = {
    nodes, electionTicks: 10, heartbeatTicks: 3, maxInflightMessages: 4, maxAppendBytes: 1024, tailEntries: 2,
    random: (id, bound) => id % bound, took: () => undefined, sent: (message) => { wire.push(message) },
    applied: (id, { index }) => { applied.set(id, [...applied.get(id) ?? [], index]) }, ...more }
  const members = Array.from({ length: nodes }, (_unset, at) => new Member(at + 1, options))
  const node = (id: number): RaftNode => members[id - 1]!.node!
  const settle = () => {
    do {
      for (const member of members) member.work()
      for (const message of wire.splice(0)) {
        if (!away.has(message.from) && !away.has(message.to)) members[message.to - 1]!.node?.step(message)
      }
    } while (wire.length > 0 || members.some((member) => member.node?.hasReady() === true))
  }
  const tick = (ticks: number, ...ids: readonly number[]) => {
    for (let at = 0; at < ticks; at++) {
      for (const id of ids) members[id - 1]!.node?.tick()
      settle()
    }
  }
  const lead = (id: number) => {
    node(id).campaign()
    settle()
    expect(node(id).status().role).to.equal('leader')
  }
  const roles = () => members.map(({ node: one }) => one?.status().role)
  return { members, wire, away, applied, node, settle, tick, lead, roles }
}

export function single(more: Partial<RaftOptions> = {}): RaftNode {
  return new RaftNode({
    id: 1, voters: [1, 2, 3], electionTicks: 10, heartbeatTicks: 3, maxInflightMessages: 4, maxAppendBytes: 1024,
    random: () => 0, hardState: hard(0, 0, 0), snapshot: undefined, entries: [], applied: 0, ...more })
}

/** Takes what there is to do, and says it is done. */
export function done(node: RaftNode) {
  const ready = node.ready()
  node.advance(ready)
  return ready
}

export const log = (...terms: readonly number[]): Entry[] => terms.map((term, at) => ({
  index: at + 1, term, data: bytes(`${at + 1}/${term}`) }))

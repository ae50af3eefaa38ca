// Random sequences of commands: what must hold after each of them, and that any snapshot equals the replay.

import { expect } from 'chai'

import { MetadataDelta } from '../../../src/metadata/delta.ts'
import { EMPTY_IMAGE, imageHash, recordsOf, type MetadataImage } from '../../../src/metadata/image.ts'
import { decodeRecord, encodeRecord } from '../../../src/metadata/codec.ts'
import { decodeSnapshot, encodeSnapshot } from '../../../src/metadata/snapshot.ts'
import type { Command, IsrProposal } from '../../../controller/state/commands.ts'
import { seeded } from '../../support/numbers.ts'
import { creation, newTopic, registration, StateCluster } from './cluster.ts'

const BROKERS = 5
const STEPS = 200

/** A command that may or may not make sense now. */
function randomCommand(cluster: StateCluster, random: () => number, step: number): Command {
  const below = (bound: number) => Math.floor(random() * bound)
  const brokerId = below(BROKERS)
  const brokerEpoch = random() < 0.95 ? cluster.image.brokers.get(brokerId)?.epoch ?? 1 : 1
  const topics = [...cluster.image.topics.values()]
  const topic = topics[below(topics.length)]
  const name = random() < 0.8 && topic !== undefined ? topic.name : `t${below(8)}`
  const unclean = String(random() < 0.3)
  const choices: readonly (() => Command)[] = [
    () => ({ ...registration(brokerId), incarnationId: `i${step - below(2)}`, rack: `r${brokerId % 2}`,
      directoryId: random() < 0.9 ? `d${brokerId}` : `d${step}` }),
    ...Array.from({ length: 4 }, () => () => ({ kind: 'unfenceBroker', brokerId, brokerEpoch } as const)),
    () => ({ kind: 'fenceBroker', brokerId, brokerEpoch }),
    () => ({ kind: random() < 0.3 ? 'drainBroker' : random() < 0.9 ? 'resumeBroker' : 'unregisterBroker', brokerId }),
    () => creation([{
      ...newTopic(name), topicId: `id${step}`, partitions: below(4), replicationFactor: below(4),
      configs: [{ key: 'unclean.leader.election.enable', value: unclean }] }], { seed: step }),
    () => ({ kind: 'deleteTopics', names: random() < 0.3 ? [name] : ['none'] }),
    () => ({ kind: 'addPartitions', topics: [{ name, total: below(8) }], partitionsMax: 40, seed: step }),
    () => ({ kind: 'alterConfigs', validateOnly: false, resources: [{
      scope: 'topic', name, set: [{ key: 'unclean.leader.election.enable', value: unclean }], unset: [] }] }),
    () => ({ kind: 'electLeaders', partitions: random() < 0.5 ? [] : [{ topic: name, partition: below(4) }],
      unclean: random() < 0.3 }),
    () => ({ kind: 'rebalanceLeaders', brokers: [0, 1, 2, 3, 4], max: below(5) }),
    () => ({ kind: 'allocateProducerIds', brokerId, brokerEpoch }),
    ...Array.from({ length: 6 }, () => () => randomProposal(cluster.image, random))
  ]
  return choices[below(choices.length)]!()
}

/** From the true leader mostly, about a random subset of the replicas. */
function randomProposal(image: MetadataImage, random: () => number): Command {
  const below = (bound: number) => Math.floor(random() * bound)
  const topics = [...image.topics.values()]
  const topic = topics[below(topics.length)]
  if (topic === undefined) return { kind: 'rebalanceLeaders', brokers: [], max: 0 }
  const partition = below(topic.partitions.length)
  const state = topic.partitions[partition]!
  const skew = () => random() < 0.9 ? 0 : below(3) - 1
  const proposal: IsrProposal = {
    topicId: topic.id, partition, leaderEpoch: state.leaderEpoch + skew(),
    partitionEpoch: state.partitionEpoch + skew(),
    newIsr: state.replicas.filter((id) => id === state.leader || random() < 0.6)
      .map((id) => ({ brokerId: id, brokerEpoch: image.brokers.get(id)?.epoch ?? 0 }))
  }
  const brokerId = random() < 0.9 ? state.leader : below(BROKERS)
  return { kind: 'alterPartition', brokerId, brokerEpoch: image.brokers.get(brokerId)?.epoch ?? 0,
    partitions: [proposal] }
}

function checkState(image: MetadataImage): void {
  for (const topic of image.topics.values()) {
    for (const [index, { replicas, isr, leader }] of topic.partitions.entries()) {
      const what = `${topic.name}-${index}: replicas ${replicas.join()}, isr ${isr.join()}, leader ${leader}`
      expect(new Set(replicas).size, what).to.equal(replicas.length)
      expect(isr.every((id) => replicas.includes(id)) && new Set(isr).size === isr.length, what).to.equal(true)
      expect(leader === -1 || isr.includes(leader), what).to.equal(true)
      // M8: who is out, is out of everything at once; only the last one is waited for.
      for (const id of isr) {
        const fenced = image.brokers.get(id)?.fenced ?? true
        expect(fenced && isr.length > 1, `${what}: ${id} is fenced`).to.equal(false)
        expect(fenced && leader === id, `${what}: ${id} is fenced`).to.equal(false)
      }
    }
  }
}

function checkStep(before: MetadataImage, after: MetadataImage): void {
  for (const [id, topic] of after.topics) {
    for (const [index, next] of topic.partitions.entries()) {
      const old = before.topics.get(id)?.partitions[index]
      if (old === undefined || old === next) continue
      const what = `${topic.name}-${index}: ${JSON.stringify(old)} → ${JSON.stringify(next)}`
      expect(next.partitionEpoch, what).to.equal(old.partitionEpoch + 1)
      expect(next.leaderEpoch === old.leaderEpoch + 1 || (next.leaderEpoch === old.leaderEpoch
        && next.leader === old.leader), what).to.equal(true)
    }
  }
  for (const [id, broker] of after.brokers) {
    expect(broker.epoch).to.be.at.least(before.brokers.get(id)?.epoch ?? 0)
  }
  expect(after.nextProducerId).to.be.at.least(before.nextProducerId)
}

describe('random commands', () => {
  for (let seed = 1; seed <= 30; seed++) {
    it(`keep the metadata sound (seed ${seed})`, () => {
      const random = seeded(seed)
      const cluster = new StateCluster().brokers(0, 1, 2, 3, 4)
      cluster.create('first', { partitions: 3 })
      const topicIds = new Set<string>()
      let replay: MetadataImage = { ...EMPTY_IMAGE, offset: 0 }
      let logged = 0
      let effective = 0
      for (let step = 1; step <= STEPS; step++) {
        const before = cluster.image
        cluster.try(randomCommand(cluster, random, step))
        if (cluster.records.length > 0) effective++
        checkState(cluster.image)
        checkStep(before, cluster.image)
        for (const entry of cluster.log.slice(logged)) {
          const delta = new MetadataDelta(replay)
          for (const record of entry.records) delta.replay(decodeRecord(encodeRecord(record)))
          replay = delta.apply(entry.offset)
          for (const record of entry.records) {
            if (record.kind !== 'topic') continue
            expect(topicIds.has(record.topicId), 'topic ids are not reused').to.equal(false)
            topicIds.add(record.topicId)
          }
        }
        logged = cluster.log.length
        // M4, at every offset: replay, snapshot and image are one.
        expect(replay).to.deep.equal(cluster.image)
        const loaded = decodeSnapshot(encodeSnapshot(cluster.image), cluster.image.offset)
        expect(imageHash(loaded)).to.equal(imageHash(cluster.image))
        expect(recordsOf(loaded)).to.deep.equal(recordsOf(cluster.image))
        expect(recordsOf(MetadataDelta.between(before, loaded).apply(loaded.offset)))
          .to.deep.equal(recordsOf(cluster.image))
      }
      expect(effective, 'commands that changed something').to.be.greaterThan(STEPS / 8)
    })
  }
})

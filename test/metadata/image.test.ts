// Images: replay, sharing, what a delta lists, snapshots that lose nothing, differences that lead from one to another.

import { expect } from 'chai'

import { AssertionError } from '../../src/base/assert.ts'
import { MetadataCodecError } from '../../src/metadata/codec.ts'
import { MetadataDelta } from '../../src/metadata/delta.ts'
import { EMPTY_IMAGE, imageHash, recordsOf, topicByName } from '../../src/metadata/image.ts'
import type { MetadataRecord, PartitionRecord } from '../../src/metadata/records.ts'
import { decodeSnapshot, encodeSnapshot } from '../../src/metadata/snapshot.ts'
import { EACH_KIND, replayed } from './samples.ts'

const partition = (index: number, more: Partial<PartitionRecord> = {}): PartitionRecord => ({
  kind: 'partition', topicId: 't', partition: index, replicas: [1, 2, 3], isr: [1, 2], leader: 1, leaderEpoch: 0,
  partitionEpoch: 0, adding: [], removing: [], leaderRecovering: false, ...more })

describe('metadata image', () => {
  it('holds what the records say', () => {
    const image = replayed(EACH_KIND)
    expect(image.clusterId).to.equal('c')
    expect([...image.brokers.keys()]).to.deep.equal([1, 2])
    expect(image.brokers.get(1)).to.include({ epoch: 1, fenced: false, draining: false, rack: 'a' })
    expect(image.brokers.get(2)).to.include({ epoch: 2, fenced: true, draining: true })
    expect([...image.topics.keys()]).to.deep.equal(['t1'])
    expect(topicByName(image, '__proto__')?.id).to.equal('t1')
    expect(topicByName(image, 'gone')).to.equal(undefined)
    expect(image.topics.get('t1')!.partitions[0]).to.include({ leader: -1, leaderEpoch: 1, partitionEpoch: 1 })
    expect(image.configs.topics).to.deep.equal(new Map([['t1', new Map([['retention.ms', '5']])]]))
    expect(image.configs.brokers.get(1)).to.deep.equal(new Map([['k', 'w']]))
    expect(image.configs.cluster).to.deep.equal(new Map([['k', 'v']]))
    expect(image.nextProducerId).to.equal(2000)
  })

  it('raises the leader epoch only when the leader is set, to the same broker too', () => {
    const base = replayed([{ kind: 'topic', topicId: 't', name: 't' }, partition(0)])
    const isrOnly = replayed([{
      kind: 'partitionChange', topicId: 't', partition: 0, partitionEpoch: 1, isr: [1] }], base)
    expect(isrOnly.topics.get('t')!.partitions[0]).to.include({ leaderEpoch: 0, partitionEpoch: 1 })
    const again = replayed([{
      kind: 'partitionChange', topicId: 't', partition: 0, partitionEpoch: 2, leader: 1 }], isrOnly)
    expect(again.topics.get('t')!.partitions[0]).to.include({ leader: 1, leaderEpoch: 1, partitionEpoch: 2 })
  })

  const base: readonly MetadataRecord[] = [
    ...EACH_KIND, { kind: 'topic', topicId: 't', name: 't' }, partition(0)]
  const contradictions: Record<string, MetadataRecord> = {
    'another cluster id': { kind: 'clusterId', clusterId: 'other' },
    'a topic id used before': { kind: 'topic', topicId: 't', name: 'u' },
    'a partition of no topic': partition(0, { topicId: 'none' }),
    'a partition number left out': partition(2),
    'a change replayed twice': { kind: 'partitionChange', topicId: 't', partition: 0, partitionEpoch: 0, isr: [1] },
    'a change left out': { kind: 'partitionChange', topicId: 't', partition: 0, partitionEpoch: 2, isr: [1] },
    'the removal of no topic': { kind: 'removeTopic', topicId: 'none' },
    'configuration of no topic': { kind: 'config', scope: 'topic', name: 'none', key: 'k', value: 'v' },
    'a change of another broker epoch': { kind: 'brokerChange', brokerId: 1, brokerEpoch: 9, fenced: true },
    'producer ids given twice': { kind: 'producerIds', nextProducerId: 1000 },
    'a request carried out twice': { kind: 'request', requestId: 'r1', command: 'createTopics', reply: '[]' }
  }
  for (const [name, record] of Object.entries(contradictions)) {
    it(`ends on ${name}`, () => {
      expect(() => replayed([record], replayed(base))).to.throw(AssertionError)
    })
  }

  it('ends on a name that two topics have', () => {
    expect(() => replayed([{ kind: 'topic', topicId: 'x', name: 't' }], replayed(base))).to.throw(AssertionError)
  })

  it('frees the name of a removed topic within the same change', () => {
    const next = replayed([{ kind: 'removeTopic', topicId: 't' }, { kind: 'topic', topicId: 'x', name: 't' }],
      replayed(base))
    expect(next.topicIdByName.get('t')).to.equal('x')
  })

  it('remembers the newest requests, by number and by size, and forgets the same ones in a difference', () => {
    const request = (at: number, reply = '[]'): MetadataRecord => (
      { kind: 'request', requestId: `q${at}`, command: 'createTopics', reply })
    const before = replayed(Array.from({ length: 999 }, (_unset, at) => request(at)))
    const after = replayed([request(999), request(1000)], before)
    expect([after.requests.size, after.requests.has('q0'), after.requests.has('q1')]).to.deep.equal([1000, false, true])
    expect([...MetadataDelta.between(before, after).apply(after.offset).requests]).to.deep.equal([...after.requests])

    const large = replayed([request(1001, 'x'.repeat(700_000)), request(1002, 'x'.repeat(700_000))], after)
    expect([...large.requests.keys()]).to.deep.equal(['q1002'])
    expect(replayed([request(1003, 'x'.repeat(2_000_000))], large).requests.size).to.equal(1)
  })

  it('shares what a change does not touch', () => {
    const before = replayed(base)
    const after = replayed([{
      kind: 'partitionChange', topicId: 't', partition: 0, partitionEpoch: 1, isr: [1] }], before)
    expect(after.brokers).to.equal(before.brokers)
    expect(after.configs).to.equal(before.configs)
    expect(after.topicIdByName).to.equal(before.topicIdByName)
    expect(after.topics.get('t1')).to.equal(before.topics.get('t1'))
    expect(before.topics.get('t')!.partitions[0]!.isr).to.deep.equal([1, 2])
    expect(replayed([], before)).to.deep.equal({ ...before, offset: before.offset + 1 })
  })

  it('lists what changed', () => {
    const delta = new MetadataDelta(replayed(base))
    for (const record of [
      { kind: 'partitionChange', topicId: 't', partition: 0, partitionEpoch: 1, isr: [1] },
      { kind: 'removeTopic', topicId: 't1' },
      { kind: 'brokerChange', brokerId: 2, brokerEpoch: 2, fenced: false },
      { kind: 'config', scope: 'broker', name: '1', key: 'k', value: null }
    ] as const) delta.replay(record)
    expect([...delta.changedTopicIds]).to.deep.equal(['t'])
    expect([...delta.changedPartitions('t')]).to.deep.equal([0])
    expect([...delta.deletedTopics.keys()]).to.deep.equal(['t1'])
    expect([...delta.changedBrokers]).to.deep.equal([2])
    expect([...delta.changedBrokerConfigs]).to.deep.equal([1])
    expect([...delta.changedTopicConfigs]).to.deep.equal(['t1'])
    expect(delta.clusterConfigsChanged).to.equal(false)
    const next = delta.apply(99)
    expect(next.configs.brokers.size).to.equal(0)
    expect(next.configs.topics.size).to.equal(0)
  })
})

describe('metadata snapshot', () => {
  it('equals the replay of the log after each record of every kind', () => {
    let image = EMPTY_IMAGE
    for (const record of EACH_KIND) {
      image = replayed([record], image)
      expect(decodeSnapshot(encodeSnapshot(image), image.offset)).to.deep.equal(image)
      expect(replayed(recordsOf(image))).to.deep.equal({ ...image, offset: 0 })
    }
  })

  it('has a hash that tells images apart and knows equal ones', () => {
    const hashes = new Set<string>()
    let image = EMPTY_IMAGE
    for (const record of EACH_KIND) {
      image = replayed([record], image)
      hashes.add(imageHash(image))
      expect(imageHash(replayed(recordsOf(image)))).to.equal(imageHash(image))
    }
    expect(hashes.size).to.be.greaterThan(12)
  })

  it('refuses damage at any byte', () => {
    const bytes = encodeSnapshot(replayed(EACH_KIND))
    for (let at = 0; at < bytes.length; at++) {
      const damaged = bytes.slice()
      damaged[at]! ^= 0x40
      expect(() => decodeSnapshot(damaged, 1), `byte ${at}`).to.throw()
      expect(() => decodeSnapshot(bytes.subarray(0, at), 1), `cut at ${at}`).to.throw(MetadataCodecError)
    }
  })

  it('leads from any image to any later one by their difference', () => {
    const images = EACH_KIND.map((_, end) => replayed(EACH_KIND.slice(0, end + 1)))
    for (const [position, from] of images.entries()) {
      for (const to of images.slice(position)) {
        const delta = MetadataDelta.between(from, to)
        expect(delta.apply(to.offset)).to.deep.equal(to)
      }
    }
  })

  it('finds nothing changed between equal images', () => {
    const image = replayed(EACH_KIND)
    const delta = MetadataDelta.between(image, decodeSnapshot(encodeSnapshot(image), image.offset))
    expect([...delta.changedTopicIds, ...delta.changedBrokers, ...delta.deletedTopics.keys()]).to.deep.equal([])
  })
})

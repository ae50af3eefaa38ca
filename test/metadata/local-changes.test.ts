// What one broker has to do after a change of metadata: one table over the state before and after.

import { expect } from 'chai'

import { MetadataDelta } from '../../src/metadata/delta.ts'
import { localChanges } from '../../src/metadata/local-changes.ts'
import type { MetadataRecord, PartitionImage } from '../../src/metadata/records.ts'
import { replayed } from './samples.ts'

const state = (more: Partial<PartitionImage>): PartitionImage => ({
  replicas: [1, 2, 3], isr: [1, 2, 3], leader: 1, leaderEpoch: 5, partitionEpoch: 9, adding: [], removing: [],
  leaderRecovering: false, ...more })

const topic: MetadataRecord = { kind: 'topic', topicId: 't', name: 'name' }
const partition = (index: number, image: PartitionImage): MetadataRecord => (
  { kind: 'partition', topicId: 't', partition: index, ...image })

/** The kinds that broker `id` gets when partition 0 goes from `before` to `after`. */
function kinds(id: number, before: PartitionImage | undefined, after: PartitionImage): string[] {
  const previous = before === undefined ? replayed([]) : replayed([topic, partition(0, before)])
  const delta = new MetadataDelta(previous)
  if (before === undefined) delta.replay(topic)
  delta.replay(partition(0, after))
  return localChanges(id, delta, previous, delta.apply(1)).map(({ kind }) => kind)
}

describe('local changes', () => {
  const table: readonly [string, number, PartitionImage | undefined, PartitionImage, string[]][] = [
    ['a new partition to lead', 1, undefined, state({}), ['lead']],
    ['a new partition to follow', 2, undefined, state({}), ['follow']],
    ['a new partition elsewhere', 4, undefined, state({}), []],
    ['a new leader here', 2, state({}), state({ leader: 2, leaderEpoch: 6, partitionEpoch: 10 }), ['lead']],
    ['a new leader elsewhere', 1, state({}), state({ leader: 2, leaderEpoch: 6, partitionEpoch: 10 }), ['follow']],
    ['the same leader in a new epoch', 1, state({}), state({ leaderEpoch: 6, partitionEpoch: 10 }), ['lead']],
    ['a follower under the same leader in a new epoch', 2, state({}), state({ leaderEpoch: 6 }), ['follow']],
    ['another ISR in the same epoch', 1, state({}), state({ isr: [1], partitionEpoch: 10 }), ['update']],
    ['another ISR, seen by a follower', 2, state({}), state({ isr: [1], partitionEpoch: 10 }), ['update']],
    ['no leader any more', 1, state({}), state({ leader: -1, leaderEpoch: 6, partitionEpoch: 10 }), ['stop']],
    ['another ISR without a leader', 2, state({ leader: -1 }), state({ leader: -1, isr: [2] }), ['update']],
    ['no replica any more', 3, state({}), state({ replicas: [1, 2], isr: [1, 2], partitionEpoch: 10 }), ['delete']],
    ['a replica added', 4, state({}), state({ replicas: [1, 2, 3, 4], adding: [4], partitionEpoch: 10 }), ['follow']]
  ]
  for (const [name, id, before, after, expected] of table) {
    it(`${name}: ${expected.join() || 'nothing'}`, () => {
      expect(kinds(id, before, after)).to.deep.equal(expected)
    })
  }

  it('deletes first, then leads, then follows, when a topic comes back under its name', () => {
    const previous = replayed([topic, partition(0, state({}))])
    const delta = new MetadataDelta(previous)
    delta.replay({ kind: 'topic', topicId: 'new', name: 'other' })
    for (const [index, leader] of [2, 1].entries()) {
      delta.replay({ kind: 'partition', topicId: 'new', partition: index, ...state({ leader }) })
    }
    delta.replay({ kind: 'removeTopic', topicId: 't' })
    const changes = localChanges(1, delta, previous, delta.apply(1))
    expect(changes.map(({ kind, topicId, topic: name, partition: index }) => [kind, topicId, name, index]))
      .to.deep.equal([['delete', 't', 'name', 0], ['lead', 'new', 'other', 1], ['follow', 'new', 'other', 0]])
  })

  it('names nothing for partitions of a changed topic that were left alone', () => {
    const previous = replayed([topic, partition(0, state({})), partition(1, state({}))])
    const delta = new MetadataDelta(previous)
    delta.replay({ kind: 'partitionChange', topicId: 't', partition: 1, partitionEpoch: 10, leader: 2 })
    expect(localChanges(1, delta, previous, delta.apply(1)).map(({ partition: index }) => index)).to.deep.equal([1])
  })
})

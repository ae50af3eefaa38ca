// Random metadata records of every kind, and a fixed small image, for the tests of this room and of the controller.

import type { MetadataRecord, RecordKind } from '../../src/metadata/records.ts'
import { RECORD_KINDS } from '../../src/metadata/codec.ts'
import { EMPTY_IMAGE, type MetadataImage } from '../../src/metadata/image.ts'
import { MetadataDelta } from '../../src/metadata/delta.ts'

type Body<K extends RecordKind> = Omit<Extract<MetadataRecord, { kind: K }>, 'kind'>

const TEXTS = ['', 'a', '__proto__', 'constructor', 'ünïcode ✓', '\u{feff}x', 'x'.repeat(300)]

/** Values that a field may hold, the nasty ones first among equals. */
export function samplesFor(random: () => number) {
  const below = (bound: number) => Math.floor(random() * bound)
  const text = () => TEXTS[below(TEXTS.length)]!
  const int = () => [-1, 0, 1, 127, 128, 2 ** 31 - 1][below(6)]!
  const offset = () => [-1, 0, 1, 2 ** 32, Number.MAX_SAFE_INTEGER][below(5)]!
  const flag = () => random() < 0.5
  const ids = () => Array.from({ length: below(5) }, int)
  const maybe = <T extends object>(part: T): T | object => flag() ? part : {}
  const bodies: { readonly [K in RecordKind]: () => Body<K> } = {
    clusterId: () => ({ clusterId: text() }),
    topic: () => ({ topicId: text(), name: text() }),
    partition: () => ({
      topicId: text(), partition: int(), replicas: ids(), isr: ids(), leader: int(), leaderEpoch: int(),
      partitionEpoch: int(), adding: ids(), removing: ids(), leaderRecovering: flag() }),
    partitionChange: () => ({
      topicId: text(), partition: int(), partitionEpoch: int(), ...maybe({ isr: ids() }), ...maybe({ leader: int() }),
      ...maybe({ leaderRecovering: flag() }), ...maybe({ replicas: ids() }), ...maybe({ adding: ids() }),
      ...maybe({ removing: ids() }) }),
    removeTopic: () => ({ topicId: text() }),
    config: () => ({
      scope: flag() ? 'topic' : 'broker', name: text(), key: text(), value: flag() ? null : text() }),
    registerBroker: () => ({
      brokerId: int(), brokerEpoch: offset(), incarnationId: text(), address: text(), httpAddress: text(),
      rack: text(), directoryId: text() }),
    brokerChange: () => ({
      brokerId: int(), brokerEpoch: offset(), ...maybe({ fenced: flag() }), ...maybe({ draining: flag() }) }),
    unregisterBroker: () => ({ brokerId: int(), brokerEpoch: offset() }),
    producerIds: () => ({ nextProducerId: offset() }),
    request: () => ({ requestId: text(), command: text(), reply: flag() ? text() : 'x'.repeat(40_000) })
  }
  return { record: (kind: RecordKind) => ({ kind, ...bodies[kind]() }) as MetadataRecord }
}

/** One record of each kind in an order that replays: topic `t1` stays, `t2` goes. */
export const EACH_KIND: readonly MetadataRecord[] = [
  { kind: 'clusterId', clusterId: 'c' },
  { kind: 'registerBroker', brokerId: 1, brokerEpoch: 1, incarnationId: 'i1', address: 'h:1', httpAddress: '',
    rack: 'a', directoryId: 'd1' },
  { kind: 'registerBroker', brokerId: 2, brokerEpoch: 2, incarnationId: 'i2', address: 'h:2', httpAddress: 'h:3',
    rack: '', directoryId: 'd2' },
  { kind: 'registerBroker', brokerId: 3, brokerEpoch: 3, incarnationId: 'i3', address: 'h:4', httpAddress: '',
    rack: '', directoryId: 'd3' },
  { kind: 'brokerChange', brokerId: 1, brokerEpoch: 1, fenced: false },
  { kind: 'brokerChange', brokerId: 2, brokerEpoch: 2, draining: true },
  { kind: 'unregisterBroker', brokerId: 3, brokerEpoch: 3 },
  { kind: 'topic', topicId: 't1', name: '__proto__' },
  { kind: 'partition', topicId: 't1', partition: 0, replicas: [1, 2], isr: [1], leader: 1, leaderEpoch: 0,
    partitionEpoch: 0, adding: [], removing: [], leaderRecovering: false },
  { kind: 'partition', topicId: 't1', partition: 1, replicas: [2, 1], isr: [2, 1], leader: 2, leaderEpoch: 0,
    partitionEpoch: 0, adding: [3], removing: [1], leaderRecovering: true },
  { kind: 'partitionChange', topicId: 't1', partition: 0, partitionEpoch: 1, leader: -1 },
  { kind: 'topic', topicId: 't2', name: 'gone' },
  { kind: 'config', scope: 'topic', name: 't2', key: 'retention.ms', value: '1' },
  { kind: 'removeTopic', topicId: 't2' },
  { kind: 'config', scope: 'topic', name: 't1', key: 'retention.ms', value: '5' },
  { kind: 'config', scope: 'broker', name: '', key: 'k', value: 'v' },
  { kind: 'config', scope: 'broker', name: '1', key: 'k', value: 'w' },
  { kind: 'producerIds', nextProducerId: 2000 },
  { kind: 'request', requestId: 'r1', command: 'createTopics', reply: '[]' }
]

export function replayed(records: readonly MetadataRecord[], base: MetadataImage = EMPTY_IMAGE): MetadataImage {
  const delta = new MetadataDelta(base)
  for (const record of records) delta.replay(record)
  return delta.apply(base.offset + 1)
}

export { RECORD_KINDS }

// A cluster's metadata driven by commands alone: what the active controller does, without Raft. For tests.

import { assert } from '../../../src/base/assert.ts'
import { errorName, type Fault } from '../../../src/base/error-code.ts'
import { MetadataDelta } from '../../../src/metadata/delta.ts'
import { EMPTY_IMAGE, topicByName, type MetadataImage, type PartitionImage } from '../../../src/metadata/image.ts'
import type { MetadataRecord } from '../../../src/metadata/records.ts'
import {
  handle, Refusal, type Command, type CommandOf, type NewTopic, type ReplyOf
} from '../../../controller/state/commands.ts'

export type Tried<C extends Command> = ReplyOf<C['kind']> | Refusal

export class StateCluster {
  image: MetadataImage = { ...EMPTY_IMAGE, offset: 0 }
  /** The records of the last command. */
  records: readonly MetadataRecord[] = []
  /** Every record so far with the metadata offset of its entry. */
  readonly log: { readonly offset: number; readonly records: readonly MetadataRecord[] }[] = []

  constructor() { this.run({ kind: 'formCluster', clusterId: 'c' }) }

  /** Handles and, at once, commits. */
  try<C extends Command>(command: C): Tried<C> {
    const outcome = handle(this.image, command)
    this.records = outcome instanceof Refusal ? [] : outcome.records
    if (this.records.length > 0) {
      const delta = new MetadataDelta(this.image)
      for (const record of this.records) delta.replay(record)
      this.image = delta.apply(this.image.offset + 1)
      this.log.push({ offset: this.image.offset, records: this.records })
    }
    return outcome instanceof Refusal ? outcome : outcome.reply
  }

  run<C extends Command>(command: C): ReplyOf<C['kind']> {
    const tried = this.try(command)
    assert(!(tried instanceof Refusal), () => `${command.kind}: ${(tried as Refusal).fault.message}`)
    return tried
  }

  // ---- brokers ------------------------------------------------------------------------------------------

  register(id: number, more: Partial<CommandOf<'registerBroker'>> = {}): Tried<CommandOf<'registerBroker'>> {
    return this.try({ ...registration(id), ...more })
  }

  /** Registered and unfenced. */
  brokers(...ids: readonly number[]): this {
    for (const id of ids) {
      this.register(id, { incarnationId: `i${this.image.offset}` })
      this.unfence(id)
    }
    return this
  }

  epoch(id: number): number { return this.image.brokers.get(id)!.epoch }
  fence(id: number): void { this.run({ kind: 'fenceBroker', brokerId: id, brokerEpoch: this.epoch(id) }) }
  unfence(id: number): void { this.run({ kind: 'unfenceBroker', brokerId: id, brokerEpoch: this.epoch(id) }) }

  // ---- topics -------------------------------------------------------------------------------------------

  create(name: string, more: Partial<NewTopic> = {}, command: Partial<CommandOf<'createTopics'>> = {}) {
    return this.run(creation([{ ...newTopic(name), topicId: `${name}@${this.image.offset}`, ...more }], command))[0]!
  }

  /** A topic `t` with one partition of this assignment; its ISR is narrowed to `isr`. */
  topic(replicas: readonly number[], isr: readonly number[] = replicas): this {
    this.create('t', { assignment: [replicas] })
    if (isr.length < replicas.length) this.setIsr(isr)
    return this
  }

  setIsr(isr: readonly number[]): void {
    const [result] = this.run(this.proposal(isr))
    assert(result!.fault === undefined, () => `ISR ${isr.join()}: ${result!.fault!.message}`)
  }

  /** The current leader of `t` 0 asks for this ISR, with current epochs. */
  proposal(isr: readonly number[]): CommandOf<'alterPartition'> {
    const { leader, leaderEpoch, partitionEpoch } = this.partition()
    return {
      kind: 'alterPartition', brokerId: leader, brokerEpoch: this.epoch(leader),
      partitions: [{
        topicId: this.topicId(), partition: 0, leaderEpoch, partitionEpoch,
        newIsr: isr.map((id) => ({ brokerId: id, brokerEpoch: this.image.brokers.get(id)?.epoch ?? 0 })) }]
    }
  }

  topicId(name = 't'): string { return topicByName(this.image, name)!.id }
  partition(name = 't', index = 0): PartitionImage { return topicByName(this.image, name)!.partitions[index]! }
}

export function registration(id: number): CommandOf<'registerBroker'> {
  return {
    kind: 'registerBroker', clusterId: 'c', brokerId: id, incarnationId: `i${id}`, address: `h${id}:1`,
    httpAddress: '', rack: '', directoryId: `d${id}` }
}

export function newTopic(name: string): NewTopic {
  return { name, topicId: `id-${name}`, partitions: 0, replicationFactor: 0, configs: [], assignment: [] }
}

export function creation(
  topics: readonly NewTopic[], more: Partial<CommandOf<'createTopics'>> = {}): CommandOf<'createTopics'> {
  return {
    kind: 'createTopics', topics, validateOnly: false, defaults: { partitions: 1, replicationFactor: 3 },
    partitionsMax: 100_000, seed: 1, ...more }
}

/** The name of an error, '' for none. */
export function nameOf(result: Refusal | { readonly fault: Fault | undefined } | undefined): string {
  return result?.fault === undefined ? '' : errorName(result.fault.code)
}

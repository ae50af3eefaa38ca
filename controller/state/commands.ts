// Every command of the active controller, and the one way to handle it: (image, command) → reply and records.
//
// Handlers compute and nothing else: no clock, no randomness but the seeds and ids inside the command, no state. What
// they decide becomes true by replaying the records (src/metadata/delta.ts) once they are committed.

import type { MetadataImage } from '../../src/metadata/image.ts'
import {
  allocateProducerIds, drainBroker, fenceBroker, registerBroker, resumeBroker, unfenceBroker, unregisterBroker
} from './brokers.ts'
import { alterConfigs } from './configs.ts'
import { electLeaders, rebalanceLeaders } from './leadership.ts'
import type { Refusal, Outcome } from './outcome.ts'
import { alterPartition } from './partitions.ts'
import { addPartitions, createTopics, deleteTopics } from './topics.ts'

export { Refusal, type Outcome } from './outcome.ts'
export { PARTITIONS_MAX } from './topics.ts'
export type { AlterConfigs, AlterConfigResult, ConfigAlteration } from './configs.ts'
export type { AlterPartitionResult, IsrProposal } from './partitions.ts'
export type { CreateTopicResult, CreateTopics, NewTopic, TopicResult } from './topics.ts'
export { hasHeirs, type ElectResult } from './leadership.ts'

/** Written once, by the first active controller there ever was: the cluster has its id from then on. */
export interface FormCluster { readonly kind: 'formCluster'; readonly clusterId: string }

function formCluster(image: MetadataImage, { clusterId }: FormCluster): Outcome<undefined> {
  return { reply: undefined, records: image.clusterId === '' ? [{ kind: 'clusterId', clusterId }] : [] }
}

const HANDLERS = {
  formCluster, createTopics, deleteTopics, addPartitions, alterConfigs, registerBroker, unregisterBroker,
  fenceBroker, unfenceBroker, drainBroker, resumeBroker, alterPartition, electLeaders, rebalanceLeaders,
  allocateProducerIds
}

export type CommandKind = keyof typeof HANDLERS
export type CommandOf<K extends CommandKind> = Parameters<(typeof HANDLERS)[K]>[1]
export type Command = CommandOf<CommandKind>
type HandledBy<K extends CommandKind> = ReturnType<(typeof HANDLERS)[K]>
export type ReplyOf<K extends CommandKind> = Exclude<HandledBy<K>, Refusal>['reply']

/** `image` is the state as all commands before this one leave it, committed or not. */
export function handle<C extends Command>(image: MetadataImage, command: C): Outcome<ReplyOf<C['kind']>> | Refusal {
  const handler = HANDLERS[command.kind] as (
    image: MetadataImage, command: Command) => Outcome<ReplyOf<C['kind']>> | Refusal
  return handler(image, command)
}

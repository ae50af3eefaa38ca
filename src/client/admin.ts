// The administration calls: public types in, messages of the protocol out. Whatever changes something carries an id, by
// which the cluster knows a repetition after a lost answer.

import { ErrorCode, weirError, WeirError } from '../base/error-code.ts'
import type { Method } from '../ports.ts'
import type { NewTopic as WireTopic, PartitionMetadata } from '../rpc/messages.ts'
import { methods } from '../rpc/protos.ts'
import { errorOf } from './failures.ts'
import { resolvePositions } from './offsets.ts'
import type { Router } from './router.ts'
import type {
  Admin, ClusterDescription, ConfigChange, ConfigResource, ConfigValue, CreatedTopic, NewTopic, Outcome,
  PartitionDescription, PartitionListing, PartitionOffset, Position, QuorumDescription, TopicDescription, TopicListing,
  TopicPartition
} from './types.ts'

const TOPIC_SCOPE = 0
const BROKER_SCOPE = 1
const WAIT_POLL_MS = 20

export class WeirAdmin implements Admin {
  readonly #router: Router

  constructor(router: Router) {
    this.#router = router
  }

  async createTopic(topic: NewTopic & { readonly validateOnly?: boolean }): Promise<CreatedTopic> {
    const [outcome] = await this.createTopics([topic], { validateOnly: topic.validateOnly ?? false })
    const { error, ...created } = outcome!
    if (error !== undefined) throw error
    return created
  }

  async createTopics(topics: readonly NewTopic[], options: { readonly validateOnly?: boolean } = {}):
    Promise<readonly Outcome<CreatedTopic>[]> {
    const response = await this.#change(methods.admin.createTopics, {
      topics: topics.map(wireTopic), validateOnly: options.validateOnly ?? false })
    return response.topics.map(({ name, status, topicId, partitions, replicationFactor }) => (
      { name, topicId, partitions, replicationFactor, error: errorOf(status) }))
  }

  async deleteTopic(name: string): Promise<void> {
    const response = await this.#change(methods.admin.deleteTopics, { names: [name] })
    throwIf(errorOf(only(response.topics).status))
  }

  async listTopics(): Promise<readonly TopicListing[]> {
    return (await this.#call(methods.admin.listTopics, {})).topics.map(
      ({ name, topicId, partitions, replicationFactor }) => ({ name, topicId, partitions, replicationFactor }))
  }

  async describeTopic(name: string): Promise<TopicDescription> {
    const { topic, configs } = only((await this.#call(methods.admin.describeTopics, { names: [name] })).topics)
    if (topic === null) throw weirError('UNKNOWN_SERVER_ERROR', `no description of topic ${name} in the answer`)
    throwIf(errorOf(topic.status))
    return {
      name: topic.name, topicId: topic.topicId, partitions: topic.partitions.map(describePartition),
      configs: Object.fromEntries(configs.map(({ key, value }) => [key, value]))
    }
  }

  async addPartitions(name: string, total: number): Promise<void> {
    const response = await this.#change(methods.admin.addPartitions, { topics: [{ name, total }] })
    throwIf(errorOf(only(response.topics).status))
  }

  async describeConfigs(resource: ConfigResource): Promise<readonly ConfigValue[]> {
    const response = await this.#call(methods.admin.describeConfigs, { resources: [wireResource(resource)] })
    const { status, values } = only(response.resources)
    throwIf(errorOf(status))
    return values.map(({ key, value, source, type, unit, doc }) => ({ key, value, source, type, unit, doc }))
  }

  async alterConfigs(resource: ConfigResource, change: ConfigChange): Promise<void> {
    const response = await this.#change(methods.admin.alterConfigs, {
      validateOnly: change.validateOnly ?? false,
      resources: [{ resource: wireResource(resource), set: entries(change.set), unset: [...change.unset ?? []] }]
    })
    throwIf(errorOf(only(response.resources).status))
  }

  async describeCluster(): Promise<ClusterDescription> {
    const { health, ...cluster } = await this.#call(methods.admin.describeCluster, {})
    return {
      ...cluster,
      health: health ?? { topics: 0, partitions: 0, leaderless: 0, underReplicated: 0, underMinIsr: 0 }
    }
  }

  async listPartitions(topics: readonly string[] = [], onlyUnhealthy = false): Promise<readonly PartitionListing[]> {
    const response = await this.#call(methods.admin.listPartitions, { topics: [...topics], onlyUnhealthy })
    return response.partitions.flatMap(({ topic, partition }) => (
      partition === null ? [] : [{ topic, ...describePartition(partition) }]))
  }

  async electLeaders(partitions: readonly TopicPartition[], options: { readonly unclean?: boolean } = {}):
    Promise<readonly Outcome<TopicPartition>[]> {
    const response = await this.#change(methods.admin.electLeaders, {
      partitions: partitions.map(({ topic, partition }) => ({ topic, partition })), unclean: options.unclean ?? false })
    return response.partitions.map(({ topic, partition, status }) => ({ topic, partition, error: errorOf(status) }))
  }

  async drainBroker(id: number): Promise<{ readonly moved: number; readonly remaining: number }> {
    const { moved, remaining } = await this.#change(methods.admin.drainBroker, { id })
    return { moved, remaining }
  }

  async resumeBroker(id: number): Promise<void> {
    await this.#change(methods.admin.resumeBroker, { id })
  }

  describeQuorum(): Promise<QuorumDescription> {
    return this.#call(methods.admin.describeQuorum, {})
  }

  async transferLeadership(to: number): Promise<{ readonly leaderId: number }> {
    const { leaderId } = await this.#call(methods.admin.transferLeadership, { to })
    return { leaderId }
  }

  async offsets(topic: string, position: Position, partitions?: readonly number[]):
    Promise<readonly PartitionOffset[]> {
    const deadlineMs = this.#deadlineMs
    const { length } = (await this.#router.follow(topic, deadlineMs)).partitions
    const wanted = partitions ?? Array.from({ length }, (_, index) => index)
    const places = await resolvePositions(
      this.#router, wanted.map((partition) => ({ topic, partition, position })), deadlineMs)
    return places.map(({ offset, timestamp }, index) => ({ partition: wanted[index]!, offset, timestamp }))
  }

  async waitForTopic(name: string, timeoutMs: number): Promise<TopicDescription> {
    const router = this.#router
    const deadlineMs = router.nowMs + timeoutMs
    for (;;) {
      const known = await router.follow(name, deadlineMs).catch((error: unknown) => {
        if (error instanceof WeirError && error.code === ErrorCode.UNKNOWN_TOPIC_OR_PARTITION) return undefined
        throw error
      })
      if (known?.partitions.every(({ address }) => address !== '') === true) return this.describeTopic(name)
      if (router.nowMs >= deadlineMs) {
        const without = known?.partitions.filter(({ address }) => address === '').length
        throw weirError('REQUEST_TIMED_OUT', `topic ${name} was not ready within ${timeoutMs} ms: ` +
          (without === undefined ? 'no broker knows it' : `${without} partitions have no leader`),
          '`weir partition list --unhealthy` shows them')
      }
      await router.lifetime.sleep(WAIT_POLL_MS)
      await router.lifetime.within(router.refresh()).catch((error: unknown) => {
        if (!(error instanceof WeirError)) throw error
      })
    }
  }

  get #deadlineMs(): number { return this.#router.nowMs + this.#router.timeoutMs }

  #call<Req, Res>(method: Method<Req, Res>, request: Req): Promise<Res> {
    return this.#router.callAny(method, request, this.#deadlineMs)
  }

  /** Every attempt carries the same id: it is carried out once. */
  #change<Req extends { readonly requestId: string }, Res>(
    method: Method<Req, Res>, request: Omit<Req, 'requestId'>): Promise<Res> {
    return this.#call(method, { ...request, requestId: this.#router.ports.random.id() } as Req)
  }
}

function throwIf(error: WeirError | undefined): void {
  if (error !== undefined) throw error
}

function only<T>(items: readonly T[]): T {
  const [item] = items
  if (item === undefined) throw weirError('UNKNOWN_SERVER_ERROR', 'the answer is empty')
  return item
}

function wireTopic(topic: NewTopic): WireTopic {
  return {
    name: topic.name, partitions: topic.partitions ?? 0, replicationFactor: topic.replicationFactor ?? 0,
    configs: entries(topic.configs),
    assignment: (topic.assignment ?? []).map((brokers) => ({ brokers: [...brokers] }))
  }
}

function entries(configs: Readonly<Record<string, string>> | undefined): { key: string; value: string }[] {
  return Object.entries(configs ?? {}).map(([key, value]) => ({ key, value }))
}

function wireResource({ scope, name }: ConfigResource): { scope: 0 | 1; name: string } {
  return { scope: scope === 'topic' ? TOPIC_SCOPE : BROKER_SCOPE, name }
}

function describePartition(wire: PartitionMetadata): PartitionDescription {
  const { partition, leader, leaderEpoch, partitionEpoch, replicas, isr } = wire
  return { partition, leader, leaderEpoch, partitionEpoch, replicas, isr }
}

// Admin: topics and configuration.

import { fault, weirError, type Fault } from '../../src/base/error-code.ts'
import type { ControllerConfig, Key } from '../../src/config/keys.ts'
import { BROKER_KEYS, formatValue, TOPIC_KEYS } from '../../src/config/keys.ts'
import { NO_CONFIGS, topicByName, type ConfigEntries, type MetadataImage } from '../../src/metadata/image.ts'
import type { Handler, Random } from '../../src/ports.ts'
import type {
  AlterConfigsRequest, AlterConfigsResponse, ConfigDescription, ConfigResource, ConfigValue, CreateTopicsRequest,
  CreateTopicsResponse, TopicDescription
} from '../../src/rpc/messages.ts'
import { okStatus, statusOf } from '../../src/rpc/outcome.ts'
import { methods } from '../../src/rpc/protos.ts'
import { topicMetadata } from '../../src/rpc/topic-metadata.ts'
import type { ActiveController } from '../active-controller.ts'
import type { BrokerSessions } from '../broker-sessions.ts'
import type { Forwarder } from './forward.ts'

/** Topics or resources named by one request. */
const ITEMS_MAX = 1_000
/** Longest wait for the brokers to know a change before it is answered. */
const SETTLE_MS = 1_000
const TOPIC_SCOPE = 0

export interface TopicServiceNeeds {
  readonly controller: ActiveController
  readonly sessions: BrokerSessions
  readonly random: Random
  readonly forwarder: Forwarder
  readonly config: ControllerConfig
}

export function topicService(needs: TopicServiceNeeds): readonly Handler[] {
  const { controller, forwarder } = needs
  const settled = () => settle(needs)
  return [
    forwarder.once(methods.admin.createTopics, async (request) => {
      bounded(request.topics)
      const response = await createTopics(needs, request)
      if (!request.validateOnly) await settled()
      return response
    }),
    forwarder.once(methods.admin.deleteTopics, async ({ names, requestId }) => {
      bounded(names)
      const results = await controller.submit({ kind: 'deleteTopics', names }, requestId)
      await settled()
      return { topics: results.map(topicStatus) }
    }),
    forwarder.once(methods.admin.addPartitions, async ({ topics, requestId }) => {
      bounded(topics)
      const results = await controller.submit({
        kind: 'addPartitions', topics, partitionsMax: needs.config['max.partitions'], seed: needs.random.uint32()
      }, requestId)
      await settled()
      return { topics: results.map(topicStatus) }
    }),
    forwarder.active(methods.admin.describeTopics, async ({ names }) => {
      bounded(names)
      const image = await controller.read()
      return { topics: names.map((name) => describeTopic(image, name)) }
    }),
    forwarder.active(methods.admin.listTopics, async () => {
      const image = await controller.read()
      return {
        topics: [...image.topics.values()].map(({ name, id, partitions }) => ({
          name, topicId: id, partitions: partitions.length, replicationFactor: partitions[0]?.replicas.length ?? 0
        })).sort((a, b) => (a.name < b.name ? -1 : 1))
      }
    }),
    forwarder.active(methods.admin.describeConfigs, async ({ resources }) => {
      bounded(resources)
      const image = await controller.read()
      return { resources: resources.map((resource) => describeConfigs(image, resource)) }
    }),
    forwarder.once(methods.admin.alterConfigs, async (request) => {
      bounded(request.resources)
      const response = await alterConfigs(controller, request)
      if (!request.validateOnly) await settled()
      return response
    })
  ]
}

function bounded(items: readonly unknown[]): void {
  if (items.length <= ITEMS_MAX) return
  throw weirError('INVALID_REQUEST', `${items.length} items in one request, at most ${ITEMS_MAX} are taken`, 'split it')
}

/** Brokers that are heard act on the change before it is answered: a topic just created can be written to. */
async function settle({ controller, sessions }: TopicServiceNeeds): Promise<void> {
  const { image } = controller
  const active = [...image.brokers.values()].filter(({ id, fenced }) => !fenced && sessions.isConnected(id))
  await sessions.whenAt(image.offset, active.map(({ id }) => id), SETTLE_MS)
}

async function createTopics(needs: TopicServiceNeeds, request: CreateTopicsRequest): Promise<CreateTopicsResponse> {
  const results = await needs.controller.submit({
    kind: 'createTopics', validateOnly: request.validateOnly, seed: needs.random.uint32(),
    partitionsMax: needs.config['max.partitions'],
    defaults: {
      partitions: needs.config['num.partitions'], replicationFactor: needs.config['default.replication.factor'] },
    topics: request.topics.map(({ name, partitions, replicationFactor, configs, assignment }) => ({
      name, topicId: needs.random.id(), partitions, replicationFactor, configs,
      assignment: assignment.map(({ brokers }) => brokers) }))
  }, request.requestId)
  return {
    topics: results.map(({ name, fault: refused, topicId, partitions, replicationFactor }) => ({
      name, status: statusOf(refused), topicId, partitions, replicationFactor }))
  }
}

function topicStatus({ name, fault: refused }: { readonly name: string; readonly fault: Fault | undefined }) {
  return { name, status: statusOf(refused) }
}

function describeTopic(image: MetadataImage, name: string): TopicDescription {
  const topic = topicByName(image, name)
  if (topic === undefined) {
    const status = statusOf(fault('UNKNOWN_TOPIC_OR_PARTITION', `there is no topic ${name}`, '`weir topic list`'))
    return { topic: { status, name, topicId: '', partitions: [] }, configs: [] }
  }
  const configs = image.configs.topics.get(topic.id) ?? NO_CONFIGS
  return { topic: topicMetadata(topic), configs: [...configs].map(([key, value]) => ({ key, value })) }
}

function describeConfigs(image: MetadataImage, resource: ConfigResource): ConfigDescription {
  if (resource.scope === TOPIC_SCOPE) {
    const topic = topicByName(image, resource.name)
    if (topic === undefined) {
      return { resource, values: [], status: statusOf(
        fault('UNKNOWN_TOPIC_OR_PARTITION', `there is no topic ${resource.name}`, '`weir topic list`')) }
    }
    const set = image.configs.topics.get(topic.id) ?? NO_CONFIGS
    return { resource, status: okStatus, values: values(TOPIC_KEYS, [['topic', set]]) }
  }
  const id = /^\d{1,10}$/.test(resource.name) ? Number(resource.name) : -1
  if (resource.name !== '' && !image.brokers.has(id)) {
    return { resource, values: [], status: statusOf(
      fault('BROKER_ID_NOT_REGISTERED', `broker ${resource.name} is not registered`, '`weir node list`')) }
  }
  const own = resource.name === '' ? NO_CONFIGS : image.configs.brokers.get(id) ?? NO_CONFIGS
  const layers = [['broker', own], ['cluster', image.configs.cluster]] as const
  return { resource, status: okStatus, values: values(BROKER_KEYS, layers) }
}

/** Every key with the value in force, and where it comes from: the first layer that sets it, else the default. */
function values(
  table: Readonly<Record<string, Key>>, layers: readonly (readonly [string, ConfigEntries])[]): ConfigValue[] {
  return Object.entries(table).map(([key, row]) => {
    const layer = layers.find(([, entries]) => entries.has(key))
    return {
      key, value: layer?.[1].get(key) ?? formatValue(row.default), source: layer?.[0] ?? 'default', type: row.type,
      unit: 'unit' in row ? row.unit : '', doc: row.doc }
  })
}

async function alterConfigs(
  controller: ActiveController, request: AlterConfigsRequest): Promise<AlterConfigsResponse> {
  const results = await controller.submit({
    kind: 'alterConfigs', validateOnly: request.validateOnly,
    resources: request.resources.map(({ resource, set, unset }) => ({
      scope: (resource?.scope ?? TOPIC_SCOPE) === TOPIC_SCOPE ? 'topic' : 'broker', name: resource?.name ?? '',
      set, unset }))
  }, request.requestId)
  return {
    resources: results.map(({ fault: refused }, index) => ({
      resource: request.resources[index]!.resource, status: statusOf(refused) }))
  }
}

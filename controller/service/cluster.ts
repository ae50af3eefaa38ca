// Admin: the cluster as it is, leadership, drain, and the controllers themselves.

import { fault, WeirError, weirError } from '../../src/base/error-code.ts'
import { topicConfig, type NodeAddress } from '../../src/config/keys.ts'
import { NO_CONFIGS, topicByName, type BrokerImage, type MetadataImage } from '../../src/metadata/image.ts'
import type { Clock, Handler } from '../../src/ports.ts'
import type {
  BrokerDescription, ClusterHealth, DescribeClusterResponse, DescribeQuorumResponse, PartitionListing
} from '../../src/rpc/messages.ts'
import { statusOf } from '../../src/rpc/outcome.ts'
import { methods } from '../../src/rpc/protos.ts'
import { partitionMetadata } from '../../src/rpc/topic-metadata.ts'
import type { ActiveController } from '../active-controller.ts'
import type { BrokerSessions } from '../broker-sessions.ts'
import type { Forwarder } from './forward.ts'
import type { Pauses } from './pauses.ts'

const POLL_MS = 10
const ELECT_PARTITIONS_MAX = 100_000

/** The Raft node as this service sees it. */
export interface Quorum {
  status(): {
    readonly term: number; readonly commit: number; readonly last: number; readonly leaderId: number
    /** Who is to take over; 0 = nobody. */
    readonly transferee: number
    readonly followers: readonly { readonly id: number; readonly match: number }[]
  }
  transfer(to: number): boolean
}

export interface ClusterServiceNeeds {
  readonly nodeId: number
  readonly controller: ActiveController
  readonly sessions: BrokerSessions
  readonly quorum: Quorum
  readonly forwarder: Forwarder
  readonly clock: Clock
  readonly pauses: Pauses
  /** A controller that is silent for longer may be gone. */
  readonly electionTimeoutMs: number
  controllers(): readonly NodeAddress[]
  /** When a controller was heard last, monotonic ms; undefined = never. */
  lastHeardMs(nodeId: number): number | undefined
}

export function clusterService(needs: ClusterServiceNeeds): readonly Handler[] {
  const { controller, forwarder } = needs
  return [
    forwarder.active(methods.admin.describeCluster, async () => describeCluster(needs, await controller.read())),
    forwarder.active(methods.admin.listPartitions, async ({ topics, onlyUnhealthy }) => {
      const image = await controller.read()
      return { partitions: [...listPartitions(image, topics)].filter((listing) => !onlyUnhealthy || isIll(listing)) }
    }),
    forwarder.once(methods.admin.electLeaders, async ({ partitions, unclean, requestId }) => {
      if (partitions.length > ELECT_PARTITIONS_MAX) {
        throw weirError('INVALID_REQUEST',
          `${partitions.length} partitions in one request, at most ${ELECT_PARTITIONS_MAX} are taken`, 'split it')
      }
      const results = await controller.submit({ kind: 'electLeaders', partitions, unclean }, requestId)
      return {
        partitions: results.map(({ topic, partition, fault: refused }) => ({
          topic, partition, status: statusOf(refused) }))
      }
    }),
    forwarder.once(methods.admin.drainBroker, ({ id, requestId }) =>
      controller.submit({ kind: 'drainBroker', brokerId: id }, requestId)),
    forwarder.once(methods.admin.resumeBroker, async ({ id, requestId }) => {
      await controller.submit({ kind: 'resumeBroker', brokerId: id }, requestId)
      return {}
    }),
    forwarder.active(methods.admin.describeQuorum, () => Promise.resolve(describeQuorum(needs))),
    forwarder.active(methods.admin.transferLeadership, ({ to }, caller) => transfer(needs, to, caller.timeoutMs))
  ]
}

// ---- cluster ------------------------------------------------------------------------------------------------

function describeCluster(needs: ClusterServiceNeeds, image: MetadataImage): DescribeClusterResponse {
  const { leaderId, term } = needs.controller.leadership
  const leads = new Map<number, number>()
  const replicas = new Map<number, number>()
  const health = { topics: image.topics.size, partitions: 0, leaderless: 0, underReplicated: 0, underMinIsr: 0 }
  for (const topic of image.topics.values()) {
    const minIsr = topicConfig(image.configs.topics.get(topic.id) ?? NO_CONFIGS)['min.insync.replicas']
    for (const partition of topic.partitions) {
      health.partitions++
      if (partition.leader === -1) health.leaderless++
      if (partition.isr.length < partition.replicas.length) health.underReplicated++
      if (partition.isr.length < Math.min(minIsr, partition.replicas.length)) health.underMinIsr++
      leads.set(partition.leader, (leads.get(partition.leader) ?? 0) + 1)
      for (const id of partition.replicas) replicas.set(id, (replicas.get(id) ?? 0) + 1)
    }
  }
  return {
    clusterId: image.clusterId, metadataOffset: image.offset, controllerId: leaderId, controllerEpoch: term,
    brokers: [...image.brokers.values()].sort((a, b) => a.id - b.id).map((broker) => describeBroker(needs, broker, {
      leads: leads.get(broker.id) ?? 0, replicas: replicas.get(broker.id) ?? 0 })),
    controllers: needs.controllers().map(({ id, address }) => ({ id, address, active: id === leaderId })),
    health: health satisfies ClusterHealth
  }
}

function describeBroker(
  { sessions }: ClusterServiceNeeds, broker: BrokerImage,
  counts: { readonly leads: number; readonly replicas: number }): BrokerDescription {
  const { id, address, rack, epoch, httpAddress } = broker
  const metadataOffset = sessions.metadataOffset(id)
  const starting = sessions.isHeard(id) && metadataOffset < 0
  const state = !broker.fenced ? broker.draining ? 'draining' : 'active' : starting ? 'starting' : 'fenced'
  return { id, address, rack, brokerEpoch: epoch, state, ...counts, metadataOffset, httpAddress }
}

/** `topics` empty = all; an unknown one refuses the whole call. */
function* listPartitions(image: MetadataImage, topics: readonly string[]): Iterable<PartitionListing> {
  const wanted = topics.length === 0 ? image.topics.values() : topics.map((name) => {
    const topic = topicByName(image, name)
    if (topic !== undefined) return topic
    throw new WeirError(fault('UNKNOWN_TOPIC_OR_PARTITION', `there is no topic ${name}`, '`weir topic list`'))
  })
  for (const topic of wanted) {
    for (const [index, partition] of topic.partitions.entries()) {
      yield { topic: topic.name, partition: partitionMetadata(index, partition) }
    }
  }
}

function isIll({ partition }: PartitionListing): boolean {
  return partition === null || partition.leader === -1 || partition.isr.length < partition.replicas.length
}

// ---- controllers --------------------------------------------------------------------------------------------

function describeQuorum(needs: ClusterServiceNeeds): DescribeQuorumResponse {
  const { term, commit, last, followers } = needs.quorum.status()
  const nowMs = needs.clock.monotonicMs()
  return {
    leaderId: needs.nodeId, term, commitIndex: commit,
    voters: needs.controllers().map(({ id, address }) => {
      if (id === needs.nodeId) return { id, address, role: 'leader', matchIndex: last, lastContactMs: 0 }
      const silentMs = nowMs - (needs.lastHeardMs(id) ?? -Infinity)
      return {
        id, address, role: silentMs <= needs.electionTimeoutMs ? 'follower' : 'unknown',
        matchIndex: followers.find((one) => one.id === id)?.match ?? 0,
        lastContactMs: silentMs === Infinity ? -1 : Math.round(silentMs) }
    })
  }
}

/** Resolves when `to` leads. Rejects when Raft gave the transfer up, or after half of the caller's time. */
async function transfer(needs: ClusterServiceNeeds, to: number, timeoutMs: number): Promise<{ leaderId: number }> {
  const { nodeId, controller, quorum, clock, pauses } = needs
  if (to === nodeId) return { leaderId: to }
  if (!needs.controllers().some(({ id }) => id === to)) {
    throw weirError('INVALID_REQUEST', `controller ${to} is not one of the voters`, '`weir quorum status` shows them')
  }
  if (!quorum.transfer(to)) throw new WeirError(controller.notController())
  const deadlineMs = clock.monotonicMs() + timeoutMs / 2
  while (controller.leadership.leaderId !== to) {
    const givenUp = controller.leadership.leaderId === nodeId && quorum.status().transferee !== to
    if (givenUp || pauses.closed || clock.monotonicMs() >= deadlineMs) {
      throw weirError('REQUEST_TIMED_OUT', `controller ${to} did not take over in time`,
        'it may be down or far behind: see `weir quorum status`')
    }
    await pauses.for(POLL_MS)
  }
  return { leaderId: to }
}

// Composition root of a controller: constructs the parts, connects them, fixes the order of start and stop.

import { weirError } from '../src/base/error-code.ts'
import { formatValue, type ControllerConfig, type NodeAddress } from '../src/config/keys.ts'
import type { Clock, Listener, Ports } from '../src/ports.ts'
import { ActiveController } from './active-controller.ts'
import { MetadataFeed } from './metadata-feed.ts'
import { RaftDriver, type StateMachine } from './raft-driver.ts'
import { RaftTransport, votersHash } from './raft-transport.ts'
import { brokerService, type Watch } from './service/broker.ts'
import { clusterService } from './service/cluster.ts'
import { Forwarder } from './service/forward.ts'
import { Pauses } from './service/pauses.ts'
import { raftService } from './service/raft.ts'
import { topicService } from './service/topics.ts'
import { RaftStore } from './store/raft-store.ts'
import { Upkeep } from './upkeep.ts'

const CLOSE_GRACE_MS = 300
const HANDOVER_WAIT_MS = 500
const POLL_MS = 5

export interface ControllerStatus {
  readonly active: boolean
  /** Raft leader as known here, -1 = unknown. */
  readonly leaderId: number
  readonly term: number
  /** Last metadata offset applied. */
  readonly metadataOffset: number
}

export interface RunningController {
  readonly id: number
  /** host:port of the gRPC listener. */
  readonly address: string
  status(): ControllerStatus
  /** Hands Raft leadership over when it has it, ends streams, closes the store. */
  close(): Promise<void>
}

export interface ControllerOptions {
  /** Where the voters are; `config.controllers` unless a test learns the ports later. */
  readonly controllers?: () => readonly NodeAddress[]
  /** Shown the inside before anything happens in it: for checkers, which only look. */
  readonly observe?: (inside: { readonly controller: ActiveController; readonly driver: RaftDriver }) => void
}

/**
 * Rejects when this node is none of the voters, when the data directory belongs to another node, is in use or damaged,
 * or when the address cannot be bound.
 */
export async function startController(
  config: ControllerConfig, ports: Ports, options: ControllerOptions = {}): Promise<RunningController> {
  const nodeId = config['node.id']
  const logger = ports.logger.with({ controller: nodeId })
  const voters = config.controllers.map(({ id }) => id)
  if (!voters.includes(nodeId)) {
    throw weirError('INVALID_CONFIG', `node.id=${nodeId} is none of controllers=${formatValue(config.controllers)}`,
      'correct one of the two: `controllers` is the same on every controller')
  }
  const store = await RaftStore.open({
    disk: ports.disk, openKeyValueStore: ports.openKeyValueStore, dir: config['data.dir'], nodeId,
    clusterId: config['cluster.id'], votersHash: votersHash(voters), logger, random: ports.random })
  let parts: Parts
  let listener: Listener
  try {
    parts = connect(config, { ...ports, logger }, store, options)
    options.observe?.(parts)
    listener = await ports.network.listen(config.listen, parts.handlers)
  } catch (error) {
    await store.close()
    throw error
  }
  parts.driver.start()
  let closing: Promise<void> | undefined
  return {
    id: nodeId,
    address: listener.address,
    status: () => {
      const { leaderId, term } = parts.controller.leadership
      return { active: parts.controller.isActive, leaderId, term, metadataOffset: parts.controller.image.offset }
    },
    close: () => {
      closing ??= stop(parts, ports, listener, store)
      return closing
    }
  }
}

type Parts = ReturnType<typeof connect>

function connect(config: ControllerConfig, ports: Ports, store: RaftStore, options: ControllerOptions) {
  const { clock, timers, network, logger } = ports
  const nodeId = config['node.id']
  const controllers = options.controllers ?? (() => config.controllers)
  const addressOf = (id: number) => controllers().find((one) => one.id === id)?.address ?? ''
  const watches = new Set<Watch>()
  const upkeep = new Upkeep({
    clusterId: config['cluster.id'], clock, timers, logger,
    metrics: ports.metrics, controller: () => controller,
    sessionTimeoutMs: config['broker.session.timeout.ms'],
    fenceOnHints: config['broker.fence.on.connection.loss'], graceMs: config['broker.connection.loss.grace.ms'],
    rebalanceDelayMs: config['leader.rebalance.delay.ms'] })
  const { sessions } = upkeep
  const controller: ActiveController = new ActiveController({
    nodeId, logger, metrics: ports.metrics, queueMax: config['controller.queue.max'], addressOf,
    propose: (data) => driver.propose(data),
    readBarrier: () => driver.readBarrier(),
    activated: () => { upkeep.begin() },
    deactivated: () => {
      upkeep.end()
      for (const watch of [...watches]) watch.retire()
    },
    applied: (data, delta, image) => {
      feed.append(data, image)
      if (controller.isActive) upkeep.committed(delta)
    },
    restored: (image) => { feed.restart(image) } })
  const feed = new MetadataFeed(controller.image)
  const machine: StateMachine = {
    leadershipChanged: (leadership) => { controller.leadershipChanged(leadership) },
    committed: (entries) => {
      controller.committed(entries)
      feed.flush()
    },
    takeSnapshot: () => controller.takeSnapshot(),
    restore: (index, data) => { controller.restore(index, data) } }
  const transport: RaftTransport = new RaftTransport({
    nodeId, clusterId: config['cluster.id'], voters: config.controllers.map(({ id }) => id), clock, network,
    logger, addressOf, receive: (messages) => { driver.step(messages) },
    unreachable: (id) => { driver.unreachable(id) },
    connectionLost: (id) => { driver.connectionLost(id) },
    snapshotSent: (id, ok) => { driver.snapshotSent(id, ok) } })
  const driver: RaftDriver = new RaftDriver({
    nodeId, voters: config.controllers.map(({ id }) => id), timers, random: ports.random.fork('raft'), logger,
    metrics: ports.metrics, store, heartbeatIntervalMs: config['raft.heartbeat.interval.ms'],
    electionTimeoutMs: config['raft.election.timeout.ms'], snapshotBytes: config['raft.snapshot.bytes'],
    snapshotEntries: config['raft.snapshot.entries'],
    send: (messages) => { transport.send(messages) },
    die: (reason, cause) => { ports.die(reason, cause) } }, machine)
  const pauses = new Pauses(timers)
  const forwarder = new Forwarder({ controller, network, clock, pauses })
  const handlers = [
    ...raftService(transport),
    ...brokerService({ controller, sessions, feed, nodeId, logger, watches }),
    ...topicService({ controller, sessions, random: ports.random, forwarder, config }),
    ...clusterService({
      nodeId, controller, sessions, quorum: driver, forwarder, clock, pauses, controllers,
      electionTimeoutMs: config['raft.election.timeout.ms'], lastHeardMs: (id) => transport.lastHeardMs(id) })
  ]
  return { config, controller, driver, transport, forwarder, pauses, watches, handlers }
}

async function stop(parts: Parts, ports: Ports, listener: Listener, store: RaftStore): Promise<void> {
  listener.setServing(false)
  await handOver(parts, ports.clock)
  for (const watch of [...parts.watches]) watch.retire()
  parts.controller.close()
  parts.pauses.close()
  parts.transport.close()
  await parts.driver.close()
  await listener.close(CLOSE_GRACE_MS)
  parts.forwarder.close()
  await store.close()
}

/** The most advanced other voter that is heard takes over, so that nobody has to wait for an election. */
async function handOver({ config, driver, controller, transport, pauses }: Parts, clock: Clock): Promise<void> {
  const nodeId = config['node.id']
  if (controller.leadership.leaderId !== nodeId) return
  const sinceMs = clock.monotonicMs() - config['raft.election.timeout.ms']
  const [next] = driver.status().followers
    .filter(({ id, voice }) => voice && (transport.lastHeardMs(id) ?? -Infinity) >= sinceMs)
    .sort((a, b) => b.match - a.match)
  if (next === undefined || !driver.transfer(next.id)) return
  const deadlineMs = clock.monotonicMs() + HANDOVER_WAIT_MS
  while (controller.leadership.leaderId === nodeId && clock.monotonicMs() < deadlineMs) {
    if (driver.status().leaderId === nodeId && driver.status().transferee !== next.id) return
    await pauses.for(POLL_MS)
  }
}

// Composition root of a broker: constructs the parts, connects them, fixes the order of start and stop.

import type { BrokerConfig, NodeAddress } from '../src/config/keys.ts'
import { topicByName, type MetadataImage } from '../src/metadata/image.ts'
import { DiskError, type Listener, type Logger, type Ports } from '../src/ports.ts'
import { ControllerLink } from './cluster/controller-link.ts'
import { Lifecycle, type BrokerState } from './cluster/lifecycle.ts'
import { Metadata } from './cluster/metadata.ts'
import { ProducerIds } from './cluster/producer-ids.ts'
import { adminService, transactionsService } from './listener/grpc/admin-service.ts'
import { dataService } from './listener/grpc/data-service.ts'
import { replicaService } from './listener/grpc/replica-service.ts'
import { LogManager } from './log/log-manager.ts'
import { IsrUpdates } from './replica/isr-updates.ts'
import { ReplicaManager } from './replica/replica-manager.ts'

const CLOSE_GRACE_MS = 500

export interface BrokerStatus {
  /** This registration; -1 before the first. */
  readonly brokerEpoch: number
  /** Last metadata offset acted on. */
  readonly metadataOffset: number
  readonly leads: number
  readonly replicas: number
}

export interface RunningBroker {
  readonly id: number
  /** host:port of the gRPC listener. */
  readonly address: string
  state(): BrokerState
  status(): BrokerStatus
  /**
   * Drains (leaderships move, at most `drain.timeout.ms`), answers what is parked, flushes, writes the clean-stop mark.
   */
  close(): Promise<void>
}

export interface BrokerOptions {
  /** Where controllers are; `config.controllers` unless a test learns the ports later. */
  readonly controllers?: () => readonly NodeAddress[]
  /** host:port of /metrics and /health, for others to see; empty = none. */
  readonly httpAddress?: string
  /** Shown the inside before anything happens in it: for checkers, which only look. */
  readonly observe?: (inside: { readonly replicas: ReplicaManager; readonly metadata: Metadata }) => void
}

/** Rejects when the data directory belongs to another node, is in use, or the address cannot be bound. */
export async function startBroker(
  config: BrokerConfig, ports: Ports, options: BrokerOptions = {}): Promise<RunningBroker> {
  const brokerId = config['node.id']
  const logger = ports.logger.with({ broker: brokerId })
  const logs = await LogManager.open({
    dir: config['data.dir'], nodeId: brokerId, clusterId: config['cluster.id'],
    disk: ports.disk, clock: ports.clock, timers: ports.timers, random: ports.random, logger, metrics: ports.metrics,
    flushConcurrency: config['log.flush.concurrency'],
    tailCacheBytes: config['log.tail.cache.bytes'],
    checkpointIntervalMs: config['log.checkpoint.interval.ms'],
    retentionCheckIntervalMs: config['log.retention.check.interval.ms']
  })
  const parts = connect(config, { ...ports, logger }, logs, options)
  options.observe?.(parts)
  let listener: Listener
  try {
    listener = await ports.network.listen(config.listen, parts.handlers)
  } catch (error) {
    await logs.close(undefined)
    throw error
  }
  parts.setAddress(config.advertised === 'auto' ? listener.address : config.advertised)
  listener.setServing(false)
  parts.onState = (state) => { listener.setServing(state === 'active') }
  parts.replicas.start()
  parts.lifecycle.start()
  let closing: Promise<void> | undefined
  return {
    id: brokerId,
    address: listener.address,
    state: () => parts.lifecycle.state,
    status: () => {
      const partitions = [...parts.replicas.partitions()]
      return {
        brokerEpoch: parts.lifecycle.brokerEpoch, metadataOffset: parts.metadata.publishedOffset,
        leads: partitions.filter(({ role }) => role === 'leader').length, replicas: partitions.length }
    },
    close: () => {
      closing ??= stop(config, parts, listener, logs)
      return closing
    }
  }
}

type Parts = ReturnType<typeof connect>

function connect(config: BrokerConfig, ports: Ports, logs: LogManager, options: BrokerOptions) {
  const { clock, timers, random, network, logger } = ports
  const brokerId = config['node.id']
  let address = config.listen
  const metadata = new Metadata(logger)
  const link = new ControllerLink({
    clock, timers, network, logger, controllers: options.controllers ?? (() => config.controllers) })
  const incarnationId = random.id()
  const lifecycle: Lifecycle = new Lifecycle({
    clock, timers, logger, link, metadata, heartbeatMs: config['broker.heartbeat.interval.ms'],
    registration: () => ({
      clusterId: config['cluster.id'], brokerId, incarnationId, address, httpAddress: options.httpAddress ?? '',
      rack: config.rack, previousBrokerEpoch: logs.previousBrokerEpoch, directoryId: logs.directoryId }),
    onState: (state) => { parts.onState(state) },
    onRefused: (reason) => { ports.die(`the controller refuses this broker: ${reason}`) }
  })
  const brokerEpoch = () => lifecycle.brokerEpoch
  const image = () => metadata.image
  const isrUpdates = new IsrUpdates({
    brokerId, timers, logger, link, brokerEpoch, brokerEpochOf: (id) => image().brokers.get(id)?.epoch ?? -1 })
  const onUnreachable = (id: number) => { lifecycle.reportUnreachable(id) }
  const replicas = new ReplicaManager({
    brokerId, ports, config, logs, image, brokerEpoch, onUnreachable,
    proposeIsr: (partition, isr) => { isrUpdates.propose(partition, isr) },
    onStorageFault: () => { lifecycle.fence() }
  })
  metadata.subscribe(async (delta, previous, next) => {
    await replicas.apply(delta, previous, next)
    // The first image shows what was deleted or moved away while this broker was down.
    if (previous.offset < 0) await setAsideStrays(logs, next, brokerId, logger)
  })
  const producerIds = new ProducerIds({ brokerId, clock, timers, link, brokerEpoch })
  const parts = {
    metadata, link, lifecycle, isrUpdates, replicas,
    onState: (_state: BrokerState): void => { /* replaced once the listener stands */ },
    setAddress: (bound: string) => { address = bound },
    handlers: [
      ...dataService({
        replicas, clock, timers, metrics: ports.metrics, image, controllerId: () => metadata.controllerId,
        fetchBytesMax: config['fetch.max.bytes'], fetchWaitMsMax: config['fetch.max.wait.ms'],
        produceBytesMax: config['max.inflight.produce.bytes'] }),
      ...replicaService({
        brokerId, timers, windowBytes: config['replica.fetch.window.bytes'],
        partition: (topicId, index) => replicas.partition(topicId, index),
        onFollowerLost: onUnreachable }),
      ...adminService(link),
      ...transactionsService(producerIds)
    ]
  }
  return parts
}

/** What is not assigned to this broker any more keeps no name that a new partition may need. */
async function setAsideStrays(logs: LogManager, image: MetadataImage, brokerId: number, logger: Logger): Promise<void> {
  try {
    await logs.setAsideStrays((topic, partition) => (
      topicByName(image, topic)?.partitions[partition]?.replicas.includes(brokerId) === true))
  } catch (error) {
    if (!(error instanceof DiskError)) throw error
    logger.error('directories of deleted partitions could not be set aside', { code: error.code, path: error.path })
  }
}

async function stop(config: BrokerConfig, parts: Parts, listener: Listener, logs: LogManager): Promise<void> {
  listener.setServing(false)
  await parts.lifecycle.drain(config['drain.timeout.ms'])
  const brokerEpoch = parts.lifecycle.brokerEpoch
  parts.isrUpdates.close()
  await parts.replicas.close()
  parts.lifecycle.close()
  await listener.close(CLOSE_GRACE_MS)
  parts.link.close()
  await parts.metadata.idle()
  await logs.close(brokerEpoch)
}

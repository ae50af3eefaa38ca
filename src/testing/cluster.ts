// `startCluster`: a real cluster inside the caller's process, for tests. The same servers as in production, over real
// gRPC on free ports of 127.0.0.1; metadata and records in memory, or in a directory.

import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import { startBroker, type RunningBroker } from '../../broker/server.ts'
import { startController, type RunningController } from '../../controller/server.ts'
import { connect, type Weir } from '../client/index.ts'
import { loadConfig } from '../config/config.ts'
import { BROKER_KEYS, CONTROLLER_KEYS, type NodeAddress } from '../config/keys.ts'
import { weirError } from '../base/error-code.ts'
import { createLogger } from '../observe/logger.ts'
import { createMetrics } from '../observe/metrics.ts'
import { systemClock, systemRandom, systemTimers } from '../os/system.ts'
import { levelStore } from '../os/level-kv.ts'
import { nodeDisk } from '../os/node-disk.ts'
import type { Disk, OpenKeyValueStore, Ports } from '../ports.ts'
import { grpcNetwork } from '../rpc/grpc-network.ts'
import { MemoryDisk } from './memory-disk.ts'
import { memoryStores } from './memory-kv.ts'
import { nodePorts, type NodeControl } from './node-ports.ts'

const READY_TIMEOUT_MS = 15_000
const POLL_MS = 5

export interface ClusterOptions {
  /** Default 3. */
  readonly controllers?: number
  /** Default 3. */
  readonly brokers?: number
  /** Keeps everything in this directory instead of memory; it must be empty. */
  readonly directory?: string
  /** More configuration for each broker or controller, as in a configuration file. */
  readonly brokerConfig?: Readonly<Record<string, string>>
  readonly controllerConfig?: Readonly<Record<string, string>>
  /** Least severe log line written to stderr. Default: silent. */
  readonly logLevel?: 'debug' | 'info' | 'warn' | 'error' | 'silent'
}

export type NodeState = 'running' | 'killed' | 'stopped'

/** One controller or broker of a test cluster. */
export interface TestNode {
  readonly kind: 'controller' | 'broker'
  readonly id: number
  /** host:port of its gRPC listener; stays the same over restarts. */
  readonly address: string
  readonly state: NodeState
  /** Where its files are; a made-up path when in memory. */
  readonly directory: string
  /** As kill -9: nothing is flushed, handed over or answered. What was written survives, as in the page cache. */
  kill(): Promise<void>
  /** As power loss: like `kill`, and unsynced bytes are gone. Only in memory. */
  powerLoss(): Promise<void>
  /** As SIGTERM: hands leadership over, flushes, closes. */
  stop(): Promise<void>
  /** Starts it again on the same port and data. A running node is killed first. */
  restart(): Promise<void>
  /** Cuts it off every other node and client, silently, until `heal`. */
  isolate(): void
  heal(): void
}

export interface Cluster extends AsyncDisposable {
  /** Broker addresses, for `connect({ bootstrap })` or any gRPC client. */
  readonly bootstrap: readonly string[]
  readonly controllers: readonly TestNode[]
  readonly brokers: readonly TestNode[]
  /** A client of this cluster; closed with the cluster. */
  connect(): Promise<Weir>
  broker(id: number): TestNode
  controller(id: number): TestNode
  /** The id of the broker that leads a partition now; waits until there is one. */
  leaderOf(topic: string, partition: number): Promise<number>
  /** Resolves when every running broker is active and an active controller answers. */
  ready(): Promise<void>
  /** Stops everything at once and leaves no handle, port, timer or (in memory) file behind. */
  close(): Promise<void>
}

interface Shape {
  readonly clusterId: string
  readonly options: ClusterOptions
  readonly nodes: Node[]
}

export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const controllers = options.controllers ?? 3
  const brokers = options.brokers ?? 3
  const shape: Shape = { clusterId: `test-${systemRandom().id().slice(0, 12)}`, options, nodes: [] }
  for (let id = 1; id <= controllers; id++) shape.nodes.push(new Node('controller', id, shape))
  for (let id = 1; id <= brokers; id++) shape.nodes.push(new Node('broker', id, shape))
  try {
    await reservePorts(shape)
    await Promise.all(shape.nodes.map((node) => node.start()))
    const cluster = new TestCluster(shape)
    await cluster.ready()
    return cluster
  } catch (error) {
    await Promise.all(shape.nodes.map((node) => node.dispose()))
    throw error
  }
}

// One controller or broker of a test cluster: a server on its own switchable ports, over data that outlives it.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

import { startBroker, type RunningBroker } from '../../broker/server.ts'
import { startController, type RunningController } from '../../controller/server.ts'
import { weirError } from '../base/error-code.ts'
import { loadConfig } from '../config/config.ts'
import { BROKER_KEYS, CONTROLLER_KEYS } from '../config/keys.ts'
import { createLogger } from '../observe/logger.ts'
import { createMetrics } from '../observe/metrics.ts'
import { levelStore } from '../os/level-kv.ts'
import { nodeDisk } from '../os/node-disk.ts'
import { systemClock, systemRandom, systemTimers } from '../os/system.ts'
import type { Disk, OpenKeyValueStore, Ports } from '../ports.ts'
import { grpcNetwork } from '../rpc/grpc-network.ts'
import { MemoryDisk } from './memory-disk.ts'
import { memoryStores } from './memory-kv.ts'
import { nodePorts, type NodeControl } from './node-ports.ts'
import type { ClusterOptions } from './options.ts'

export type NodeState = 'running' | 'killed' | 'stopped'

/** What the nodes of one cluster share. */
export interface Shape {
  readonly clusterId: string
  readonly options: ClusterOptions
  readonly nodes: TestNode[]
}

/** What a node's process would find on its disk. */
interface Data {
  readonly disk: Disk
  readonly openKeyValueStore: OpenKeyValueStore
  /** Undefined on a real disk. */
  readonly losePower: (() => void) | undefined
}

/** One run of the node. */
interface Run {
  readonly control: NodeControl
  readonly server: RunningBroker | RunningController
}

export class TestNode {
  readonly kind: 'controller' | 'broker'
  readonly id: number
  /** Where its files are; a made-up path when in memory. */
  readonly directory: string
  /** host:port of its gRPC listener; stays the same over restarts. */
  address = ''
  readonly #shape: Shape
  readonly #data: Data
  #state: NodeState = 'stopped'
  #run: Run | undefined
  #failure: string | undefined

  constructor(kind: TestNode['kind'], id: number, shape: Shape) {
    this.kind = kind
    this.id = id
    this.#shape = shape
    const root = shape.options.directory
    this.directory = join(root ?? '/memory', `${kind}-${id}`)
    this.#data = root === undefined ? memoryData(`${this.directory}/meta`) : diskData(this.directory)
  }

  get state(): NodeState { return this.#state }

  /** What its process would find under `directory`; for looking only while it runs. */
  get disk(): Disk { return this.#data.disk }

  /** A broker that serves, or a running controller. */
  get isActive(): boolean {
    const server = this.#run?.server
    return server !== undefined && (!('state' in server) || server.state() === 'active')
  }

  /** For messages: what it is doing, or why it died. */
  get detail(): string {
    const server = this.#run?.server
    if (this.#failure !== undefined) return `died: ${this.#failure}`
    return server !== undefined && 'state' in server ? server.state() : this.#state
  }

  /** Rejects with what the server says when it cannot start. */
  async start(): Promise<void> {
    if (this.#state === 'running') return
    this.#failure = undefined
    const program = this.#program()
    this.#state = 'running'
    const control = nodePorts({
      clock: systemClock(), timers: systemTimers(), random: systemRandom(), disk: this.#data.disk,
      openKeyValueStore: this.#data.openKeyValueStore, metrics: createMetrics(),
      network: grpcNetwork({ maxRequestBytes: program.maxRequestBytes }),
      logger: createLogger({ level: this.#shape.options.logLevel ?? 'silent' }),
      die: () => { /* nodePorts calls the one below */ }
    }, (reason, cause) => {
      this.#failure = `${reason}${cause instanceof Error ? `: ${cause.message}` : ''}`
      void this.kill()
    })
    try {
      this.#run = { control, server: await program.start(control.ports) }
    } catch (error) {
      this.#state = 'stopped'
      await control.crash()
      throw error
    }
  }

  /** The server with its configuration; throws ConfigError. */
  #program(): {
    readonly maxRequestBytes: number; start(ports: Ports): Promise<RunningBroker | RunningController> } {
    const { clusterId, nodes, options } = this.#shape
    const controllers = nodes.filter(({ kind }) => kind === 'controller')
    const flags = {
      'node.id': String(this.id), 'cluster.id': clusterId, 'listen': this.address, 'data.dir': this.directory,
      'controllers': controllers.map(({ id, address }) => `${id}@${address}`).join(',') }
    if (this.kind === 'broker') {
      const config = loadConfig(BROKER_KEYS, 'broker', { flags: { ...flags, ...options.brokerConfig } })
      return { maxRequestBytes: config['max.request.bytes'], start: (ports) => startBroker(config, ports) }
    }
    const config = loadConfig(CONTROLLER_KEYS, 'controller', { flags: { ...flags, ...options.controllerConfig } })
    return { maxRequestBytes: config['max.request.bytes'], start: (ports) => startController(config, ports) }
  }

  /** As kill -9: nothing is flushed, handed over or answered. What was written survives, as in the page cache. */
  async kill(): Promise<void> {
    const run = this.#run
    this.#run = undefined
    if (this.#state === 'running') this.#state = 'killed'
    await run?.control.crash()
  }

  /** As power loss: like `kill`, and unsynced bytes are gone. Rejects on a real disk. */
  async powerLoss(): Promise<void> {
    const { losePower } = this.#data
    if (losePower === undefined) {
      throw weirError('INVALID_REQUEST', 'a cluster with a directory cannot lose power', 'start it without one')
    }
    await this.kill()
    losePower()
  }

  /** As SIGTERM: hands leadership over, flushes, closes. */
  async stop(): Promise<void> {
    const run = this.#run
    if (run === undefined) return
    await run.server.close()
    this.#run = undefined
    this.#state = 'stopped'
    await run.control.crash()
  }

  /** Starts it again on the same port and data; a running node is killed first. */
  async restart(): Promise<void> {
    await this.kill()
    await this.start()
  }

  /** Cuts it off every other node and client, silently, until `heal`. */
  isolate(): void { this.#run?.control.isolate() }
  heal(): void { this.#run?.control.heal() }
}

function memoryData(storePath: string): Data {
  const disk = new MemoryDisk()
  const stores = memoryStores()
  return {
    disk, openKeyValueStore: stores.open,
    losePower: () => {
      disk.losePower()
      stores.losePower(storePath)
    }
  }
}

function diskData(directory: string): Data {
  mkdirSync(directory, { recursive: true })
  return { disk: nodeDisk(), openKeyValueStore: levelStore, losePower: undefined }
}

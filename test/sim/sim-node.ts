// One machine of a simulated cluster and the server on it: what a kill and a power loss leave, and start after start.

import type { Metadata } from '../../broker/cluster/metadata.ts'
import type { ReplicaManager } from '../../broker/replica/replica-manager.ts'
import { startBroker, type RunningBroker } from '../../broker/server.ts'
import type { ActiveController } from '../../controller/active-controller.ts'
import type { RaftDriver } from '../../controller/raft-driver.ts'
import { startController, type RunningController } from '../../controller/server.ts'
import type { BrokerConfig, ControllerConfig } from '../../src/config/keys.ts'
import type { Ports } from '../../src/ports.ts'
import type { SimNetwork } from './sim-network.ts'
import { noMetrics, SimClock, timePorts, traceLogger } from './sim-ports.ts'
import { SimDisk } from './sim-disk.ts'
import { SimStores } from './sim-kv.ts'
import { Life } from './life.ts'
import { type World } from './world.ts'

export interface BrokerInside { readonly replicas: ReplicaManager; readonly metadata: Metadata }
export interface ControllerInside { readonly controller: ActiveController; readonly driver: RaftDriver }

export type Program =
  | { readonly kind: 'broker'; readonly config: BrokerConfig }
  | { readonly kind: 'controller'; readonly config: ControllerConfig }

export class SimNode {
  /** `c1`, `b2`: also the name of its host. */
  readonly name: string
  readonly id: number
  readonly kind: 'broker' | 'controller'
  readonly address: string
  readonly dir: string
  readonly disk: SimDisk
  readonly stores: SimStores
  readonly clock: SimClock
  readonly #world: World
  readonly #network: SimNetwork
  readonly #program: Program
  #lives = 0
  #life: Life | undefined
  #server: RunningBroker | RunningController | undefined
  broker: BrokerInside | undefined
  controller: ControllerInside | undefined
  /** Why it died by itself, or could not start. */
  failure: string | undefined
  #stopping = false

  constructor(world: World, network: SimNetwork, name: string, program: Program) {
    const { config } = program
    this.#world = world
    this.#network = network
    this.#program = program
    this.name = name
    this.kind = program.kind
    this.id = config['node.id']
    this.address = config.listen
    this.dir = config['data.dir']
    this.disk = new SimDisk(world, name)
    this.stores = new SimStores(world, name)
    this.clock = new SimClock(world, world.random.fork(`clock ${name}`))
    network.place(this.address, name)
  }

  get life(): Life | undefined { return this.#life }
  /** A process is there, serving or not. */
  get isUp(): boolean { return this.#life !== undefined }
  get isStopping(): boolean { return this.#stopping }
  get lives(): number { return this.#lives }

  get isServing(): boolean {
    const server = this.#server
    return server !== undefined && (!('state' in server) || server.state() === 'active')
  }

  get detail(): string {
    if (this.#life === undefined) return this.failure ?? 'down'
    const server = this.#server
    return server === undefined ? 'starting' : 'state' in server ? server.state() : 'running'
  }

  /** Begins a new process, unless there is one. Failures end it again. */
  start(): void {
    if (this.#life !== undefined) return
    const life = new Life(this.name)
    this.#life = life
    this.failure = undefined
    this.#stopping = false
    this.#lives++
    this.#network.powerOn(this.name)
    this.#world.note(this.name, 'START', `life ${this.#lives}`)
    this.#world.after(0, life, 'start', () => {
      this.#launch(life).then(
        (server) => { if (life.alive) this.#server = server },
        (error: unknown) => { if (life.alive) this.#failed('start', `could not start: ${describe(error)}`) })
    })
  }

  /** As SIGKILL. */
  kill(): void {
    const life = this.#end('KILL')
    if (life === undefined) return
    this.disk.killed(life)
    this.#network.kill(life)
  }

  /** The machine goes dark; `start` brings it back. */
  losePower(): void {
    const life = this.#end('POWER LOSS')
    this.#network.powerOff(this.name, life ?? new Life(this.name))
    this.disk.losePower()
    this.stores.losePower()
  }

  /** As SIGTERM: ends in order, in its time. */
  stop(): void {
    const [life, server] = [this.#life, this.#server]
    if (life === undefined || server === undefined || this.#stopping) return
    this.#stopping = true
    this.#world.note(this.name, 'STOP')
    this.#world.after(0, life, 'stop', () => {
      server.close().then(
        () => {
          if (!life.alive) return
          this.#world.note(this.name, 'STOPPED')
          this.kill()
        },
        (error: unknown) => { if (life.alive) this.#failed('stop', `could not stop: ${describe(error)}`) })
    })
  }

  #end(what: string): Life | undefined {
    const life = this.#life
    this.#world.note(this.name, what, life === undefined ? 'was down' : '')
    this.#life = undefined
    this.#server = undefined
    this.broker = undefined
    this.controller = undefined
    if (life !== undefined) life.alive = false
    return life
  }

  #failed(checker: string, why: string): void {
    const excused = this.disk.harmed || this.stores.harmed
    this.kill()
    this.failure = why
    this.#world.note(this.name, 'DIED', why.split('\n', 1)[0])
    if (!excused) this.#world.fail(checker, `${this.name} ${why}`)
  }

  #launch(life: Life): Promise<RunningBroker | RunningController> {
    const world = this.#world
    const ports: Ports = {
      ...timePorts(world, life, this.clock),
      random: world.random.fork(`${this.name} life ${this.#lives}`),
      disk: this.disk.port(life), openKeyValueStore: this.stores.port(life),
      network: this.#network.port(this.name, life), logger: traceLogger(world, life), metrics: noMetrics,
      die: (reason, cause) => {
        if (life.alive) this.#failed('died', `${reason}${cause === undefined ? '' : `: ${describe(cause)}`}`)
      }
    }
    const program = this.#program
    if (program.kind === 'broker') {
      return startBroker(program.config, ports, { observe: (inside) => { if (life.alive) this.broker = inside } })
    }
    return startController(program.config, ports, { observe: (inside) => { if (life.alive) this.controller = inside } })
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.stack ?? error.message : String(error)
}

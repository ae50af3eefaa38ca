// A whole cluster in one world: real controllers, brokers and SDK clients on simulated ports.

import { connect } from '../../src/client/index.ts'
import type { ClientPorts, Weir } from '../../src/client/types.ts'
import { loadConfig } from '../../src/config/config.ts'
import { BROKER_KEYS, CONTROLLER_KEYS } from '../../src/config/keys.ts'
import type { MetadataImage } from '../../src/metadata/image.ts'
import { SimNetwork } from './sim-network.ts'
import { SimNode } from './sim-node.ts'
import { SimClock, timePorts } from './sim-ports.ts'
import { Life } from './life.ts'
import { type World } from './world.ts'

export interface SimClusterOptions {
  readonly controllers?: number
  readonly brokers?: number
  readonly brokerConfig?: Readonly<Record<string, string>>
  readonly controllerConfig?: Readonly<Record<string, string>>
}

export class SimCluster {
  readonly world: World
  readonly network: SimNetwork
  readonly controllers: readonly SimNode[]
  readonly brokers: readonly SimNode[]
  #clients = 0
  #newest: MetadataImage | undefined

  constructor(world: World, options: SimClusterOptions = {}) {
    this.world = world
    this.network = new SimNetwork(world)
    const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
    const controllers = numbers(options.controllers ?? 3)
    const flags = (name: string, id: number) => ({
      'node.id': String(id), 'cluster.id': 'sim', 'listen': `${name}:9000`, 'data.dir': `/${name}/data`,
      'controllers': controllers.map((one) => `${one}@c${one}:9000`).join(',') })
    this.controllers = controllers.map((id) => new SimNode(world, this.network, `c${id}`, {
      kind: 'controller', config: loadConfig(CONTROLLER_KEYS, 'controller', {
        flags: { ...flags(`c${id}`, id), ...options.controllerConfig } }) }))
    this.brokers = numbers(options.brokers ?? 3).map((id) => new SimNode(world, this.network, `b${id}`, {
      kind: 'broker', config: loadConfig(BROKER_KEYS, 'broker', {
        flags: { ...flags(`b${id}`, id), ...options.brokerConfig } }) }))
  }

  get nodes(): readonly SimNode[] { return [...this.controllers, ...this.brokers] }

  node(name: string): SimNode {
    const found = this.nodes.find((one) => one.name === name)
    if (found === undefined) throw new Error(`there is no node ${name}`)
    return found
  }

  start(): void { for (const node of this.nodes) node.start() }

  /** A process with the SDK on a machine of its own. */
  connect(options: { readonly name?: string; readonly timeoutMs?: number } = {}): Promise<Weir> {
    return connect({
      bootstrap: this.brokers.map(({ address }) => address), timeoutMs: options.timeoutMs ?? 10_000,
      ports: this.clientPorts(options.name ?? `x${++this.#clients}`) })
  }

  clientPorts(host: string): ClientPorts {
    const life = new Life(host)
    const { world } = this
    const random = world.random.fork(`client ${host}`)
    return { ...timePorts(world, life, new SimClock(world, random)), random, network: this.network.port(host, life) }
  }

  /** The newest committed image that any controller has ever applied. */
  get image(): MetadataImage | undefined {
    for (const { controller } of this.controllers) {
      const image = controller?.controller.image
      if (image !== undefined && image.offset > (this.#newest?.offset ?? 0)) this.#newest = image
    }
    return this.#newest
  }

  get activeController(): SimNode | undefined {
    return this.controllers.find(({ controller }) => controller?.controller.isActive === true)
  }

  /** Every node serves, and the newest image shows every broker unfenced. */
  get isWhole(): boolean {
    const { image } = this
    return this.nodes.every((node) => node.isServing) && this.activeController !== undefined
      && this.brokers.every(({ id }) => image?.brokers.get(id)?.fenced === false)
  }

  get detail(): string { return this.nodes.map((node) => `${node.name} ${node.detail}`).join(', ') }

  // ---- the wires between nodes ----------------------------------------------------------------------------

  /** Cuts the ways between hosts of `some` and of `others`, both or one. Returns what takes it back. */
  split(some: readonly string[], others: readonly string[], way: 'both' | 'out' | 'in' = 'both'): () => void {
    const pairs = some.flatMap((a) => others.map((b) => [a, b] as const)).filter(([a, b]) => a !== b)
    const ways = [
      ...(way === 'in' ? [] : pairs), ...(way === 'out' ? [] : pairs.map(([a, b]) => [b, a] as const))]
    for (const [from, to] of ways) this.network.links.cut(from, to)
    let mended = false
    return () => {
      if (mended) return
      mended = true
      for (const [from, to] of ways) this.network.links.mend(from, to)
    }
  }
}

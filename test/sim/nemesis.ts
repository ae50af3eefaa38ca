// Draws faults and takes them back. Nothing it does may lose what was promised: synced bytes stay, and a disk is harmed
// on one broker and one controller at a time.

import type { Random } from '../../src/ports.ts'
import type { SimCluster } from './cluster.ts'
import { unit } from './links.ts'
import type { FaultName, Plan } from './plan.ts'
import type { SimNode } from './sim-node.ts'

const CLIENTS = ['setup', 'pa', 'pb', 'p1', 'p0', 'tail', 'reread', 'admin']
/** What a node sends when it promises something: good moments to kill it. */
const TELLING = ['/weir.v1.Raft/Exchange', '/weir.v1.Replica/FetchStream', '/weir.v1.Replica/FetchStream<',
  '/weir.v1.Data/ProduceStream<', '/weir.v1.BrokerLink/AlterPartitions', '/weir.v1.BrokerLink/AlterPartitions<',
  '/weir.v1.BrokerLink/Watch<', '/weir.v1.BrokerLink/Register<']

export class Nemesis {
  readonly #cluster: SimCluster
  readonly #plan: Plan
  readonly #random: Random
  readonly #undo = new Set<() => void>()
  #over = false
  faults = 0

  constructor(cluster: SimCluster, plan: Plan) {
    this.#cluster = cluster
    this.#plan = plan
    this.#random = cluster.world.random.fork('nemesis')
  }

  /** Resolves when the time of faults is over; they are still there. */
  async run(): Promise<void> {
    const { world } = this.#cluster
    const endMs = world.nowMs + this.#plan.chaosMs
    for (;;) {
      await world.sleep(this.#plan.faultEveryMs * (0.1 + 1.8 * unit(this.#random)))
      if (world.nowMs >= endMs) break
      this.faults++
      this.#strike(this.#draw())
    }
    this.#over = true
  }

  /** Everything works again, and every node is up. */
  heal(): void {
    const { world, network, nodes } = this.#cluster
    this.#over = true
    world.note('nemesis', 'HEAL')
    network.onSend = undefined
    for (const undo of [...this.#undo]) undo()
    network.links.healAll()
    for (const node of nodes) this.#repair(node)
  }

  // ---------------------------------------------------------------------------------------------------------

  #draw(): FaultName {
    const sum = this.#plan.weights.reduce((total, [, weight]) => total + weight, 0)
    let left = unit(this.#random) * sum
    for (const [name, weight] of this.#plan.weights) {
      left -= weight
      if (left < 0) return name
    }
    return this.#plan.weights.at(-1)![0]
  }

  #strike(name: FaultName): void {
    const { brokers, controllers, nodes, world } = this.#cluster
    switch (name) {
      case 'kill': return this.#down([this.#any(brokers)], (node) => { node.kill() })
      case 'killController': return this.#down([this.#any(controllers)], (node) => { node.kill() })
      case 'killAll': return this.#down(this.#random.below(2) === 0 ? nodes : brokers, (node) => { node.kill() })
      case 'powerLoss': return this.#down([this.#any(nodes)], (node) => { node.losePower() })
      case 'powerLossAll': {
        return this.#down([nodes, brokers, controllers][this.#random.below(3)]!, (node) => { node.losePower() })
      }
      case 'stop': return this.#stop(this.#any(nodes))
      case 'isolate': return this.#cut([this.#any(nodes).name], this.#everybody(), 'both')
      case 'oneWay': {
        return this.#cut([this.#any(nodes).name], this.#everybody(), this.#random.below(2) === 0 ? 'in' : 'out')
      }
      case 'cutPair': return this.#cut([this.#any(nodes).name], [this.#any(nodes).name], 'both')
      case 'splitControllers': {
        return this.#cut([this.#any(controllers).name], controllers.map((node) => node.name), 'both')
      }
      case 'cutLeaderFromController': {
        return this.#cut([this.#any(brokers).name], controllers.map((node) => node.name), 'both')
      }
      case 'slowLink': return this.#slow()
      case 'reset': return this.#reset()
      case 'stall': return this.#stall(this.#any(nodes))
      case 'jump': {
        this.#any(nodes).clock.jumpWall((unit(this.#random) - 0.5) * 20_000)
        return world.note('nemesis', 'jump')
      }
      case 'crashAtSend': return this.#crashAtSend()
      case 'moveLeaders': return this.#admin('moveLeaders')
      case 'transferController': return this.#admin('transferController')
      case 'failedSync':
      case 'fullDisk': return this.#harm(name)
    }
  }

  #any<T>(of: readonly T[]): T { return of[this.#random.below(of.length)]! }

  #everybody(): readonly string[] { return [...this.#cluster.nodes.map(({ name }) => name), ...CLIENTS] }

  /** Mostly short, sometimes longer than a session, now and then longer than a failover takes. */
  #duration(): number { return 10 * 800 ** unit(this.#random) }

  /** Runs `undo` after a while, or at the healing. */
  #later(undo: () => void): void {
    const once = () => {
      if (this.#undo.delete(once)) undo()
    }
    this.#undo.add(once)
    this.#cluster.world.after(this.#duration(), undefined, 'undo', once)
  }

  #down(nodes: readonly SimNode[], how: (node: SimNode) => void): void {
    for (const node of nodes) {
      how(node)
      this.#later(() => { this.#repair(node) })
    }
  }

  #repair(node: SimNode): void {
    // A disk that failed is believed again after a new start of the machine: pages whose sync failed look well until
    // then, and are lost.
    if (node.disk.harmed || node.stores.harmed) {
      node.losePower()
      node.disk.heal()
      node.stores.heal()
    }
    node.start()
  }

  #stop(node: SimNode): void {
    node.stop()
    this.#later(() => {
      // Not done yet: it loses patience with it.
      if (node.isStopping && node.isUp) node.kill()
      this.#repair(node)
    })
  }

  #cut(some: readonly string[], others: readonly string[], way: 'both' | 'in' | 'out'): void {
    this.#cluster.world.note('nemesis', 'cut', `${some.join()} | ${others.length > 6 ? 'all' : others.join()} ${way}`)
    const mend = this.#cluster.split(some, others, way)
    this.#later(() => {
      this.#cluster.world.note('nemesis', 'mend', `${some.join()} ${way}`)
      mend()
    })
  }

  #slow(): void {
    const { links } = this.#cluster.network
    const [from, to] = [this.#any(this.#everybody()), this.#any(this.#cluster.nodes).name]
    const ms = 5 * 300 ** unit(this.#random)
    this.#cluster.world.note('nemesis', 'slow', `${from}>${to} ${ms.toFixed(0)} ms`)
    links.slow(from, to, ms)
    this.#later(() => { links.slow(from, to, 0) })
  }

  #reset(): void {
    const [a, b] = [this.#any(this.#everybody()), this.#any(this.#cluster.nodes).name]
    this.#cluster.world.note('nemesis', 'reset', `${a} ${b}`)
    this.#cluster.network.reset(a, b)
  }

  #stall(node: SimNode): void {
    const ms = this.#duration()
    this.#cluster.world.note(node.name, 'STALL', `${ms.toFixed(0)} ms`)
    node.disk.stall(ms)
    node.stores.stall(ms)
  }

  /** Kills a node, or its machine, within 3 ms after it sends something that promises. */
  #crashAtSend(): void {
    const { network, world } = this.#cluster
    const target = this.#any(this.#cluster.nodes)
    const path = this.#any(TELLING)
    let countdown = 1 + this.#random.below(20)
    const [power, delayMs] = [this.#random.below(2) === 0, this.#random.below(2) === 0 ? 0 : 3 * unit(this.#random)]
    network.onSend = (host, sent) => {
      if (host !== target.name || sent !== path || --countdown > 0) return
      network.onSend = undefined
      world.after(delayMs, undefined, 'crash', () => {
        if (this.#over) return
        world.note('nemesis', 'crash at send', `${target.name} ${path}`)
        this.#down([target], (node) => { if (power) node.losePower(); else node.kill() })
      })
    }
  }

  /** By raw hands: an operator that asks whoever answers. */
  #admin(what: 'moveLeaders' | 'transferController'): void {
    const { world } = this.#cluster
    const broker = this.#any(this.#cluster.brokers).id
    const controller = this.#any(this.#cluster.controllers).id
    world.note('nemesis', what, what === 'moveLeaders' ? `off b${broker}` : `to c${controller}`)
    const work = async () => {
      const weir = await this.#cluster.connect({ timeoutMs: 3_000 })
      try {
        if (what === 'transferController') await weir.admin.transferLeadership(controller)
        else {
          await weir.admin.drainBroker(broker)
          await weir.admin.resumeBroker(broker)
        }
      } finally {
        await weir.close()
      }
    }
    work().catch((error: unknown) => { world.note('nemesis', `${what} failed`, (error as Error).name) })
  }

  #harm(what: 'failedSync' | 'fullDisk'): void {
    const node = this.#any(this.#cluster.nodes)
    const peers = node.kind === 'broker' ? this.#cluster.brokers : this.#cluster.controllers
    if (peers.some(({ disk, stores }) => disk.harmed || stores.harmed)) return
    this.#cluster.world.note(node.name, what)
    if (what === 'fullDisk') node.disk.setFull(true)
    else if (node.kind === 'controller') node.stores.failNextWrite('EIO')
    else node.disk.failNext('sync', /[.]log$/, 'EIO')
    this.#later(() => { this.#repair(node) })
  }
}

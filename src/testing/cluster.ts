// `startCluster`: a real cluster inside the caller's process, for tests. The same servers as in production, over real
// gRPC on free ports of 127.0.0.1; metadata and records in memory, or in a directory.

import { noop, sleep } from '../base/async.ts'
import { WeirError, weirError } from '../base/error-code.ts'
import { connect, type Weir } from '../client/index.ts'
import { systemClock, systemRandom, systemTimers } from '../os/system.ts'
import { grpcNetwork } from '../rpc/grpc-network.ts'
import type { ClusterOptions } from './options.ts'
import { TestNode, type Shape } from './test-node.ts'

export type { ClusterOptions } from './options.ts'
export type { NodeState, TestNode } from './test-node.ts'

const READY_TIMEOUT_MS = 15_000
const POLL_MS = 5
const CALL_TIMEOUT_MS = 1_000

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

/**
 * Resolves when every broker serves. Rejects with WeirError after 15 s, or with what kept a node from starting; nothing
 * is left running then.
 */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const shape: Shape = { clusterId: `test-${systemRandom().id().slice(0, 12)}`, options, nodes: [] }
  for (let id = 1; id <= (options.controllers ?? 3); id++) shape.nodes.push(new TestNode('controller', id, shape))
  for (let id = 1; id <= (options.brokers ?? 3); id++) shape.nodes.push(new TestNode('broker', id, shape))
  const cluster = new RunningCluster(shape)
  try {
    await reservePorts(shape)
    await Promise.all(shape.nodes.map((node) => node.start()))
    await cluster.ready()
    return cluster
  } catch (error) {
    await cluster.close()
    throw error
  }
}

/**
 * Free ports, found by binding and letting go: controllers must know each other's before the first one starts, and
 * every node keeps its own over restarts.
 */
async function reservePorts(shape: Shape): Promise<void> {
  const network = grpcNetwork()
  const listeners = await Promise.all(shape.nodes.map(() => network.listen('127.0.0.1:0', [])))
  for (const [index, node] of shape.nodes.entries()) node.address = listeners[index]!.address
  await Promise.all(listeners.map((listener) => listener.close(0)))
}

class RunningCluster implements Cluster {
  readonly controllers: readonly TestNode[]
  readonly brokers: readonly TestNode[]
  readonly #clients = new Set<Weir>()
  #own: Promise<Weir> | undefined
  #closing: Promise<void> | undefined

  constructor({ nodes }: Shape) {
    this.controllers = nodes.filter(({ kind }) => kind === 'controller')
    this.brokers = nodes.filter(({ kind }) => kind === 'broker')
  }

  get bootstrap(): readonly string[] {
    return (this.brokers.length > 0 ? this.brokers : this.controllers).map(({ address }) => address)
  }

  broker(id: number): TestNode { return find(this.brokers, id) }
  controller(id: number): TestNode { return find(this.controllers, id) }

  async connect(): Promise<Weir> {
    const weir = await connect({ bootstrap: this.bootstrap })
    this.#clients.add(weir)
    return weir
  }

  async leaderOf(topic: string, partition: number): Promise<number> {
    let leader = -1
    await this.#until(`${topic}-${partition} has a leader`, async (weir) => {
      const { partitions } = await weir.admin.describeTopic(topic)
      leader = partitions[partition]?.leader ?? -1
      return leader !== -1
    })
    return leader
  }

  ready(): Promise<void> {
    return this.#until('every running broker is active', async (weir) => {
      const running = this.brokers.filter(({ state }) => state === 'running')
      if (running.some((node) => !node.isActive)) return false
      const { brokers } = await weir.admin.describeCluster()
      return running.every(({ id }) => brokers.some((broker) => broker.id === id && broker.state === 'active'))
    })
  }

  /** Asks again until `holds` says true; a cluster that is changing may refuse meanwhile. */
  async #until(what: string, holds: (weir: Weir) => Promise<boolean>): Promise<void> {
    const clock = systemClock()
    const timers = systemTimers()
    const deadlineMs = clock.monotonicMs() + READY_TIMEOUT_MS
    for (;;) {
      try {
        if (await holds(await this.#client())) return
      } catch (error) {
        if (!(error instanceof WeirError)) throw error
      }
      if (clock.monotonicMs() > deadlineMs) {
        const states = [...this.controllers, ...this.brokers].map((node) => `${node.kind} ${node.id} ${node.detail}`)
        throw weirError('REQUEST_TIMED_OUT', `after ${READY_TIMEOUT_MS} ms it is not so that ${what}: `
          + states.join(', '), "start the cluster with logLevel: 'info' to see why")
      }
      await sleep(timers, POLL_MS)
    }
  }

  /** The cluster's own client. A connection that failed is tried anew the next time. */
  #client(): Promise<Weir> {
    this.#own ??= connect({
      bootstrap: [...this.controllers, ...this.brokers].map(({ address }) => address), timeoutMs: CALL_TIMEOUT_MS
    }).catch((error: unknown) => {
      this.#own = undefined
      throw error
    })
    return this.#own
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    const own = await this.#own?.catch(noop)
    await Promise.all([...this.#clients, ...(own === undefined ? [] : [own])].map((weir) => weir.close()))
    await Promise.all([...this.brokers, ...this.controllers].map((node) => node.kill()))
  }

  [Symbol.asyncDispose](): Promise<void> { return this.close() }
}

function find(nodes: readonly TestNode[], id: number): TestNode {
  const node = nodes.find((one) => one.id === id)
  if (node !== undefined) return node
  throw weirError('INVALID_REQUEST', `there is no node ${id}`, `the ids are 1 to ${nodes.length}`)
}

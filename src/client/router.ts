// Finds things: keeps the newest view of the cluster, refreshes it, and holds the connections for small calls.
//
// - Any broker or controller will do as bootstrap; a controller names the brokers.
// - One refresh runs at a time. It asks a second node after 50 ms, and whatever node answers later is still heard.
// - What an error tells about a leader counts at once.

import { weirError, type LeaderHint, type WeirError } from '../base/error-code.ts'
import { backoffMs } from '../base/async.ts'
import { NetworkError, type Method, type Peer } from '../ports.ts'
import type { GetMetadataResponse } from '../rpc/messages.ts'
import { methods } from '../rpc/protos.ts'
import { ClusterView, type PartitionView, type TopicView } from './cluster-view.ts'
import { asWeirError, worthRetrying } from './failures.ts'
import { Lifetime } from './lifetime.ts'
import { metadataRound } from './metadata-round.ts'
import type { ClientPorts } from './types.ts'

const HEDGE_MS = 50
/** One node's answer to a metadata request. */
const ASK_TIMEOUT_MS = 2_000
/** One attempt of a small call, so that a silent node does not use up the whole deadline. */
const ATTEMPT_TIMEOUT_MS = 5_000
const RETRY_FIRST_MS = 10
const RETRY_MAX_MS = 500
/** A topic no broker knows for so long does not exist: news of a fresh one has reached all by then. */
const UNKNOWN_TOPIC_GRACE_MS = 3_000
/** Topics followed at a time. */
const TOPICS_MAX = 100_000

export class Router {
  readonly ports: ClientPorts
  readonly lifetime: Lifetime
  readonly timeoutMs: number
  readonly #bootstrap: readonly string[]
  readonly #peers = new Map<string, Peer>()
  readonly #view = new ClusterView()
  readonly #topics = new Set<string>()
  readonly #watchers = new Set<(topic: string) => void>()
  readonly #controllers = new Set<string>()
  /** Address -> when it last failed to answer: such nodes are asked last. */
  readonly #failedMs = new Map<string, number>()
  #round: Promise<void> | undefined

  constructor(ports: ClientPorts, bootstrap: readonly string[], timeoutMs: number) {
    this.ports = ports
    this.lifetime = new Lifetime(ports.clock, ports.timers)
    this.timeoutMs = timeoutMs
    this.#bootstrap = bootstrap
  }

  get nowMs(): number { return this.ports.clock.monotonicMs() }
  get brokerCount(): number { return Math.max(this.#view.brokerCount, 1) }

  topic(name: string): TopicView | undefined { return this.#view.topic(name) }
  partition(topic: string, index: number): PartitionView | undefined {
    return this.#view.topic(topic)?.partitions[index]
  }

  /** `told` is called with the name of a topic whose partitions or leaders changed. */
  watch(told: (topic: string) => void): () => void {
    this.#watchers.add(told)
    return () => { this.#watchers.delete(told) }
  }

  /** Applies what an error told about a leader. */
  hint(topic: string, partition: number, leader: LeaderHint): void {
    if (this.#view.hint(topic, partition, leader)) this.#tell([topic])
  }

  /** This node did not answer in time or broke its connection: others are asked before it for a while. */
  suspect(address: string): void { this.#failedMs.set(address, this.nowMs) }

  /** Joins the running refresh or starts one. Rejects when no node answered. */
  refresh(): Promise<void> {
    this.#round ??= this.#refresh().finally(() => { this.#round = undefined })
    return this.#round
  }

  /** Resolves when a node has answered. */
  async start(deadlineMs: number): Promise<void> {
    let failure: unknown
    for (let attempt = 0; ; attempt++) {
      try {
        await this.lifetime.within(this.refresh(), { atMs: deadlineMs, late: () => this.late('connecting', failure) })
        return
      } catch (error) {
        if (this.lifetime.over !== undefined || !worthRetrying(error)) throw asWeirError(error)
        failure = error
      }
      await this.pause(attempt, deadlineMs, failure)
    }
  }

  /** The topic with its partitions, followed from now on. Waits for a topic that was just made. */
  async follow(name: string, deadlineMs: number): Promise<TopicView> {
    if (!this.#topics.has(name) && this.#topics.size >= TOPICS_MAX) {
      throw weirError('POLICY_VIOLATION', `one connection follows at most ${TOPICS_MAX} topics`, 'open another one')
    }
    this.#topics.add(name)
    const startMs = this.nowMs
    for (let attempt = 0; ; attempt++) {
      const known = this.#view.topic(name)
      if (known !== undefined) return known
      let failure = weirError('UNKNOWN_TOPIC_OR_PARTITION', `there is no topic ${JSON.stringify(name)}`,
        '`weir topic list` shows all; `weir topic create` makes one')
      try {
        await this.lifetime.within(this.refresh(), { atMs: deadlineMs, late: () => this.late('metadata', failure) })
        if (this.#view.topic(name) !== undefined) continue
        if (this.nowMs - startMs >= UNKNOWN_TOPIC_GRACE_MS) throw failure
      } catch (error) {
        if (error === failure || !worthRetrying(error)) throw error
        if (error instanceof Error) failure = error as WeirError
      }
      await this.pause(attempt, deadlineMs, failure)
    }
  }

  /** Calls a broker, and another one after a failure that a repetition may cure. */
  callBroker<Req, Res>(method: Method<Req, Res>, request: Req, deadlineMs: number): Promise<Res> {
    return this.#call(method, request, deadlineMs, () => this.#view.brokerAddresses())
  }

  /** As `callBroker`, at brokers and controllers alike. */
  callAny<Req, Res>(method: Method<Req, Res>, request: Req, deadlineMs: number): Promise<Res> {
    return this.#call(method, request, deadlineMs, () => [...this.#view.brokerAddresses(), ...this.#bootstrap])
  }

  /** One attempt at one node. Rejects with NetworkError or WeirError as the port does. */
  async callAt<Req, Res>(address: string, method: Method<Req, Res>, request: Req, timeoutMs: number): Promise<Res> {
    this.lifetime.check()
    try {
      const response = await this.lifetime.within(this.peer(address).call(method, request, Math.max(timeoutMs, 1)))
      this.#failedMs.delete(address)
      return response
    } catch (error) {
      if (error instanceof NetworkError) this.suspect(address)
      throw error
    }
  }

  /** The connection for small calls; streams have their own. */
  peer(address: string): Peer {
    let peer = this.#peers.get(address)
    if (peer === undefined) {
      peer = this.ports.network.dial(address)
      this.#peers.set(address, peer)
    }
    return peer
  }

  /** Sleeps before the next attempt; rejects with what went wrong when there is no time for one. */
  async pause(attempt: number, deadlineMs: number, failure: unknown): Promise<void> {
    const waitMs = backoffMs({
      attempt, firstMs: RETRY_FIRST_MS, maxMs: RETRY_MAX_MS, unit: this.ports.random.uint32() / 2 ** 32 })
    if (this.nowMs + waitMs >= deadlineMs) throw this.late('the operation', failure)
    await this.lifetime.sleep(waitMs)
  }

  late(what: string, failure: unknown): Error {
    const known = asWeirError(failure)
    if (known instanceof Error && !worthRetrying(known)) return known
    const reason = known instanceof Error ? `: ${known.message}` : ''
    return Object.assign(weirError('REQUEST_TIMED_OUT', `no success with ${what} before the deadline${reason}`,
      'raise timeoutMs, or look why: `weir cluster health`'), { cause: known })
  }

  close(cause?: unknown): void {
    this.lifetime.end('connection', cause)
    for (const peer of this.#peers.values()) peer.close()
    this.#peers.clear()
    this.#watchers.clear()
  }

  async #call<Req, Res>(method: Method<Req, Res>, request: Req, deadlineMs: number,
    nodes: () => readonly string[]): Promise<Res> {
    let failure: unknown
    for (let attempt = 0; ; attempt++) {
      const address = this.#byHealth(nodes())[0]
      try {
        if (address === undefined) {
          await this.lifetime.within(this.refresh(), { atMs: deadlineMs, late: () => this.late('metadata', failure) })
          if (nodes().length > 0) continue
        } else {
          const timeoutMs = Math.min(deadlineMs - this.nowMs, ATTEMPT_TIMEOUT_MS)
          return await this.callAt(address, method, request, timeoutMs)
        }
      } catch (error) {
        if (!worthRetrying(error)) throw asWeirError(error)
        failure = error
      }
      await this.pause(attempt, deadlineMs, failure)
    }
  }

  /** Those that failed last come last; otherwise the order given. */
  #byHealth(addresses: readonly string[]): string[] {
    return [...new Set(addresses)].sort((a, b) => (this.#failedMs.get(a) ?? 0) - (this.#failedMs.get(b) ?? 0))
  }

  async #refresh(): Promise<void> {
    this.lifetime.check()
    const nodes = this.#byHealth([...this.#view.brokerAddresses(), ...this.#bootstrap])
    await metadataRound({ lifetime: this.lifetime, hedgeMs: HEDGE_MS, ask: (address) => this.#ask(address) }, nodes)
  }

  async #ask(address: string): Promise<readonly string[] | undefined> {
    const answer = this.#controllers.has(address) ? undefined : await this.#metadataOf(address)
    if (answer !== undefined) {
      const changed = this.#view.take(answer)
      if (changed === undefined) throw this.#stranger(address, answer.clusterId)
      this.#tell(changed)
      return undefined
    }
    const cluster = await this.callAt(address, methods.admin.describeCluster, {}, ASK_TIMEOUT_MS)
    if (!this.#view.isOf(cluster.clusterId)) throw this.#stranger(address, cluster.clusterId)
    this.#controllers.add(address)
    this.#view.takeBrokers(cluster.metadataOffset, cluster.brokers.map((broker) => ({
      id: broker.id, address: broker.address, rack: broker.rack, fenced: broker.state === 'fenced' })))
    return this.#byHealth(this.#view.brokerAddresses())
  }

  /** Undefined when the node answered, but serves no metadata: it may be a controller. */
  async #metadataOf(address: string): Promise<GetMetadataResponse | undefined> {
    const topics = this.#topics.size === 0 ? [NO_TOPIC] : [...this.#topics]
    try {
      return await this.callAt(address, methods.data.getMetadata, { topics }, ASK_TIMEOUT_MS)
    } catch (error) {
      if (worthRetrying(error) || this.#view.brokerAddresses().includes(address)) throw error
      return undefined
    }
  }

  #stranger(address: string, clusterId: string): WeirError {
    return weirError('INCONSISTENT_CLUSTER_ID',
      `${address} belongs to cluster ${clusterId}, this connection to ${this.#view.clusterId}`,
      'give `bootstrap` addresses of one cluster')
  }

  #tell(topics: readonly string[]): void {
    for (const topic of topics) for (const told of [...this.#watchers]) told(topic)
  }
}

/** An empty list would ask for every topic; this name is not allowed, so the answer has brokers only. */
const NO_TOPIC = '.'

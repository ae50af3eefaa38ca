// Whole controllers on fake ports, a client of them, and brokers that register, heartbeat and follow the metadata.

import { startController, type RunningController } from '../../controller/server.ts'
import { loadConfig } from '../../src/config/config.ts'
import { CONTROLLER_KEYS } from '../../src/config/keys.ts'
import { decodeRecord } from '../../src/metadata/codec.ts'
import { MetadataDelta } from '../../src/metadata/delta.ts'
import { EMPTY_IMAGE, type MetadataImage } from '../../src/metadata/image.ts'
import type { MessageStream, Method, Network, Timer } from '../../src/ports.ts'
import type { NewTopic, WatchRequest, WatchResponse } from '../../src/rpc/messages.ts'
import { methods } from '../../src/rpc/protos.ts'
import { FakeNetwork } from '../support/fake-network.ts'
import { fakeData, fakePorts, type FakeData, type FakePorts } from '../support/fake-ports.ts'
import { FakeTime } from '../support/fake-time.ts'

export type Settings = Readonly<Record<string, string>>

export class ControllerBench {
  readonly time = new FakeTime()
  readonly network = new FakeNetwork(this.time)
  readonly nodes: ControllerNode[]
  readonly brokers: FakeBroker[] = []

  constructor(count: number, settings: Settings = {}) {
    const list = Array.from({ length: count }, (_unset, at) => `${at + 1}@c${at + 1}:1`).join(',')
    this.nodes = Array.from({ length: count }, (_unset, at) => new ControllerNode(this, at + 1, list, settings))
  }

  /** Started, with an active controller. */
  async start(): Promise<this> {
    for (const node of this.nodes) await node.start()
    await this.active()
    return this
  }

  get activeNode(): ControllerNode | undefined { return this.nodes.find((node) => node.isActive) }
  get standbys(): ControllerNode[] { return this.nodes.filter((node) => node.running && !node.isActive) }

  async active(): Promise<ControllerNode> {
    await this.time.until('a controller is active', () => this.activeNode !== undefined)
    return this.activeNode!
  }

  /** Calls as the client `app` does. */
  call<Req, Res>(method: Method<Req, Res>, request: Req, on?: ControllerNode, timeoutMs = 5_000): Promise<Res> {
    const peer = this.network.node('app').dial((on ?? this.activeNode!).address)
    return this.time.result(peer.call(method, request, timeoutMs))
  }

  /** Registered, connected and unfenced. */
  async broker(id: number): Promise<FakeBroker> {
    const broker = await this.registered(id)
    broker.open()
    await this.time.until(`broker ${id} is unfenced`, () => broker.last?.fenced === false)
    return broker
  }

  async registered(id: number): Promise<FakeBroker> {
    const broker = new FakeBroker(this, id)
    this.brokers.push(broker)
    await broker.register()
    return broker
  }

  async create(name: string, more: Partial<NewTopic> = {}) {
    const { topics } = await this.call(methods.admin.createTopics, {
      requestId: '', topics: [topic(name, more)], validateOnly: false
    })
    return topics[0]!
  }

  async stop(): Promise<void> {
    for (const broker of this.brokers) broker.kill()
    await Promise.all(this.nodes.map((node) => node.stop()))
  }
}

export function topic(name: string, more: Partial<NewTopic> = {}): NewTopic {
  return { name, partitions: 0, replicationFactor: 0, configs: [], assignment: [], ...more }
}

export class ControllerNode {
  readonly id: number
  readonly name: string
  readonly address: string
  readonly data: FakeData
  ports!: FakePorts
  server: RunningController | undefined
  readonly #bench: ControllerBench
  readonly #settings: Settings
  #runs = 0

  constructor(bench: ControllerBench, id: number, controllers: string, settings: Settings) {
    this.id = id
    this.name = `c${id}`
    this.address = `c${id}:1`
    this.data = fakeData(bench.time)
    this.#bench = bench
    this.#settings = {
      'node.id': String(id), 'cluster.id': 'c', 'listen': this.address, 'data.dir': '/data', controllers,
      'raft.heartbeat.interval.ms': '45', 'raft.election.timeout.ms': '150', ...settings }
  }

  get running(): boolean { return this.server !== undefined }
  get isActive(): boolean { return this.server?.status().active === true }

  async start(): Promise<void> {
    const { time, network } = this.#bench
    this.ports = fakePorts({ time, network, name: this.name, data: this.data, seed: this.id * 1000 + this.#runs++ })
    const config = loadConfig(CONTROLLER_KEYS, 'controller', { flags: this.#settings })
    this.server = await time.result(startController(config, this.ports))
  }

  /** As SIGTERM. */
  async stop(): Promise<void> {
    const { server } = this
    this.server = undefined
    if (server !== undefined) await this.#bench.time.result(server.close())
  }

  /** As kill -9: nothing more leaves it. (Its timers run on; they reach nobody.) */
  async kill(): Promise<void> {
    this.#bench.network.kill(this.name)
    await this.stop()
  }
}

/** Heartbeats every 100 ms once `open`; replays what it gets and insists on no gap. */
export class FakeBroker {
  readonly id: number
  epoch = -1
  image: MetadataImage = EMPTY_IMAGE
  responses: WatchResponse[] = []
  closed: boolean | undefined
  /** What the next heartbeats say. */
  says: Partial<WatchRequest> = {}
  readonly #bench: ControllerBench
  readonly #network: Network
  #stream: MessageStream<WatchRequest, WatchResponse> | undefined
  #timer: Timer | undefined
  #incarnation = 0

  constructor(bench: ControllerBench, id: number) {
    this.id = id
    this.#bench = bench
    this.#network = bench.network.node(`b${id}`)
  }

  get last(): WatchResponse | undefined { return this.responses.at(-1) }

  /** A new process of this broker. */
  async register(on?: ControllerNode): Promise<void> {
    this.#incarnation++
    const peer = this.#network.dial((on ?? this.#bench.activeNode!).address)
    const { brokerEpoch } = await this.#bench.time.result(peer.call(methods.brokerLink.register, {
      clusterId: 'c', brokerId: this.id, incarnationId: `${this.id}-${this.#incarnation}`, address: `b${this.id}:1`,
      httpAddress: '', rack: '', previousBrokerEpoch: -1, directoryId: `d${this.id}` }, 5_000))
    this.epoch = brokerEpoch
    this.image = EMPTY_IMAGE
  }

  open(on?: ControllerNode): void {
    const stream = this.#network.dial((on ?? this.#bench.activeNode!).address).open(methods.brokerLink.watch)
    this.#stream = stream
    this.closed = false
    stream.handle({
      message: (message) => { this.#receive(message) },
      end: () => { stream.end() },
      close: () => { if (this.#stream === stream) this.#closed() }
    })
    this.beat()
  }

  /** One heartbeat now, and the next ones in time. */
  beat(): void {
    if (this.#timer !== undefined) this.#bench.time.cancel(this.#timer)
    this.#stream!.send({
      brokerId: this.id, brokerEpoch: this.epoch, metadataOffset: this.image.offset, wantShutdown: false,
      wantFence: false, unreachable: [], ...this.says })
    this.#timer = this.#bench.time.after(100, () => { this.beat() })
  }

  /** Its process is gone, and the connection with it. */
  kill(): void {
    this.#stream?.destroy('killed')
    this.#closed()
  }

  /** Its process stands still; the connection stays. */
  freeze(): void { if (this.#timer !== undefined) this.#bench.time.cancel(this.#timer) }

  pause(): void { this.#stream!.pause() }
  resume(): void { this.#stream!.resume() }

  #closed(): void {
    this.closed = true
    this.freeze()
  }

  #receive(message: WatchResponse): void {
    this.responses.push(message)
    if (message.status!.code !== 0 || message.fromOffset === message.toOffset) return
    const base = message.image ? EMPTY_IMAGE : this.image
    if (message.fromOffset !== base.offset) {
      throw new Error(`records from ${message.fromOffset} do not follow ${base.offset}`)
    }
    const delta = new MetadataDelta(base)
    for (const record of message.records) delta.replay(decodeRecord(record))
    this.image = delta.apply(message.toOffset)
  }
}

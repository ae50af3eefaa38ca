// Controllers' Raft without the metadata: driver, transport and store of each voter over a fake network, with a state
// machine that is a list of texts.

import type { CommittedEntry, Leadership } from '../../controller/active-controller.ts'
import { RaftDriver, type RaftDriverNeeds } from '../../controller/raft-driver.ts'
import { RaftTransport } from '../../controller/raft-transport.ts'
import type { Message } from '../../controller/raft/types.ts'
import { raftService } from '../../controller/service/raft.ts'
import { RaftStore, type Change } from '../../controller/store/raft-store.ts'
import { seededRandom } from '../../src/base/seeded-random.ts'
import type { Listener } from '../../src/ports.ts'
import { bytes, text } from '../support/bytes.ts'
import { FakeNetwork } from '../support/fake-network.ts'
import { fakeData, fakePorts, type FakeData, type FakePorts } from '../support/fake-ports.ts'
import { FakeTime } from '../support/fake-time.ts'

export type DriverOptions = Partial<Pick<RaftDriverNeeds, 'snapshotBytes' | 'snapshotEntries' | 'tuning'>>

export class RaftBench {
  readonly time = new FakeTime()
  readonly network = new FakeNetwork(this.time)
  readonly nodes: Voter[]

  constructor(count: number, options: DriverOptions = {}) {
    const voters = Array.from({ length: count }, (_unset, at) => at + 1)
    this.nodes = voters.map((id) => new Voter(this, id, voters, options))
  }

  async start(): Promise<this> {
    for (const node of this.nodes) await node.start()
    return this
  }

  node(id: number): Voter { return this.nodes[id - 1]! }

  /** The one that leads, in the newest term that anybody knows of. */
  get leader(): Voter | undefined {
    return this.nodes.filter(({ running, leads }) => running && leads)
      .sort((a, b) => b.leadership.term - a.leadership.term)[0]
  }

  async elected(): Promise<Voter> {
    await this.time.until('somebody leads', () => this.leader !== undefined)
    return this.leader!
  }

  others(node: Voter): Voter[] { return this.nodes.filter((other) => other !== node) }

  /** Cuts one node off all others. */
  isolate(node: Voter): void { for (const other of this.others(node)) this.network.cut(node.name, other.name) }

  /** Proposes on the leader, and waits until each running node, or each of `on`, has it. */
  async commit(content: string, on: readonly Voter[] = this.nodes.filter(({ running }) => running)): Promise<void> {
    const leader = await this.elected()
    if (!leader.driver.propose(bytes(content))) throw new Error(`${leader.name} took no proposal`)
    await this.time.until(`${content} is everywhere`, () => on.every(({ applied }) => applied.includes(content)))
  }

  async stop(): Promise<void> {
    for (const node of this.nodes) if (node.running) await node.stop()
  }
}

export class Voter {
  readonly id: number
  readonly name: string
  readonly address: string
  data: FakeData
  readonly #bench: RaftBench
  readonly #voters: readonly number[]
  readonly #options: DriverOptions
  /** Of this run. */
  ports!: FakePorts
  driver!: RaftDriver
  transport!: RaftTransport
  store!: RaftStore
  leadership: Leadership = { leaderId: -1, term: 0 }
  applied: string[] = []
  running = false
  /** Changes written in this run, and messages sent, by index of the run. */
  saves: Change[] = []
  sent: Message[] = []
  restores = 0
  #listener: Listener | undefined
  #runs = 0

  constructor(bench: RaftBench, id: number, voters: readonly number[], options: DriverOptions) {
    this.id = id
    this.name = `c${id}`
    this.address = `c${id}:1`
    this.data = fakeData(bench.time)
    this.#bench = bench
    this.#voters = voters
    this.#options = options
  }

  get leads(): boolean { return this.leadership.leaderId === this.id }

  async start(): Promise<void> {
    const { time, network } = this.#bench
    const seed = this.id * 1000 + this.#runs++
    this.ports = fakePorts({ time, network, name: this.name, data: this.data, seed })
    const { clock, timers, logger, metrics } = this.ports
    this.leadership = { leaderId: -1, term: 0 }
    this.applied = []
    this.saves = []
    this.sent = []
    this.restores = 0
    this.store = await time.result(RaftStore.open({
      disk: this.data.disk, openKeyValueStore: this.data.openKeyValueStore, dir: '/data', nodeId: this.id,
      clusterId: 'c', votersHash: this.#voters.join(','), logger, random: this.ports.random }))
    this.#recordSaves()
    this.transport = new RaftTransport({
      nodeId: this.id, clusterId: 'c', voters: this.#voters, clock, network: this.ports.network, logger,
      addressOf: (id) => `c${id}:1`, receive: (messages) => { this.driver.step(messages) },
      unreachable: (id) => { this.driver.unreachable(id) },
      connectionLost: (id) => { this.driver.connectionLost(id) },
      snapshotSent: (id, ok) => { this.driver.snapshotSent(id, ok) } })
    this.driver = new RaftDriver({
      nodeId: this.id, voters: this.#voters, timers, random: seededRandom(seed), logger, metrics, store: this.store,
      heartbeatIntervalMs: 45, electionTimeoutMs: 150, snapshotBytes: this.#options.snapshotBytes ?? 1e6,
      snapshotEntries: this.#options.snapshotEntries ?? 1e6,
      tuning: this.#options.tuning ?? {},
      send: (messages) => {
        this.sent.push(...messages)
        this.transport.send(messages)
      },
      die: (reason, cause) => {
        this.running = false
        this.ports.die(reason, cause)
      }
    }, {
      leadershipChanged: (leadership) => { this.leadership = leadership },
      committed: (entries) => { this.#apply(entries) },
      takeSnapshot: () => ({ index: this.driver.status().applied, data: bytes(JSON.stringify(this.applied)) }),
      restore: (_index, data) => {
        this.restores++
        this.applied = JSON.parse(text(data)) as string[]
      } })
    this.#listener = await this.ports.network.listen(this.address, raftService(this.transport))
    this.driver.start()
    this.running = true
  }

  /** As SIGTERM, without handing over. */
  async stop(): Promise<void> {
    this.running = false
    this.transport.close()
    await this.#bench.time.result(this.driver.close())
    await this.#bench.time.result(this.#listener!.close(0))
    await this.#bench.time.result(this.store.close())
  }

  /** As kill -9, or a power loss: what was not synced is gone. */
  async powerLoss(): Promise<void> {
    this.running = false
    this.#bench.network.kill(this.name)
    this.data.disk.losePower()
    this.data.stores.losePower('/data/meta')
    this.transport.close()
    await this.#bench.time.result(this.driver.close())
  }

  /** Its data directory is emptied, while it is down. */
  wipe(): void { this.data = fakeData(this.#bench.time) }

  #apply(entries: readonly CommittedEntry[]): void {
    for (const { data } of entries) if (data.length > 0) this.applied.push(text(data))
  }

  #recordSaves(): void {
    const { store } = this
    const save = store.save.bind(store)
    store.save = (change) => {
      this.saves.push(change)
      return save(change)
    }
  }
}

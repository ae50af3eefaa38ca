// Random faults, as a seed says: nodes killed, restarted, stopped, cut off, without power, one or many at a time, while
// a ledger is written and a consumer reads along; leaderships, configurations and other topics change meanwhile.
//
// Every fault is one that flush.mode=sync promises to survive, so whatever the check finds is a defect.

import { noop } from '../../src/base/async.ts'
import { seededRandom } from '../../src/base/seeded-random.ts'
import type { Consumer, Weir } from '../../src/client/types.ts'
import { systemClock } from '../../src/os/system.ts'
import type { Random } from '../../src/ports.ts'
import { startCluster, type Cluster, type ClusterOptions, type TestNode } from '../../src/testing/cluster.ts'
import { restoreAll } from './faults.ts'
import { Ledger, pause, until, type LedgerReport } from './ledger.ts'
import { expectSameReplicas } from './replicas.ts'

const TOPIC = 'ledger'
const PARTITIONS = 6
/** Takes the records of others. */
const BESIDES = 'besides'

export interface ScheduleOptions {
  readonly seed: number
  /** How long faults go on, ms. */
  readonly durationMs: number
  readonly logLevel?: NonNullable<ClusterOptions['logLevel']>
}

export interface ScheduleReport extends LedgerReport {
  /** What the consumer read along and what is there in the end contradict each other, in words. */
  readonly misread: readonly string[]
  /** Why producers that began while faults were under way could not send a record. */
  readonly refused: readonly string[]
  /** What was done, in order, and why sends failed. */
  readonly steps: readonly string[]
}

export async function runSchedule(options: ScheduleOptions): Promise<ScheduleReport> {
  const random = seededRandom(options.seed)
  const cluster = await startCluster({
    logLevel: options.logLevel ?? 'silent',
    brokerConfig: {
      'log.checkpoint.interval.ms': '200', 'drain.timeout.ms': '1500', 'replica.lag.time.max.ms': '1000' },
    controllerConfig: { 'raft.snapshot.entries': '40', 'leader.rebalance.delay.ms': '700' } })
  try {
    const weir = await cluster.connect()
    await weir.admin.createTopic({
      name: TOPIC, partitions: PARTITIONS, replicationFactor: 3,
      configs: { 'segment.bytes': '30000', 'max.message.bytes': '16000',
        'min.insync.replicas': String(1 + random.below(2)) } })
    await weir.admin.createTopic({ name: BESIDES, partitions: 2, replicationFactor: 3 })
    const ledger = new Ledger(weir, {
      topic: TOPIC, partitions: PARTITIONS, perSecond: 600, producer: { batchBytes: 8_000 } }).start()
    await ledger.progress()
    const reader = new Reader(weir)
    const faults = new Faults(cluster, weir, random)
    try {
      return await judge(cluster, { weir, ledger, reader, faults, durationMs: options.durationMs })
    } catch (error) {
      ledger.stop().catch(noop)
      throw new Error(`${String(error)}\n${faults.steps.join('\n')}\n${await layout(weir)}`, { cause: error })
    }
  } finally {
    await cluster.close()
  }
}

/** Faults, then calm, then the check. */
async function judge(cluster: Cluster, run: {
  readonly weir: Weir; readonly ledger: Ledger; readonly reader: Reader; readonly faults: Faults
  readonly durationMs: number }): Promise<ScheduleReport> {
  const { weir, ledger, reader, faults, durationMs } = run
  await faults.run(durationMs)
  await restoreAll(cluster)
  faults.note('all nodes run')
  await faults.answered()
  await Promise.all([1, 2, 3].map((id) => weir.admin.resumeBroker(id)))
  faults.note('every call is answered')
  await ledger.progress()
  faults.note('every partition acknowledges')
  const report = await ledger.check()
  const misread = await reader.finish(ledger)
  faults.note('all is read')
  await expectSameReplicas(cluster, weir, TOPIC)
  faults.note('all replicas are equal')
  return { ...report, misread, refused: faults.refused, steps: [...faults.steps, ...reasons(ledger)] }
}

/** Who leads, and who is in sync, in words. */
async function layout(weir: Weir): Promise<string> {
  const { brokers } = await weir.admin.describeCluster()
  const { partitions } = await weir.admin.describeTopic(TOPIC)
  return [...brokers.map(({ id, state, brokerEpoch }) => `broker ${id} is ${state}, epoch ${brokerEpoch}`),
    ...partitions.map(({ partition, leader, leaderEpoch, isr }) => (
      `partition ${partition}: leader ${leader}, epoch ${leaderEpoch}, ISR ${isr.join(',')}`))].join('\n')
}

/** Each code with one of its messages. */
function reasons({ failures }: Ledger): string[] {
  return [...new Set(failures.map(({ name }) => name))].map((name) => {
    const those = failures.filter((failure) => failure.name === name)
    return `${those.length} sends failed with ${name}, such as: ${those[0]!.message}`
  })
}

/** Reads along, and notes what it saw. */
class Reader {
  readonly #consumer: Consumer
  readonly #seen = new Map<number, string[]>()
  readonly #wrong: string[] = []
  readonly #reading: Promise<void>

  constructor(weir: Weir) {
    this.#consumer = weir.consumer({ topics: [TOPIC], from: 'start' })
    this.#reading = this.#read()
  }

  async #read(): Promise<void> {
    for await (const record of this.#consumer) {
      const seen = this.#seen.get(record.partition) ?? []
      this.#seen.set(record.partition, seen)
      if (record.offset !== seen.length) {
        this.#wrong.push(`partition ${record.partition}: offset ${record.offset} came where ${seen.length} was due`)
        seen.length = record.offset
      }
      seen.push(Ledger.identify(record) ?? 'garbage')
    }
  }

  async finish(ledger: Ledger): Promise<readonly string[]> {
    await this.#consumer.close()
    await this.#reading
    const wrong = [...this.#wrong]
    for (const [partition, seen] of this.#seen) {
      for (const [offset, id] of seen.entries()) {
        const found = ledger.foundAt(partition, offset)
        if (found !== id) wrong.push(`partition ${partition}, offset ${offset}: read ${id}, now there is ${found}`)
      }
    }
    return wrong
  }
}

class Faults {
  readonly #cluster: Cluster
  readonly #weir: Weir
  readonly #random: Random
  readonly #nodes: readonly TestNode[]
  /** Stops and starts under way; a node does one thing at a time. */
  readonly #busy = new Map<TestNode, Promise<void>>()
  readonly #asked = new Set<Promise<void>>()
  readonly #isolated = new Set<TestNode>()
  readonly steps: string[] = []
  readonly refused: string[] = []
  readonly #startMs = systemClock().monotonicMs()
  #topics = 0

  constructor(cluster: Cluster, weir: Weir, random: Random) {
    this.#cluster = cluster
    this.#weir = weir
    this.#random = random
    this.#nodes = [...cluster.brokers, ...cluster.controllers]
  }

  async run(durationMs: number): Promise<void> {
    while (systemClock().monotonicMs() - this.#startMs < durationMs) {
      if (this.#random.below(12) === 0) await this.#loseDisk()
      else this.#step()
      await pause(10 + this.#random.below(this.#random.below(3) === 0 ? 700 : 150))
    }
    for (const node of this.#nodes) node.heal()
    await Promise.all(this.#busy.values())
  }

  /** Resolves when every admin call has an answer. */
  async answered(): Promise<void> { await Promise.all(this.#asked) }

  #step(): void {
    const node = this.#nodes[this.#random.below(this.#nodes.length)]!
    const kind = this.#random.below(100)
    if (kind < 8) return this.#all('powerLoss', this.#cluster.brokers)
    if (kind < 10) return this.#all('kill', this.#nodes)
    if (kind < 12) return this.#all('powerLoss', this.#nodes)
    if (kind < 28) return this.#admin(kind)
    if (this.#busy.has(node)) return
    if (node.state !== 'running') return this.#do(node, 'start', () => node.start())
    if (this.#isolated.has(node)) {
      this.#isolated.delete(node)
      return this.#do(node, 'heal', () => { node.heal() })
    }
    if (kind < 40) return this.#do(node, 'kill', () => node.kill())
    if (kind < 52) return this.#do(node, 'restart', () => node.restart())
    if (kind < 64) return this.#do(node, 'powerLoss', () => node.powerLoss())
    if (kind < 74) {
      return this.#do(node, 'powerLoss and start', async () => {
        await node.powerLoss()
        await node.start()
      })
    }
    if (kind < 84) return this.#do(node, 'stop', () => node.stop())
    this.#isolated.add(node)
    return this.#do(node, 'isolate', () => { node.isolate() })
  }

  #all(what: 'kill' | 'powerLoss', nodes: readonly TestNode[]): void {
    if (this.#random.below(2) === 0) return
    this.note(`${what} of ${nodes.length} nodes at once`)
    for (const node of nodes.filter((one) => !this.#busy.has(one))) {
      this.#do(node, what, async () => {
        await node[what]()
        await node.start()
      })
    }
  }

  /** One broker loses all its data, at a moment when the two others have everything. */
  async #loseDisk(): Promise<void> {
    const broker = this.#cluster.brokers[this.#random.below(3)]!
    // An ISR counts only once the controllers know of every restart there was.
    const calm = this.#busy.size === 0 && this.#isolated.size === 0
      && this.#nodes.every(({ state, isActive }) => state === 'running' && isActive)
    if (!calm || !await this.#allInSync()) return
    this.note(`broker ${broker.id} loses its disk`)
    await broker.kill()
    await broker.disk.remove(broker.directory)
    await until(async () => {
      const { brokers } = await this.#weir.admin.describeCluster()
      return brokers.find(({ id }) => id === broker.id)?.state === 'fenced' ? undefined : 'the broker is not fenced'
    })
    await broker.start()
  }

  async #allInSync(): Promise<boolean> {
    const { partitions } = await this.#weir.admin.describeTopic(TOPIC)
    return partitions.every(({ isr }) => isr.length === 3)
  }

  #do(node: TestNode, what: string, act: () => Promise<void> | void): void {
    this.note(`${node.kind} ${node.id} ${what}`)
    if (what !== 'isolate' && what !== 'heal') this.#isolated.delete(node)
    const done = (async () => { await act() })().finally(() => { this.#busy.delete(node) })
    this.#busy.set(node, done)
  }

  /** Whether these succeed is not the question. */
  #admin(kind: number): void {
    const { admin } = this.#weir
    const id = 1 + this.#random.below(3)
    const step = (what: string, call: () => Promise<unknown>) => {
      this.note(what)
      const asked = call().then(noop, noop).finally(() => { this.#asked.delete(asked) })
      this.#asked.add(asked)
    }
    if (kind < 13) return step('elect preferred leaders', () => admin.electLeaders([]))
    if (kind < 16) {
      return step('a producer begins', async () => {
        const producer = this.#weir.producer({ deliveryTimeoutMs: 60_000 })
        await producer.send({ topic: BESIDES, value: 'x' })
          .catch((error: unknown) => { this.refused.push(String(error)) })
        await producer.close()
      })
    }
    if (kind < 18) return step(`controller ${id} should lead`, () => admin.transferLeadership(id))
    if (kind < 21) return step(`create topic ${++this.#topics}`, () => admin.createTopic({ name: `t${this.#topics}` }))
    if (kind < 23) return step(`delete topic ${this.#topics}`, () => admin.deleteTopic(`t${this.#topics}`))
    if (kind < 25) return step(`resume broker ${id}`, () => admin.resumeBroker(id))
    return step(`drain broker ${id}`, async () => {
      await admin.drainBroker(id)
      await pause(200)
      await admin.resumeBroker(id)
    })
  }

  note(step: string): void {
    this.steps.push(`${Math.round(systemClock().monotonicMs() - this.#startMs)} ms: ${step}`)
  }
}

// Clients of the real SDK that produce unique values, read them from the end and from the start, and make and delete
// topics, until they are told to stop.

import { WeirError } from '../../src/base/error-code.ts'
import type { Consumer, Producer, ProducerOptions, Weir } from '../../src/client/types.ts'
import type { Random } from '../../src/ports.ts'
import type { SimCluster } from './cluster.ts'
import { History } from './history.ts'
import { unit } from './links.ts'
import type { Plan } from './plan.ts'

/** Longer than the faults of a seed usually last, so that most sends end well. */
const DELIVERY_TIMEOUT_MS = 15_000
const UNANSWERED_MAX = 200

export class Workload {
  readonly history: History
  readonly #cluster: SimCluster
  readonly #plan: Plan
  readonly #random: Random
  readonly #running: Promise<void>[] = []
  #stopping = false

  constructor(cluster: SimCluster, plan: Plan) {
    this.#cluster = cluster
    this.#plan = plan
    this.#random = cluster.world.random.fork('workload')
    this.history = new History(cluster.world)
  }

  /** Resolves when the topics are there; the clients go on by themselves. */
  async start(): Promise<void> {
    const weir = await this.#connect('setup')
    for (const topic of this.#plan.topics) {
      await weir.admin.createTopic({ name: topic.name, partitions: topic.partitions, configs: topic.configs })
      await weir.admin.waitForTopic(topic.name, 10_000)
    }
    void weir.close()
    this.#run(this.#produce('pa', { batchBytes: 2_048 }))
    this.#run(this.#produce('pb', { lingerMs: 20, batchBytes: 1_024 }))
    if (this.#random.below(2) === 0) this.#run(this.#produce('p1', { acks: 1, batchBytes: 2_048 }))
    if (this.#random.below(3) === 0) this.#run(this.#produce('p0', { acks: 0, batchBytes: 2_048 }))
    this.#run(this.#tail())
    this.#run(this.#reread())
    if (this.#random.below(2) === 0) this.#run(this.#makeTopics())
  }

  /** Resolves when every client has ended. */
  async stop(): Promise<void> {
    this.#stopping = true
    await Promise.all(this.#running)
  }

  #run(task: Promise<void>): void { this.#running.push(task) }

  #pause(meanMs: number): Promise<void> { return this.#cluster.world.sleep(meanMs * (0.2 + 1.6 * unit(this.#random))) }

  /** Asks until the cluster answers. */
  async #connect(name: string): Promise<Weir> {
    for (let tries = 0; ; tries++) {
      try {
        return await this.#cluster.connect({ name: tries === 0 ? name : `${name}.${tries}` })
      } catch (error) {
        this.#note(error)
        await this.#pause(200)
      }
    }
  }

  #note(error: unknown): void {
    if (!(error instanceof WeirError)) this.#cluster.world.fail('client', `rejected with ${String(error)}`, error)
    this.history.error(error)
  }

  // ---- produce --------------------------------------------------------------------------------------------

  async #produce(name: string, options: ProducerOptions): Promise<void> {
    const weir = await this.#connect(name)
    const producer = weir.producer({ deliveryTimeoutMs: DELIVERY_TIMEOUT_MS, ...options })
    const partitions = this.#plan.topics.flatMap(({ name: topic, partitions: count }) => (
      Array.from({ length: count }, (_, partition) => ({ topic, partition }))))
    const open = { count: 0 }
    for (let number = 0; !this.#stopping; number++) {
      await this.#pause(2_000 / this.#plan.recordsPerSecond)
      for (let burst = this.#random.below(20) === 0 ? 20 : 1; burst > 0; burst--) {
        if (open.count >= UNANSWERED_MAX) break
        const place = partitions[this.#random.below(partitions.length)]!
        this.#send(producer, { ...place, producer: name, number: number++, acks: options.acks ?? 'all' }, open)
      }
    }
    await this.#ended(producer.close(), name)
    await weir.close()
  }

  #send(producer: Producer, of: Parameters<History['send']>[0], open: { count: number }): void {
    const sent = this.history.send(of)
    const padding = '.'.repeat(this.#random.below(100) === 0 ? 1_500 : this.#random.below(120))
    open.count++
    producer.send({ topic: of.topic, partition: of.partition, value: `${sent.value} ${padding}` }).then(
      (delivery) => {
        open.count--
        this.history.delivered(sent, delivery)
      },
      (error: unknown) => {
        open.count--
        this.history.failed(sent, error)
        this.#note(error)
      })
  }

  async #ended(closing: Promise<void>, name: string): Promise<void> {
    let done = false
    const mark = () => { done = true }
    closing.then(mark, mark)
    const limitMs = DELIVERY_TIMEOUT_MS + 5_000
    if (!await this.#cluster.world.until(() => done, limitMs)) {
      this.#cluster.world.fail('liveness', `${name} did not close within ${limitMs} ms`)
    }
  }

  // ---- read -----------------------------------------------------------------------------------------------

  async #tail(): Promise<void> {
    const weir = await this.#connect('tail')
    const topics = this.#plan.topics.map(({ name }) => name)
    while (!this.#stopping) {
      const consumer = weir.consumer({ topics, from: 'end' })
      await this.#drain('tail', consumer, () => this.#stopping || this.#random.below(200) === 0)
      await consumer.close()
    }
    await weir.close()
  }

  async #reread(): Promise<void> {
    const weir = await this.#connect('reread')
    const topics = this.#plan.topics.map(({ name }) => name)
    while (!this.#stopping) {
      const consumer = weir.consumer({ topics, from: 'start', until: 'end' })
      await this.#drain('reread', consumer, () => this.#stopping || consumer.finished)
      await consumer.close()
      await this.#pause(8_000)
    }
    await weir.close()
  }

  async #drain(reader: string, consumer: Consumer, done: () => boolean): Promise<void> {
    const next = new Map<string, number>()
    while (!done()) {
      try {
        for (const record of await consumer.poll(300)) {
          const place = `${record.topic}-${record.partition}`
          const expected = next.get(place) ?? record.offset
          if (record.offset !== expected) {
            this.#cluster.world.fail('readers', `${reader} was handed ${place}@${record.offset} after ${expected - 1}`)
          }
          next.set(place, record.offset + 1)
          this.history.read(reader, record, text(record.value))
        }
      } catch (error) {
        this.#note(error)
        return
      }
    }
  }

  // ---- topics ---------------------------------------------------------------------------------------------

  /** The same few names again and again: a new topic must never see anything of its namesake. */
  async #makeTopics(): Promise<void> {
    const weir = await this.#connect('admin')
    for (let round = 0; !this.#stopping; round++) {
      await this.#pause(1_500)
      try {
        await this.#makeTopic(weir, `x${this.#random.below(2)}`, round)
      } catch (error) {
        this.#note(error)
      }
    }
    await weir.close()
  }

  async #makeTopic(weir: Weir, topic: string, round: number): Promise<void> {
    await weir.admin.createTopic({ name: topic, partitions: 1 })
    const producer = weir.producer({ deliveryTimeoutMs: 3_000 })
    try {
      const values = [0, 1, 2].map((number) => `${topic}r${round}n${number}`)
      await Promise.all(values.map((value) => producer.send({ topic, partition: 0, value })))
      await this.#pause(500)
      const consumer = weir.consumer({ topics: [topic], from: 'start', until: 'end' })
      const found: string[] = []
      for (let polls = 0; polls < 20 && !consumer.finished; polls++) {
        found.push(...(await consumer.poll(300)).map(({ value }) => text(value)))
      }
      const { finished } = consumer
      await consumer.close()
      if (finished && found.join() !== values.join()) {
        this.#cluster.world.fail('topics',
          `${topic} of round ${round} holds [${found.join(', ')}], not [${values.join(', ')}]`)
      }
    } finally {
      await producer.close().catch((error: unknown) => { this.#note(error) })
      await weir.admin.deleteTopic(topic).catch((error: unknown) => { this.#note(error) })
    }
  }
}

export function text(value: Uint8Array | null): string {
  return value === null ? '' : Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('latin1')
}

// The command line in this process: verbs on streams, a terminal and a cluster that a test makes up.

import { runCli, type AddVerb } from '../../src/cli/program.ts'
import { Shell, type Surroundings } from '../../src/cli/shell.ts'
import type {
  Admin, ConsumedRecord, Consumer, ConsumerOptions, OutgoingRecord, ProducerOptions, TopicDescription, Weir
} from '../../src/client/types.ts'
import { weirError } from '../../src/base/error-code.ts'

export interface Ran {
  readonly code: number | undefined
  readonly out: string
  readonly err: string
  /** Of stdout, which must be one document. */
  readonly json: () => unknown
}

export interface World {
  readonly weir?: FakeWeir
  readonly input?: string | Uint8Array
  /** A person at a terminal, who answers this. */
  readonly answer?: string
  readonly around?: Partial<Surroundings>
}

/** Runs `weir …args` with these verbs. */
export async function run(verbs: readonly AddVerb[], args: readonly string[], world: World = {}): Promise<Ran> {
  let out = ''
  let err = ''
  const input = typeof world.input === 'string' ? Buffer.from(world.input) : world.input
  const around: Surroundings = {
    out: (text) => {
      out += text
      return Promise.resolve()
    },
    note: (text) => { err += text },
    canAsk: world.answer !== undefined,
    bars: false,
    ask: (question) => {
      err += question
      return Promise.resolve(world.answer ?? '')
    },
    input: chunksOf(input === undefined ? [] : [input]),
    connect: (given) => {
      if (world.weir === undefined) return Promise.reject(weirError('NETWORK_EXCEPTION', 'nobody is there'))
      world.weir.connectedWith = given
      return Promise.resolve(world.weir as unknown as Weir)
    },
    onInterrupt: () => () => { /* nobody interrupts */ },
    nowMs: () => performance.now(),
    sleep: () => Promise.resolve(),
    ...world.around
  }
  const code = await runCli(verbs, args, new Shell(around))
  return { code, out, err, json: () => JSON.parse(out) as unknown }
}

export async function* chunksOf(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void, undefined> {
  for (const chunk of chunks) yield await Promise.resolve(chunk)
}

/** A connection whose administration is what the test gives; records go into `sent` and come out of `stored`. */
export class FakeWeir {
  connectedWith: { readonly bootstrap: readonly string[]; readonly timeoutMs: number } | undefined
  readonly sent: OutgoingRecord[] = []
  readonly stored: ConsumedRecord[] = []
  readonly admin: Partial<Admin>
  producerOptions: ProducerOptions | undefined
  consumerOptions: ConsumerOptions | undefined
  closed = 0
  /** Fails the record with this number (from 0). */
  failAt = -1
  readonly #offsets = new Map<number, number>()

  constructor(admin: Partial<Admin> = {}) {
    this.admin = { describeTopic: (name) => Promise.resolve(topicOf(name, 3)), ...admin }
  }

  producer(given: ProducerOptions) {
    this.producerOptions = given
    const pending = new Set<Promise<unknown>>()
    return {
      send: (record: OutgoingRecord) => {
        const result = this.#take(record)
        pending.add(result.catch(() => undefined))
        return result
      },
      flush: async () => { await Promise.all(pending) }
    }
  }

  async #take(record: OutgoingRecord) {
    const index = this.sent.length
    this.sent.push(record)
    await Promise.resolve()
    if (index === this.failAt) throw weirError('MESSAGE_TOO_LARGE', 'too large for max.message.bytes=1000', 'send less')
    const partition = record.partition ?? 0
    const offset = this.producerOptions?.acks === 0 ? -1 : this.#offsets.get(partition) ?? 0
    this.#offsets.set(partition, offset + 1)
    return { topic: record.topic, partition, offset, timestamp: record.timestamp ?? 0 }
  }

  consumer(given: ConsumerOptions): Partial<Consumer> {
    this.consumerOptions = given
    const left = [...this.stored]
    const until = given.until
    return {
      get finished() { return until !== undefined && left.length === 0 },
      poll: () => Promise.resolve(left.splice(0, 2)),
      close: () => Promise.resolve()
    }
  }

  close(): Promise<void> {
    this.closed++
    return Promise.resolve()
  }
}

export function topicOf(name: string, partitions: number): TopicDescription {
  return {
    name, topicId: '0'.repeat(32), configs: {},
    partitions: Array.from({ length: partitions }, (_, partition) => (
      { partition, leader: 1, leaderEpoch: 0, partitionEpoch: 0, replicas: [1, 2], isr: [1, 2] }))
  }
}

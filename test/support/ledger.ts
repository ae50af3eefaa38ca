// A workload with a memory: produces keyed, numbered records at a rate, notes every acknowledgement, then reads all
// back and says what the cluster made of its promises.

import { sleep } from '../../src/base/async.ts'
import { WeirError } from '../../src/base/error-code.ts'
import type { ConsumedRecord, Delivery, Producer, ProducerOptions, Weir } from '../../src/client/types.ts'
import { systemClock, systemTimers } from '../../src/os/system.ts'
import { crc32c } from '../../src/records/crc32c.ts'

const TICK_MS = 4
const POLL_MS = 10
/** Records without an answer; above it the workload waits. */
const UNANSWERED_MAX = 20_000
const KEYS_PER_PARTITION = 3
/** Longer than any fault of a test lasts. */
const DELIVERY_TIMEOUT_MS = 60_000

export interface LedgerOptions {
  readonly topic: string
  readonly partitions: number
  /** Over all partitions. Default 1000. */
  readonly perSecond?: number
  /** Length of each value, at least 64. Default 100. */
  readonly valueBytes?: number
  /** Default: acks all, idempotent. */
  readonly producer?: ProducerOptions
}

export interface LedgerReport {
  /** Records acknowledged, and those whose `send` was rejected: their outcome is unknown, or they were not written. */
  readonly acked: number
  readonly failed: number
  /** Acknowledged, and not where the acknowledgement said, or (with an unknown offset) nowhere. */
  readonly ackedLost: number
  /** Records that are there more than once. */
  readonly duplicated: number
  /** Records behind a later one of their key. */
  readonly reordered: number
  /** Records that nobody sent. */
  readonly corrupt: number
  /** Longest time in which a partition acknowledged nothing while records waited for it, over all partitions. */
  readonly unavailableMs: number
}

interface Sent { readonly key: string; readonly number: number; delivery: Delivery | undefined }

export class Ledger {
  readonly #weir: Weir
  readonly #options: Required<Omit<LedgerOptions, 'producer'>>
  readonly #producer: Producer
  readonly #sent: Sent[] = []
  readonly #numbers = new Map<string, number>()
  readonly #failures: WeirError[] = []
  /** Partition → since when records have waited for it without any acknowledgement. */
  readonly #waitingSince = new Map<number, number>()
  readonly #unanswered = new Map<number, number>()
  readonly #padding: string
  /** What `check` found: `partition@offset` → `key#number`. */
  #found = new Map<string, string>()
  #longestGapMs = 0
  #open = 0
  #running: Promise<void> | undefined
  #stopping = false

  constructor(weir: Weir, options: LedgerOptions) {
    this.#weir = weir
    this.#options = { perSecond: 1000, valueBytes: 100, ...options }
    this.#producer = weir.producer({ deliveryTimeoutMs: DELIVERY_TIMEOUT_MS, ...options.producer })
    this.#padding = '.'.repeat(this.#options.valueBytes)
  }

  get ackedCount(): number {
    return this.#sent.reduce((sum, { delivery }) => sum + (delivery === undefined ? 0 : 1), 0)
  }
  get failures(): readonly WeirError[] { return this.#failures }
  /** Longest gap so far; see `LedgerReport`. `resetGap` begins anew. */
  get unavailableMs(): number {
    const nowMs = systemClock().monotonicMs()
    return Math.max(this.#longestGapMs, ...[...this.#waitingSince.values()].map((sinceMs) => nowMs - sinceMs))
  }

  resetGap(): void {
    this.#longestGapMs = 0
    const nowMs = systemClock().monotonicMs()
    for (const partition of this.#waitingSince.keys()) this.#waitingSince.set(partition, nowMs)
  }

  /** Produces until `stop`. */
  start(): this {
    this.#stopping = false
    this.#running ??= this.#run()
    return this
  }

  /** Sends no more; resolves when everything sent has been answered. */
  async stop(): Promise<void> {
    this.#stopping = true
    await this.#running
    this.#running = undefined
    await this.#producer.flush()
  }

  /** Resolves when `count` more records have been acknowledged in every partition. */
  progress(count = 5, timeoutMs = 15_000): Promise<void> {
    const from = this.#sent.length
    return until(() => {
      const byPartition = new Array<number>(this.#options.partitions).fill(0)
      for (let index = from; index < this.#sent.length; index++) {
        const { delivery } = this.#sent[index]!
        if (delivery !== undefined) byPartition[delivery.partition]!++
      }
      return Promise.resolve(byPartition.every((acked) => acked >= count) ? undefined
        : `acknowledged by partition: ${byPartition.join(', ')}; failure: ${this.#failures.at(-1)?.message ?? 'none'}`)
    }, timeoutMs)
  }

  /** Stops, then reads every partition from its start to its end. */
  async check(): Promise<LedgerReport> {
    await this.stop()
    const found = new Map<string, number>()
    const at = this.#found = new Map<string, string>()
    const highest = new Map<string, number>()
    let reordered = 0
    let corrupt = 0
    let duplicated = 0
    const consumer = this.#weir.consumer({ topics: [this.#options.topic], from: 'start', until: 'end' })
    for await (const record of consumer) {
      const read = parse(record.value, record.key)
      if (read === undefined || read.number >= (this.#numbers.get(read.key) ?? 0)) {
        corrupt++
        continue
      }
      const id = `${read.key}#${read.number}`
      const times = (found.get(id) ?? 0) + 1
      found.set(id, times)
      if (times > 1) duplicated++
      else if (read.number < (highest.get(read.key) ?? -1)) reordered++
      highest.set(read.key, Math.max(highest.get(read.key) ?? -1, read.number))
      at.set(`${record.partition}@${record.offset}`, id)
    }
    await consumer.close()
    let acked = 0
    let ackedLost = 0
    for (const { key, number, delivery } of this.#sent) {
      if (delivery === undefined) continue
      acked++
      const id = `${key}#${number}`
      const there = delivery.offset < 0 ? found.has(id) : at.get(`${delivery.partition}@${delivery.offset}`) === id
      if (!there) ackedLost++
    }
    return {
      acked, failed: this.#failures.length, ackedLost, duplicated, reordered, corrupt,
      unavailableMs: Math.round(this.unavailableMs) }
  }

  /** What `check` found at a place, as `key#number`. */
  foundAt(partition: number, offset: number): string | undefined { return this.#found.get(`${partition}@${offset}`) }

  /** `key#number` of a record of any ledger; undefined when it is none, or damaged. */
  static identify(record: ConsumedRecord): string | undefined {
    const read = parse(record.value, record.key)
    return read === undefined ? undefined : `${read.key}#${read.number}`
  }

  async #run(): Promise<void> {
    const { perSecond, partitions } = this.#options
    const startMs = systemClock().monotonicMs()
    let made = 0
    while (!this.#stopping) {
      const due = Math.floor((systemClock().monotonicMs() - startMs) * perSecond / 1000)
      for (; made < due; made++) {
        if (this.#open < UNANSWERED_MAX) this.#send(made % partitions, made)
      }
      await pause(TICK_MS)
    }
  }

  #send(partition: number, turn: number): void {
    const key = `p${partition}k${Math.floor(turn / this.#options.partitions) % KEYS_PER_PARTITION}`
    const number = this.#numbers.get(key) ?? 0
    this.#numbers.set(key, number + 1)
    const sent: Sent = { key, number, delivery: undefined }
    this.#sent.push(sent)
    this.#open++
    const waiting = this.#unanswered.get(partition) ?? 0
    this.#unanswered.set(partition, waiting + 1)
    if (waiting === 0) this.#waitingSince.set(partition, systemClock().monotonicMs())
    const value = format(key, number, this.#padding, this.#options.valueBytes)
    this.#producer.send({ topic: this.#options.topic, partition, key, value }).then(
      (delivery) => {
        sent.delivery = delivery
        this.#answered(partition, true)
      },
      (error: unknown) => {
        if (!(error instanceof WeirError)) throw error
        this.#failures.push(error)
        this.#answered(partition, false)
      })
  }

  #answered(partition: number, acknowledged: boolean): void {
    this.#open--
    const left = this.#unanswered.get(partition)! - 1
    this.#unanswered.set(partition, left)
    const sinceMs = this.#waitingSince.get(partition)
    const nowMs = systemClock().monotonicMs()
    if (acknowledged) {
      if (sinceMs !== undefined) this.#longestGapMs = Math.max(this.#longestGapMs, nowMs - sinceMs)
      this.#waitingSince.set(partition, nowMs)
    }
    if (left === 0) this.#waitingSince.delete(partition)
  }
}

/** What a healthy ledger says, for `expect(report).to.include(KEPT)`. */
export const KEPT = { ackedLost: 0, duplicated: 0, reordered: 0, corrupt: 0 } as const

export function pause(ms: number): Promise<void> { return sleep(systemTimers(), ms) }

/**
 * Asks every 10 ms until `reason` has none left; fails with the last one after `timeoutMs` in which this process ran:
 * on a machine that gives it no turn, nothing can be expected.
 */
export async function until(reason: () => Promise<string | undefined>, timeoutMs = 10_000): Promise<void> {
  const clock = systemClock()
  let leftMs = timeoutMs
  for (let lastMs = clock.monotonicMs(); ; lastMs = clock.monotonicMs()) {
    const unmet = await reason()
    if (unmet === undefined) return
    if (leftMs <= 0) throw new Error(`after ${timeoutMs} ms still: ${unmet}`)
    await pause(POLL_MS)
    leftMs -= Math.min(clock.monotonicMs() - lastMs, 2 * POLL_MS)
  }
}

/** `<crc32c> <key> <number> ....`, `length` long. */
function format(key: string, number: number, padding: string, length: number): string {
  const body = `${key} ${number} ${padding}`.slice(0, length - 9)
  return `${checksum(body)} ${body}`
}

function parse(value: Uint8Array | null, key: Uint8Array | null): { key: string; number: number } | undefined {
  if (value === null || key === null) return undefined
  const text = new TextDecoder().decode(value)
  const body = text.slice(9)
  const [named, number] = body.split(' ')
  if (checksum(body) !== text.slice(0, 8) || named !== new TextDecoder().decode(key)) return undefined
  return { key: named, number: Number(number) }
}

function checksum(text: string): string {
  return (crc32c(new TextEncoder().encode(text)) >>> 0).toString(16).padStart(8, '0')
}

// What clients sent, were promised and saw; and whether it all fits together.

import type { Delivery } from '../../src/client/types.ts'
import type { World } from './world.ts'

export interface Sent {
  readonly value: string
  readonly topic: string
  readonly partition: number
  readonly producer: string
  readonly number: number
  readonly acks: 'all' | 1 | 0
  state: 'waiting' | 'acknowledged' | 'failed'
  offset: number
}

/** A record as a reader got it. */
export interface ReadRecord { readonly offset: number; readonly text: string }

export class History {
  readonly sent = new Map<string, Sent>()
  readonly #world: World
  /** `topic-partition@offset` → value, as readers saw it. */
  readonly #seen = new Map<string, string>()
  readonly #seenEnds = new Map<string, number>()
  readonly errors = new Map<string, number>()
  acknowledged = 0
  reads = 0

  constructor(world: World) {
    this.#world = world
  }

  get waiting(): number {
    let count = 0
    for (const { state } of this.sent.values()) if (state === 'waiting') count++
    return count
  }

  send(of: Pick<Sent, 'topic' | 'partition' | 'producer' | 'number' | 'acks'>): Sent {
    const sent: Sent = { ...of, value: `${of.producer}#${of.number}`, state: 'waiting', offset: -1 }
    this.sent.set(sent.value, sent)
    return sent
  }

  delivered(sent: Sent, delivery: Delivery): void {
    sent.state = 'acknowledged'
    sent.offset = delivery.offset
    this.acknowledged++
  }

  failed(sent: Sent, error: unknown): void {
    sent.state = 'failed'
    this.error(error)
  }

  error(error: unknown): void {
    const name = error instanceof Error ? error.name : String(error)
    this.errors.set(name, (this.errors.get(name) ?? 0) + 1)
  }

  /** A reader was handed this record: the same as everybody else, for ever. */
  read(reader: string, at: Pick<Sent, 'topic' | 'partition' | 'offset'>, text: string): void {
    this.reads++
    const place = `${at.topic}-${at.partition}`
    const known = this.#seen.get(`${place}@${at.offset}`) ?? text
    this.#seen.set(`${place}@${at.offset}`, known)
    this.#seenEnds.set(place, Math.max(this.#seenEnds.get(place) ?? 0, at.offset + 1))
    if (known !== text) {
      this.#world.fail('readers',
        `${reader} read ${show(text)} at ${place}@${at.offset}, where ${show(known)} was read before`)
    }
    const sent = this.sent.get(text.split(' ')[0]!)
    if (sent === undefined || sent.topic !== at.topic || sent.partition !== at.partition) {
      this.#world.fail('readers', `${reader} read ${show(text)} at ${place}@${at.offset}, which nobody sent there`)
    }
  }

  /** `records`: all of a partition from its start to its end, read at rest. */
  checkFinal(topic: string, partition: number, records: readonly ReadRecord[]): void {
    const place = `${topic}-${partition}`
    const at = new Map(records.map(({ offset, text }) => [offset, text.split(' ')[0]!]))
    const places = new Map<string, number[]>()
    for (const [offset, value] of at) {
      const offsets = places.get(value) ?? []
      offsets.push(offset)
      places.set(value, offsets)
    }
    const end = records.at(-1)?.offset ?? -1
    if (end + 1 < (this.#seenEnds.get(place) ?? 0)) {
      this.#fail(`${place} ends at ${end + 1}, but offsets up to ${this.#seenEnds.get(place)} were read before`)
    }
    const last = new Map<string, Sent>()
    for (const { offset, text } of records) {
      const sent = this.sent.get(text.split(' ')[0]!)
      if (sent === undefined || sent.acks !== 'all') continue
      const before = last.get(sent.producer)
      if (before !== undefined && sent.number < before.number && places.get(sent.value)!.length === 1) {
        this.#fail(`${place}@${offset}: ${sent.value} lies behind ${before.value}`)
      }
      last.set(sent.producer, sent)
    }
    for (const sent of this.sent.values()) {
      if (sent.topic !== topic || sent.partition !== partition || sent.acks !== 'all') continue
      const offsets = places.get(sent.value) ?? []
      if (offsets.length > 1) this.#fail(`${sent.value} is in ${place} more than once: at ${offsets.join(', ')}`)
      if (sent.state !== 'acknowledged') continue
      if (sent.offset >= 0 ? at.get(sent.offset) !== sent.value : offsets.length === 0) {
        const there = at.get(sent.offset) ?? 'nothing'
        this.#fail(`${sent.value} was acknowledged at ${place}@${sent.offset}; there is ${there}, `
          + `and it is found at [${offsets.join(', ')}] of ${records.length} records`)
      }
    }
  }

  #fail(what: string): void { this.#world.fail('acked-is-durable', what) }
}

function show(text: string): string { return text.length > 40 ? `${text.slice(0, 40)}…` : text }

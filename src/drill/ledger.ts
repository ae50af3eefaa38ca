// A workload that can be checked: numbered records, a note of every acknowledgement, and the count of what is missing,
// twice there, out of order or altered when all of it is read back.

import { assert } from '../base/assert.ts'
import type { ConsumedRecord, Delivery } from '../client/types.ts'

/** Keys in use: records of one key keep their order. */
export const KEYS = 120

export interface LedgerVerdict {
  readonly acked: number
  /** Acknowledged, and not there. */
  readonly ackedLost: number
  /** There more than once. */
  readonly duplicated: number
  /** Records of one key that came after a later one. */
  readonly reordered: number
  /** Altered, foreign, or at another place than the acknowledgement said. */
  readonly corrupt: number
  /** Sends that were rejected: their records may be there or not. */
  readonly failed: number
}

export class Ledger {
  readonly #payload: number
  /** By record number: 1 sent, 2 acknowledged, 3 failed. */
  readonly #states: number[] = []
  readonly #places: { readonly partition: number; readonly offset: number }[] = []
  readonly #times = new Map<number, number>()
  /** Partition → of the time under watch, when its last acknowledgement came and the longest gap so far. */
  #gaps: Map<number, { lastMs: number; gapMs: number }> | undefined

  /** `payload`: bytes of each value, at least 64. */
  constructor(payload: number) {
    assert(payload >= 64, `payload ${payload} >= 64`)
    this.#payload = payload
  }

  get sent(): number { return this.#states.length }
  get acked(): number { return this.#states.reduce((sum, state) => sum + (state === 2 ? 1 : 0), 0) }
  get failed(): number { return this.#states.reduce((sum, state) => sum + (state === 3 ? 1 : 0), 0) }

  /** The next record to send. */
  next(): { readonly number: number; readonly key: string; readonly value: string } {
    const number = this.#states.length
    this.#states.push(1)
    return { number, key: keyOf(number), value: valueOf(number, this.#payload) }
  }

  acknowledged(number: number, delivery: Delivery, nowMs: number): void {
    this.#states[number] = 2
    this.#places[number] = { partition: delivery.partition, offset: delivery.offset }
    this.#times.set(delivery.partition, nowMs)
    const gap = this.#gaps?.get(delivery.partition)
    if (gap === undefined) return
    gap.gapMs = Math.max(gap.gapMs, nowMs - gap.lastMs)
    gap.lastMs = nowMs
  }

  rejected(number: number): void { this.#states[number] = 3 }

  // ---- unavailability -------------------------------------------------------------------------------------

  /** From now on the longest time between two acknowledgements of each of `partitions` is measured. */
  watch(partitions: readonly number[], nowMs: number): void {
    this.#gaps = new Map(partitions.map((partition) => [
      partition, { lastMs: this.#times.get(partition) ?? nowMs, gapMs: 0 }]))
  }

  /** When the last acknowledgement of a partition came, -Infinity before the first. */
  lastAckMs(partition: number): number { return this.#times.get(partition) ?? -Infinity }

  /** The longest gap of any watched partition, ms; one that is still open counts up to now. */
  unavailableMs(nowMs: number): number {
    let longest = 0
    for (const { lastMs, gapMs } of this.#gaps?.values() ?? []) longest = Math.max(longest, gapMs, nowMs - lastMs)
    return longest
  }

  // ---- reading back ---------------------------------------------------------------------------------------

  /** Judges everything that is there; `records` in offset order per partition. */
  async judge(records: AsyncIterable<ConsumedRecord>): Promise<LedgerVerdict> {
    const seen = new Uint8Array(this.#states.length)
    const lastByKey = new Map<string, number>()
    const counts = { duplicated: 0, reordered: 0, corrupt: 0 }
    for await (const record of records) this.#judgeOne(record, seen, lastByKey, counts)
    let ackedLost = 0
    for (const [number, state] of this.#states.entries()) {
      if (state === 2 && seen[number] === 0) ackedLost++
    }
    return { acked: this.acked, failed: this.failed, ackedLost, ...counts }
  }

  #judgeOne(
    record: ConsumedRecord, seen: Uint8Array, lastByKey: Map<string, number>,
    counts: { duplicated: number; reordered: number; corrupt: number }): void {
    const key = record.key === null ? '' : Buffer.from(record.key).toString()
    const value = record.value === null ? '' : Buffer.from(record.value).toString()
    const number = Number(value.slice(0, value.indexOf(' ')))
    if (!(number >= 0 && number < this.#states.length) || value !== valueOf(number, this.#payload)
      || key !== keyOf(number)) {
      counts.corrupt++
      return
    }
    if (seen[number] === 1) counts.duplicated++
    else if (this.#isElsewhere(number, record)) counts.corrupt++
    seen[number] = 1
    const last = lastByKey.get(key)
    if (last !== undefined && last > number) counts.reordered++
    lastByKey.set(key, Math.max(last ?? -1, number))
  }

  #isElsewhere(number: number, record: ConsumedRecord): boolean {
    const place = this.#places[number]
    if (place === undefined || place.offset < 0) return false
    return place.partition !== record.partition || place.offset !== record.offset
  }
}

export function isGreen(verdict: LedgerVerdict): boolean {
  return verdict.acked > 0
    && verdict.ackedLost + verdict.duplicated + verdict.reordered + verdict.corrupt === 0
}

function keyOf(number: number): string { return `key-${number % KEYS}` }

/** `number check filler`, the same again for the same number. */
function valueOf(number: number, bytes: number): string {
  const head = `${number} ${Math.imul(number ^ 0x5bd1e995, 0x9e3779b1) >>> 0} `
  return head.padEnd(bytes, String.fromCharCode(97 + (number % 26)))
}

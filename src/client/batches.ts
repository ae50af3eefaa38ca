// Records on their way: one batch of one partition, and what those who sent them wait for.

import type { Fault, WeirError } from '../base/error-code.ts'
import {
  attributes, baseOffset, baseTimestamp, lastOffsetDelta, maxTimestamp, recordCount, writeBatchHeader
} from '../records/batch.ts'
import { BatchBuilder, type NewRecord } from '../records/builder.ts'
import type { Codec } from '../records/compression.ts'
import type { Delivery } from './types.ts'

/** What the producer keeps for a record besides its bytes: promise, closures, slots. For the memory bound only. */
export const RECORD_OVERHEAD_BYTES = 128

/** Producer id and epoch: what makes the sequence numbers of a partition unique. */
export interface ProducerIdentity {
  readonly producerId: number
  readonly producerEpoch: number
}

export interface Waiter {
  resolve(delivery: Delivery): void
  reject(error: WeirError): void
}

interface Stamp extends ProducerIdentity { readonly baseSequence: number }

const NO_STAMP: Stamp = { producerId: -1, producerEpoch: -1, baseSequence: -1 }
const SEQUENCES = 2 ** 31

/** The sequence number `count` records later; they wrap from 2^31−1 to 0. */
export function sequenceAfter(sequence: number, count: number): number {
  return (sequence + count) % SEQUENCES
}

export class Batch {
  readonly topic: string
  readonly partition: number
  /** When its records give up, monotonic ms. */
  readonly deadlineMs: number
  /** open: takes records; waiting: to be sent, first or again; sent: an answer is due. */
  state: 'open' | 'waiting' | 'sent' = 'open'
  /** May be sent although it could take more records. */
  due = false
  /** Counts what was sent: an answer to an earlier attempt is old. */
  attempt = 0
  /** An attempt ended without a clear answer: the records may be in the log. */
  inDoubt = false
  settled = false
  /** Accounted bytes. */
  bytes = 0
  lastFault: Fault | undefined
  cancelLinger: (() => void) | undefined

  /** Records of each flush era in it, in order: [era, count]. */
  readonly eras: [number, number][] = []
  readonly #waiters: Waiter[] = []
  readonly #timestamps: number[] = []
  #builder: BatchBuilder | undefined
  #encoded: Uint8Array | undefined
  #stamp: Stamp | undefined

  constructor(topic: string, partition: number, deadlineMs: number) {
    this.topic = topic
    this.partition = partition
    this.deadlineMs = deadlineMs
    this.#builder = new BatchBuilder()
  }

  get count(): number { return this.#waiters.length }
  /** Before compression. */
  get sizeBytes(): number { return this.#builder?.sizeBytes ?? this.#encoded?.length ?? 0 }
  get stamp(): Stamp | undefined { return this.#stamp }

  /** Key, value and headers are copied. Throws RangeError, with nothing appended, on a bad timestamp. */
  append(record: NewRecord, bytes: number, era: number, waiter: Waiter): void {
    this.#builder!.append(record)
    this.bytes += bytes
    const last = this.eras.at(-1)
    if (last?.[0] === era) last[1]++
    else this.eras.push([era, 1])
    this.#timestamps.push(record.timestamp)
    this.#waiters.push(waiter)
  }

  /** The bytes to send. The first call closes the batch; `stamp` counts when it has none yet. */
  encode(codec: Codec, stamp: Stamp = NO_STAMP): Uint8Array {
    if (this.#encoded === undefined) {
      this.#encoded = this.#builder!.build({ codec, ...stamp })
      this.#builder = undefined
    } else if (this.#stamp === undefined && stamp !== NO_STAMP) {
      this.#encoded = restamped(this.#encoded, stamp)
    }
    this.#stamp ??= stamp
    return this.#encoded
  }

  /** Allows another identity. Only when no attempt can be in the log. */
  unstamp(): void {
    if (this.#encoded !== undefined) this.#stamp = undefined
    this.inDoubt = false
  }

  /** `firstOffset` -1: unknown. */
  succeed(firstOffset: number, logAppendTimeMs: number): void {
    this.#settle((waiter, index) => {
      waiter.resolve({
        topic: this.topic, partition: this.partition,
        offset: firstOffset < 0 ? -1 : firstOffset + index,
        timestamp: logAppendTimeMs >= 0 ? logAppendTimeMs : this.#timestamps[index]! })
    })
  }

  fail(error: WeirError): void { this.#settle((waiter) => { waiter.reject(error) }) }

  #settle(tell: (waiter: Waiter, index: number) => void): void {
    this.settled = true
    this.cancelLinger?.()
    this.#builder = undefined
    this.#encoded = undefined
    for (let index = 0; index < this.#waiters.length; index++) tell(this.#waiters[index]!, index)
  }
}

/** A copy with another identity: an earlier attempt may still be on its way out of this process. */
function restamped(bytes: Uint8Array, stamp: Stamp): Uint8Array {
  const copy = Uint8Array.from(bytes)
  writeBatchHeader(copy, 0, {
    baseOffset: baseOffset(bytes), batchBytes: bytes.length, leaderEpoch: -1, attributes: attributes(bytes),
    lastOffsetDelta: lastOffsetDelta(bytes), baseTimestamp: baseTimestamp(bytes), maxTimestamp: maxTimestamp(bytes),
    recordCount: recordCount(bytes), ...stamp })
  return copy
}

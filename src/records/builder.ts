// Makes record batches: of a list at hand, of records as they come, and the control batches that end a transaction.

import { assert } from '../base/assert.ts'
import { writeInt16, writeInt32 } from '../base/int64.ts'
import {
  BATCH_HEADER_BYTES, CONTROL_BIT, TRANSACTIONAL_BIT, writeBatchHeader
} from './batch.ts'
import type { Codec } from './compression.ts'
import { RecordWriter, recordSizeUpperBound, type NewRecord } from './record-writer.ts'

export { recordSizeUpperBound, type NewRecord }

export interface BatchOptions {
  /** Default: none. */
  readonly codec?: Codec | undefined
  /** -1, the default, and so for epoch and sequence: not from an idempotent producer. */
  readonly producerId?: number
  readonly producerEpoch?: number
  readonly baseSequence?: number
  readonly transactional?: boolean
  /** 0 by default, which is what producers send: the leader's log gives the offsets. */
  readonly baseOffset?: number
  /** -1 by default, as above. */
  readonly leaderEpoch?: number
}

const INITIAL_BYTES = 1024

/** One batch of `records`, at least one, in order. The bytes are the caller's. */
export function buildBatch(records: readonly NewRecord[], options: BatchOptions = {}): Uint8Array {
  let bound = BATCH_HEADER_BYTES
  for (const { key, value, headers } of records) bound += recordSizeUpperBound(key, value, headers)
  const builder = new BatchBuilder(bound)
  for (const record of records) builder.append(record)
  return builder.build(options)
}

/** Gathers the records of one batch as they come; key, value and headers are copied by `append`. */
export class BatchBuilder {
  readonly #writer: RecordWriter
  #count = 0
  #baseTimestamp = -1
  #maxTimestamp = -1

  /** `initialBytes`: room to begin with; it grows as needed. */
  constructor(initialBytes = INITIAL_BYTES) {
    this.#writer = new RecordWriter(initialBytes)
  }

  get count(): number { return this.#count }

  /** Size of the batch as it is, before compression. */
  get sizeBytes(): number { return this.#writer.length }

  /** Throws RangeError, with nothing appended, on a timestamp that is no integer from -1 to 2^53−1. */
  append(record: NewRecord): void {
    const { timestamp } = record
    if (!Number.isSafeInteger(timestamp) || timestamp < -1) throw new RangeError(`timestamp ${timestamp}`)
    const base = this.#count === 0 ? timestamp : this.#baseTimestamp
    this.#writer.append(record, timestamp - base, this.#count)
    this.#baseTimestamp = base
    if (timestamp > this.#maxTimestamp) this.#maxTimestamp = timestamp
    this.#count++
  }

  /** The batch. At least one record must be there; the builder must not be used after it. */
  build(options: BatchOptions = {}): Uint8Array {
    assert(this.#count > 0, 'a batch has at least one record')
    const { codec } = options
    const plain = this.#writer.finish()
    const bytes = codec === undefined || codec.id === 0 ? plain : compressed(plain, codec)
    writeBatchHeader(bytes, 0, {
      baseOffset: options.baseOffset ?? 0,
      batchBytes: bytes.length,
      leaderEpoch: options.leaderEpoch ?? -1,
      attributes: (codec?.id ?? 0) | (options.transactional === true ? TRANSACTIONAL_BIT : 0),
      lastOffsetDelta: this.#count - 1,
      baseTimestamp: this.#baseTimestamp,
      maxTimestamp: this.#maxTimestamp,
      producerId: options.producerId ?? -1,
      producerEpoch: options.producerEpoch ?? -1,
      baseSequence: options.baseSequence ?? -1,
      recordCount: this.#count
    })
    return bytes
  }
}

function compressed(plain: Uint8Array, codec: Codec): Uint8Array {
  const records = codec.compress(plain.subarray(BATCH_HEADER_BYTES))
  const bytes = new Uint8Array(BATCH_HEADER_BYTES + records.length)
  bytes.set(records, BATCH_HEADER_BYTES)
  return bytes
}

export type MarkerType = 'ABORT' | 'COMMIT'

export interface MarkerOptions {
  readonly type: MarkerType
  readonly producerId: number
  readonly producerEpoch: number
  readonly coordinatorEpoch: number
  /** Milliseconds since the epoch. */
  readonly timestamp: number
  /** Default 0. */
  readonly baseOffset?: number
  /** Default -1. */
  readonly leaderEpoch?: number
}

/** The marker that ends a transaction in one partition: a batch with one record, of which consumers see nothing. */
export function buildControlBatch(options: MarkerOptions): Uint8Array {
  const key = new Uint8Array(4)
  writeInt16(key, options.type === 'COMMIT' ? 1 : 0, 2)
  const value = new Uint8Array(6)
  writeInt32(value, options.coordinatorEpoch, 2)
  const writer = new RecordWriter(0)
  writer.append({ key, value, headers: [], timestamp: options.timestamp }, 0, 0)
  const bytes = writer.finish()
  writeBatchHeader(bytes, 0, {
    baseOffset: options.baseOffset ?? 0,
    batchBytes: bytes.length,
    leaderEpoch: options.leaderEpoch ?? -1,
    attributes: TRANSACTIONAL_BIT | CONTROL_BIT,
    lastOffsetDelta: 0,
    baseTimestamp: options.timestamp,
    maxTimestamp: options.timestamp,
    producerId: options.producerId,
    producerEpoch: options.producerEpoch,
    baseSequence: -1,
    recordCount: 1
  })
  return bytes
}

// What one partition knows of its idempotent producers: the last batches of each, by which a retry is told from new
// data (KIP-98). The state is a fold over the log: `update` for every batch, live or replayed, in order.

import { ByteReader, ByteWriter } from '../../src/base/bytes.ts'
import { fault, type Fault } from '../../src/base/error-code.ts'
import {
  baseSequence, isControl, lastOffset, lastOffsetDelta, maxTimestamp, producerEpoch, producerId
} from '../../src/records/batch.ts'
import { crc32c } from '../../src/records/crc32c.ts'

/** As many batches as a producer may have in flight. */
const WINDOW = 5
const SEQUENCES = 2 ** 31
const PRODUCERS_MAX = 50_000

const SNAPSHOT_VERSION = 1
/** Version and checksum, which the checksum does not cover. */
const SNAPSHOT_PREFIX_BYTES = 6
const SNAPSHOT_ENTRY_BYTES = 46

export type SequenceCheck =
  | { readonly kind: 'append' }
  /** The batch is in the log: with these offsets, and this largest timestamp. */
  | { readonly kind: 'duplicate'; readonly baseOffset: number; readonly lastOffset: number; readonly timestamp: number }
  | { readonly kind: 'refused'; readonly fault: Fault }

const APPEND: SequenceCheck = { kind: 'append' }

interface StoredBatch {
  readonly lastSequence: number
  readonly lastOffset: number
  /** Records less one, in offsets and in sequences. */
  readonly offsetDelta: number
  readonly timestamp: number
}

interface Producer {
  epoch: number
  /** Oldest first, all of `epoch`; empty after a marker with a new epoch. */
  batches: StoredBatch[]
  lastSeenMs: number
}

export class ProducerState {
  readonly #maxProducers: number
  /** Least recently seen first. */
  readonly #producers = new Map<number, Producer>()

  /** `maxProducers` (>= 1): beyond it the producer that has been silent longest is forgotten. */
  constructor(maxProducers = PRODUCERS_MAX) {
    this.#maxProducers = maxProducers
  }

  get count(): number { return this.#producers.size }

  /**
   * What to do with a batch of a client. Refused with INVALID_PRODUCER_EPOCH (a newer instance is known),
   * OUT_OF_ORDER_SEQUENCE_NUMBER (a batch before it is missing, or it is a retry older than five batches), or
   * UNKNOWN_PRODUCER_ID (a sequence goes on that this partition does not know).
   */
  check(bytes: Uint8Array, at: number): SequenceCheck {
    const id = producerId(bytes, at)
    if (id < 0 || isControl(bytes, at)) return APPEND
    const first = baseSequence(bytes, at)
    const known = this.#producers.get(id)
    if (known === undefined) return first === 0 ? APPEND : unknown(id, first)
    const epoch = producerEpoch(bytes, at)
    if (epoch < known.epoch) {
      return { kind: 'refused', fault: fault('INVALID_PRODUCER_EPOCH',
        `producer ${id} has epoch ${epoch}, epoch ${known.epoch} has written here`,
        'a newer instance of this producer is at work: stop this one') }
    }
    if (epoch > known.epoch) return first === 0 ? APPEND : outOfOrder(id, first, 0)
    const last = sequenceAfter(first, lastOffsetDelta(bytes, at))
    for (const batch of known.batches) {
      if (batch.lastSequence === last && firstSequence(batch) === first) {
        return { kind: 'duplicate', baseOffset: batch.lastOffset - batch.offsetDelta, lastOffset: batch.lastOffset,
          timestamp: batch.timestamp }
      }
    }
    const newest = known.batches.at(-1)
    const expected = newest === undefined ? 0 : sequenceAfter(newest.lastSequence, 1)
    return first === expected ? APPEND : outOfOrder(id, first, expected)
  }

  /**
   * Takes an appended batch into account, without a check: what is in the log counts. `seenMs`: when it came, for
   * `expire`; by default the largest timestamp in it.
   */
  update(bytes: Uint8Array, at: number, seenMs = maxTimestamp(bytes, at)): void {
    const id = producerId(bytes, at)
    if (id < 0) return
    const epoch = producerEpoch(bytes, at)
    const known = this.#producers.get(id)
    const producer = known ?? { epoch, batches: [], lastSeenMs: seenMs }
    if (producer.epoch !== epoch) {
      producer.epoch = epoch
      producer.batches = []
    }
    producer.lastSeenMs = Math.max(producer.lastSeenMs, seenMs)
    if (!isControl(bytes, at)) {
      const offsetDelta = lastOffsetDelta(bytes, at)
      if (producer.batches.length === WINDOW) producer.batches.shift()
      producer.batches.push({
        lastSequence: sequenceAfter(baseSequence(bytes, at), offsetDelta), lastOffset: lastOffset(bytes, at),
        offsetDelta, timestamp: maxTimestamp(bytes, at) })
    }
    if (known !== undefined) this.#producers.delete(id)
    this.#add(id, producer)
  }

  #add(id: number, producer: Producer): void {
    this.#producers.set(id, producer)
    if (this.#producers.size <= this.#maxProducers) return
    for (const oldest of this.#producers.keys()) {
      this.#producers.delete(oldest)
      return
    }
  }

  /** Forgets producers that were last seen before `beforeMs`. */
  expire(beforeMs: number): void {
    for (const [id, { lastSeenMs }] of this.#producers) if (lastSeenMs < beforeMs) this.#producers.delete(id)
  }

  clear(): void { this.#producers.clear() }

  // ---- snapshot files -------------------------------------------------------------------------------------

  /**
   * Kafka's `.snapshot` format, version 1, with one entry for each batch of a producer's window, oldest first. (Kafka
   * writes the last one only and keeps the last one it reads.) The bytes are the caller's.
   */
  snapshot(): Uint8Array {
    let entries = 0
    for (const { batches } of this.#producers.values()) entries += Math.max(1, batches.length)
    const writer = new ByteWriter(SNAPSHOT_PREFIX_BYTES + 4 + entries * SNAPSHOT_ENTRY_BYTES)
    writer.int16(SNAPSHOT_VERSION)
    writer.int32(0)
    writer.int32(entries)
    for (const [id, { epoch, batches, lastSeenMs }] of this.#producers) {
      const none: StoredBatch = { lastSequence: -1, lastOffset: -1, offsetDelta: 0, timestamp: lastSeenMs }
      for (const batch of batches.length > 0 ? batches : [none]) {
        writer.int64(id)
        writer.int16(epoch)
        writer.int32(batch.lastSequence)
        writer.int64(batch.lastOffset)
        writer.int32(batch.offsetDelta)
        writer.int64(batch.timestamp)
        // No coordinator epoch, no open transaction.
        writer.int32(-1)
        writer.int64(-1)
      }
    }
    const bytes = writer.finish()
    writer.patchInt32(2, crc32c(bytes.subarray(SNAPSHOT_PREFIX_BYTES)))
    return bytes
  }

  /**
   * Replaces the state by what `snapshot` wrote; no producer counts as seen before `seenMs`. Returns what is wrong with
   * `bytes`; the state is empty then.
   */
  load(bytes: Uint8Array, seenMs = -1): string | undefined {
    this.clear()
    const reader = new ByteReader(bytes)
    const version = reader.int16()
    const crc = reader.uint32()
    if (reader.fault !== undefined) return reader.fault
    if (version !== SNAPSHOT_VERSION) return `version ${version}, only ${SNAPSHOT_VERSION} is supported`
    const computed = crc32c(bytes.subarray(SNAPSHOT_PREFIX_BYTES))
    if (crc !== computed) return `CRC-32C is ${computed.toString(16)}, the header says ${crc.toString(16)}`
    const count = reader.count(reader.int32(), SNAPSHOT_ENTRY_BYTES)
    for (let entry = 0; entry < count; entry++) this.#loadEntry(reader, seenMs)
    if (reader.fault === undefined && reader.remaining > 0) reader.fail(`${reader.remaining} bytes too many`)
    if (reader.fault !== undefined) this.clear()
    return reader.fault
  }

  #loadEntry(reader: ByteReader, seenMs: number): void {
    const id = reader.int64()
    const epoch = reader.int16()
    const lastSequence = reader.int32()
    const batch = { lastSequence, lastOffset: reader.int64(), offsetDelta: reader.int32(), timestamp: reader.int64() }
    reader.int32()
    reader.int64()
    const known = this.#producers.get(id)
    if (known === undefined || known.epoch !== epoch) {
      this.#producers.delete(id)
      this.#add(id, {
        epoch, batches: lastSequence < 0 ? [] : [batch], lastSeenMs: Math.max(batch.timestamp, seenMs) })
      return
    }
    if (known.batches.length === WINDOW) known.batches.shift()
    known.batches.push(batch)
    known.lastSeenMs = Math.max(known.lastSeenMs, batch.timestamp)
  }
}

/** The sequence number `count` behind `sequence`: 2^31−1 is followed by 0. */
function sequenceAfter(sequence: number, count: number): number {
  return (sequence + count) % SEQUENCES
}

function firstSequence({ lastSequence, offsetDelta }: StoredBatch): number {
  return (lastSequence - offsetDelta + SEQUENCES) % SEQUENCES
}

function outOfOrder(id: number, sequence: number, expected: number): SequenceCheck {
  return { kind: 'refused', fault: fault('OUT_OF_ORDER_SEQUENCE_NUMBER',
    `producer ${id} sent sequence ${sequence}, ${expected} is next`,
    'send the batches in between first, or begin again with a new producer id or epoch') }
}

function unknown(id: number, sequence: number): SequenceCheck {
  return { kind: 'refused', fault: fault('UNKNOWN_PRODUCER_ID',
    `producer ${id} goes on with sequence ${sequence}, this partition knows nothing of it`,
    'begin again at sequence 0, or with a new producer id (see producer.id.expiration.ms)') }
}

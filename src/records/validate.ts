// What a broker accepts from a producer: one whole batch whose every length, count, offset and timestamp is true.
//
// A log never holds what did not pass here, so consumers and the cleaner may trust what they read. Records are walked
// without making objects; compressed ones are expanded under a cap first.

import { fault, type Fault } from '../base/error-code.ts'
import * as batch from './batch.ts'
import { codecById, type Codec } from './compression.ts'
import { expansionLimit } from './decompression-limit.ts'
import { RecordCursor } from './record-cursor.ts'

export interface BatchLimits {
  /** Of the batch as sent, header included. */
  readonly maxMessageBytes: number
  readonly nowMs: number
  /** How far timestamps may lie behind and ahead of `nowMs`; both count for CreateTime only. */
  readonly timestampBeforeMaxMs: number
  readonly timestampAfterMaxMs: number
  readonly timestampType: batch.TimestampType
}

/** Length, attributes, timestamp delta, offset delta, key, value, header count: a byte each. */
const LEAST_RECORD_BYTES = 7
/** A producer that has no time to give. */
const NO_TIMESTAMP = -1

/**
 * What is wrong with `bytes`, which should be exactly one batch; undefined when a log may hold it. Bytes damaged on
 * their way are CORRUPT_MESSAGE, which a producer retries; a batch that will never be right is refused for good. Does
 * not change `bytes`.
 */
export function validateProduceBatch(bytes: Uint8Array, limits: BatchLimits): Fault | undefined {
  return checkEnvelope(bytes, limits) ?? checkHeader(bytes) ?? checkRecords(bytes, limits)
}

function checkEnvelope(bytes: Uint8Array, limits: BatchLimits): Fault | undefined {
  if (bytes.length < batch.BATCH_HEADER_BYTES) {
    return invalid(`${bytes.length} bytes are no record batch: its header alone has ${batch.BATCH_HEADER_BYTES}`)
  }
  if (bytes.length > limits.maxMessageBytes) {
    return fault('MESSAGE_TOO_LARGE',
      `the batch has ${bytes.length} bytes, max.message.bytes is ${limits.maxMessageBytes}`,
      'send smaller batches, or raise max.message.bytes of the topic')
  }
  const size = batch.batchBytes(bytes)
  // Damage first: of bytes with another magic or a length without sense nothing else is true.
  if (batch.magic(bytes) === batch.BATCH_MAGIC && size >= batch.BATCH_HEADER_BYTES && size !== bytes.length) {
    return invalid(`the batch says it has ${size} bytes, ${bytes.length} were sent: send exactly one whole batch`)
  }
  const wrong = batch.checkFrame(bytes, 0, bytes.length)
  return wrong === undefined ? undefined : fault('CORRUPT_MESSAGE', `the batch is corrupt: ${wrong}`, 'send it again')
}

function checkHeader(bytes: Uint8Array): Fault | undefined {
  const wrong = batch.checkNumbers(bytes, 0)
  if (wrong !== undefined) return invalid(wrong)
  const first = batch.baseOffset(bytes)
  if (first !== 0) return invalid(`base offset ${first}: a producer sends 0`)
  const count = batch.recordCount(bytes)
  const delta = batch.lastOffsetDelta(bytes)
  if (count < 1) return invalid('the batch has no records')
  if (count !== delta + 1) return invalid(`record count ${count} and last offset delta ${delta} contradict each other`)
  if (batch.isControl(bytes)) return invalid('a control batch: only brokers write those')
  if ((batch.attributes(bytes) & batch.DELETE_HORIZON_BIT) !== 0) {
    return invalid('a batch with a delete horizon: only the cleaner of a log sets one')
  }
  if (batch.timestampType(bytes) !== 'CreateTime') {
    return fault('INVALID_TIMESTAMP', 'timestamp type LogAppendTime: only brokers set it', 'send CreateTime')
  }
  return checkProducer(bytes)
}

function checkProducer(bytes: Uint8Array): Fault | undefined {
  const id = batch.producerId(bytes)
  if (id < -1) return invalid(`producer id ${id}`)
  if (id === -1) {
    return batch.isTransactional(bytes) ? invalid('a transactional batch without a producer id') : undefined
  }
  const epoch = batch.producerEpoch(bytes)
  const sequence = batch.baseSequence(bytes)
  if (epoch < 0) return invalid(`producer epoch ${epoch} of producer id ${id}`)
  if (sequence < 0) return invalid(`base sequence ${sequence} of producer id ${id}`)
  return undefined
}

function checkRecords(bytes: Uint8Array, limits: BatchLimits): Fault | undefined {
  const codec = codecById(batch.codecOf(bytes))
  if (codec === undefined) {
    return fault('UNSUPPORTED_COMPRESSION_TYPE', `compression type ${batch.codecOf(bytes)}`,
      'use none, gzip, snappy, lz4 or zstd')
  }
  if (codec.id === 0) return walkRecords(bytes, bytes, batch.BATCH_HEADER_BYTES, limits)
  const records = expand(codec, bytes.subarray(batch.BATCH_HEADER_BYTES))
  return records instanceof Uint8Array ? walkRecords(bytes, records, 0, limits) : records
}

function expand(codec: Codec, compressed: Uint8Array): Uint8Array | Fault {
  const limit = expansionLimit(compressed.length)
  try {
    return codec.decompress(compressed, limit)
  } catch (error) {
    if (error instanceof RangeError) {
      return fault('MESSAGE_TOO_LARGE',
        `${compressed.length} bytes of ${codec.name} expand to more than ${limit} bytes: ` +
        'a batch may expand a hundredfold, at least to 1 MiB and at most to 64 MiB', 'send smaller batches')
    }
    return invalid(`the ${codec.name} data is corrupt (${(error as Error).message})`)
  }
}

/** Walks the records in [`from`, the end) of `records` against the header in `header`. */
function walkRecords(header: Uint8Array, records: Uint8Array, from: number, limits: BatchLimits): Fault | undefined {
  const count = batch.recordCount(header)
  const end = records.length
  if (count > (end - from) / LEAST_RECORD_BYTES) {
    return invalid(`record count ${count} in ${end - from} bytes of records, each of ${LEAST_RECORD_BYTES} or more`)
  }
  const base = batch.baseTimestamp(header)
  const cursor = new RecordCursor(records, from, end)
  let earliest = Infinity
  let latest = -Infinity
  for (let index = 0; index < count; index++) {
    const delta = walkRecord(cursor, index)
    if (cursor.fault !== undefined) return invalid(`record ${index} of ${count}: ${cursor.fault}`)
    const timestamp = base + delta
    if (timestamp > latest) latest = timestamp
    if (timestamp < earliest && timestamp !== NO_TIMESTAMP) earliest = timestamp
  }
  if (cursor.at !== end) return invalid(`${end - cursor.at} bytes follow the last of ${count} records`)
  return checkTimestamps(header, earliest, latest, limits)
}

/** Its timestamp delta. */
function walkRecord(cursor: RecordCursor, index: number): number {
  const length = cursor.varint()
  const end = cursor.at + length
  if (length < LEAST_RECORD_BYTES - 1 || end > cursor.end) return cursor.fail(`length ${length}`)
  cursor.int8()
  const timestampDelta = cursor.varlong()
  const offsetDelta = cursor.varint()
  if (offsetDelta !== index) return cursor.fail(`offset delta ${offsetDelta}, expected ${index}`)
  cursor.skipBytes('the key', true)
  cursor.skipBytes('the value', true)
  const headers = cursor.varint()
  if (headers < 0) return cursor.fail(`header count ${headers}`)
  for (let header = 0; header < headers && cursor.fault === undefined; header++) {
    cursor.skipBytes('a header key', false)
    cursor.skipBytes('a header value', true)
  }
  if (cursor.at !== end) return cursor.fail(`its length ${length} differs from its fields by ${cursor.at - end}`)
  return timestampDelta
}

function checkTimestamps(
  header: Uint8Array, earliest: number, latest: number, limits: BatchLimits): Fault | undefined {
  if (earliest < 0 || !Number.isSafeInteger(latest)) {
    return fault('INVALID_TIMESTAMP', `timestamps from ${earliest} to ${latest}: expected 0 to 2^53−1, or -1 for none`)
  }
  // The broker's time replaces them all.
  if (limits.timestampType === 'LogAppendTime') return undefined
  const declared = batch.maxTimestamp(header)
  if (declared !== latest) {
    return fault('INVALID_TIMESTAMP', `max timestamp ${declared} in the header, ${latest} in the records`)
  }
  const { nowMs, timestampBeforeMaxMs, timestampAfterMaxMs } = limits
  if (nowMs - earliest > timestampBeforeMaxMs) {
    return fault('INVALID_TIMESTAMP', `timestamp ${earliest} is ${nowMs - earliest} ms in the past, ` +
      `message.timestamp.before.max.ms is ${timestampBeforeMaxMs}`, 'correct the clock of the producer')
  }
  if (latest - nowMs > timestampAfterMaxMs) {
    return fault('INVALID_TIMESTAMP', `timestamp ${latest} is ${latest - nowMs} ms in the future, ` +
      `message.timestamp.after.max.ms is ${timestampAfterMaxMs}`, 'correct the clock of the producer')
  }
  return undefined
}

function invalid(wrong: string): Fault {
  return fault('INVALID_RECORD', wrong)
}

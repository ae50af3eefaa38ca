// Records as small clients see them ⇄ record batches as logs hold them.

import { fault, type Fault } from '../../src/base/error-code.ts'
import { buildBatch, type NewRecord } from '../../src/records/builder.ts'
import { codecByName } from '../../src/records/compression.ts'
import { recordsIn } from '../../src/records/record.ts'
import type { Record as WireRecord } from '../../src/rpc/messages.ts'

/** One batch with the records in order. A timestamp of 0 means now. */
export function batchFromRecords(
  records: readonly WireRecord[], compression: string, nowMs: number): Uint8Array | Fault {
  if (records.length === 0) return fault('INVALID_RECORD', 'the record list is empty', 'send at least one record')
  const codec = codecByName(compression === '' ? 'none' : compression)
  if (codec === undefined) {
    return fault('UNSUPPORTED_COMPRESSION_TYPE', `compression ${JSON.stringify(compression.slice(0, 40))}`,
      'use none, gzip, snappy, lz4 or zstd')
  }
  return buildBatch(records.map((record): NewRecord => ({
    key: record.key ?? null, value: record.value ?? null,
    headers: record.headers.map(({ key, value }) => ({ key, value: value ?? null })),
    timestamp: record.timestamp === 0 ? nowMs : record.timestamp
  })), { codec })
}

/** The records of whole batches, from offset `from` on. Keys and values are views of `bytes` where not compressed. */
export function recordsFromBatches(bytes: Uint8Array, from: number): WireRecord[] {
  const records: WireRecord[] = []
  for (const record of recordsIn(bytes)) {
    if (record.offset < from) continue
    records.push({
      ...(record.key === null ? {} : { key: record.key }),
      ...(record.value === null ? {} : { value: record.value }),
      headers: record.headers.map(({ key, value }) => ({ key, ...(value === null ? {} : { value }) })),
      timestamp: record.timestamp, offset: record.offset
    })
  }
  return records
}

// Batches and records that several tests of this room use.

import { writeInt32 } from '../../src/base/int64.ts'
import { crc32c } from '../../src/records/crc32c.ts'
import type { NewRecord } from '../../src/records/builder.ts'
import { validateProduceBatch, type BatchLimits } from '../../src/records/validate.ts'
import { errorName } from '../../src/base/error-code.ts'

export const NOW = 1_700_000_000_000

export const LIMITS: BatchLimits = {
  maxMessageBytes: 2 ** 30, nowMs: NOW, timestampBeforeMaxMs: 2 ** 53 - 1, timestampAfterMaxMs: 3_600_000,
  timestampType: 'CreateTime'
}

/**
 * Written by kafka-python, checked by kafkajs: k = v; null = ''; '' = null with headers h = x and n = null; timestamps
 * NOW, NOW + 1 and NOW + 2.
 */
export const GOLDEN = hex('0000000000000000 0000004f ffffffff 02 cf9a3bfa 0000 00000002 0000018bcfe56800' +
  '0000018bcfe56802 ffffffffffffffff ffff ffffffff 00000003' +
  '10 00 00 00 02 6b 02 76 00  0c 00 02 02 01 00 00  1a 00 04 04 00 01 04 02 68 02 78 02 6e 01')

export const GOLDEN_RECORDS: readonly NewRecord[] = [
  { key: text('k'), value: text('v'), headers: [], timestamp: NOW },
  { key: null, value: text(''), headers: [], timestamp: NOW + 1 },
  { key: text(''), value: null, timestamp: NOW + 2, headers: [
    { key: 'h', value: text('x') }, { key: 'n', value: null }] }
]

/** Blanks are for the reader. */
export function hex(digits: string): Uint8Array {
  return Uint8Array.from(Buffer.from(digits.replaceAll(' ', ''), 'hex'))
}

export function text(value: string): Uint8Array { return new TextEncoder().encode(value) }

export function record(value: string | Uint8Array | null, more: Partial<NewRecord> = {}): NewRecord {
  return { key: null, value: typeof value === 'string' ? text(value) : value, headers: [], timestamp: NOW, ...more }
}

/** A copy, changed, with a checksum that is right again. */
export function resealed(bytes: Uint8Array, change: (bytes: Uint8Array) => void): Uint8Array {
  const copy = Uint8Array.from(bytes)
  change(copy)
  writeInt32(copy, crc32c(copy.subarray(21)), 17)
  return copy
}

/** The verdict's name, 'fine' for none. */
export function verdict(bytes: Uint8Array, limits: Partial<BatchLimits> = {}): string {
  const found = validateProduceBatch(bytes, { ...LIMITS, ...limits })
  return found === undefined ? 'fine' : errorName(found.code)
}

export function message(bytes: Uint8Array, limits: Partial<BatchLimits> = {}): string {
  return validateProduceBatch(bytes, { ...LIMITS, ...limits })?.message ?? ''
}

// Records as callers write them, made into records as batches take them.

import { weirError } from '../base/error-code.ts'
import type { NewRecord } from '../records/builder.ts'
import type { Clock } from '../ports.ts'
import type { HeaderValue, OutgoingRecord } from './types.ts'

const encoder = new TextEncoder()
const NO_HEADERS: NewRecord['headers'] = []

/** Throws INVALID_REQUEST or INVALID_TIMESTAMP. */
export function newRecord(outgoing: OutgoingRecord, clock: Clock): NewRecord {
  if (typeof outgoing.topic !== 'string' || outgoing.topic === '') {
    throw weirError('INVALID_TOPIC_EXCEPTION', 'the record has no topic', 'set `topic`')
  }
  const timestamp = outgoing.timestamp ?? clock.wallMs()
  if (!Number.isSafeInteger(timestamp) || timestamp < 0) {
    throw weirError('INVALID_TIMESTAMP', `timestamp ${timestamp}: expected whole milliseconds since 1970`,
      'leave it out for now')
  }
  return {
    key: bytesOf(outgoing.key, 'key'), value: bytesOf(outgoing.value, 'value'), timestamp,
    headers: headersOf(outgoing.headers)
  }
}

function headersOf(headers: OutgoingRecord['headers']): NewRecord['headers'] {
  if (headers === undefined) return NO_HEADERS
  if (isList(headers)) return headers.map(({ key, value }) => ({ key, value: bytesOf(value, `header ${key}`) }))
  return Object.entries(headers).map(([key, value]) => ({ key, value: bytesOf(value, `header ${key}`) }))
}

function isList(headers: NonNullable<OutgoingRecord['headers']>):
  headers is readonly { readonly key: string; readonly value: HeaderValue }[] {
  return Array.isArray(headers)
}

function bytesOf(value: HeaderValue | undefined, what: string): Uint8Array | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return encoder.encode(value)
  if (value instanceof Uint8Array) return value
  throw weirError('INVALID_REQUEST', `the ${what} is a ${typeof value}`, 'give a string, a Uint8Array or null')
}

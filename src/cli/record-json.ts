// Records as lines of JSON, both ways, without loss: bytes are a string when they are valid UTF-8, `{"base64": "…"}`
// otherwise, and null stays null. What `consume --format json` prints, `produce --jsonl` reads.

import type { ConsumedRecord, OutgoingRecord } from '../client/types.ts'
import { nearest } from '../config/keys.ts'
import { quoted, UsageError } from './parse.ts'

export type JsonBytes = string | { readonly base64: string } | null

// `ignoreBOM` keeps a leading U+FEFF, which is text like any other.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()
const FIELDS = ['topic', 'partition', 'offset', 'timestamp', 'key', 'value', 'headers'] as const
/** With the `u` flag this is half of a pair only: text that UTF-8 cannot hold. */
const LONE_SURROGATE = /\p{Surrogate}/u
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** One record, ready for `produce`. */
export type RecordLine = Omit<OutgoingRecord, 'topic'> & { readonly key: Uint8Array | null
  readonly value: Uint8Array | null
  readonly headers: readonly { readonly key: string; readonly value: Uint8Array | null }[] }

export function jsonOfBytes(bytes: Uint8Array | null): JsonBytes {
  if (bytes === null) return null
  try {
    return decoder.decode(bytes)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return { base64: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64') }
  }
}

/** Throws UsageError for everything that `jsonOfBytes` does not give, `what` named. Missing counts as null. */
export function bytesOfJson(json: unknown, what: string): Uint8Array | null {
  if (json === null || json === undefined) return null
  if (typeof json === 'string') {
    if (LONE_SURROGATE.test(json)) throw new UsageError(`${what} has half of a surrogate pair: UTF-8 cannot hold it`)
    return encoder.encode(json)
  }
  if (isMap(json) && Object.keys(json).length === 1 && typeof json['base64'] === 'string') {
    if (!BASE64.test(json['base64'])) throw new UsageError(`the base64 of ${what} is malformed`)
    return Buffer.from(json['base64'], 'base64')
  }
  throw new UsageError(`${what} is ${quoted(JSON.stringify(json))}`, 'expected a string, null, or {"base64": "…"}')
}

/** One line, without its end. */
export function lineOfRecord(record: ConsumedRecord): string {
  return JSON.stringify({
    topic: record.topic, partition: record.partition, offset: record.offset, timestamp: record.timestamp,
    key: jsonOfBytes(record.key), value: jsonOfBytes(record.value),
    headers: record.headers.map(({ key, value }) => ({ key, value: jsonOfBytes(value) }))
  })
}

/**
 * Topic and offset of the line are read over: it may come from another topic. Headers may also be a map. Throws
 * UsageError, SourceError when the line is the error that a failed `consume` ends with.
 */
export function recordOfLine(line: string): RecordLine {
  const json = parsed(line)
  if (!isMap(json)) throw new UsageError(`expected an object, found ${quoted(line)}`)
  const failure = json['error']
  if (isMap(failure) && typeof failure['code'] === 'string') {
    throw new SourceError(`${failure['code']}: ${String(failure['message'])}`)
  }
  for (const name of Object.keys(json)) {
    if ((FIELDS as readonly string[]).includes(name)) continue
    const near = nearest(FIELDS, name)
    throw new UsageError(`unknown field ${quoted(name)}`,
      near === undefined ? `the fields are ${FIELDS.join(', ')}` : `did you mean ${near}?`)
  }
  const timestamp = integerOf(json, 'timestamp')
  const partition = integerOf(json, 'partition')
  return {
    key: bytesOfJson(json['key'], 'the key'), value: bytesOfJson(json['value'], 'the value'),
    headers: headersOf(json['headers']),
    ...(timestamp === undefined ? {} : { timestamp }), ...(partition === undefined ? {} : { partition })
  }
}

/** What wrote the lines we read has failed. */
export class SourceError extends Error {}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new UsageError(`no JSON: ${error.message}`, 'one record per line, like {"key":"k","value":"v"}')
  }
}

function headersOf(json: unknown): RecordLine['headers'] {
  if (json === null || json === undefined) return []
  if (Array.isArray(json)) {
    return json.map((header: unknown, index) => {
      if (!isMap(header) || typeof header['key'] !== 'string'
        || Object.keys(header).some((name) => name !== 'key' && name !== 'value')) {
        throw new UsageError(`header ${index} is ${quoted(JSON.stringify(header))}`, 'expected {"key": …, "value": …}')
      }
      return headerOf(header['key'], header['value'])
    })
  }
  if (!isMap(json)) throw new UsageError(`headers are ${quoted(JSON.stringify(json))}`, 'expected a list or a map')
  return Object.entries(json).map(([key, value]) => headerOf(key, value))
}

function headerOf(key: string, value: unknown): RecordLine['headers'][number] {
  if (LONE_SURROGATE.test(key)) throw new UsageError(`header key ${quoted(key)} has half of a surrogate pair`)
  return { key, value: bytesOfJson(value, `header ${quoted(key)}`) }
}

function integerOf(json: Readonly<Record<string, unknown>>, name: 'timestamp' | 'partition'): number | undefined {
  const value = json[name]
  if (value === null || value === undefined) return undefined
  if (Number.isSafeInteger(value) && value as number >= 0) return value as number
  throw new UsageError(`${name} is ${quoted(JSON.stringify(value))}`, 'expected a whole number from 0')
}

function isMap(json: unknown): json is Readonly<Record<string, unknown>> {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

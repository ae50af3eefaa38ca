// Metadata records to bytes and back, from one table of kinds and fields; and the framing of the records of one Raft
// entry.
//
// A record: kind number (1 byte), version (1 byte), its fields in table order. Numbers of kinds are never reused; a
// change of fields raises the version, and an older release refuses what it does not know instead of guessing.

import { ByteReader, ByteWriter } from '../base/bytes.ts'
import type { ConfigScope, MetadataRecord, RecordKind } from './records.ts'

/** Metadata that this release cannot read: from a newer release, or damaged. A node must not go on without it. */
export class MetadataCodecError extends Error {
  readonly code: 'UNKNOWN_KIND' | 'UNKNOWN_VERSION' | 'MALFORMED'
  constructor(code: MetadataCodecError['code'], message: string) {
    super(message)
    this.name = 'MetadataCodecError'
    this.code = code
  }
}

interface Field<T> {
  write(to: ByteWriter, value: T): void
  read(from: ByteReader): T
}

/** Ids, partition numbers, epochs of partitions: −1 and up, 32 bits. */
const int: Field<number> = {
  write: (to, value) => { to.varint(value) },
  read: (from) => from.varint()
}
const offset: Field<number> = {
  write: (to, value) => { to.varlong(value) },
  read: (from) => from.varlong()
}
const flag: Field<boolean> = {
  write: (to, value) => { to.int8(value ? 1 : 0) },
  read: (from) => {
    const byte = from.uint8()
    if (byte > 1) from.fail(`flag ${byte} is neither 0 nor 1`)
    return byte === 1
  }
}
const text: Field<string> = {
  write: (to, value) => { to.string(value) },
  read: (from) => from.string()
}
/** Of any length that a Raft entry may have. */
const longText: Field<string> = {
  write: (to, value) => {
    const bytes = Buffer.from(value)
    to.uvarint(bytes.length)
    to.bytes(bytes)
  },
  read: (from) => from.utf8(from.uvarint())
}
const ids: Field<readonly number[]> = {
  write: (to, value) => {
    to.uvarint(value.length)
    for (const id of value) to.varint(id)
  },
  read: (from) => Array.from({ length: from.count(from.uvarint(), 1) }, () => from.varint())
}
const scope: Field<ConfigScope> = {
  write: (to, value) => { flag.write(to, value === 'broker') },
  read: (from) => flag.read(from) ? 'broker' : 'topic'
}
const nullableText: Field<string | null> = {
  write: (to, value) => {
    flag.write(to, value !== null)
    if (value !== null) to.string(value)
  },
  read: (from) => flag.read(from) ? from.string() : null
}
function optional<T>(field: Field<T>): Field<T | undefined> {
  return {
    write: (to, value) => {
      flag.write(to, value !== undefined)
      if (value !== undefined) field.write(to, value)
    },
    read: (from) => flag.read(from) ? field.read(from) : undefined
  }
}

type Body<K extends RecordKind> = Omit<Extract<MetadataRecord, { kind: K }>, 'kind'>
type Fields<K extends RecordKind> = { readonly [Name in keyof Required<Body<K>>]: Field<Body<K>[Name]> }
type Schemas = {
  readonly [K in RecordKind]: { readonly number: number; readonly version: number; readonly fields: Fields<K> }
}

const SCHEMAS: Schemas = {
  clusterId: { number: 1, version: 0, fields: { clusterId: text } },
  topic: { number: 2, version: 0, fields: { topicId: text, name: text } },
  partition: {
    number: 3, version: 0,
    fields: {
      topicId: text, partition: int, replicas: ids, isr: ids, leader: int, leaderEpoch: int, partitionEpoch: int,
      adding: ids, removing: ids, leaderRecovering: flag
    }
  },
  partitionChange: {
    number: 4, version: 0,
    fields: {
      topicId: text, partition: int, partitionEpoch: int, isr: optional(ids), leader: optional(int),
      leaderRecovering: optional(flag), replicas: optional(ids), adding: optional(ids), removing: optional(ids)
    }
  },
  removeTopic: { number: 5, version: 0, fields: { topicId: text } },
  config: { number: 6, version: 0, fields: { scope, name: text, key: text, value: nullableText } },
  registerBroker: {
    number: 7, version: 0,
    fields: {
      brokerId: int, brokerEpoch: offset, incarnationId: text, address: text, httpAddress: text, rack: text,
      directoryId: text
    }
  },
  brokerChange: {
    number: 8, version: 0,
    fields: { brokerId: int, brokerEpoch: offset, fenced: optional(flag), draining: optional(flag) }
  },
  unregisterBroker: { number: 9, version: 0, fields: { brokerId: int, brokerEpoch: offset } },
  producerIds: { number: 10, version: 0, fields: { nextProducerId: offset } },
  request: { number: 11, version: 0, fields: { requestId: text, command: text, reply: longText } }
}

/** Every kind there is: what tests of "for each kind" go over. */
export const RECORD_KINDS = Object.keys(SCHEMAS) as readonly RecordKind[]

/** The tables as the loops below see them: the types above have tied each field to its record already. */
interface LooseSchema {
  readonly kind: RecordKind
  readonly number: number
  readonly version: number
  readonly fields: readonly (readonly [string, Field<unknown>])[]
}
const SCHEMA_BY_KIND = new Map<RecordKind, LooseSchema>(RECORD_KINDS.map((kind) => [kind, {
  kind, number: SCHEMAS[kind].number, version: SCHEMAS[kind].version,
  fields: Object.entries(SCHEMAS[kind].fields as Record<string, Field<unknown>>)
}]))
const SCHEMA_BY_NUMBER = new Map([...SCHEMA_BY_KIND.values()].map((schema) => [schema.number, schema]))

/** Throws RangeError when a text is longer than 32767 bytes: what admins and brokers send is checked before. */
export function encodeRecord(record: MetadataRecord): Uint8Array {
  const schema = SCHEMA_BY_KIND.get(record.kind)!
  const to = new ByteWriter(128)
  to.int8(schema.number)
  to.int8(schema.version)
  const values = record as unknown as Readonly<Record<string, unknown>>
  for (const [name, field] of schema.fields) field.write(to, values[name])
  return to.finish()
}

/** Throws MetadataCodecError. The record holds no view of `bytes`. */
export function decodeRecord(bytes: Uint8Array): MetadataRecord {
  const from = new ByteReader(bytes)
  const number = from.uint8()
  const version = from.uint8()
  if (from.fault !== undefined) throw new MetadataCodecError('MALFORMED', `metadata record: ${from.fault}`)
  const schema = SCHEMA_BY_NUMBER.get(number)
  if (schema === undefined) {
    throw new MetadataCodecError('UNKNOWN_KIND', `metadata record of kind ${number}: written by a newer release?`)
  }
  if (version !== schema.version) {
    throw new MetadataCodecError('UNKNOWN_VERSION',
      `metadata record ${schema.kind} of version ${version}, this release reads ${schema.version}`)
  }
  const record: Record<string, unknown> = { kind: schema.kind }
  for (const [name, field] of schema.fields) {
    const value = field.read(from)
    if (value !== undefined) record[name] = value
  }
  const wrong = from.fault ?? (from.remaining > 0 ? `${from.remaining} bytes too many` : undefined)
  if (wrong !== undefined) throw new MetadataCodecError('MALFORMED', `metadata record ${schema.kind}: ${wrong}`)
  return record as unknown as MetadataRecord
}

/** Joins encoded records into one byte string: the data of a Raft entry or of a snapshot. No records = no bytes. */
export function joinRecords(records: readonly Uint8Array[]): Uint8Array {
  const to = new ByteWriter(records.reduce((sum, record) => sum + record.length + 5, 0))
  for (const record of records) {
    to.uvarint(record.length)
    to.bytes(record)
  }
  return to.finish()
}

/** Undoes `joinRecords`. The parts are views of `bytes`. Throws MetadataCodecError. */
export function splitRecords(bytes: Uint8Array): Uint8Array[] {
  const from = new ByteReader(bytes)
  const records: Uint8Array[] = []
  while (from.fault === undefined && from.remaining > 0) records.push(from.bytes(from.uvarint()))
  if (from.fault !== undefined) throw new MetadataCodecError('MALFORMED', `metadata records: ${from.fault}`)
  return records
}

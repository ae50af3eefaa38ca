// The files of a broker's and a controller's data directory, read offline and without changing them: segments batch by
// batch, indexes, checkpoints, snapshots.

import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { basename } from 'node:path'

import { ByteReader } from '../base/bytes.ts'
import { readInt64, readUint32 } from '../base/int64.ts'
import { BATCH_HEADER_BYTES, BATCH_MAGIC, batchBytes, checkBatch, magic } from '../records/batch.ts'
import { crc32c } from '../records/crc32c.ts'

const CHUNK_BYTES = 1024 * 1024
/** No limit on message sizes lets a batch become as large as this: a header that says so is garbage. */
const BATCH_BYTES_MAX = 64 * 1024 * 1024
const OFFSET_ENTRY_BYTES = 8
const TIME_ENTRY_BYTES = 12

export type FileKind = 'log' | 'index' | 'timeindex' | 'producers' | 'metadata' | 'offsets' | 'epochs' | 'properties'

const KIND_BY_PATTERN: readonly (readonly [RegExp, FileKind])[] = [
  [/^\d{20}\.log(\.deleted)?$/, 'log'],
  [/^\d{20}\.index(\.deleted)?$/, 'index'],
  [/^\d{20}\.timeindex(\.deleted)?$/, 'timeindex'],
  [/^\d{20}\.snapshot(\.deleted)?$/, 'producers'],
  [/^\d{1,16}-\d{1,16}\.snapshot$/, 'metadata'],
  [/^leader-epoch-checkpoint$/, 'epochs'],
  [/^(recovery-point|log-start|replication)-offset-checkpoint$/, 'offsets'],
  [/^(partition\.metadata|meta\.properties)$/, 'properties']
]

/** What a file is, by its name; undefined for every other. */
export function fileKind(path: string): FileKind | undefined {
  return KIND_BY_PATTERN.find(([pattern]) => pattern.test(basename(path)))?.[1]
}

/** The offset in the name of a segment, index or producer snapshot. */
export function offsetInName(path: string): number {
  return Number(/^\d+/.exec(basename(path))?.[0])
}

// ---- segments ---------------------------------------------------------------------------------------------

export interface FoundBatch {
  /** Of its first byte in the file. */
  readonly position: number
  /** The batch is at `at`, whole; valid until the next one is asked for. */
  readonly bytes: Uint8Array
  readonly at: number
  readonly size: number
  /** What `checkBatch` says; its length can be relied on all the same. */
  readonly problem: string | undefined
}

/** What follows the last batch that can be told from garbage. */
export interface Remainder {
  readonly position: number
  readonly size: number
  readonly problem: string
  /** The file ends before the batch does: what a crash in the middle of a write leaves. */
  readonly cutShort: boolean
}

/** Every batch of a .log file, then, where one cannot be made out, what is left. Throws the errors of node:fs. */
export function* batchesOfFile(path: string): Generator<FoundBatch, Remainder | undefined, undefined> {
  const file = openSync(path, 'r')
  try {
    const fileBytes = fstatSync(file).size
    const window = new Window(file)
    for (let position = 0; position < fileBytes;) {
      const left = fileBytes - position
      const at = window.find(position, Math.min(BATCH_HEADER_BYTES, left))
      const fault = frameFault(window.bytes, at, left)
      if (fault !== undefined) return { position, size: left, ...fault }
      const size = batchBytes(window.bytes, at)
      const start = window.find(position, size)
      yield { position, bytes: window.bytes, at: start, size, problem: checkBatch(window.bytes, start, start + size) }
      position += size
    }
    return undefined
  } finally {
    closeSync(file)
  }
}

function frameFault(bytes: Uint8Array, at: number, left: number): Omit<Remainder, 'position' | 'size'> | undefined {
  if (left < BATCH_HEADER_BYTES) {
    return { problem: `${left} bytes are left, the header of a batch has ${BATCH_HEADER_BYTES}`, cutShort: true }
  }
  if (magic(bytes, at) !== BATCH_MAGIC) {
    return { problem: `magic ${magic(bytes, at)}, only ${BATCH_MAGIC} is known`, cutShort: false }
  }
  const size = batchBytes(bytes, at)
  if (size < BATCH_HEADER_BYTES || size > BATCH_BYTES_MAX) {
    return { problem: `a batch of ${size} bytes`, cutShort: false }
  }
  return size <= left ? undefined : { problem: `a batch of ${size} bytes, the file has ${left} more`, cutShort: true }
}

/** A part of a file in memory, moved forward. */
class Window {
  readonly #file: number
  bytes = new Uint8Array(CHUNK_BYTES)
  #from = 0
  #length = 0

  constructor(file: number) {
    this.#file = file
  }

  /** Where in `bytes` the file's bytes from `position` on are, at least `size` of them, which exist. */
  find(position: number, size: number): number {
    if (position < this.#from || position + size > this.#from + this.#length) {
      if (size > this.bytes.length) this.bytes = new Uint8Array(size)
      this.#from = position
      this.#length = readSync(this.#file, this.bytes, 0, this.bytes.length, position)
    }
    return position - this.#from
  }
}

// ---- indexes ----------------------------------------------------------------------------------------------

export interface Entries<T> { readonly entries: readonly T[]; readonly problem: string | undefined }
export interface OffsetEntry { readonly offset: number; readonly position: number }
export interface TimeEntry { readonly timestamp: number; readonly offset: number }

/** Last offset of some batches, and where each begins. */
export function readOffsetIndex(path: string): Entries<OffsetEntry> {
  const base = offsetInName(path)
  return entriesOf(path, OFFSET_ENTRY_BYTES, (bytes, at) => (
    { offset: base + readUint32(bytes, at), position: readUint32(bytes, at + 4) }))
}

/** Timestamps, each larger than all before, and the last offset of the batch it is in. */
export function readTimeIndex(path: string): Entries<TimeEntry> {
  const base = offsetInName(path)
  return entriesOf(path, TIME_ENTRY_BYTES, (bytes, at) => (
    { timestamp: readInt64(bytes, at), offset: base + readUint32(bytes, at + 8) }))
}

function entriesOf<T>(path: string, entryBytes: number, entryAt: (bytes: Uint8Array, at: number) => T): Entries<T> {
  const bytes = readFileSync(path)
  const entries: T[] = []
  try {
    for (let at = 0; at + entryBytes <= bytes.length; at += entryBytes) entries.push(entryAt(bytes, at))
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return { entries, problem: `entry ${entries.length}: ${error.message}` }
  }
  const problem = bytes.length % entryBytes === 0 ? undefined
    : `${bytes.length} bytes are no multiple of ${entryBytes}`
  return { entries, problem }
}

// ---- small files ------------------------------------------------------------------------------------------

/** A text file of version, count and lines of `fields` parts; `problem` says where it is none. */
export function readCheckpoint(path: string, fields: number): Entries<readonly string[]> {
  const lines = readFileSync(path, 'utf8').split('\n')
  if (lines.at(-1) === '') lines.pop()
  const [version, count, ...rest] = lines
  const entries = rest.map((line) => line.split(' '))
  if (version !== '0') return { entries: [], problem: `line 1 is ${JSON.stringify(version ?? '')}, not version 0` }
  if (count !== String(rest.length)) {
    return { entries, problem: `line 2 announces ${JSON.stringify(count ?? '')} entries, ${rest.length} follow` }
  }
  const wrong = entries.findIndex((parts) =>
    parts.length !== fields || parts.slice(-1).some((part) => !/^\d{1,16}$/.test(part)))
  return { entries, problem: wrong < 0 ? undefined : `line ${wrong + 3} is ${JSON.stringify(rest[wrong])}` }
}

/** `key=value` or `key: value` lines. */
export function readProperties(path: string): readonly (readonly [string, string])[] {
  return readFileSync(path, 'utf8').split('\n').flatMap((line) => {
    const match = /^([^=:#]+)(?:=|: ?)(.*)$/.exec(line)
    return match === null ? [] : [[match[1]!, match[2]!] as const]
  })
}

export interface ProducerEntry {
  readonly producerId: number
  readonly producerEpoch: number
  /** -1 = none yet. */
  readonly lastSequence: number
  readonly lastOffset: number
  readonly timestamp: number
}

/** What a partition knew of its producers when the segment of that offset began. */
export function readProducers(path: string): Entries<ProducerEntry> {
  const bytes = readFileSync(path)
  const reader = new ByteReader(bytes)
  const version = reader.int16()
  const crc = reader.uint32()
  const count = reader.count(reader.int32(), 46)
  if (reader.fault !== undefined) return { entries: [], problem: reader.fault }
  if (version !== 1) return { entries: [], problem: `version ${version}, only 1 is known` }
  const computed = crc32c(bytes.subarray(6))
  const entries: ProducerEntry[] = []
  for (let index = 0; index < count && reader.fault === undefined; index++) {
    const producerId = reader.int64()
    const producerEpoch = reader.int16()
    const lastSequence = reader.int32()
    const lastOffset = reader.int64()
    reader.int32()
    const timestamp = reader.int64()
    reader.int32()
    reader.int64()
    entries.push({ producerId, producerEpoch, lastSequence, lastOffset, timestamp })
  }
  return { entries, problem: reader.fault ?? (crc === computed ? undefined : 'the checksum does not fit') }
}

export interface MetadataSnapshot {
  readonly index: number
  readonly term: number
  readonly data: Uint8Array
  readonly problem: string | undefined
}

/** A snapshot of a controller: header, then the encoded image. */
export function readMetadataSnapshot(path: string): MetadataSnapshot {
  const bytes = readFileSync(path)
  if (bytes.length < 40) {
    return { index: -1, term: -1, data: bytes, problem: `${bytes.length} bytes, its header has 40` }
  }
  const data = bytes.subarray(40)
  const headerFits = readUint32(bytes, 36) === crc32c(bytes.subarray(0, 36))
  const problem = !headerFits ? 'the header is damaged'
    : readInt64(bytes, 24) !== data.length ? `${data.length} of ${readInt64(bytes, 24)} data bytes`
      : readUint32(bytes, 32) === crc32c(data) ? undefined : 'the data is damaged'
  return headerFits ? { index: readInt64(bytes, 8), term: readInt64(bytes, 16), data, problem }
    : { index: -1, term: -1, data, problem }
}

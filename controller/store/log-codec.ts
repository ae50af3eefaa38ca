// Keys and values of the Raft store in LevelDB. A value says itself where it belongs (CRC-32C, index, term): LevelDB
// may answer with a damaged value, or with that of another key, and does not say so.

import { refuse, ok, type Result } from '../../src/base/error-code.ts'
import { readInt64, readUint32, writeInt32, writeInt64 } from '../../src/base/int64.ts'
import { crc32c } from '../../src/records/crc32c.ts'
import type { Entry, Founder, HardState, SnapshotMeta, Standing } from '../raft/types.ts'

/** Everything but the entries, rewritten by every write: what it says of the log must be found there. */
export interface StoreState {
  /** Number of this write, from 1. */
  readonly sequence: number
  readonly hardState: HardState
  /** The mark is that of the directory. */
  readonly standing: Omit<Standing, 'mark'>
  /** Index of the first entry kept, last index + 1 when there is none. */
  readonly firstIndex: number
  readonly lastIndex: number
  readonly lastTerm: number
  /** The snapshot that the log continues; index 0 when there is none. */
  readonly snapshot: SnapshotMeta
}

const STATE_KIND = 1
const ENTRY_KIND = 2
const KEY_BYTES = 9

const VERSION = 1
const HEADER_BYTES = 5
const STATE_FIELDS = 11
const STATE_BYTES = HEADER_BYTES + STATE_FIELDS * 8
const ENTRY_OVERHEAD_BYTES = HEADER_BYTES + 24

export const STATE_KEY = key(STATE_KIND, 0)

/** Above every key of this store. */
export const END_KEY = key(0xff, 0)

/** Ordered as the indexes are. */
export function entryKey(index: number): Uint8Array { return key(ENTRY_KIND, index) }

function key(kind: number, index: number): Uint8Array {
  const bytes = new Uint8Array(KEY_BYTES)
  bytes[0] = kind
  writeInt64(bytes, index, 1)
  return bytes
}

export interface StoredEntry {
  readonly entry: Entry
  /**
   * Term of the entry before. It links each value to its neighbour: one of an earlier history, which was overwritten
   * since, does not fit, although it is whole and where it belongs.
   */
  readonly previousTerm: number
}

/** A copy: `entry.data` stays the caller's. */
export function encodeEntry({ entry, previousTerm }: StoredEntry): Uint8Array {
  const value = new Uint8Array(ENTRY_OVERHEAD_BYTES + entry.data.length)
  writeInt64(value, entry.index, HEADER_BYTES)
  writeInt64(value, entry.term, HEADER_BYTES + 8)
  writeInt64(value, previousTerm, HEADER_BYTES + 16)
  value.set(entry.data, ENTRY_OVERHEAD_BYTES)
  return sealed(value)
}

/** The entry stored under `index`; its data is a view of `value`. */
export function decodeEntry(index: number, value: Uint8Array): Result<StoredEntry> {
  const wrong = valueFault(value, ENTRY_OVERHEAD_BYTES)
  if (wrong !== undefined) return refuse('KAFKA_STORAGE_ERROR', `entry ${index} ${wrong}`)
  const found = readInt64(value, HEADER_BYTES)
  if (found !== index) return refuse('KAFKA_STORAGE_ERROR', `the key of entry ${index} holds entry ${found}`)
  return ok({
    entry: { index, term: readInt64(value, HEADER_BYTES + 8), data: value.subarray(ENTRY_OVERHEAD_BYTES) },
    previousTerm: readInt64(value, HEADER_BYTES + 16)
  })
}

/** Index in an entry's key; undefined for a key of another shape. */
export function indexOfKey(bytes: Uint8Array): number | undefined {
  return bytes.length === KEY_BYTES && bytes[0] === ENTRY_KIND ? readInt64(bytes, 1) : undefined
}

export function encodeState(state: StoreState): Uint8Array {
  const { hardState, snapshot, standing } = state
  const value = new Uint8Array(STATE_BYTES + standing.founders.length * 16)
  const fields = [
    state.sequence, hardState.term, hardState.vote, hardState.commit, state.firstIndex, state.lastIndex,
    state.lastTerm, snapshot.index, snapshot.term, Number(standing.voice),
    standing.founders.length, ...standing.founders.flatMap(({ id, mark }) => [id, mark])
  ]
  fields.forEach((field, at) => { writeInt64(value, field, HEADER_BYTES + at * 8) })
  return sealed(value)
}

export function decodeState(value: Uint8Array): Result<StoreState> {
  const wrong = valueFault(value, STATE_BYTES)
  if (wrong !== undefined) return refuse('KAFKA_STORAGE_ERROR', `the hard state ${wrong}`)
  const field = (at: number): number => readInt64(value, HEADER_BYTES + at * 8)
  const founders = Array.from({ length: (value.length - STATE_BYTES) / 16 }, (_unset, at): Founder => (
    { id: field(STATE_FIELDS + at * 2), mark: field(STATE_FIELDS + at * 2 + 1) }))
  if (founders.length !== field(10)) return refuse('KAFKA_STORAGE_ERROR', 'the hard state has not all its founders')
  return ok({
    sequence: field(0), hardState: { term: field(1), vote: field(2), commit: field(3) },
    firstIndex: field(4), lastIndex: field(5), lastTerm: field(6), snapshot: { index: field(7), term: field(8) },
    standing: { voice: field(9) === 1, founders }
  })
}

/** Fills in version and checksum. */
function sealed(value: Uint8Array): Uint8Array {
  value[4] = VERSION
  writeInt32(value, crc32c(value.subarray(4)), 0)
  return value
}

function valueFault(value: Uint8Array, leastBytes: number): string | undefined {
  if (value.length < leastBytes) return `has ${value.length} bytes, less than ${leastBytes}`
  const wanted = readUint32(value, 0)
  const found = crc32c(value.subarray(4))
  if (wanted !== found) return `has CRC-32C ${found.toString(16)}, not ${wanted.toString(16)} as written`
  return value[4] === VERSION ? undefined : `is of version ${value[4]}; this release reads version ${VERSION}`
}

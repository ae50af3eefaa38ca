// Reads a Raft store and believes nothing: every value, the log without a hole, its end as the state says, the
// snapshot it continues, and all of it not older than the witness.

import { ok, refuse, type Result } from '../../src/base/error-code.ts'
import type { KeyValueStore, Logger } from '../../src/ports.ts'
import type { Entry, HardState, Snapshot, Standing } from '../raft/types.ts'
import {
  END_KEY, STATE_KEY, decodeEntry, decodeState, entryKey, indexOfKey, type StoreState
} from './log-codec.ts'
import type { SnapshotFiles } from './snapshot-files.ts'
import type { WitnessRecord } from './witness.ts'

export interface Loaded {
  readonly hardState: HardState
  readonly standing: Standing
  readonly snapshot: Snapshot | undefined
  /** Without a hole, from the oldest entry kept (which may lie before the snapshot's end) to the last. */
  readonly entries: readonly Entry[]
}

/** Entries read at once: bounds memory beside the result. */
const PAGE_ENTRIES = 64

export const EMPTY_STATE: StoreState = {
  sequence: 0, hardState: { term: 0, vote: 0, commit: 0 }, firstIndex: 1, lastIndex: 0, lastTerm: 0,
  snapshot: { index: 0, term: 0 }, standing: { voice: false, founders: [] }
}

/** The promise that `state` makes: what its witness says when both are in step. */
export function witnessOf(state: StoreState): WitnessRecord {
  const { sequence, hardState: { term, vote }, lastIndex, lastTerm } = state
  return { sequence, term, vote, lastIndex, lastTerm }
}

/** The state record; EMPTY_STATE when the store is new. A fault when it is damaged or older than `witness`. */
export async function loadState(kv: KeyValueStore, witness: WitnessRecord): Promise<Result<StoreState>> {
  const value = await kv.get(STATE_KEY)
  const decoded = value === undefined ? ok(EMPTY_STATE) : decodeState(value)
  if (!decoded.ok) return decoded
  const wrong = behindWitness(witnessOf(decoded.value), witness)
  return wrong === undefined ? decoded : refuse('KAFKA_STORAGE_ERROR', wrong)
}

/**
 * A store may be ahead of its witness (the power went between the two writes), never behind. The sequence tells that
 * even where the log lawfully became shorter or its last term lower, as a conflicting tail was overwritten.
 */
function behindWitness(found: WitnessRecord, witness: WitnessRecord): string | undefined {
  const both = `LevelDB has ${show(found)}, the witness saw ${show(witness)}`
  if (found.sequence < witness.sequence) return `it lost writes that this controller had promised: ${both}`
  if (found.term < witness.term) return `its term fell: ${both}`
  const differs = found.vote !== witness.vote || found.term !== witness.term
    || found.lastIndex !== witness.lastIndex || found.lastTerm !== witness.lastTerm
  if (found.sequence === witness.sequence && differs) return `LevelDB and witness are not of one history: ${both}`
  return undefined
}

function show(record: WitnessRecord): string {
  return `write ${record.sequence} (term ${record.term}, vote ${record.vote}, `
    + `last entry ${record.lastIndex} of term ${record.lastTerm})`
}

/** Entries [state.firstIndex, state.lastIndex]; a fault when one is missing, damaged, too many or out of order. */
export async function loadEntries(kv: KeyValueStore, state: StoreState): Promise<Result<readonly Entry[]>> {
  const entries: Entry[] = []
  let next = state.firstIndex
  let term = state.firstIndex > state.snapshot.index ? state.snapshot.term : undefined
  for (;;) {
    const page = await kv.range(entryKey(next), END_KEY, PAGE_ENTRIES)
    for (const { key, value } of page) {
      const index = indexOfKey(key)
      if (index === undefined) return damaged(`LevelDB holds a foreign key of ${key.length} bytes`)
      if (index > state.lastIndex) return damaged(`entry ${index} lies behind the last one, ${state.lastIndex}`)
      if (index !== next) return damaged(`entry ${next} is missing (the next one found is ${index})`)
      const stored = decodeEntry(index, value)
      if (!stored.ok) return stored
      const { entry, previousTerm } = stored.value
      if (previousTerm !== (term ?? previousTerm)) {
        return damaged(`entry ${index} follows one of term ${previousTerm}, but the one before is of term ${term}`)
      }
      if (entry.term < previousTerm || entry.term > state.hardState.term) {
        return damaged(`entry ${index} is of term ${entry.term}, outside [${previousTerm}, ${state.hardState.term}]`)
      }
      term = entry.term
      entries.push(entry)
      next++
    }
    if (page.length < PAGE_ENTRIES) break
  }
  if (next !== state.lastIndex + 1) return damaged(`entry ${next} is missing, up to the last one, ${state.lastIndex}`)
  const lastTerm = entries.at(-1)?.term ?? state.snapshot.term
  if (lastTerm !== state.lastTerm) {
    return damaged(`the last entry, ${state.lastIndex}, is of term ${lastTerm}, not ${state.lastTerm}`)
  }
  return ok(entries)
}

/**
 * The snapshot that the log continues, or the one before it when that is damaged and the log still reaches back to it.
 * A fault when neither can be used.
 */
export async function loadSnapshot(
  files: SnapshotFiles, state: StoreState, entries: readonly Entry[], logger: Logger,
): Promise<Result<Snapshot | undefined>> {
  const wanted = state.snapshot
  if (wanted.index === 0) return state.firstIndex === 1 ? ok(undefined) : damaged('the log has no beginning')
  const termAt = (index: number): number | undefined => entries[index - state.firstIndex]?.term
  if ((termAt(wanted.index) ?? wanted.term) !== wanted.term) {
    return damaged(`entry ${wanted.index} is of term ${termAt(wanted.index)}, its snapshot of term ${wanted.term}`)
  }
  const newest = await files.read(wanted)
  if (newest.ok) return newest
  for (const older of await files.list()) {
    const usable = older.index < wanted.index && state.firstIndex <= older.index + 1
      && (termAt(older.index) ?? older.term) === older.term
    if (!usable) continue
    const read = await files.read(older)
    if (!read.ok) continue
    logger.warn('snapshot damaged, an older one and the log make up for it',
      { damage: newest.fault.message, used: files.pathOf(older) })
    return read
  }
  return newest
}

function damaged(what: string) { return refuse('KAFKA_STORAGE_ERROR', what) }

// Opens everything a Raft store is made of, in an order that a crash may interrupt anywhere, and checks it.

import { dirname } from 'node:path'

import type { Result } from '../../src/base/error-code.ts'
import {
  DiskError, type Disk, type DiskLock, type KeyValueStore, type KvOp, type Logger, type OpenKeyValueStore, type Random
} from '../../src/ports.ts'
import { lockDirectory, readIdentity, writeIdentity } from './identity.ts'
import { EMPTY_STATE, loadEntries, loadSnapshot, loadState, witnessOf, type Loaded } from './load.ts'
import { STATE_KEY, encodeState, entryKey, type StoreState } from './log-codec.ts'
import { SnapshotFiles } from './snapshot-files.ts'
import { damagedState } from './storage-fault.ts'
import { Witness } from './witness.ts'

export interface RaftStoreOptions {
  readonly disk: Disk
  readonly openKeyValueStore: OpenKeyValueStore
  /** Data directory of this controller, its own. */
  readonly dir: string
  readonly nodeId: number
  readonly clusterId: string
  /** Stands for the set of voters; one line of text. */
  readonly votersHash: string
  readonly logger: Logger
  /** For the id of a new directory. */
  readonly random: Pick<Random, 'id'>
}

/** What is open while a store lives. */
export interface StoreParts {
  readonly kv: KeyValueStore
  readonly witness: Witness
  readonly snapshots: SnapshotFiles
  readonly lock: DiskLock
}

export interface OpenedStore {
  readonly parts: StoreParts
  readonly directoryId: string
  readonly state: StoreState
  readonly loaded: Loaded
}

type Checked = Pick<OpenedStore, 'state'> & { readonly loaded: Omit<Loaded, 'standing'> }

/** Entries before the log's beginning, left by a crash, that are looked at and deleted at once. */
const SWEEP_ENTRIES = 64
/** Hexadecimal: 48 bits, which a number holds exactly. */
const MARK_DIGITS = 12
/** Nobody makes a directory where he gets these. */
const NOT_OURS: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS'])

/** Rejects as RaftStore.open says; nothing stays open then. */
export async function openStore(options: RaftStoreOptions): Promise<OpenedStore> {
  const { disk, dir } = options
  await disk.makeDir(dir)
  const undo: (() => Promise<void>)[] = []
  try {
    const lock = await lockDirectory(disk, dir)
    undo.push(() => lock.release())
    const identity = await readIdentity(disk, dir, options)
    const witness = await openWitness(options, identity === undefined)
    undo.push(() => witness.close())
    const kv = await options.openKeyValueStore(`${dir}/meta`)
    undo.push(() => kv.close())
    const snapshots = await SnapshotFiles.open(disk, `${dir}/snapshots`)
    const parts = { kv, witness, snapshots, lock }
    const { state, loaded } = await checkStore(options, parts)
    const directoryId = identity?.directoryId ?? await claim(options, state)
    // Not in a new directory only: whoever made this one may have been killed before its names were durable.
    await disk.syncDir(dir)
    const standing = { mark: markOf(directoryId), ...state.standing }
    return { parts, directoryId, state, loaded: { ...loaded, standing } }
  } catch (error) {
    for (const step of undo.toReversed()) await step()
    // Files that contradict themselves are damaged state like any other.
    if (error instanceof DiskError && error.code === 'EBADMSG') throw damagedState(dir, error.message)
    throw error
  }
}

/** Makes the way to `dir` durable, as far up as this process may have made directories. */
async function syncParents(disk: Disk, dir: string): Promise<void> {
  for (let parent = dirname(dir), child = dir; parent !== child; child = parent, parent = dirname(parent)) {
    try {
      await disk.syncDir(parent)
    } catch (error) {
      if (error instanceof DiskError && NOT_OURS.has(error.code)) return
      throw error
    }
  }
}

/** A witness comes first in a new directory and the identity last: whoever has an identity has a witness. */
async function openWitness({ disk, dir }: RaftStoreOptions, isNew: boolean): Promise<Witness> {
  const found = await Witness.open(disk, dir)
  if (found !== undefined) return found
  if (!isNew) throw damagedState(dir, 'the witness file is missing, so what this controller promised is unknown')
  return Witness.create(disk, dir, witnessOf(EMPTY_STATE))
}

async function checkStore(
  { dir, logger }: RaftStoreOptions, { kv, witness, snapshots }: StoreParts,
): Promise<Checked> {
  const state = trusted(dir, await loadState(kv, witness.current))
  const entries = trusted(dir, await loadEntries(kv, state))
  const snapshot = trusted(dir, await loadSnapshot(snapshots, state, entries, logger))
  if (state.hardState.commit > state.lastIndex) {
    throw damagedState(dir, `entries up to ${state.hardState.commit} are committed, the last one is ${state.lastIndex}`)
  }
  await sweep(kv, state.firstIndex)
  for (const meta of await snapshots.list()) {
    if (meta.index > state.snapshot.index) await snapshots.remove(meta)
  }
  // From here on this state may be acted upon, so it must be durable (after a kill it may be in the page cache only),
  // and the witness must know it.
  if (state.sequence > witness.current.sequence) {
    await kv.write([{ kind: 'put', key: STATE_KEY, value: encodeState(state) }], 'sync')
    await witness.write(witnessOf(state))
  }
  return { state, loaded: { hardState: state.hardState, snapshot, entries } }
}

function trusted<T>(dir: string, result: Result<T>): T {
  if (!result.ok) throw damagedState(dir, result.fault.message)
  return result.value
}

/** Deletes entries before `firstIndex`: a compaction moves the beginning first and deletes later. */
async function sweep(kv: KeyValueStore, firstIndex: number): Promise<void> {
  for (;;) {
    const page = await kv.range(entryKey(0), entryKey(firstIndex), SWEEP_ENTRIES)
    if (page.length === 0) return
    await kv.write(page.map(({ key }): KvOp => ({ kind: 'delete', key })), 'lazy')
  }
}

/** A number for the directory, which no other one has; never 0. */
function markOf(directoryId: string): number { return 1 + Number.parseInt(directoryId.slice(0, MARK_DIGITS), 16) }

/** Makes a new directory this controller's. */
async function claim(options: RaftStoreOptions, state: StoreState): Promise<string> {
  const { disk, dir, nodeId, clusterId, votersHash, random } = options
  if (state.sequence > 0) {
    throw damagedState(dir, 'it has been used, but meta.properties, which says by whom, is missing')
  }
  const directoryId = random.id()
  await syncParents(disk, dir)
  await writeIdentity(disk, dir, { nodeId, clusterId, votersHash, directoryId })
  return directoryId
}

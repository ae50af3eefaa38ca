// What tests of the Raft store stand on: a store on memory or on real files, and ways to damage it behind its back.

import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Entry, HardState, Snapshot } from '../../controller/raft/types.ts'
import { RaftStore, type Change } from '../../controller/store/raft-store.ts'
import type { RaftStoreOptions } from '../../controller/store/open-store.ts'
import { WeirError } from '../../src/base/error-code.ts'
import { levelStore } from '../../src/os/level-kv.ts'
import { nodeDisk } from '../../src/os/node-disk.ts'
import type { KeyValueStore, KvEntry, Logger } from '../../src/ports.ts'
import { MemoryDisk } from '../../src/testing/memory-disk.ts'
import { memoryStores } from '../../src/testing/memory-kv.ts'
import { makeTempDir } from '../support/paths.ts'

/** A place for one store, and its files as an operator or a broken disk may change them. All while it is closed. */
export interface Bench {
  readonly dir: string
  open(other?: Partial<RaftStoreOptions>): Promise<RaftStore>
  /** Opens LevelDB itself, runs `task` on it, closes it. */
  tamper(task: (kv: KeyValueStore) => Promise<void>): Promise<void>
  /** Takes a copy of LevelDB; the result puts it back. */
  copyOfLevel(): Promise<() => Promise<void>>
  /** `name` is relative to the directory. */
  readFile(name: string): Uint8Array
  writeFile(name: string, bytes: Uint8Array): void
  removeFile(name: string): Promise<void>
  dispose(): void
}

export const silent: Logger = {
  debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined, with: () => silent
}

export function optionsIn(
  dir: string, ports: Pick<RaftStoreOptions, 'disk' | 'openKeyValueStore'>): RaftStoreOptions {
  return {
    ...ports, dir, nodeId: 1, clusterId: 'c-1', votersHash: 'abc', logger: silent,
    random: { id: () => '0123456789abcdef0123456789abcdef' }
  }
}

const FROM = new Uint8Array(0)
const TO = new Uint8Array([0xff, 0xff])

export function everything(kv: KeyValueStore): Promise<readonly KvEntry[]> { return kv.range(FROM, TO, 10_000) }

export interface MemoryBench extends Bench {
  readonly disk: MemoryDisk
  readonly stores: ReturnType<typeof memoryStores>
  losePower(): void
}

export function memoryBench(): MemoryBench {
  const disk = new MemoryDisk()
  const stores = memoryStores()
  const dir = '/data/controller-1'
  const meta = `${dir}/meta`
  const tamper = async (task: (kv: KeyValueStore) => Promise<void>): Promise<void> => {
    const kv = await stores.open(meta)
    await task(kv)
    await kv.close()
  }
  return {
    dir, disk, stores, tamper,
    open: (other) => RaftStore.open({ ...optionsIn(dir, { disk, openKeyValueStore: stores.open }), ...other }),
    copyOfLevel: async () => {
      let copy: readonly KvEntry[] = []
      await tamper(async (kv) => { copy = await everything(kv) })
      return async () => {
        stores.wipe(meta)
        await tamper((kv) => kv.write(copy.map((one) => ({ kind: 'put', ...one })), 'sync'))
      }
    },
    readFile: (name) => disk.copyOf(`${dir}/${name}`),
    writeFile: (name, bytes) => { disk.put(`${dir}/${name}`, bytes) },
    removeFile: (name) => disk.remove(`${dir}/${name}`),
    losePower: () => {
      disk.losePower()
      stores.losePower(meta)
    },
    dispose: () => undefined
  }
}

export function levelBench(): Bench {
  const temporary = makeTempDir('raft-store')
  const dir = join(temporary.path, 'new', 'controller-1')
  const disk = nodeDisk()
  const meta = join(dir, 'meta')
  return {
    dir,
    open: (other) => RaftStore.open({ ...optionsIn(dir, { disk, openKeyValueStore: levelStore }), ...other }),
    tamper: async (task) => {
      const kv = await levelStore(meta)
      await task(kv)
      await kv.close()
    },
    copyOfLevel: () => {
      const copy = join(temporary.path, 'copy')
      rmSync(copy, { recursive: true, force: true })
      cpSync(meta, copy, { recursive: true })
      return Promise.resolve(() => {
        rmSync(meta, { recursive: true })
        cpSync(copy, meta, { recursive: true })
        return Promise.resolve()
      })
    },
    readFile: (name) => new Uint8Array(readFileSync(join(dir, name))),
    writeFile: (name, bytes) => { writeFileSync(join(dir, name), bytes) },
    removeFile: (name) => disk.remove(join(dir, name)),
    dispose: () => { temporary.remove() }
  }
}

export const BENCHES: readonly (readonly [string, () => Bench])[] = [
  ['in memory', memoryBench], ['on LevelDB and files', levelBench]
]

// ---- changes ------------------------------------------------------------------------------------------------

export function entry(index: number, term: number, text = `entry ${index} of ${term}`): Entry {
  return { index, term, data: new TextEncoder().encode(text) }
}

/** Entries [from, to] of one term. */
export function entries(from: number, to: number, term: number): Entry[] {
  return Array.from({ length: to - from + 1 }, (_, at) => entry(from + at, term))
}

export function snapshot(index: number, term: number): Snapshot {
  return { index, term, data: new TextEncoder().encode(`image at ${index}`) }
}

export function change(part: Partial<Change>): Change {
  return { hardState: undefined, entries: [], snapshot: undefined, ...part }
}

export function hard(term: number, vote: number, commit: number): HardState { return { term, vote, commit } }

// ---- what came of it ----------------------------------------------------------------------------------------

export interface Content {
  readonly hardState: HardState
  readonly snapshot: string
  readonly entries: readonly string[]
}

/** What a store was opened with, in a form that compares. */
export function contentOf({ loaded }: RaftStore): Content {
  const text = (data: Uint8Array): string => new TextDecoder().decode(data)
  return {
    hardState: loaded.hardState,
    snapshot: loaded.snapshot === undefined
      ? 'none' : `${loaded.snapshot.index}-${loaded.snapshot.term} ${text(loaded.snapshot.data)}`,
    entries: loaded.entries.map(({ index, term, data }) => `${index}-${term} ${text(data)}`)
  }
}

export async function reopened(bench: Bench): Promise<Content> {
  const store = await bench.open()
  const content = contentOf(store)
  await store.close()
  return content
}

/** The WeirError that `run` rejects with. */
export async function refusal(run: Promise<unknown>): Promise<WeirError> {
  try {
    await run
  } catch (error) {
    if (error instanceof WeirError) return error
    throw error
  }
  throw new Error('it was not refused')
}

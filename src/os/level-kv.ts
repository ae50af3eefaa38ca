// The KeyValueStore port over LevelDB, keys and values as bytes.

import { Level } from 'level'
import { dirname } from 'node:path'

import { assert } from '../base/assert.ts'
import type { DiskError, KeyValueStore, OpenKeyValueStore } from '../ports.ts'
import { diskError } from './disk-error.ts'
import { nodeDisk } from './node-disk.ts'

type Database = Level<Uint8Array, Uint8Array>

/** Rejects with DiskError: EBUSY when the store is open already, here or in another process. */
export const levelStore: OpenKeyValueStore = async (path) => {
  const database: Database = new Level<Uint8Array, Uint8Array>(path, { keyEncoding: 'view', valueEncoding: 'view' })
  try {
    await database.open()
  } catch (error) {
    throw levelError(error, path, 'open the store')
  }
  // LevelDB syncs its own directory; that the directory is there at all is for its parent to remember.
  await nodeDisk().syncDir(dirname(path))
  return new LevelStore(database, path)
}

class LevelStore implements KeyValueStore {
  readonly #database: Database
  readonly #path: string

  constructor(database: Database, path: string) {
    this.#database = database
    this.#path = path
  }

  get(key: Uint8Array): Promise<Uint8Array | undefined> {
    return this.#attempt('read a key', () => this.#database.get(key))
  }

  async write(batch: Parameters<KeyValueStore['write']>[0], durability: 'sync' | 'lazy'): Promise<void> {
    const operations = batch.map((op) => op.kind === 'put'
      ? { type: 'put' as const, key: op.key, value: op.value }
      : { type: 'del' as const, key: op.key })
    await this.#attempt(`write ${batch.length} entries`, () =>
      this.#database.batch(operations, { sync: durability === 'sync' }))
  }

  async range(from: Uint8Array, to: Uint8Array, limit: number): ReturnType<KeyValueStore['range']> {
    assert(limit >= 0, () => `limit ${limit} >= 0`)
    const entries = await this.#attempt('read a range', () =>
      this.#database.iterator({ gte: from, lt: to, limit }).all())
    return entries.map(([key, value]) => ({ key, value }))
  }

  async close(): Promise<void> { await this.#attempt('close the store', () => this.#database.close()) }

  async #attempt<T>(tried: string, call: () => Promise<T>): Promise<T> {
    try {
      return await call()
    } catch (error) {
      throw levelError(error, this.#path, tried)
    }
  }
}

const CODES: Readonly<Record<string, string>> = {
  LEVEL_LOCKED: 'EBUSY',
  LEVEL_IO_ERROR: 'EIO',
  LEVEL_CORRUPTION: 'EBADMSG',
  LEVEL_DATABASE_NOT_OPEN: 'EBADF',
  LEVEL_ITERATOR_NOT_OPEN: 'EBADF'
}
/** LevelDB tells errno by its text only. */
const TEXTS: readonly (readonly [RegExp, string])[] = [
  [/No space left on device/, 'ENOSPC'],
  [/Permission denied/, 'EACCES'],
  [/Read-only file system/, 'EROFS'],
  [/Too many open files/, 'EMFILE']
]

function levelError(error: unknown, path: string, tried: string): DiskError {
  // A failed open says "not open" and carries the reason as its cause.
  const reason = error instanceof Error && codeOf(error.cause) !== undefined ? error.cause : error
  const code = codeOf(reason)
  if (!(reason instanceof Error) || code === undefined) throw error
  const byText = TEXTS.find(([text]) => text.test(reason.message))?.[1]
  return diskError(byText ?? CODES[code] ?? (code.startsWith('LEVEL_') ? 'EIO' : code), path, tried, reason)
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

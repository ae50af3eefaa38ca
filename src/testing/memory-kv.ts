// Key-value stores in memory that outlive their handles: a reopened path has its entries, a power loss takes lazy ones.

import { assert } from '../base/assert.ts'
import { DiskError, type KeyValueStore, type KvEntry, type KvOp, type OpenKeyValueStore } from '../ports.ts'
import { promised } from './promised.ts'

export interface MemoryStores {
  /** EBUSY when the path is open already. */
  readonly open: OpenKeyValueStore
  /** Takes back every batch since the last completed 'sync' one; an open handle answers EBADF from now on. */
  losePower(path: string): void
  /** As if the store had never been there; an open handle answers EBADF from now on. */
  wipe(path: string): void
  /** As a kill of the process: an open handle answers EBADF, what was written stays. */
  kill(path: string): void
  /** The value that would be found after a power loss now. */
  durable(path: string, key: Uint8Array): Uint8Array | undefined
  /** Takes a copy of the store; the result puts it back, durable, in place of what is there then. */
  copy(path: string): () => void
  /** The next `write` to `path` rejects with `code`, once; nothing of the batch is kept. */
  failNextWrite(path: string, code: string): void
}

export interface MemoryStoresOptions {
  /** Calls back when a sync that was asked for now is done. Default: setImmediate. Must keep the order. */
  readonly defer?: (done: () => void) => void
}

export function memoryStores({ defer = setImmediate }: MemoryStoresOptions = {}): MemoryStores {
  const stores = new Map<string, Content>()
  return {
    open: (path) => promised(() => {
      const content = stores.get(path) ?? new Content()
      stores.set(path, content)
      if (content.handle !== undefined) throw failure('EBUSY', path, 'open the store: it is open already')
      return new MemoryStore(content, path, defer)
    }),
    losePower: (path) => { stores.get(path)?.losePower() },
    wipe: (path) => {
      const content = stores.get(path)
      if (content !== undefined) content.handle = undefined
      stores.delete(path)
    },
    kill: (path) => {
      const content = stores.get(path)
      if (content !== undefined) content.handle = undefined
    },
    durable: (path, key) => stores.get(path)?.durable(key),
    copy: (path) => {
      const entries = stores.get(path)?.copy() ?? []
      return () => { stores.set(path, new Content(entries)) }
    },
    failNextWrite: (path, code) => {
      const content = stores.get(path) ?? new Content()
      stores.set(path, content)
      content.fault = code
    }
  }
}

interface Undo { readonly key: Uint8Array; readonly old: Uint8Array | undefined }

/** What is stored under one path: entries sorted by key, and how to take back what is not durable. */
class Content {
  handle: MemoryStore | undefined
  fault: string | undefined
  readonly #entries: KvEntry[]
  #undo: Undo[] = []
  /** Changes made durable so far. */
  #settled = 0

  constructor(entries: readonly KvEntry[] = []) { this.#entries = [...entries] }

  copy(): readonly KvEntry[] { return [...this.#entries] }

  durable(key: Uint8Array): Uint8Array | undefined {
    const changed = this.#undo.find((undo) => compare(undo.key, key) === 0)
    return changed === undefined ? this.get(key) : changed.old
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const at = this.#firstNotBelow(key)
    const entry = this.#entries[at]
    return entry !== undefined && compare(entry.key, key) === 0 ? entry.value : undefined
  }

  apply(batch: readonly KvOp[]): void {
    for (const op of batch) {
      this.#undo.push({ key: op.key.slice(), old: this.get(op.key) })
      this.#set(op.key.slice(), op.kind === 'put' ? op.value.slice() : undefined)
    }
  }

  range(from: Uint8Array, to: Uint8Array, limit: number): readonly KvEntry[] {
    const first = this.#firstNotBelow(from)
    return this.#entries.slice(first, Math.min(this.#firstNotBelow(to), first + limit))
  }

  mark(): number { return this.#settled + this.#undo.length }

  settle(mark: number): void {
    if (mark <= this.#settled) return
    this.#undo.splice(0, mark - this.#settled)
    this.#settled = mark
  }

  losePower(): void {
    this.handle = undefined
    for (const { key, old } of this.#undo.toReversed()) this.#set(key, old)
    this.#undo = []
  }

  #set(key: Uint8Array, value: Uint8Array | undefined): void {
    const at = this.#firstNotBelow(key)
    const found = this.#entries[at]
    const replaced = found !== undefined && compare(found.key, key) === 0 ? 1 : 0
    if (value === undefined) this.#entries.splice(at, replaced)
    else if (replaced === 1) this.#entries[at] = { key, value }
    else this.#entries.splice(at, 0, { key, value })
  }

  #firstNotBelow(key: Uint8Array): number {
    let low = 0
    let high = this.#entries.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compare(this.#entries[middle]!.key, key) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
}

class MemoryStore implements KeyValueStore {
  readonly #content: Content
  readonly #path: string
  readonly #defer: (done: () => void) => void

  constructor(content: Content, path: string, defer: (done: () => void) => void) {
    this.#content = content
    this.#path = path
    this.#defer = defer
    content.handle = this
  }

  get(key: Uint8Array): Promise<Uint8Array | undefined> {
    return promised(() => {
      this.#enter('read')
      return this.#content.get(key)?.slice()
    })
  }

  async write(batch: readonly KvOp[], durability: 'sync' | 'lazy'): Promise<void> {
    this.#enter('write')
    const content = this.#content
    const code = content.fault
    if (code !== undefined) {
      content.fault = undefined
      throw failure(code, this.#path, 'write: a planted fault')
    }
    content.apply(batch)
    if (durability === 'lazy') return
    const mark = content.mark()
    await new Promise<void>((resolve) => { this.#defer(resolve) })
    // After a kill or a power loss meanwhile the batch is gone, and so is the process that waited for it.
    if (content.handle === this) content.settle(mark)
  }

  range(from: Uint8Array, to: Uint8Array, limit: number): Promise<readonly KvEntry[]> {
    return promised(() => {
      this.#enter('read')
      assert(limit >= 0, () => `limit ${limit} >= 0`)
      return this.#content.range(from, to, limit).map(({ key, value }) => ({ key: key.slice(), value: value.slice() }))
    })
  }

  close(): Promise<void> {
    if (this.#content.handle === this) this.#content.handle = undefined
    return Promise.resolve()
  }

  #enter(tried: string): void {
    if (this.#content.handle !== this) throw failure('EBADF', this.#path, `${tried}: the store is closed`)
  }
}

/** Unsigned, byte by byte; a prefix comes first. */
function compare(a: Uint8Array, b: Uint8Array): number { return Buffer.compare(a, b) }

function failure(code: string, path: string, tried: string): DiskError {
  return new DiskError(code, path, `${path}: cannot ${tried}: ${code}`)
}

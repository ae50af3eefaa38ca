// The key-value stores of one machine on virtual time, as LevelDB is: batches go to a log in order, a kill keeps what
// was written, a power loss takes a suffix of the batches that no later sync covers.

import { DiskError, type KeyValueStore, type KvOp, type OpenKeyValueStore, type Random } from '../../src/ports.ts'
import { unit } from './links.ts'
import type { Life } from './life.ts'
import type { World } from './world.ts'

interface Undo { readonly key: string; readonly old: Uint8Array | undefined }

/** What one path holds. Keys are strings of bytes, which compare as the bytes do. */
class Content {
  readonly values = new Map<string, Uint8Array>()
  /** Ascending; undefined when it must be made anew. */
  sorted: string[] | undefined = []
  owner: Life | undefined
  /** Batches not durable for certain, oldest first. */
  volatile: Undo[][] = []

  apply(batch: readonly KvOp[]): Undo[] {
    const undo = batch.map(({ key }) => text(key)).map((key) => ({ key, old: this.values.get(key) }))
    for (const op of batch) this.set(text(op.key), op.kind === 'put' ? op.value.slice() : undefined)
    this.volatile.push(undo)
    return undo
  }

  settle(upTo: Undo[]): void {
    const index = this.volatile.indexOf(upTo)
    if (index >= 0) this.volatile.splice(0, index + 1)
  }

  losePower(random: Random): void {
    this.owner = undefined
    const kept = random.below(2) === 0 ? 0 : random.below(this.volatile.length + 1)
    for (const undo of this.volatile.slice(kept).toReversed()) {
      for (const { key, old } of undo.toReversed()) this.set(key, old)
    }
    this.volatile = []
  }

  set(key: string, value: Uint8Array | undefined): void {
    if (value === undefined) {
      if (this.values.delete(key)) this.sorted = undefined
      return
    }
    const isNew = !this.values.has(key)
    this.values.set(key, value)
    if (!isNew || this.sorted === undefined) return
    const last = this.sorted.at(-1)
    if (last === undefined || last < key) this.sorted.push(key)
    else this.sorted = undefined
  }

  keys(): readonly string[] {
    this.sorted ??= [...this.values.keys()].sort()
    return this.sorted
  }
}

export class SimStores {
  readonly #world: World
  readonly #random: Random
  readonly #contents = new Map<string, Content>()
  #stalledUntilMs = 0
  #failing: string | undefined
  syncMs: number
  harmed = false

  constructor(world: World, name: string) {
    this.#world = world
    this.#random = world.random.fork(`stores ${name}`)
    this.syncMs = 0.2 + 4 * unit(this.#random) ** 3
  }

  port(life: Life): OpenKeyValueStore {
    return (path) => this.#later(life, 'open', 0.5, () => {
      const content = this.#contents.get(path) ?? new Content()
      this.#contents.set(path, content)
      if (content.owner?.alive === true) throw failure('EBUSY', path, 'open the store: it is open already')
      content.owner = life
      return this.#store(life, content, path)
    })
  }

  losePower(): void { for (const content of this.#contents.values()) content.losePower(this.#random) }

  stall(ms: number): void { this.#stalledUntilMs = Math.max(this.#stalledUntilMs, this.#world.nowMs + ms) }

  /** The next write rejects with `code`; whether it happened is drawn. */
  failNextWrite(code: string): void {
    this.harmed = true
    this.#failing = code
  }

  heal(): void {
    this.#stalledUntilMs = 0
    this.#failing = undefined
    this.harmed = false
  }

  /** The value of a key as a process would read it; for looking only. */
  look(path: string, key: Uint8Array): Uint8Array | undefined { return this.#contents.get(path)?.values.get(text(key)) }

  /** The value that would be there for certain after a power loss now. */
  lookDurable(path: string, key: Uint8Array): Uint8Array | undefined {
    const content = this.#contents.get(path)
    const name = text(key)
    for (const batch of content?.volatile ?? []) {
      const undo = batch.find((one) => one.key === name)
      if (undo !== undefined) return undo.old
    }
    return content?.values.get(name)
  }

  #store(life: Life, content: Content, path: string): KeyValueStore {
    const enter = (tried: string) => {
      if (content.owner !== life) throw failure('EBADF', path, `${tried}: the store is closed`)
    }
    return {
      get: (key) => this.#later(life, 'get', 0.02, () => {
        enter('read')
        return content.values.get(text(key))?.slice()
      }),
      write: (batch, durability) => this.#write(life, content, path, batch, durability),
      range: (from, to, limit) => this.#later(life, 'range', 0.1, () => {
        enter('read')
        const [low, high] = [text(from), text(to)]
        const keys = content.keys().filter((key) => key >= low && key < high).slice(0, limit)
        return keys.map((key) => ({ key: Buffer.from(key, 'latin1'), value: content.values.get(key)!.slice() }))
      }),
      close: () => this.#later(life, 'close', 0.1, () => { if (content.owner === life) content.owner = undefined })
    }
  }

  async #write(
    life: Life, content: Content, path: string, batch: readonly KvOp[], durability: 'sync' | 'lazy'): Promise<void> {
    const copied = batch.map((op) => op.kind === 'put' ? { ...op, key: op.key.slice(), value: op.value.slice() }
      : { ...op, key: op.key.slice() })
    const undo = await this.#later(life, 'put', 0.02, () => {
      if (content.owner !== life) throw failure('EBADF', path, 'write: the store is closed')
      const code = this.#failing
      this.#failing = undefined
      if (code === undefined) return content.apply(copied)
      if (this.#random.below(2) === 0) content.apply(copied)
      throw failure(code, path, 'write: a planted fault')
    })
    if (durability === 'sync') {
      await this.#later(life, 'sync', this.syncMs, () => { content.settle(undo) })
    }
  }

  #later<T>(life: Life, kind: string, ms: number, effect: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const tail = this.#random.below(300) === 0 ? 40 * unit(this.#random) : 0
      const waitMs = Math.max(ms * (0.5 + unit(this.#random)) + tail, this.#stalledUntilMs - this.#world.nowMs)
      this.#world.after(waitMs, life, `kv ${kind}`, () => {
        try {
          resolve(effect())
        } catch (error) {
          reject(error)
        }
      })
    })
  }
}

function text(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1')
}

function failure(code: string, path: string, tried: string): DiskError {
  return new DiskError(code, path, `${path}: cannot ${tried}: ${code}`)
}

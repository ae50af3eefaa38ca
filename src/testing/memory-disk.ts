// The Disk port in memory, strict as a real one: what was not synced, bytes or directory entries, is gone after
// `losePower`. Faults can be planted, and the disk can be full.

import { DiskError, type Disk, type DiskFile, type DiskLock } from '../ports.ts'
import { MemoryFile } from './memory-file.ts'
import { promised } from './promised.ts'

class Directory {
  readonly live = new Map<string, Entry>()
  /** Entries that survive a power loss: as of the last `syncDir`. */
  durable = new Map<string, Entry>()
}
type Entry = MemoryFile | Directory

export type DiskOperation = 'open' | 'create' | 'list' | 'exists' | 'makeDir' | 'rename' | 'remove' | 'syncDir'
  | 'lock' | 'read' | 'write' | 'sync' | 'truncate'

interface Fault { readonly op: DiskOperation; readonly path: RegExp; readonly code: string }

/** A file as `view` shows it. */
export interface FileView {
  readonly path: string
  readonly size: number
  /** It would survive a power loss as it is: its bytes and every directory entry that leads to it. */
  readonly durable: boolean
}

export interface MemoryDiskOptions {
  /** Calls back when a sync that was asked for now is done. Default: setImmediate. Must keep the order. */
  readonly defer?: (done: () => void) => void
}

export class MemoryDisk implements Disk {
  readonly #root = new Directory()
  readonly #locks = new Set<string>()
  readonly #defer: (done: () => void) => void
  #faults: Fault[] = []
  #capacity = Number.POSITIVE_INFINITY
  /** Handles of an earlier life are closed. */
  #life = 0

  constructor(options: MemoryDiskOptions = {}) {
    this.#defer = options.defer ?? ((done) => { setImmediate(done) })
  }

  // ---- the port -----------------------------------------------------------------------------------------

  open(path: string, options: { readonly create: boolean }): Promise<DiskFile> {
    return promised(() => {
      this.#mayFail('open', path)
      const { parent, name } = this.#locate(path)
      const entry = parent.live.get(name)
      if (entry instanceof Directory) throw fault('EISDIR', path, 'open')
      if (entry !== undefined) return this.#handle(entry, path)
      if (!options.create) throw fault('ENOENT', path, 'open')
      return this.#create(parent, name, path)
    })
  }

  createNow(path: string): DiskFile {
    this.#mayFail('create', path)
    const { parent, name } = this.#locate(path)
    if (parent.live.has(name)) throw fault('EEXIST', path, 'create')
    return this.#create(parent, name, path)
  }

  list(dir: string): Promise<readonly string[]> {
    return promised(() => {
      this.#mayFail('list', dir)
      return [...this.#directory(dir, 'list').live.keys()].sort()
    })
  }

  exists(path: string): Promise<boolean> {
    return promised(() => {
      this.#mayFail('exists', path)
      return this.#find(path) !== undefined
    })
  }

  makeDir(dir: string): Promise<void> {
    return promised(() => {
      this.#mayFail('makeDir', dir)
      this.#makeDirs(dir)
    })
  }

  rename(from: string, to: string): Promise<void> {
    return promised(() => {
      this.#mayFail('rename', from)
      const source = this.#locate(from)
      const target = this.#locate(to)
      const entry = source.parent.live.get(source.name)
      const replaced = target.parent.live.get(target.name)
      if (entry === undefined) throw fault('ENOENT', from, `rename to ${to}`)
      if (entry === replaced) return
      if (entry instanceof Directory && replaced instanceof MemoryFile) throw fault('ENOTDIR', from, `rename to ${to}`)
      if (entry instanceof MemoryFile && replaced instanceof Directory) throw fault('EISDIR', from, `rename to ${to}`)
      if (replaced instanceof Directory && replaced.live.size > 0) throw fault('ENOTEMPTY', from, `rename to ${to}`)
      source.parent.live.delete(source.name)
      target.parent.live.set(target.name, entry)
    })
  }

  remove(path: string): Promise<void> {
    return promised(() => {
      this.#mayFail('remove', path)
      if (this.#find(path) === undefined) return
      const { parent, name } = this.#locate(path)
      parent.live.delete(name)
    })
  }

  async syncDir(dir: string): Promise<void> {
    this.#mayFail('syncDir', dir)
    const directory = this.#directory(dir, 'sync directory')
    const entries = new Map(directory.live)
    const life = this.#life
    await this.#later(() => { if (life === this.#life) directory.durable = entries })
  }

  lock(path: string): Promise<DiskLock> {
    return promised(() => {
      this.#mayFail('lock', path)
      const key = parts(path).join('/')
      const { parent, name } = this.#locate(path)
      if (this.#locks.has(key)) throw fault('EBUSY', path, 'lock: held already')
      if (!parent.live.has(name)) parent.live.set(name, new MemoryFile())
      this.#locks.add(key)
      const life = this.#life
      let released = false
      return {
        release: () => {
          if (!released && life === this.#life) this.#locks.delete(key)
          released = true
          return Promise.resolve()
        }
      }
    })
  }

  // ---- for tests ----------------------------------------------------------------------------------------

  /**
   * Drops unsynced bytes and unsynced directory entries, and every lock. Handles that are open answer EBADF.
   */
  losePower(): void {
    this.kill()
    losePowerIn(this.#root)
  }

  /** As a kill of the process: open handles answer EBADF and locks go; what was written stays, as in the page cache. */
  kill(): void {
    this.#life++
    this.#locks.clear()
  }

  /** The next `op` on a path that `path` matches fails with `code` (EIO, ENOSPC …), once. Calls add up. */
  failNext(op: DiskOperation, path: RegExp, code: string): void { this.#faults.push({ op, path, code }) }

  /** From now on writes fail with ENOSPC, after what still fits, rather than let all files exceed `bytes`. */
  setCapacity(bytes: number): void { this.#capacity = bytes }

  /** All files, sorted by path. */
  view(): readonly FileView[] {
    const files: FileView[] = []
    walk(this.#root, '', true, (path, file, durable) => { files.push({ path, size: file.size, durable }) })
    return files.sort((a, b) => a.path < b.path ? -1 : 1)
  }

  /** The content of a file now; throws DiskError ENOENT. */
  copyOf(path: string): Uint8Array {
    const entry = this.#find(path)
    if (!(entry instanceof MemoryFile)) throw fault('ENOENT', path, 'copy')
    return entry.copy()
  }

  /** Replaces or makes a file, and its directories, as if it had been there, durable, for long. */
  put(path: string, bytes: Uint8Array): void {
    const file = new MemoryFile()
    file.write(bytes, 0)
    file.settle(file.mark())
    const names = parts(path)
    const name = names.pop() ?? ''
    let directory = this.#root
    for (const step of names) {
      const next = directory.live.get(step)
      const child = next instanceof Directory ? next : new Directory()
      directory.live.set(step, child)
      directory.durable.set(step, child)
      directory = child
    }
    directory.live.set(name, file)
    directory.durable.set(name, file)
  }

  // ---- inside -------------------------------------------------------------------------------------------

  #create(parent: Directory, name: string, path: string): DiskFile {
    const file = new MemoryFile()
    parent.live.set(name, file)
    return this.#handle(file, path)
  }

  #handle(file: MemoryFile, path: string): DiskFile {
    const life = this.#life
    let closed = false
    const enter = (op: 'read' | 'write' | 'sync' | 'truncate') => {
      if (closed || life !== this.#life) throw fault('EBADF', path, `${op}: the handle is closed`)
      this.#mayFail(op, path)
    }
    const readNow = (into: Uint8Array, position: number) => {
      enter('read')
      return file.read(into, position)
    }
    return {
      size: () => file.size,
      read: (into, position) => promised(() => readNow(into, position)),
      readNow,
      writeNow: (pieces, position) => {
        enter('write')
        this.#write(file, path, pieces, position)
      },
      sync: async () => {
        enter('sync')
        const mark = file.mark()
        await this.#later(() => { if (life === this.#life) file.settle(mark) })
      },
      truncate: (size) => promised(() => {
        enter('truncate')
        file.truncate(size)
      }),
      close: () => promised(() => { closed = true })
    }
  }

  #write(file: MemoryFile, path: string, pieces: readonly Uint8Array[], position: number): void {
    let free = this.#capacity === Number.POSITIVE_INFINITY ? this.#capacity : this.#capacity - this.#used()
    let at = position
    for (const piece of pieces) {
      const grows = Math.max(0, at + piece.length - file.size)
      const fits = grows <= free ? piece.length : piece.length - (grows - free)
      file.write(piece.subarray(0, Math.max(0, fits)), at)
      if (fits < piece.length) throw fault('ENOSPC', path, `write ${piece.length} bytes at ${at}`)
      free -= grows
      at += piece.length
    }
  }

  #used(): number {
    let bytes = 0
    walk(this.#root, '', true, (_path, file) => { bytes += file.size })
    return bytes
  }

  #later(effect: () => void): Promise<void> {
    return new Promise((resolve) => {
      this.#defer(() => {
        effect()
        resolve()
      })
    })
  }

  #mayFail(op: DiskOperation, path: string): void {
    const index = this.#faults.findIndex((planted) => planted.op === op && planted.path.test(path))
    if (index < 0) return
    const [planted] = this.#faults.splice(index, 1)
    throw fault(planted!.code, path, `${op}: a planted fault`)
  }

  #find(path: string): Entry | undefined {
    let entry: Entry | undefined = this.#root
    for (const name of parts(path)) entry = entry instanceof Directory ? entry.live.get(name) : undefined
    return entry
  }

  #directory(path: string, tried: string): Directory {
    const entry = this.#find(path)
    if (entry instanceof Directory) return entry
    throw fault(entry === undefined ? 'ENOENT' : 'ENOTDIR', path, tried)
  }

  /** The directory that holds (or would hold) `path`, and its name there. */
  #locate(path: string): { readonly parent: Directory; readonly name: string } {
    const names = parts(path)
    const name = names.pop()
    if (name === undefined) throw fault('EINVAL', path, 'use the root as a file')
    return { parent: this.#directory(names.join('/'), 'look up'), name }
  }

  #makeDirs(path: string): void {
    let directory = this.#root
    for (const name of parts(path)) {
      const entry = directory.live.get(name) ?? new Directory()
      if (!(entry instanceof Directory)) throw fault('ENOTDIR', path, 'make directory')
      directory.live.set(name, entry)
      directory = entry
    }
  }
}

function parts(path: string): string[] { return path.split('/').filter((name) => name !== '' && name !== '.') }

function losePowerIn(directory: Directory): void {
  directory.live.clear()
  for (const [name, entry] of directory.durable) {
    directory.live.set(name, entry)
    if (entry instanceof Directory) losePowerIn(entry)
    else entry.losePower()
  }
}

function walk(directory: Directory, prefix: string, durable: boolean,
  visit: (path: string, file: MemoryFile, durable: boolean) => void): void {
  for (const [name, entry] of directory.live) {
    const path = `${prefix}/${name}`
    const kept = durable && directory.durable.get(name) === entry
    if (entry instanceof Directory) walk(entry, path, kept, visit)
    else visit(path, entry, kept && entry.isDurable)
  }
}

function fault(code: string, path: string, tried: string): DiskError {
  return new DiskError(code, path, `${path}: cannot ${tried}: ${code}`)
}

// The disk of one machine on virtual time. It outlives processes: a kill leaves all that was written, a power loss
// takes what was not synced (`sim-file.ts`, `sim-directory.ts`). Operations take drawn time, and fail on demand.

import { DiskError, type Disk, type DiskFile, type DiskLock, type Random } from '../../src/ports.ts'
import { unit } from './links.ts'
import { SimDirectory, type Entry } from './sim-directory.ts'
import { SimFile } from './sim-file.ts'
import type { Life } from './life.ts'
import type { World } from './world.ts'

export type DiskOperation = 'open' | 'list' | 'exists' | 'makeDir' | 'rename' | 'remove' | 'syncDir' | 'lock' | 'read'
  | 'write' | 'sync' | 'truncate' | 'close'

interface Flight { readonly life: Life; readonly op: DiskOperation; finish(): void }

interface Fault { readonly op: DiskOperation; readonly path: RegExp; readonly code: string; readonly once: boolean }

export class SimDisk {
  readonly #world: World
  readonly #random: Random
  #root = new SimDirectory()
  readonly #locks = new Map<string, Life>()
  #faults: Fault[] = []
  #stalledUntilMs = 0
  #full = false
  /** Operations under way. */
  readonly #flying = new Set<Flight>()
  /** Typical time of a sync, ms. */
  syncMs = 0.8
  /** True once a fault was planted that the running process may not survive. */
  harmed = false

  constructor(world: World, name: string) {
    this.#world = world
    this.#random = world.random.fork(`disk ${name}`)
    this.syncMs = 0.2 + 4 * unit(this.#random) ** 3
  }

  /** The port of one process. */
  port(life: Life): Disk {
    const file = (entry: SimFile, path: string) => this.#handle(life, entry, path)
    return {
      open: (path, options) => this.#later(life, 'open', path, () => {
        const { parent, name } = this.#locate(path)
        const entry = parent.live.get(name)
        if (entry instanceof SimDirectory) throw failure('EISDIR', path, 'open')
        if (entry !== undefined) return file(entry, path)
        if (!options.create) throw failure('ENOENT', path, 'open')
        return file(this.#create(parent, name, path), path)
      }),
      createNow: (path) => {
        if (!life.alive) throw failure('EBADF', path, 'create: the process was killed')
        this.#mayFail('open', path)
        const { parent, name } = this.#locate(path)
        if (parent.live.has(name)) throw failure('EEXIST', path, 'create')
        return file(this.#create(parent, name, path), path)
      },
      list: (dir) => this.#later(life, 'list', dir, () => [...this.#directory(dir, 'list').live.keys()].sort()),
      exists: (path) => this.#later(life, 'exists', path, () => this.#find(path) !== undefined),
      makeDir: (dir) => this.#later(life, 'makeDir', dir, () => { this.#makeDirs(dir) }),
      rename: (from, to) => this.#later(life, 'rename', from, () => { this.#rename(from, to) }),
      remove: (path) => this.#later(life, 'remove', path, () => {
        if (this.#find(path) === undefined) return
        const { parent, name } = this.#locate(path)
        parent.set(name, undefined)
      }),
      syncDir: (dir) => {
        let mark: ReturnType<SimDirectory['mark']> = []
        const directory = this.#find(dir)
        if (directory instanceof SimDirectory) mark = directory.mark()
        return this.#later(life, 'syncDir', dir, () => { this.#directory(dir, 'sync').settle(mark) })
      },
      lock: (path) => this.#later(life, 'lock', path, () => this.#lock(life, path))
    }
  }

  // ---- for the world --------------------------------------------------------------------------------------

  /** A process was killed: the kernel still does some of what it had asked for. */
  killed(life: Life): void {
    for (const flight of [...this.#flying]) {
      if (flight.life !== life) continue
      this.#flying.delete(flight)
      if (flight.op !== 'sync' && flight.op !== 'syncDir' && this.#random.below(2) === 0) flight.finish()
    }
  }

  losePower(): void {
    this.#locks.clear()
    this.#flying.clear()
    this.#root.losePower(this.#random)
  }

  /** Everything on it is gone: a new disk. */
  wipe(): void {
    this.#locks.clear()
    this.#root = new SimDirectory()
  }

  /** The next `op` (or every one until `heal`) on a matching path fails with `code`. */
  failNext(op: DiskOperation, path: RegExp, code: string, once = true): void {
    this.harmed = true
    this.#faults.push({ op, path, code, once })
  }

  setFull(full: boolean): void {
    this.#full = full
    if (full) this.harmed = true
  }

  /** Nothing that takes time ends before so much has passed. */
  stall(ms: number): void { this.#stalledUntilMs = Math.max(this.#stalledUntilMs, this.#world.nowMs + ms) }

  heal(): void {
    this.#faults = []
    this.#full = false
    this.#stalledUntilMs = 0
    this.harmed = false
  }

  /** A file as processes see it; for looking only. */
  look(path: string): SimFile | undefined {
    const entry = this.#find(path)
    return entry instanceof SimFile ? entry : undefined
  }

  /** Every name on the way to `path` would survive a power loss. */
  isNameDurable(path: string): boolean {
    let directory = this.#root
    for (const name of steps(path)) {
      if (!directory.isDurable(name)) return false
      const entry = directory.live.get(name)
      if (entry instanceof SimDirectory) directory = entry
    }
    return true
  }

  names(dir: string): readonly string[] {
    const entry = this.#find(dir)
    return entry instanceof SimDirectory ? [...entry.live.keys()].sort() : []
  }

  // ---- inside ---------------------------------------------------------------------------------------------

  #handle(life: Life, file: SimFile, path: string): DiskFile {
    let closed = false
    const enter = (op: DiskOperation) => {
      if (closed || !life.alive) throw failure('EBADF', path, `${op}: the handle is closed`)
      this.#mayFail(op, path)
    }
    return {
      size: () => file.size,
      read: (into, position) => this.#later(life, 'read', path, () => {
        if (closed) throw failure('EBADF', path, 'read: the handle is closed')
        return file.read(into, position)
      }),
      readNow: (into, position) => {
        enter('read')
        return file.read(into, position)
      },
      writeNow: (parts, position) => {
        enter('write')
        this.#write(file, path, parts, position)
      },
      sync: () => {
        if (closed) return Promise.reject(failure('EBADF', path, 'sync: the handle is closed'))
        const mark = file.mark()
        return this.#later(life, 'sync', path, () => { file.done(mark) }, () => { file.failed(mark) })
      },
      truncate: (size) => this.#later(life, 'truncate', path, () => {
        if (closed) throw failure('EBADF', path, 'truncate: the handle is closed')
        file.truncate(size)
      }),
      close: () => this.#later(life, 'close', path, () => { closed = true })
    }
  }

  #write(file: SimFile, path: string, parts: readonly Uint8Array[], position: number): void {
    let at = position
    for (const part of parts) {
      if (this.#full && at + part.length > file.size) {
        file.write(part.subarray(0, this.#random.below(part.length + 1)), at)
        throw failure('ENOSPC', path, `write ${part.length} bytes at ${at}`)
      }
      file.write(part, at)
      at += part.length
    }
  }

  /** Takes time, then happens. */
  #later<T>(life: Life, op: DiskOperation, path: string, effect: () => T, failed?: () => void): Promise<T> {
    if (!life.alive) return new Promise(() => { /* nobody is there */ })
    return new Promise((resolve, reject) => {
      const flight: Flight = {
        life, op,
        finish: () => {
          try {
            this.#mayFail(op, path)
            const value = effect()
            if (life.alive) resolve(value)
          } catch (error) {
            failed?.()
            if (life.alive) reject(error)
          }
        }
      }
      this.#flying.add(flight)
      this.#world.after(this.#time(op), life, op, () => { if (this.#flying.delete(flight)) flight.finish() }, path)
    })
  }

  #time(op: DiskOperation): number {
    const slow = op === 'sync' || op === 'syncDir' ? this.syncMs * (0.5 + unit(this.#random)) : 0
    const tail = slow > 0 && this.#random.below(200) === 0 ? 60 * unit(this.#random) : 0
    const ms = slow + tail + 0.01 + 0.1 * unit(this.#random)
    return Math.max(ms, this.#stalledUntilMs - this.#world.nowMs)
  }

  #create(parent: SimDirectory, name: string, path: string): SimFile {
    if (this.#full) throw failure('ENOSPC', path, 'create')
    const file = new SimFile()
    parent.set(name, file)
    return file
  }

  #lock(life: Life, path: string): DiskLock {
    const { parent, name } = this.#locate(path)
    if (this.#locks.get(path)?.alive === true) throw failure('EBUSY', path, 'lock: held already')
    if (!parent.live.has(name)) parent.set(name, new SimFile())
    this.#locks.set(path, life)
    return {
      release: () => {
        if (this.#locks.get(path) === life) this.#locks.delete(path)
        return Promise.resolve()
      }
    }
  }

  #rename(from: string, to: string): void {
    const source = this.#locate(from)
    const target = this.#locate(to)
    const entry = source.parent.live.get(source.name)
    const replaced = target.parent.live.get(target.name)
    if (entry === undefined) throw failure('ENOENT', from, `rename to ${to}`)
    if (entry === replaced) return
    if (replaced instanceof SimDirectory && replaced.live.size > 0) throw failure('ENOTEMPTY', from, `rename to ${to}`)
    SimDirectory.change([
      { directory: source.parent, name: source.name, entry: undefined },
      { directory: target.parent, name: target.name, entry }])
  }

  #mayFail(op: DiskOperation, path: string): void {
    const index = this.#faults.findIndex((planted) => planted.op === op && planted.path.test(path))
    const planted = this.#faults[index]
    if (planted === undefined) return
    if (planted.once) this.#faults.splice(index, 1)
    throw failure(planted.code, path, `${op}: a planted fault`)
  }

  #find(path: string): Entry | undefined {
    let entry: Entry | undefined = this.#root
    for (const name of steps(path)) entry = entry instanceof SimDirectory ? entry.live.get(name) : undefined
    return entry
  }

  #directory(path: string, tried: string): SimDirectory {
    const entry = this.#find(path)
    if (entry instanceof SimDirectory) return entry
    throw failure(entry === undefined ? 'ENOENT' : 'ENOTDIR', path, tried)
  }

  #locate(path: string): { readonly parent: SimDirectory; readonly name: string } {
    const name = steps(path).at(-1)
    if (name === undefined) throw failure('EINVAL', path, 'use the root as a file')
    return { parent: this.#directory(path.slice(0, path.lastIndexOf('/')), 'look up'), name }
  }

  #makeDirs(path: string): void {
    let directory = this.#root
    for (const name of steps(path)) {
      let entry = directory.live.get(name)
      if (entry === undefined) {
        entry = new SimDirectory()
        directory.set(name, entry)
      }
      if (!(entry instanceof SimDirectory)) throw failure('ENOTDIR', path, 'make directory')
      directory = entry
    }
  }
}

/** The same few paths again and again. */
const STEPS = new Map<string, readonly string[]>()

function steps(path: string): readonly string[] {
  let names = STEPS.get(path)
  if (names === undefined) {
    names = path.split('/').filter((name) => name !== '' && name !== '.')
    if (STEPS.size > 10_000) STEPS.clear()
    STEPS.set(path, names)
  }
  return names
}

function failure(code: string, path: string, tried: string): DiskError {
  return new DiskError(code, path, `${path}: cannot ${tried}: ${code}`)
}

// Exclusive lock on a path, gone when its holder dies.
//
// Node has no flock(2), but the command flock(1) locks an open file description that it inherits, and the lock stays
// with this process when the command ends: the kernel frees it on any death, over container borders, too. Where
// the command is missing (macOS) the lock is a file that names its holder, and is taken over when that one is dead.

import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { resolve } from 'node:path'

import type { DiskLock } from '../ports.ts'
import { asDiskError, diskError, errnoOf } from './disk-error.ts'

/** Two opens of one path within this process exclude each other as well. */
const held = new Set<string>()

/** 'kernel' needs flock(1); 'file' needs nothing; 'auto' takes the better one. */
export type LockScheme = 'auto' | 'kernel' | 'file'

/**
 * Rejects with DiskError: EBUSY when anybody holds `path`, ENOENT when its directory is missing. All processes that
 * may contend must use the same scheme.
 */
export async function takeLock(path: string, scheme: LockScheme = 'auto'): Promise<DiskLock> {
  const key = resolve(path)
  if (held.has(key)) throw busy(path, 'this process itself')
  held.add(key)
  try {
    const lock = (scheme === 'file' ? undefined : await kernelLock(path))
      ?? (scheme === 'kernel' ? undefined : fileLock(path))
    if (lock === undefined) throw diskError('ENOTSUP', path, 'lock: the command flock(1) is missing or failed')
    let released = false
    return {
      release: () => {
        if (!released) {
          released = true
          lock()
          held.delete(key)
        }
        return Promise.resolve()
      }
    }
  } catch (error) {
    held.delete(key)
    throw asDiskError(error, path, 'lock')
  }
}

// ---- the kernel's lock ------------------------------------------------------------------------------------

const FLOCK_CONFLICT = 1

/** Undefined when this system cannot. The file stays: removing it would let two processes lock two files. */
async function kernelLock(path: string): Promise<(() => void) | undefined> {
  const fd = fs.openSync(path, fs.constants.O_RDWR | fs.constants.O_CREAT, 0o644)
  const status = await flock(fd)
  if (status === 0) {
    fs.ftruncateSync(fd)
    fs.writeSync(fd, describe(myself()), 0)
    return () => {
      fs.ftruncateSync(fd)
      fs.closeSync(fd)
    }
  }
  fs.closeSync(fd)
  if (status !== FLOCK_CONFLICT) return undefined
  throw busy(path, nameOf(holderIn(path)))
}

/** Exit status of flock(1) on our descriptor, which is number 3 there; undefined when it did not run. */
function flock(fd: number): Promise<number | undefined> {
  return new Promise((settle) => {
    const command = spawn('flock', ['-n', '3'], { stdio: ['ignore', 'ignore', 'ignore', fd] })
    command.on('error', () => { settle(undefined) })
    command.on('exit', (status) => { settle(status ?? undefined) })
  })
}

// ---- the lock in a file -----------------------------------------------------------------------------------

/** `started` tells a process from a later one with the same id; empty where the system does not tell. */
interface Holder { readonly pid: number; readonly started: string }

const ATTEMPTS = 5

function fileLock(path: string): () => void {
  const mine = describe(myself())
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (createWith(path, mine)) return () => { fs.rmSync(path, { force: true }) }
    const found = read(path)
    const holder = found === undefined ? undefined : parse(found)
    if (holder !== undefined && isAlive(holder)) throw busy(path, nameOf(holder))
    if (found !== undefined) setAside(path, found)
  }
  throw busy(path, 'processes that contend for it')
}

/** The file appears with its content or not at all: nobody may see a lock without a holder. */
function createWith(path: string, content: string): boolean {
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  fs.writeFileSync(draft, content, { flag: 'wx' })
  try {
    fs.linkSync(draft, path)
    return true
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error
    return false
  } finally {
    fs.rmSync(draft, { force: true })
  }
}

/** Takes a dead holder's file away; puts it back when somebody had replaced it meanwhile. */
function setAside(path: string, found: string): void {
  const aside = `${path}.${randomBytes(6).toString('hex')}`
  try {
    fs.renameSync(path, aside)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return
    throw error
  }
  if (read(aside) !== found) fs.linkSync(aside, path)
  fs.rmSync(aside, { force: true })
}

function isAlive(holder: Holder): boolean {
  // A dead holder may have had our own process id; within this process `held` decides.
  if (holder.pid === process.pid) return false
  try {
    process.kill(holder.pid, 0)
  } catch (error) {
    if (errnoOf(error) === 'ESRCH') return false
    if (errnoOf(error) !== 'EPERM') throw error
  }
  const started = startOf(holder.pid)
  return started === '' || holder.started === '' || started === holder.started
}

// ---- who holds it -----------------------------------------------------------------------------------------

function myself(): Holder { return { pid: process.pid, started: startOf(process.pid) } }

/** Boot id and start in clock ticks since boot (field 22 of /proc/PID/stat; field 2, a name, may hold blanks). */
function startOf(pid: number): string {
  const stat = read(`/proc/${pid}/stat`)
  const boot = read('/proc/sys/kernel/random/boot_id')
  const ticks = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  return ticks === undefined || boot === undefined ? '' : `${boot.trim()}/${ticks}`
}

function describe(holder: Holder): string { return `${holder.pid} ${holder.started}\n` }

function parse(content: string): Holder | undefined {
  const match = /^(\d+) (\S*)\n$/.exec(content)
  return match === null ? undefined : { pid: Number(match[1]), started: match[2] ?? '' }
}

function holderIn(path: string): Holder | undefined {
  const content = read(path)
  return content === undefined ? undefined : parse(content)
}

function nameOf(holder: Holder | undefined): string {
  return holder === undefined ? 'another process' : `process ${holder.pid}`
}

function read(path: string): string | undefined {
  try {
    return fs.readFileSync(path, 'utf8')
  } catch (error) {
    if (errnoOf(error) === undefined) throw error
    return undefined
  }
}

function busy(path: string, holder: string): Error {
  return diskError('EBUSY', path, `lock: held by ${holder}; stop it, or use another directory`)
}

// The Disk port over node:fs.

import * as fs from 'node:fs'
import { promisify } from 'node:util'

import type { Disk } from '../ports.ts'
import { asDiskError, errnoOf } from './disk-error.ts'
import { takeLock } from './file-lock.ts'
import { NodeFile } from './node-file.ts'

const open = promisify(fs.open)
const close = promisify(fs.close)
const fstat = promisify(fs.fstat)
const fsync = promisify(fs.fsync)

export function nodeDisk(): Disk {
  return {
    open: (path, options) => attempt(path, options.create ? 'open or create' : 'open', async () => {
      const fd = await open(path, fs.constants.O_RDWR | (options.create ? fs.constants.O_CREAT : 0), 0o644)
      try {
        return new NodeFile(fd, path, (await fstat(fd)).size)
      } catch (error) {
        await close(fd)
        throw error
      }
    }),
    createNow: (path) => {
      try {
        const { O_RDWR, O_CREAT, O_EXCL } = fs.constants
        return new NodeFile(fs.openSync(path, O_RDWR | O_CREAT | O_EXCL, 0o644), path, 0)
      } catch (error) {
        throw asDiskError(error, path, 'create')
      }
    },
    list: (dir) => attempt(dir, 'list', async () => (await fs.promises.readdir(dir)).sort()),
    exists: (path) => attempt(path, 'look up', () => exists(path)),
    makeDir: (dir) => attempt(dir, 'make directory', async () => {
      await fs.promises.mkdir(dir, { recursive: true })
    }),
    rename: (from, to) => attempt(from, `rename to ${to}`, () => fs.promises.rename(from, to)),
    remove: (path) => attempt(path, 'remove', () => fs.promises.rm(path, { recursive: true, force: true })),
    syncDir: (dir) => attempt(dir, 'sync directory', async () => {
      const fd = await open(dir, fs.constants.O_RDONLY)
      try {
        await fsync(fd)
      } finally {
        await close(fd)
      }
    }),
    lock: (path) => takeLock(path)
  }
}

async function attempt<T>(path: string, tried: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw asDiskError(error, path, tried)
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await fs.promises.stat(path)
    return true
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return false
    throw error
  }
}

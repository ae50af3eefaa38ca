// An open file over node:fs. Writes and small reads happen on the caller's turn, for they touch the page cache only.
// Syncs, truncates and other reads go to the thread pool.

import * as fs from 'node:fs'
import { promisify } from 'node:util'

import { assert } from '../base/assert.ts'
import type { DiskFile } from '../ports.ts'
import { asDiskError, diskError } from './disk-error.ts'

const read = promisify(fs.read)
const fdatasync = promisify(fs.fdatasync)
const ftruncate = promisify(fs.ftruncate)
const closeFd = promisify(fs.close)

export class NodeFile implements DiskFile {
  readonly #fd: number
  readonly #path: string
  #size: number
  /** Calls in the thread pool. The descriptor must outlive them: its number is reused at once. */
  readonly #running = new Set<Promise<unknown>>()
  #closed: Promise<void> | undefined

  /** Owns `fd`; `size` is the file's length now, bytes. */
  constructor(fd: number, path: string, size: number) {
    this.#fd = fd
    this.#path = path
    this.#size = size
  }

  size(): number { return this.#size }

  async read(into: Uint8Array, position: number): Promise<number> {
    let done = 0
    while (done < into.length) {
      const from = done
      const { bytesRead } = await this.#run('read', () =>
        read(this.#fd, into, from, into.length - from, position + from))
      if (bytesRead === 0) break
      done += bytesRead
    }
    return done
  }

  readNow(into: Uint8Array, position: number): number {
    this.#checkOpen('read')
    let done = 0
    try {
      while (done < into.length) {
        const bytesRead = fs.readSync(this.#fd, into, done, into.length - done, position + done)
        if (bytesRead === 0) break
        done += bytesRead
      }
    } catch (error) {
      throw asDiskError(error, this.#path, `read ${into.length} bytes at ${position}`)
    }
    return done
  }

  writeNow(parts: readonly Uint8Array[], position: number): void {
    this.#checkOpen('write')
    assert(position >= 0, () => `position ${position} >= 0`)
    let length = 0
    for (const part of parts) length += part.length
    try {
      if (parts.length === 1) writeRest(this.#fd, parts[0]!, 0, position)
      else if (length > 0) writeAll(this.#fd, parts, position)
    } catch (error) {
      throw asDiskError(error, this.#path, `write ${length} bytes at ${position}`)
    }
    if (length > 0) this.#size = Math.max(this.#size, position + length)
  }

  async sync(): Promise<void> { await this.#run('sync', () => fdatasync(this.#fd)) }

  async truncate(size: number): Promise<void> {
    await this.#run(`truncate to ${size} bytes`, () => ftruncate(this.#fd, size))
    this.#size = size
  }

  /** Waits for the calls that still run. A second close does nothing. */
  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#running)
    try {
      await closeFd(this.#fd)
    } catch (error) {
      throw asDiskError(error, this.#path, 'close')
    }
  }

  async #run<T>(tried: string, call: () => Promise<T>): Promise<T> {
    this.#checkOpen(tried)
    const running = call()
    this.#running.add(running)
    try {
      return await running
    } catch (error) {
      throw asDiskError(error, this.#path, tried)
    } finally {
      this.#running.delete(running)
    }
  }

  #checkOpen(tried: string): void {
    if (this.#closed !== undefined) throw diskError('EBADF', this.#path, `${tried}: this handle is closed`)
  }
}

function writeAll(fd: number, parts: readonly Uint8Array[], position: number): void {
  let written = fs.writevSync(fd, parts, position)
  let at = position
  for (const part of parts) {
    const done = Math.min(part.length, written)
    written -= done
    if (done < part.length) writeRest(fd, part, done, at + done)
    at += part.length
  }
}

function writeRest(fd: number, part: Uint8Array, from: number, position: number): void {
  let done = from
  let at = position
  while (done < part.length) {
    const written = fs.writeSync(fd, part, done, part.length - done, at)
    done += written
    at += written
  }
}

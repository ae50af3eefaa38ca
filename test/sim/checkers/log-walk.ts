// Reads batches of a partition directory on a simulated disk, going on where it stopped; anew when bytes changed.

import { baseOffset, batchBytes, lastOffset } from '../../../src/records/batch.ts'
import type { SimDisk } from '../sim-disk.ts'
import type { SimFile } from '../sim-file.ts'

const HEADER_BYTES = 61

export interface BatchView { readonly bytes: Uint8Array; readonly base: number; readonly next: number }

export class LogWalk {
  readonly #disk: SimDisk
  readonly #dir: string
  readonly #durableOnly: boolean
  #file: SimFile | undefined
  #name = ''
  #changes = -1
  #position = 0
  /** Offset behind the last batch walked over. */
  next = 0

  constructor(disk: SimDisk, dir: string, durableOnly: boolean) {
    this.#disk = disk
    this.#dir = dir
    this.#durableOnly = durableOnly
  }

  /** Goes on as far as there are whole batches that end at or before `limit`. True when it had to begin anew. */
  advance(limit: number, visit?: (batch: BatchView) => void): boolean {
    const restarted = this.#isStale && this.#restart()
    if (this.next >= limit) return restarted
    for (;;) {
      if (this.#file === undefined) return restarted
      this.#walkFile(limit, visit)
      if (this.next >= limit || !this.#nextFile()) return restarted
    }
  }

  get #isStale(): boolean {
    return this.#file === undefined || this.#file.changes !== this.#changes
      || this.#disk.look(`${this.#dir}/${this.#name}`) !== this.#file
  }

  #restart(): boolean {
    this.#file = undefined
    this.next = 0
    const first = this.#names().at(0)
    if (first !== undefined) this.#enter(first)
    return true
  }

  #names(): readonly string[] {
    return this.#disk.names(this.#dir).filter((name) => name.endsWith('.log'))
  }

  #enter(name: string): void {
    this.#name = name
    this.#file = this.#disk.look(`${this.#dir}/${name}`)
    this.#changes = this.#file?.changes ?? -1
    this.#position = 0
    const base = Number(name.slice(0, -'.log'.length))
    if (this.#durableOnly && !this.#disk.isNameDurable(`${this.#dir}/${name}`)) {
      this.#file = undefined
      return
    }
    this.next = Math.max(this.next, base)
  }

  #nextFile(): boolean {
    const names = this.#names()
    const follower = names[names.indexOf(this.#name) + 1]
    if (follower === undefined || Number(follower.slice(0, -'.log'.length)) !== this.next) return false
    this.#enter(follower)
    return this.#file !== undefined
  }

  #walkFile(limit: number, visit?: (batch: BatchView) => void): void {
    const file = this.#file!
    const end = this.#durableOnly ? file.durableSize : file.size
    const header = new Uint8Array(HEADER_BYTES)
    while (this.#position + HEADER_BYTES <= end) {
      file.read(header, this.#position)
      const size = batchBytes(header)
      if (size < HEADER_BYTES || this.#position + size > end) return
      const next = lastOffset(header) + 1
      if (next > limit) return
      if (visit !== undefined) {
        const bytes = new Uint8Array(size)
        file.read(bytes, this.#position)
        visit({ bytes, base: baseOffset(header), next })
      }
      this.#position += size
      this.next = next
    }
  }
}

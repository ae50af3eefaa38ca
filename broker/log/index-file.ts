// The two sparse indexes of a segment: offset to file position, and timestamp to offset. Entries live in memory as
// typed arrays; each append goes to the file at once. The file layout is Kafka's.

import { assert } from '../../src/base/assert.ts'
import { readInt64, readUint32, writeInt32, writeInt64 } from '../../src/base/int64.ts'
import type { Disk, DiskFile } from '../../src/ports.ts'

/** Relative offsets are signed 32-bit integers in Kafka's files. */
export const RELATIVE_OFFSET_MAX = 0x7fffffff
const POSITION_MAX = 0xffffffff
const OFFSET_ENTRY_BYTES = 8
const TIME_ENTRY_BYTES = 12
/** Far above what a segment of 4 GiB has with the smallest useful interval; a larger file is garbage. */
const FILE_BYTES_MAX = 256 * 1024 * 1024
const CAPACITY_FIRST = 16

export interface OffsetPosition { readonly offset: number; readonly position: number }
export interface TimestampOffset { readonly timestamp: number; readonly offset: number }

/** A file of entries of equal size, appended and cut at the end. */
class EntryFile {
  readonly #disk: Disk
  readonly #entryBytes: number
  readonly #file: DiskFile
  #path: string
  #count: number

  constructor(disk: Disk, path: string, file: DiskFile, entryBytes: number) {
    this.#disk = disk
    this.#path = path
    this.#file = file
    this.#entryBytes = entryBytes
    this.#count = Math.floor(file.size() / entryBytes)
  }

  get path(): string { return this.#path }

  /** All bytes of the file, or what forbids to load it. */
  async load(): Promise<Uint8Array | string> {
    const size = this.#file.size()
    if (size > FILE_BYTES_MAX) return `${this.#path} has ${size} bytes, more than ${FILE_BYTES_MAX}`
    if (size % this.#entryBytes !== 0) return `${this.#path} has ${size} bytes, no multiple of ${this.#entryBytes}`
    const bytes = new Uint8Array(size)
    const got = size === 0 ? 0 : await this.#file.read(bytes, 0)
    return got === size ? bytes : `${this.#path} ended after ${got} of ${size} bytes`
  }

  append(entry: Uint8Array): void {
    this.#file.writeNow([entry], this.#count * this.#entryBytes)
    this.#count++
  }

  async keep(count: number): Promise<void> {
    this.#count = count
    if (this.#file.size() !== count * this.#entryBytes) await this.#file.truncate(count * this.#entryBytes)
  }

  async rename(path: string): Promise<void> {
    await this.#disk.rename(this.#path, path)
    this.#path = path
  }

  sync(): Promise<void> { return this.#file.sync() }
  close(): Promise<void> { return this.#file.close() }
}

/** The number of leading entries for which `holds`; `holds` must be true up to some entry and false from there. */
function countWhile(count: number, holds: (entry: number) => boolean): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) low = middle + 1
    else high = middle
  }
  return low
}

function grownUint32(old: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const grown = new Uint32Array(old.length * 2)
  grown.set(old)
  return grown
}

/** Last offset of some batches and the position in the .log file at which each of them begins. */
export class OffsetIndex {
  readonly #baseOffset: number
  readonly #file: EntryFile
  readonly #scratch = new Uint8Array(OFFSET_ENTRY_BYTES)
  #relative: Uint32Array<ArrayBuffer> = new Uint32Array(CAPACITY_FIRST)
  #positions: Uint32Array<ArrayBuffer> = new Uint32Array(CAPACITY_FIRST)
  #count = 0
  #loadFault: string | undefined

  private constructor(file: EntryFile, baseOffset: number) {
    this.#file = file
    this.#baseOffset = baseOffset
  }

  /** A new file, at once; its directory entry is durable after `syncDir`. Throws DiskError EEXIST. */
  static createNow(disk: Disk, path: string, baseOffset: number): OffsetIndex {
    return new OffsetIndex(new EntryFile(disk, path, disk.createNow(path), OFFSET_ENTRY_BYTES), baseOffset)
  }

  /** Opens or creates `path`. A file that cannot be an index is opened empty: `sanity` says why until `clear`. */
  static async open(disk: Disk, path: string, baseOffset: number): Promise<OffsetIndex> {
    const file = new EntryFile(disk, path, await disk.open(path, { create: true }), OFFSET_ENTRY_BYTES)
    const index = new OffsetIndex(file, baseOffset)
    index.#fill(await file.load())
    return index
  }

  #fill(bytes: Uint8Array | string): void {
    if (typeof bytes === 'string') {
      this.#loadFault = bytes
      return
    }
    this.#count = bytes.length / OFFSET_ENTRY_BYTES
    const capacity = Math.max(this.#count, CAPACITY_FIRST)
    this.#relative = new Uint32Array(capacity)
    this.#positions = new Uint32Array(capacity)
    for (let entry = 0; entry < this.#count; entry++) {
      this.#relative[entry] = readUint32(bytes, entry * OFFSET_ENTRY_BYTES)
      this.#positions[entry] = readUint32(bytes, entry * OFFSET_ENTRY_BYTES + 4)
    }
  }

  get path(): string { return this.#file.path }
  get entries(): number { return this.#count }
  get sizeBytes(): number { return this.#count * OFFSET_ENTRY_BYTES }
  /** The last entry, or (base offset, 0). */
  get last(): OffsetPosition { return this.#at(this.#count - 1) }

  #at(entry: number): OffsetPosition {
    if (entry < 0) return { offset: this.#baseOffset, position: 0 }
    return { offset: this.#baseOffset + this.#relative[entry]!, position: this.#positions[entry]! }
  }

  /** The last entry with an offset not above `offset`, or (base offset, 0). */
  lookup(offset: number): OffsetPosition {
    const target = offset - this.#baseOffset
    return this.#at(countWhile(this.#count, (entry) => this.#relative[entry]! <= target) - 1)
  }

  /** The position of the first entry with an offset of at least `offset`; undefined when there is none. */
  positionAtOrAfter(offset: number): number | undefined {
    const target = offset - this.#baseOffset
    const entry = countWhile(this.#count, (at) => this.#relative[at]! < target)
    return entry < this.#count ? this.#positions[entry] : undefined
  }

  /** Both numbers must be above those of the last entry, the position within 32 bits. Throws DiskError. */
  append(offset: number, position: number): void {
    const relative = offset - this.#baseOffset
    const last = this.#count === 0 ? -1 : this.#relative[this.#count - 1]!
    assert(relative > last && relative <= RELATIVE_OFFSET_MAX, () => `offset ${offset} follows ${this.last.offset}`)
    assert(position <= POSITION_MAX && (this.#count === 0 || position > this.last.position),
      () => `position ${position} follows ${this.last.position} within 32 bits`)
    writeInt32(this.#scratch, relative, 0)
    writeInt32(this.#scratch, position, 4)
    this.#file.append(this.#scratch)
    if (this.#count === this.#relative.length) {
      this.#relative = grownUint32(this.#relative)
      this.#positions = grownUint32(this.#positions)
    }
    this.#relative[this.#count] = relative
    this.#positions[this.#count] = position
    this.#count++
  }

  /** Drops entries with an offset of at least `offset`; lookups see it at once. */
  async truncateTo(offset: number): Promise<void> {
    const target = offset - this.#baseOffset
    this.#count = countWhile(this.#count, (entry) => this.#relative[entry]! < target)
    await this.#file.keep(this.#count)
  }

  /** What is wrong with the entries, seen on their own and against the length of the .log file. */
  sanity(logSizeBytes = POSITION_MAX + 1): string | undefined {
    if (this.#loadFault !== undefined) return this.#loadFault
    for (let entry = 0; entry < this.#count; entry++) {
      const rises = entry === 0 || (this.#relative[entry]! > this.#relative[entry - 1]!
        && this.#positions[entry]! > this.#positions[entry - 1]!)
      if (!rises) return `entry ${entry} of ${this.path} does not rise above the one before it`
      if (this.#relative[entry]! > RELATIVE_OFFSET_MAX || this.#positions[entry]! >= logSizeBytes) {
        return `entry ${entry} of ${this.path} points beyond the segment (position ${this.#positions[entry]!} `
          + `of ${logSizeBytes} bytes)`
      }
    }
    return undefined
  }

  async clear(): Promise<void> {
    this.#loadFault = undefined
    this.#count = 0
    await this.#file.keep(0)
  }

  rename(path: string): Promise<void> { return this.#file.rename(path) }
  /** Makes all entries durable. */
  sync(): Promise<void> { return this.#file.sync() }
  close(): Promise<void> { return this.#file.close() }
}

/** (timestamp, offset): no record up to `offset` is later than `timestamp`, and that batch holds one as late. */
export class TimeIndex {
  readonly #baseOffset: number
  readonly #file: EntryFile
  readonly #scratch = new Uint8Array(TIME_ENTRY_BYTES)
  #timestamps: Float64Array<ArrayBuffer> = new Float64Array(CAPACITY_FIRST)
  #relative: Uint32Array<ArrayBuffer> = new Uint32Array(CAPACITY_FIRST)
  #count = 0
  #loadFault: string | undefined

  private constructor(file: EntryFile, baseOffset: number) {
    this.#file = file
    this.#baseOffset = baseOffset
  }

  /** A new file, at once; its directory entry is durable after `syncDir`. Throws DiskError EEXIST. */
  static createNow(disk: Disk, path: string, baseOffset: number): TimeIndex {
    return new TimeIndex(new EntryFile(disk, path, disk.createNow(path), TIME_ENTRY_BYTES), baseOffset)
  }

  /** As `OffsetIndex.open`. */
  static async open(disk: Disk, path: string, baseOffset: number): Promise<TimeIndex> {
    const file = new EntryFile(disk, path, await disk.open(path, { create: true }), TIME_ENTRY_BYTES)
    const index = new TimeIndex(file, baseOffset)
    index.#fill(await file.load())
    return index
  }

  #fill(bytes: Uint8Array | string): void {
    if (typeof bytes === 'string') {
      this.#loadFault = bytes
      return
    }
    const count = bytes.length / TIME_ENTRY_BYTES
    const capacity = Math.max(count, CAPACITY_FIRST)
    this.#timestamps = new Float64Array(capacity)
    this.#relative = new Uint32Array(capacity)
    try {
      for (let entry = 0; entry < count; entry++) {
        this.#timestamps[entry] = readInt64(bytes, entry * TIME_ENTRY_BYTES)
        this.#relative[entry] = readUint32(bytes, entry * TIME_ENTRY_BYTES + 8)
      }
      this.#count = count
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      this.#loadFault = `${this.path}: ${error.message}`
    }
  }

  get path(): string { return this.#file.path }
  get entries(): number { return this.#count }
  get sizeBytes(): number { return this.#count * TIME_ENTRY_BYTES }
  /** The last entry, or (-1, base offset). */
  get last(): TimestampOffset { return this.#at(this.#count - 1) }

  #at(entry: number): TimestampOffset {
    if (entry < 0) return { timestamp: -1, offset: this.#baseOffset }
    return { timestamp: this.#timestamps[entry]!, offset: this.#baseOffset + this.#relative[entry]! }
  }

  /** The last entry with a timestamp not above `timestamp`, or (-1, base offset). */
  lookup(timestamp: number): TimestampOffset {
    return this.#at(countWhile(this.#count, (entry) => this.#timestamps[entry]! <= timestamp) - 1)
  }

  /**
   * Adds an entry when `timestamp` is above the last one's; otherwise the last one says as much already. Throws
   * DiskError.
   */
  append(timestamp: number, offset: number): void {
    if (timestamp <= this.last.timestamp) return
    const relative = offset - this.#baseOffset
    const last = this.#count === 0 ? -1 : this.#relative[this.#count - 1]!
    assert(relative > last && relative <= RELATIVE_OFFSET_MAX, () => `offset ${offset} follows ${this.last.offset}`)
    writeInt64(this.#scratch, timestamp, 0)
    writeInt32(this.#scratch, relative, 8)
    this.#file.append(this.#scratch)
    if (this.#count === this.#relative.length) {
      this.#relative = grownUint32(this.#relative)
      const grown = new Float64Array(this.#timestamps.length * 2)
      grown.set(this.#timestamps)
      this.#timestamps = grown
    }
    this.#timestamps[this.#count] = timestamp
    this.#relative[this.#count] = relative
    this.#count++
  }

  /** Drops entries with an offset of at least `offset`; lookups see it at once. */
  async truncateTo(offset: number): Promise<void> {
    const target = offset - this.#baseOffset
    this.#count = countWhile(this.#count, (entry) => this.#relative[entry]! < target)
    await this.#file.keep(this.#count)
  }

  /** What is wrong with the entries, seen on their own and against the offset after the segment's last record. */
  sanity(nextOffset = this.#baseOffset + RELATIVE_OFFSET_MAX + 1): string | undefined {
    if (this.#loadFault !== undefined) return this.#loadFault
    for (let entry = 0; entry < this.#count; entry++) {
      const rises = entry === 0 ? this.#timestamps[0]! >= 0 : this.#timestamps[entry]! > this.#timestamps[entry - 1]!
        && this.#relative[entry]! > this.#relative[entry - 1]!
      if (!rises) return `entry ${entry} of ${this.path} does not rise above the one before it`
      if (this.#baseOffset + this.#relative[entry]! >= nextOffset) {
        return `entry ${entry} of ${this.path} points at offset ${this.#baseOffset + this.#relative[entry]!}, `
          + `the segment ends at ${nextOffset}`
      }
    }
    return undefined
  }

  async clear(): Promise<void> {
    this.#loadFault = undefined
    this.#count = 0
    await this.#file.keep(0)
  }

  rename(path: string): Promise<void> { return this.#file.rename(path) }
  /** Makes all entries durable. */
  sync(): Promise<void> { return this.#file.sync() }
  close(): Promise<void> { return this.#file.close() }
}

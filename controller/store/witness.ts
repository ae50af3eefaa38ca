// A two-slot file beside LevelDB that remembers the newest promise made on this disk: LevelDB can lose synced writes
// without saying so (a shortened MANIFEST opens with fewer keys), and a store behind its witness must not vote.

import { assert } from '../../src/base/assert.ts'
import { readInt32, readInt64, readUint32, writeInt32, writeInt64 } from '../../src/base/int64.ts'
import { crc32c } from '../../src/records/crc32c.ts'
import { DiskError, type Disk, type DiskFile } from '../../src/ports.ts'
import { damagedState } from './storage-fault.ts'

const SLOT_BYTES = 512
/** A slot has a page of its own: a page torn by a power cut takes one slot at most. */
const SLOT_STRIDE = 4096
const FILE_BYTES = SLOT_STRIDE + SLOT_BYTES
const MAGIC = 0x57495431
const VERSION = 1
const CRC_AT = SLOT_BYTES - 4

/** What LevelDB must hold at least. All zero before the first promise. */
export interface WitnessRecord {
  /** Number of the synced write of the store that this describes, rising. */
  readonly sequence: number
  readonly term: number
  /** As in HardState. */
  readonly vote: number
  readonly lastIndex: number
  readonly lastTerm: number
}

export class Witness {
  readonly #file: DiskFile
  readonly #slot = new Uint8Array(SLOT_BYTES)
  #current: WitnessRecord
  /** The slot that holds `#current`: never the one that is written next. */
  #at: 0 | 1

  private constructor(file: DiskFile, current: WitnessRecord, at: 0 | 1) {
    this.#file = file
    this.#current = current
    this.#at = at
  }

  /**
   * Undefined when there is no file. Rejects with WeirError KAFKA_STORAGE_ERROR when neither slot is valid, with
   * DiskError when reading fails.
   */
  static async open(disk: Disk, dir: string): Promise<Witness | undefined> {
    let file: DiskFile
    try {
      file = await disk.open(pathIn(dir), { create: false })
    } catch (error) {
      if (error instanceof DiskError && error.code === 'ENOENT') return undefined
      throw error
    }
    try {
      const slots = [await readSlot(file, 0), await readSlot(file, 1)] as const
      const at = (slots[1]?.sequence ?? -1) > (slots[0]?.sequence ?? -1) ? 1 : 0
      const current = slots[at]
      if (current === undefined) {
        throw damagedState(dir, `both slots of ${pathIn(dir)} are garbage, so what this controller promised is unknown`)
      }
      // After a kill the slot just read may be in the page cache only.
      await file.sync()
      return new Witness(file, current, at)
    } catch (error) {
      await file.close()
      throw error
    }
  }

  /** A new witness of an empty store, there whole and durable, or not at all, whenever the power goes. */
  static async create(disk: Disk, dir: string, none: WitnessRecord): Promise<Witness> {
    const path = pathIn(dir)
    const temporary = `${path}.tmp`
    const file = await disk.open(temporary, { create: true })
    try {
      const bytes = new Uint8Array(FILE_BYTES)
      encodeSlot(bytes.subarray(0, SLOT_BYTES), none)
      await file.truncate(0)
      file.writeNow([bytes], 0)
      await file.sync()
    } finally {
      await file.close()
    }
    await disk.rename(temporary, path)
    await disk.syncDir(dir)
    const opened = await Witness.open(disk, dir)
    assert(opened !== undefined, 'the witness just written')
    return opened
  }

  get current(): WitnessRecord { return this.#current }

  /** Resolves when `next`, of a higher sequence, is durable. After a rejection (DiskError) the object is unusable. */
  async write(next: WitnessRecord): Promise<void> {
    assert(next.sequence > this.#current.sequence,
      () => `witness sequence ${next.sequence} after ${this.#current.sequence}`)
    const at = this.#at === 0 ? 1 : 0
    encodeSlot(this.#slot, next)
    this.#file.writeNow([this.#slot], at * SLOT_STRIDE)
    await this.#file.sync()
    this.#current = next
    this.#at = at
  }

  close(): Promise<void> { return this.#file.close() }
}

function pathIn(dir: string): string { return `${dir}/witness` }

function encodeSlot(into: Uint8Array, record: WitnessRecord): void {
  into.fill(0)
  writeInt32(into, MAGIC, 0)
  writeInt32(into, VERSION, 4)
  writeInt64(into, record.sequence, 8)
  writeInt64(into, record.term, 16)
  writeInt64(into, record.vote, 24)
  writeInt64(into, record.lastIndex, 32)
  writeInt64(into, record.lastTerm, 40)
  writeInt32(into, crc32c(into.subarray(0, CRC_AT)), CRC_AT)
}

async function readSlot(file: DiskFile, at: 0 | 1): Promise<WitnessRecord | undefined> {
  const slot = new Uint8Array(SLOT_BYTES)
  const read = await file.read(slot, at * SLOT_STRIDE)
  const whole = read === SLOT_BYTES && readUint32(slot, 0) === MAGIC && readInt32(slot, 4) === VERSION
    && readUint32(slot, CRC_AT) === crc32c(slot.subarray(0, CRC_AT))
  if (!whole) return undefined
  return {
    sequence: readInt64(slot, 8), term: readInt64(slot, 16), vote: readInt64(slot, 24),
    lastIndex: readInt64(slot, 32), lastTerm: readInt64(slot, 40)
  }
}

// One file as a kernel and a disk keep it: the bytes everybody reads, and what a power loss leaves of those not synced.
//
// A stage is what was written between two syncs, with the former content of each 512-byte sector it touched. At a power
// loss each sector of each open stage survives, is lost or is torn by itself.

import type { Random } from '../../src/ports.ts'

export const SECTOR_BYTES = 512

interface Stage {
  /** Sector → its bytes before this stage first touched it. */
  readonly before: Map<number, Uint8Array>
  readonly sizeBefore: number
  /** Least size that a truncation in this stage left. */
  cutTo: number | undefined
  /** Its sync failed: pages count as clean and are lost, whatever is synced later. */
  lost: boolean
}

export class SimFile {
  #bytes = new Uint8Array(256)
  #size = 0
  /** Oldest first; the last one takes the writes. */
  #stages: Stage[] = []
  #open = false
  /** Rises whenever bytes may have changed that were there before. */
  changes = 0

  get size(): number { return this.#size }
  get isDurable(): boolean { return this.#stages.length === 0 }

  /** Bytes up to here would survive a power loss for certain. */
  get durableSize(): number {
    let size = this.#size
    for (const { before, sizeBefore, cutTo } of this.#stages) {
      size = Math.min(size, cutTo ?? size, sizeBefore)
      for (const [sector, old] of before) {
        const at = sector * SECTOR_BYTES
        for (let index = 0; at + index < size && index < SECTOR_BYTES; index++) {
          if (index >= old.length || old[index] !== this.#bytes[at + index]) size = at + index
        }
      }
    }
    return size
  }

  read(into: Uint8Array, position: number): number {
    const length = Math.max(0, Math.min(into.length, this.#size - position))
    into.set(this.#bytes.subarray(position, position + length))
    return length
  }

  copy(): Uint8Array { return this.#bytes.slice(0, this.#size) }

  write(bytes: Uint8Array, position: number): void {
    if (bytes.length === 0) return
    const from = Math.min(position, this.#size)
    if (from < this.#size) this.changes++
    this.#remember(from, position + bytes.length)
    this.#grow(position + bytes.length)
    this.#bytes.set(bytes, position)
    this.#size = Math.max(this.#size, position + bytes.length)
  }

  truncate(size: number): void {
    if (size === this.#size) return
    this.changes++
    this.#remember(Math.min(size, this.#size), Math.max(size, this.#size))
    if (size < this.#size) {
      const stage = this.#stages.at(-1)!
      stage.cutTo = Math.min(stage.cutTo ?? size, size)
      this.#bytes.fill(0, size, this.#size)
    }
    this.#grow(size)
    this.#size = size
  }

  /** A sync begins: what is written now is in it. `done` or `failed` of the mark ends it. */
  mark(): readonly Stage[] {
    this.#open = false
    return [...this.#stages]
  }

  done(mark: readonly Stage[]): void {
    this.#stages = this.#stages.filter((stage) => stage.lost || !mark.includes(stage))
    if (this.#stages.length === 0) this.#open = false
  }

  failed(mark: readonly Stage[]): void { for (const stage of mark) stage.lost = true }

  losePower(random: Random): void {
    this.changes++
    for (const stage of this.#stages.toReversed()) this.#undo(stage, random)
    this.#stages = []
    this.#open = false
  }

  #undo(stage: Stage, random: Random): void {
    const { before, sizeBefore, cutTo } = stage
    const sizeAfter = this.#size
    // A truncation reached the disk or did not; without it nothing of the stage is visible.
    const all = cutTo !== undefined && random.below(2) === 0
    const fate = stage.lost || all ? 0 : random.below(4)
    const kept: number = fate === 0 ? sizeBefore : fate === 1 ? sizeAfter
      : Math.min(sizeBefore, sizeAfter) + random.below(Math.abs(sizeAfter - sizeBefore) + 1)
    for (const [sector, old] of before) {
      const at = sector * SECTOR_BYTES
      if (!stage.lost && !all && random.below(3) !== 0) continue
      const end = Math.min(at + SECTOR_BYTES, Math.max(sizeBefore, sizeAfter))
      this.#grow(end)
      // Where a truncation was, the old bytes are in freed blocks.
      const restored = cutTo !== undefined && !all ? old.subarray(0, Math.max(0, cutTo - at)) : old
      const from = !stage.lost && !all && random.below(4) === 0 ? random.below(SECTOR_BYTES) : 0
      for (let index = from; index < end - at; index++) this.#bytes[at + index] = restored[index] ?? 0
    }
    const size = all ? sizeBefore : kept
    this.#grow(Math.max(size, sizeAfter))
    this.#bytes.fill(0, size)
    this.#size = size
  }

  #remember(from: number, to: number): void {
    let stage = this.#open ? this.#stages.at(-1) : undefined
    if (stage === undefined) {
      stage = { before: new Map(), sizeBefore: this.#size, cutTo: undefined, lost: false }
      this.#stages.push(stage)
      this.#open = true
    }
    for (let sector = Math.floor(from / SECTOR_BYTES); sector * SECTOR_BYTES < to; sector++) {
      if (stage.before.has(sector)) continue
      const at = sector * SECTOR_BYTES
      stage.before.set(sector, this.#bytes.slice(at, Math.min(at + SECTOR_BYTES, this.#size)))
    }
  }

  #grow(size: number): void {
    if (size <= this.#bytes.length) return
    const grown = new Uint8Array(Math.max(size, 2 * this.#bytes.length))
    grown.set(this.#bytes)
    this.#bytes = grown
  }
}

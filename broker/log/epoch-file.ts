// The file with the leader epochs of a partition log, and whether it says what the list in memory says.

import type { Disk } from '../../src/ports.ts'
import { writeSmallFile } from './checkpoint-file.ts'
import { encodeEpochs, EPOCH_FILE, type LeaderEpochs } from './leader-epochs.ts'

export class EpochFile {
  readonly #disk: Disk
  readonly #path: string
  readonly #epochs: LeaderEpochs
  #isStale = false
  /** The last write: done, or under way behind all before it. */
  #written: Promise<void> = Promise.resolve()

  /** The file of `epochs` in `dir`, which says the same now. */
  constructor(disk: Disk, dir: string, epochs: LeaderEpochs) {
    this.#disk = disk
    this.#path = `${dir}/${EPOCH_FILE}`
    this.#epochs = epochs
  }

  /** The list changed. */
  changed(): void { this.#isStale = true }

  /** Every change before the call is durable when it resolves. Rejects with DiskError, then and ever after. */
  save(): Promise<void> {
    if (this.#isStale) {
      this.#isStale = false
      const text = encodeEpochs(this.#epochs.entries)
      this.#written = this.#written.then(() => writeSmallFile(this.#disk, this.#path, text))
    }
    return this.#written
  }
}

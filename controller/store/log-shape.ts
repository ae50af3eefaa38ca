// Terms and sizes of the entries that are on disk, in memory: which write truncates, what a snapshot covers, how many
// bytes a compaction frees.

import { assert } from '../../src/base/assert.ts'

export class LogShape {
  #firstIndex: number
  readonly #terms: number[] = []
  readonly #sizes: number[] = []
  #bytes = 0

  /** An empty log that continues at `firstIndex`. */
  constructor(firstIndex: number) {
    this.#firstIndex = firstIndex
  }

  get firstIndex(): number { return this.#firstIndex }
  /** firstIndex − 1 when the log is empty. */
  get lastIndex(): number { return this.#firstIndex + this.#terms.length - 1 }
  /** Data bytes of all entries. */
  get bytes(): number { return this.#bytes }

  /** Undefined outside [firstIndex, lastIndex]. */
  termAt(index: number): number | undefined { return this.#terms[index - this.#firstIndex] }

  append(entry: { readonly index: number; readonly term: number; readonly data: Uint8Array }): void {
    assert(entry.index === this.lastIndex + 1, () => `entry ${entry.index} after ${this.lastIndex}`)
    this.#terms.push(entry.term)
    this.#sizes.push(entry.data.length)
    this.#bytes += entry.data.length
  }

  /** Drops `index` and all behind it. */
  cutFrom(index: number): void {
    const keep = Math.max(index - this.#firstIndex, 0)
    for (const size of this.#sizes.splice(keep)) this.#bytes -= size
    this.#terms.splice(keep)
  }

  /** Drops all before `index`; the log begins there from now on. */
  dropBefore(index: number): void {
    if (index <= this.#firstIndex) return
    for (const size of this.#sizes.splice(0, index - this.#firstIndex)) this.#bytes -= size
    this.#terms.splice(0, index - this.#firstIndex)
    this.#firstIndex = index
  }

  /** Forgets every entry; the log continues at `firstIndex`. */
  restartAt(firstIndex: number): void {
    this.cutFrom(this.#firstIndex)
    this.#firstIndex = firstIndex
  }
}

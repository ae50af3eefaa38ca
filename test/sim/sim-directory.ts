// Directories whose changes reach the disk in order, each whole or not at all, and for certain only after a sync.

import type { Random } from '../../src/ports.ts'
import type { SimFile } from './sim-file.ts'

export type Entry = SimFile | SimDirectory

/** A change of entries; a rename between two directories is pending in both. */
interface Change { readonly edits: readonly Edit[]; done: boolean }
interface Edit { readonly directory: SimDirectory; readonly name: string; readonly entry: Entry | undefined }

export class SimDirectory {
  readonly live = new Map<string, Entry>()
  #durable = new Map<string, Entry>()
  #pending: Change[] = []

  isDurable(name: string): boolean { return this.#durable.get(name) === this.live.get(name) }

  static change(edits: readonly Edit[]): void {
    const change: Change = { edits, done: false }
    for (const directory of new Set(edits.map((edit) => edit.directory))) directory.#pending.push(change)
    for (const { directory, name, entry } of edits) {
      if (entry === undefined) directory.live.delete(name)
      else directory.live.set(name, entry)
    }
  }

  set(name: string, entry: Entry | undefined): void { SimDirectory.change([{ directory: this, name, entry }]) }

  /** What `settle` makes durable later: everything changed by now. */
  mark(): readonly Change[] { return [...this.#pending] }

  settle(mark: readonly Change[]): void {
    for (const change of mark) commit(change)
    this.#pending = this.#pending.filter(({ done }) => !done)
  }

  losePower(random: Random): void {
    const survivors = random.below(3) === 0 ? 0 : random.below(this.#pending.length + 1)
    this.settle(this.#pending.slice(0, survivors))
    this.#pending = []
    this.live.clear()
    for (const [name, entry] of this.#durable) this.live.set(name, entry)
    for (const entry of this.live.values()) entry.losePower(random)
  }

  static commit(edit: Edit): void {
    if (edit.entry === undefined) edit.directory.#durable.delete(edit.name)
    else edit.directory.#durable.set(edit.name, edit.entry)
  }
}

function commit(change: Change): void {
  if (change.done) return
  change.done = true
  for (const edit of change.edits) SimDirectory.commit(edit)
}

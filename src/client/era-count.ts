// Counts what is not settled, by era: a flush waits for all that was there when it began, and for nothing later.

export class EraCount {
  #current = 0
  /** Era -> unsettled records; eras without any are not there. */
  readonly #open = new Map<number, number>()
  readonly #waiting: { readonly upTo: number; readonly done: () => void }[] = []

  get current(): number { return this.#current }

  enter(era: number): void { this.#open.set(era, (this.#open.get(era) ?? 0) + 1) }

  leave(era: number, count: number): void {
    const left = (this.#open.get(era) ?? 0) - count
    if (left > 0) this.#open.set(era, left)
    else {
      this.#open.delete(era)
      this.#wake()
    }
  }

  /** Resolves when everything that entered before the call has left. Begins a new era. */
  settled(): Promise<void> {
    const upTo = this.#current++
    return new Promise((resolve) => {
      this.#waiting.push({ upTo, done: resolve })
      this.#wake()
    })
  }

  #wake(): void {
    let oldest = Infinity
    for (const era of this.#open.keys()) oldest = Math.min(oldest, era)
    while (this.#waiting.length > 0 && this.#waiting[0]!.upTo < oldest) this.#waiting.shift()!.done()
  }
}

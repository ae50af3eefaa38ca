// Waits of calls under way, all of which end at once when the node stops.

import type { Timer, Timers } from '../../src/ports.ts'

export class Pauses {
  readonly #timers: Timers
  readonly #waiting = new Map<Timer, () => void>()
  #closed = false

  constructor(timers: Timers) {
    this.#timers = timers
  }

  get closed(): boolean { return this.#closed }

  /** Resolves after `delayMs`, or when this is closed. */
  for(delayMs: number): Promise<void> {
    if (this.#closed) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = this.#timers.after(delayMs, () => {
        this.#waiting.delete(timer)
        resolve()
      })
      this.#waiting.set(timer, resolve)
    })
  }

  close(): void {
    this.#closed = true
    for (const [timer, resolve] of this.#waiting) {
      this.#timers.cancel(timer)
      resolve()
    }
    this.#waiting.clear()
  }
}

// Gives leaderships back to preferred leaders that have been back long enough: soft state of the active controller.

import type { MetadataImage } from '../src/metadata/image.ts'
import type { Clock, Timer, Timers } from '../src/ports.ts'

/** Leaderships moved by one command: the rest follows at the next look. */
const MOVES_MAX = 500

export interface LeaderBalanceNeeds {
  readonly clock: Clock
  readonly timers: Timers
  /** How long a broker must have been unfenced; 0 = leaderships never go back. */
  readonly delayMs: number
  image(): MetadataImage
  rebalance(brokers: readonly number[], max: number): void
}

export class LeaderBalance {
  readonly #needs: LeaderBalanceNeeds
  /** Broker → since when it is unfenced in its registration, as far as seen here. */
  readonly #since = new Map<number, { readonly epoch: number; readonly atMs: number }>()
  #timer: Timer | undefined

  constructor(needs: LeaderBalanceNeeds) {
    this.#needs = needs
  }

  /** This controller became active. */
  begin(): void {
    if (this.#needs.delayMs > 0) this.#schedule()
  }

  /** It is active no more. */
  end(): void {
    if (this.#timer !== undefined) this.#needs.timers.cancel(this.#timer)
    this.#timer = undefined
    this.#since.clear()
  }

  #schedule(): void {
    this.#timer = this.#needs.timers.after(Math.max(this.#needs.delayMs / 4, 100), () => {
      this.#schedule()
      this.#look()
    })
  }

  #look(): void {
    const nowMs = this.#needs.clock.monotonicMs()
    const ready: number[] = []
    for (const { id, epoch, fenced, draining } of this.#needs.image().brokers.values()) {
      const known = this.#since.get(id)
      if (fenced || draining) this.#since.delete(id)
      else if (known?.epoch !== epoch) this.#since.set(id, { epoch, atMs: nowMs })
      else if (nowMs - known.atMs >= this.#needs.delayMs) ready.push(id)
    }
    if (ready.length > 0) this.#needs.rebalance(ready, MOVES_MAX)
  }
}

// Segments that retention took out of a log: renamed at once, removed after a delay, so that reads under way finish.

import { DiskError, type Disk, type Logger, type Timer, type Timers } from '../../src/ports.ts'
import { removeOldSnapshots } from './producer-snapshots.ts'
import type { Segment } from './segment.ts'

export interface RetiredSegmentsNeeds {
  readonly dir: string
  readonly disk: Disk
  readonly timers: Timers
  readonly logger: Logger
}

export class RetiredSegments {
  readonly #needs: RetiredSegmentsNeeds
  readonly #waiting = new Map<Segment, Timer>()

  constructor(needs: RetiredSegmentsNeeds) {
    this.#needs = needs
  }

  /** Rejects with DiskError when the files cannot be renamed. */
  async retire(segments: readonly Segment[], delayMs: number): Promise<void> {
    for (const segment of segments) {
      await segment.markDeleted()
      this.#waiting.set(segment, this.#needs.timers.after(Math.min(delayMs, 2 ** 31 - 1), () => {
        void this.#remove(segment)
      }))
    }
    await removeOldSnapshots(this.#needs, segments.at(-1)?.nextOffset ?? 0)
    await this.#needs.disk.syncDir(this.#needs.dir)
  }

  /** Removes all that waits now. */
  async removeNow(): Promise<void> {
    for (const [segment, timer] of [...this.#waiting]) {
      this.#needs.timers.cancel(timer)
      await this.#remove(segment)
    }
  }

  /** Leaves what waits to the next start, which removes `.deleted` files. */
  forget(): void {
    for (const timer of this.#waiting.values()) this.#needs.timers.cancel(timer)
    this.#waiting.clear()
  }

  async #remove(segment: Segment): Promise<void> {
    this.#waiting.delete(segment)
    try {
      await segment.remove()
    } catch (error) {
      if (!(error instanceof DiskError)) throw error
      this.#needs.logger.warn('a deleted segment could not be removed', { path: error.path, code: error.code })
    }
  }
}

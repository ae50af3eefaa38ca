// Group commit over all partition logs of a broker: a few files are synced at one time, everything appended meanwhile
// rides on the next sync of its log. Round robin: a busy log waits behind the others.

import { Fifo } from '../../src/base/fifo.ts'

const LOGS_MAX = 1_000_000

/** A partition log as the flusher sees it. */
export interface Flushable {
  /** Makes what is appended now durable. Never rejects: a log whose disk fails takes itself offline. */
  flushNow(): Promise<void>
}

export class Flusher {
  readonly #concurrency: number
  readonly #waiting = new Fifo<Flushable>(LOGS_MAX)
  readonly #queued = new Set<Flushable>()
  readonly #running = new Set<Flushable>()
  readonly #soon: (run: () => void) => void
  #scheduled = false

  /**
   * `concurrency`: files synced at one time (>= 1). `soon` runs what it is given after the I/O that is ready now: the
   * batches of one turn then share a sync, where the first would go alone and the others wait for the next.
   */
  constructor(concurrency: number, soon: (run: () => void) => void = atOnce) {
    this.#concurrency = concurrency
    this.#soon = soon
  }

  /** Flushes `log` soon. Asking again before its flush began changes nothing; asking during it adds one after it. */
  request(log: Flushable): void {
    if (this.#queued.has(log)) return
    this.#queued.add(log)
    this.#waiting.push(log)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#scheduled || this.#running.size >= this.#concurrency) return
    this.#scheduled = true
    this.#soon(() => {
      this.#scheduled = false
      this.#next()
    })
  }

  #next(): void {
    for (let tries = this.#waiting.length; tries > 0 && this.#running.size < this.#concurrency; tries--) {
      const log = this.#waiting.shift()!
      if (this.#running.has(log)) {
        this.#waiting.push(log)
        continue
      }
      this.#queued.delete(log)
      this.#running.add(log)
      void log.flushNow().then(() => {
        this.#running.delete(log)
        if (this.#waiting.length > 0) this.#schedule()
      })
    }
  }
}

function atOnce(run: () => void): void { run() }

// A virtual clock with its timers: time passes only when a test says so, and what is due then happens in one order.
//
// Between two events everything that needs no time is done first: promises, `soon`, and the memory-backed disks and
// stores that take part by `soon` and `io`.

import type { Clock, Timer, Timers } from '../../src/ports.ts'

class FakeTimer implements Timer {
  readonly id: number
  readonly dueMs: number
  readonly fire: () => void

  constructor(id: number, dueMs: number, fire: () => void) {
    this.id = id
    this.dueMs = dueMs
    this.fire = fire
  }
}

export class FakeTime implements Clock, Timers {
  #nowMs = 1_000
  #lastId = 0
  readonly #timers = new Set<FakeTimer>()
  #soon: (() => void)[] = []
  #io = 0

  // ---- the ports ----------------------------------------------------------------------------------------

  monotonicMs(): number { return this.#nowMs }
  wallMs(): number { return 1_700_000_000_000 + Math.floor(this.#nowMs) }

  after(delayMs: number, fire: () => void): Timer {
    if (!(delayMs >= 0)) throw new Error(`timer delay ${delayMs} is not >= 0`)
    const timer = new FakeTimer(++this.#lastId, this.#nowMs + delayMs, fire)
    this.#timers.add(timer)
    return timer
  }

  cancel(timer: Timer): void {
    this.#timers.delete(timer as FakeTimer)
  }

  soon(run: () => void): void { this.#soon.push(run) }

  // ---- for tests ----------------------------------------------------------------------------------------

  /** Timers that neither fired nor were cancelled. */
  get pending(): number { return this.#timers.size }

  /** Work that takes turns of the real event loop and no time: `settle` waits for it. */
  async io<T>(work: Promise<T>): Promise<T> {
    this.#io++
    try {
      return await work
    } finally {
      this.#io--
    }
  }

  /** Does everything that needs no time. */
  async settle(): Promise<void> {
    for (;;) {
      await new Promise<void>((resolve) => { setImmediate(resolve) })
      const ready = this.#soon
      this.#soon = []
      for (const run of ready) run()
      if (ready.length === 0 && this.#io === 0) return
    }
  }

  /** Lets `ms` pass, event by event. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms
    for (;;) {
      await this.settle()
      const next = this.#next()
      if (next === undefined || next.dueMs > untilMs) break
      this.#timers.delete(next)
      this.#nowMs = Math.max(this.#nowMs, next.dueMs)
      next.fire()
    }
    this.#nowMs = Math.max(this.#nowMs, untilMs)
  }

  /** As when the process is stopped for `ms`: nothing fires meanwhile, everything that is due fires late. */
  standStill(ms: number): void { this.#nowMs += ms }

  /** Lets time pass until `holds`; fails after `limitMs`. */
  async until(what: string, holds: () => boolean, limitMs = 10_000): Promise<void> {
    const endMs = this.#nowMs + limitMs
    await this.settle()
    while (!holds()) {
      if (this.#nowMs >= endMs) throw new Error(`after ${limitMs} ms it is not so that ${what}`)
      await this.advance(1)
      await this.settle()
    }
  }

  /** Lets time pass until `promise` settles, and gives what it gives; fails after `limitMs`. */
  async result<T>(promise: Promise<T>, limitMs = 10_000): Promise<T> {
    let settled = false
    promise.then(() => { settled = true }, () => { settled = true })
    await this.until('the promise is settled', () => settled, limitMs)
    return promise
  }

  #next(): FakeTimer | undefined {
    let next: FakeTimer | undefined
    for (const timer of this.#timers) {
      if (next === undefined || timer.dueMs < next.dueMs) next = timer
    }
    return next
  }
}

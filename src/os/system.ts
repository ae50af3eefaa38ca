// Time and chance of the real machine: the Clock, Timers and Random ports of production.

import { randomBytes } from 'node:crypto'

import { assert } from '../base/assert.ts'
import { fromSeed } from '../base/seeded-random.ts'
import type { Clock, Random, Timer, Timers } from '../ports.ts'

/** The most that setTimeout takes; above it Node would fire at once. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1

export function systemClock(): Clock {
  return { monotonicMs: () => performance.now(), wallMs: () => Date.now() }
}

/** Timers keep the process alive until they fired or were cancelled. */
export function systemTimers(): Timers {
  return {
    after: (delayMs, fire) => {
      assert(delayMs >= 0, () => `timer delay ${delayMs} ms >= 0`)
      return new SystemTimer(performance.now() + delayMs, fire)
    },
    cancel: (timer) => { if (timer instanceof SystemTimer) timer.cancel() },
    soon: (run) => { setImmediate(run) }
  }
}

class SystemTimer implements Timer {
  readonly #dueMs: number
  readonly #fire: () => void
  #timeout: NodeJS.Timeout

  constructor(dueMs: number, fire: () => void) {
    this.#dueMs = dueMs
    this.#fire = fire
    this.#timeout = this.#arm()
  }

  get id(): NodeJS.Timeout { return this.#timeout }

  cancel(): void { clearTimeout(this.#timeout) }

  #arm(): NodeJS.Timeout {
    const leftMs = Math.ceil(this.#dueMs - performance.now())
    return setTimeout(() => { this.#elapsed() }, Math.min(leftMs, LONGEST_TIMEOUT_MS))
  }

  /** Node counts in whole milliseconds of its own and may be a fraction early. */
  #elapsed(): void {
    if (performance.now() >= this.#dueMs) this.#fire()
    else this.#timeout = this.#arm()
  }
}

/** Seeded once from the system's source; ids come straight from that source. */
export function systemRandom(): Random {
  const seed = randomBytes(16)
  const word = (index: number) => seed.readUInt32LE(index * 4)
  const generator = fromSeed([word(0), word(1), word(2), word(3)])
  return {
    uint32: () => generator.uint32(),
    below: (bound) => generator.below(bound),
    id: () => randomBytes(16).toString('hex'),
    fork: (name) => generator.fork(name)
  }
}

// The ports of one simulated process. All of them fall silent with its life.

import type { Clock, LogFields, Logger, Metrics, Random, Timer, Timers } from '../../src/ports.ts'
import { unit } from './links.ts'
import type { Life } from './life.ts'
import type { World } from './world.ts'

const WALL_EPOCH_MS = 1_700_000_000_000

/** The clocks of one machine: they drift, and the wall clock may jump. */
export class SimClock {
  readonly #world: World
  readonly #rate: number
  readonly #offsetMs: number
  #wallOffsetMs: number

  constructor(world: World, random: Random) {
    this.#world = world
    this.#rate = 1 + (unit(random) - 0.5) * 0.01
    this.#offsetMs = 1_000 + unit(random) * 1e6
    this.#wallOffsetMs = (unit(random) - 0.5) * 2_000
  }

  /** Milliseconds of true time in which this clock shows `localMs`. */
  trueMs(localMs: number): number { return localMs / this.#rate }

  jumpWall(ms: number): void { this.#wallOffsetMs += ms }

  /** Never behind `floor`, which a timer that fired has promised. */
  port(floor: { ms: number }): Clock {
    return {
      monotonicMs: () => Math.max(floor.ms, this.localMs),
      wallMs: () => Math.floor(WALL_EPOCH_MS + this.#world.nowMs * this.#rate + this.#wallOffsetMs)
    }
  }

  get localMs(): number { return this.#offsetMs + this.#world.nowMs * this.#rate }
}

class SimTimer implements Timer {
  readonly id: number
  cancel: (() => void) | undefined
  constructor(id: number) { this.id = id }
}

export function timePorts(
  world: World, life: Life, machine: SimClock): { readonly clock: Clock; readonly timers: Timers } {
  const floor = { ms: 0 }
  let lastId = 0
  const timers: Timers = {
    after: (delayMs, fire) => {
      if (!(delayMs >= 0)) throw new Error(`timer delay ${delayMs} ms is not >= 0`)
      const timer = new SimTimer(++lastId)
      if (!life.alive) return timer
      const dueMs = machine.localMs + delayMs
      const event = world.after(machine.trueMs(delayMs), life, 'timer', () => {
        floor.ms = dueMs
        fire()
      })
      timer.cancel = () => { event.cancelled = true }
      return timer
    },
    cancel: (timer) => { if (timer instanceof SimTimer) timer.cancel?.() },
    soon: (run) => { if (life.alive) world.after(0, life, 'soon', run) }
  }
  return { clock: machine.port(floor), timers }
}

export const noMetrics: Metrics = { count: () => {}, gauge: () => {}, observe: () => {} }

/** Lines go to the trace; debug is dropped. */
export function traceLogger(world: World, life: Life, listen?: (level: string, text: string) => void): Logger {
  const line = (level: string) => (text: string, fields: LogFields = {}) => {
    if (!life.alive) return
    const shown = Object.entries(fields).filter(([name]) => name !== 'broker' && name !== 'controller')
      .map(([name, value]) => `${name}=${String(value)}`).join(' ')
    world.note(life.node, level, shown === '' ? text : `${text}: ${shown}`)
    listen?.(level, text)
  }
  const logger: Logger = {
    debug: () => {}, info: line('info'), warn: line('warn'), error: line('error'), with: () => logger }
  return logger
}

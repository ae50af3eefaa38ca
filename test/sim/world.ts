// Virtual time: an event heap on (time, sequence), one event at a time, with every microtask settled before the next.
//
// What runs in a world touches nothing but its ports, so a seed decides everything; the trace hash proves it. While an
// event runs, the machine's own time, chance, timers and files are out of reach (`forbidden.ts`).

import { seededRandom } from '../../src/base/seeded-random.ts'
import type { Random } from '../../src/ports.ts'
import { EventHeap, type SimEvent } from './event-heap.ts'
import { Forbidden } from './forbidden.ts'
import type { Life } from './life.ts'
import { Trace } from './trace.ts'

/** Events between two turns of the real event loop: rejections that nobody handles come to light there. */
const EVENTS_PER_TURN = 2_000
/** Events without any time passing: above it something runs in circles. */
const STUCK_EVENTS = 200_000
const SOON_PER_EVENT = 10_000_000
const realImmediate = setImmediate

/** A promise of the system under test is broken, or the simulated world itself is. */
export class Violation extends Error {
  readonly checker: string
  readonly atMs: number

  constructor(checker: string, message: string, atMs: number, cause?: unknown) {
    super(`${checker} at ${atMs.toFixed(3)} ms: ${message}`, { cause })
    this.name = 'Violation'
    this.checker = checker
    this.atMs = atMs
  }
}

export class World {
  readonly seed: number
  readonly random: Random
  readonly trace: Trace
  /** Called after each event, once everything is settled. */
  onSettled: ((node: string) => void) | undefined
  readonly #heap = new EventHeap()
  readonly #forbidden = new Forbidden()
  #nowMs = 0
  #sequence = 0
  #events = 0
  #eventsAtThisTime = 0
  #lastNode = ''
  #violation: Violation | undefined
  #finish: (() => void) | undefined
  readonly #step = () => { this.#next() }
  readonly #settle = () => { process.nextTick(this.#step) }

  constructor(seed: number, options: { readonly keepTrace?: number } = {}) {
    this.seed = seed
    this.random = seededRandom(seed)
    this.trace = new Trace(options.keepTrace ?? 400)
  }

  /** Milliseconds of true time since the beginning; every node's clocks derive from it. */
  get nowMs(): number { return this.#nowMs }
  get events(): number { return this.#events }
  get violation(): Violation | undefined { return this.#violation }

  /** Calls `run` after `delayMs` (>= 0), unless `life` has ended by then or the event was cancelled. */
  after(delayMs: number, life: Life | undefined, kind: string, run: () => void, detail = '', sum = 0): SimEvent {
    if (!(delayMs >= 0)) throw new Error(`${kind}: delay ${delayMs} ms is not >= 0`)
    const event: SimEvent = {
      atMs: this.#nowMs + delayMs, sequence: ++this.#sequence, life, kind, detail, sum, run, cancelled: false }
    this.#heap.push(event)
    return event
  }

  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => { this.after(delayMs, undefined, 'sleep', resolve) })
  }

  /** Resolves when `holds`, looking every `everyMs`; false after `limitMs`. */
  async until(holds: () => boolean | Promise<boolean>, limitMs: number, everyMs = 20): Promise<boolean> {
    const endMs = this.#nowMs + limitMs
    while (!await holds()) {
      if (this.#nowMs >= endMs) return false
      await this.sleep(everyMs)
    }
    return true
  }

  /** A line for people in the trace; part of the hash. */
  note(node: string, kind: string, detail = ''): void {
    this.trace.add(this.#nowMs, node, kind, detail, 0)
    this.trace.keep(this.#nowMs, node, kind, detail)
  }

  /** Records the first violation; the world stops behind the running event. */
  fail(checker: string, message: string, cause?: unknown): void {
    if (this.#violation !== undefined) return
    this.#violation = new Violation(checker, message, this.#nowMs, cause)
    this.note('world', 'VIOLATION', `${checker}: ${message.split('\n', 1)[0]!}`)
  }

  /** Runs `main` with its events until it settles. Rejects with Violation, or with what `main` rejects with. */
  async run<T>(main: () => Promise<T>): Promise<T> {
    let outcome: { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown } | undefined
    const restore = this.#catchStrays()
    try {
      await new Promise<void>((resolve) => {
        this.#finish = resolve
        this.after(0, undefined, 'main', () => {
          main().then(
            (value) => { outcome = { ok: true, value } },
            (error: unknown) => { outcome = { ok: false, error } }).finally(() => { this.#end() })
        })
        process.nextTick(this.#step)
      })
    } finally {
      restore()
    }
    if (this.#violation !== undefined) throw this.#violation
    if (outcome === undefined) throw new Violation('world', 'nothing is left to happen', this.#nowMs)
    if (!outcome.ok) throw outcome.error
    return outcome.value
  }

  #end(): void {
    const finish = this.#finish
    this.#finish = undefined
    this.#forbidden.off()
    // A turn, so that a last rejection that nobody handles still counts.
    if (finish !== undefined) realImmediate(finish)
  }

  #next(): void {
    if (this.#finish === undefined) return
    this.#forbidden.off()
    if (this.#lastNode !== '') this.onSettled?.(this.#lastNode)
    this.#lastNode = ''
    if (this.#violation !== undefined) return this.#end()
    const event = this.#pop()
    if (event === undefined) return this.#end()
    if (event.atMs > this.#nowMs) {
      this.#nowMs = event.atMs
      this.#eventsAtThisTime = 0
    } else if (++this.#eventsAtThisTime > STUCK_EVENTS) {
      this.fail('world', `${STUCK_EVENTS} events without any time passing, the last one: ${event.kind} ${event.detail}`)
    }
    const node = event.life?.node ?? ''
    this.#lastNode = node
    this.trace.add(this.#nowMs, node, event.kind, event.detail, event.sum)
    this.#forbidden.on()
    try {
      event.run()
    } catch (error) {
      this.fail('uncaught', `${event.kind} ${event.detail} of ${node} threw ${String(error)}`, error)
    }
    if (++this.#events % EVENTS_PER_TURN === 0) {
      queueMicrotask(() => {
        process.nextTick(() => {
          this.#forbidden.off()
          realImmediate(this.#step)
        })
      })
    } else queueMicrotask(this.#settle)
  }

  #pop(): SimEvent | undefined {
    for (let tries = 0; tries < SOON_PER_EVENT; tries++) {
      const event = this.#heap.pop()
      if (event === undefined || (!event.cancelled && event.life?.alive !== false)) return event
    }
    return undefined
  }

  /** What nobody handles ends the run instead of the process. */
  #catchStrays(): () => void {
    const caught = ['unhandledRejection', 'uncaughtException'] as const
    const before = caught.map((name) => process.listeners(name as 'uncaughtException'))
    const handlers = caught.map((name) => (error: unknown) => {
      this.#forbidden.off()
      this.fail(name, error instanceof Error ? error.stack ?? error.message : String(error), error)
      this.#end()
    })
    caught.forEach((name, index) => {
      process.removeAllListeners(name)
      process.on(name as 'uncaughtException', handlers[index]!)
    })
    const undo = this.#forbidden.install()
    return () => {
      undo()
      caught.forEach((name, index) => {
        process.removeListener(name, handlers[index]!)
        for (const listener of before[index]!) process.on(name as 'uncaughtException', listener)
      })
    }
  }
}

// How long a client object lives: its end cancels its timers, wakes what waits and is told to what hangs on it.

import { weirError, type WeirError } from '../base/error-code.ts'
import type { Clock, Timer, Timers } from '../ports.ts'

export class Lifetime {
  readonly clock: Clock
  readonly #timers: Timers
  readonly #ends = new Set<(error: WeirError) => void>()
  #over: WeirError | undefined

  constructor(clock: Clock, timers: Timers) {
    this.clock = clock
    this.#timers = timers
  }

  /** Why it has ended; undefined while it lives. */
  get over(): WeirError | undefined { return this.#over }

  /** Throws when it has ended. */
  check(): void {
    if (this.#over !== undefined) throw this.#over
  }

  /** Calls `fire` after `delayMs` unless the lifetime ends or the returned function is called before. */
  after(delayMs: number, fire: () => void): () => void {
    if (this.#over !== undefined) return () => { /* nothing to cancel */ }
    let timer: Timer | undefined = this.#timers.after(Math.max(delayMs, 0), () => {
      timer = undefined
      this.#ends.delete(cancel)
      fire()
    })
    const cancel = () => {
      this.#ends.delete(cancel)
      if (timer !== undefined) this.#timers.cancel(timer)
      timer = undefined
    }
    this.#ends.add(cancel)
    return cancel
  }

  soon(run: () => void): void {
    this.#timers.soon(() => { if (this.#over === undefined) run() })
  }

  /** Rejects when the lifetime ends meanwhile. */
  sleep(delayMs: number): Promise<void> {
    return this.within(new Promise((resolve) => { this.after(delayMs, resolve) }))
  }

  /** Settles as `promise`, or rejects when the lifetime ends or, given one, at the deadline. The promise goes on. */
  within<T>(promise: Promise<T>, deadline?: { readonly atMs: number; late(): Error }): Promise<T> {
    if (this.#over !== undefined) {
      promise.catch(() => { /* nobody waits any more */ })
      return Promise.reject(this.#over)
    }
    return new Promise((resolve, reject) => {
      const cancel = deadline === undefined ? () => { /* no timer */ }
        : this.after(deadline.atMs - this.clock.monotonicMs(), () => { reject(deadline.late()) })
      const forget = this.onEnd(reject)
      const settle = (tell: () => void) => {
        cancel()
        forget()
        tell()
      }
      promise.then(
        (value) => { settle(() => { resolve(value) }) },
        (error: unknown) => { settle(() => { reject(error) }) })
    })
  }

  /** Calls `run` once at the end (at once when it has ended), unless the returned function is called before. */
  onEnd(run: (error: WeirError) => void): () => void {
    if (this.#over !== undefined) {
      run(this.#over)
      return () => { /* it ran */ }
    }
    this.#ends.add(run)
    return () => { this.#ends.delete(run) }
  }

  /** Ends it; only the first call counts. `what` names the object. */
  end(what: string, cause?: unknown): void {
    if (this.#over !== undefined) return
    const why = cause === undefined ? 'closed' : `aborted: ${cause instanceof Error ? cause.message : String(cause)}`
    const over = weirError('INVALID_REQUEST', `the ${what} is ${why}`, 'make a new one')
    this.#over = over
    for (const run of [...this.#ends]) run(over)
    this.#ends.clear()
  }
}

// Small tools for awaiting: a deferred promise, a serial queue of tasks, backoff arithmetic, a bounded wait.

export interface Deferred<T> {
  readonly promise: Promise<T>
  resolve(value: T): void
  reject(error: unknown): void
}

export function deferred<T>(): Deferred<T> {
  let resolve!: (value: T) => void
  let reject!: (error: unknown) => void
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  return { promise, resolve, reject }
}

/** Runs tasks one at a time, in the order given. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve()

  /** Settles as `task` does; a failed task does not stop the ones behind it. */
  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#last.then(task, task)
    this.#last = result.then(noop, noop)
    return result
  }

  /** Resolves when everything queued before the call has settled. */
  async idle(): Promise<void> { await this.#last }
}

export function noop(): void { /* on purpose: nothing to do */ }

/**
 * Exponential backoff with jitter over the upper half: uniform in [base/2, base), where base is
 * min(first·2^attempt, max). `unit` is uniform in [0, 1).
 */
export function backoffMs(options: {
  readonly attempt: number; readonly firstMs: number; readonly maxMs: number; readonly unit: number
}): number {
  const base = Math.min(options.firstMs * 2 ** Math.min(options.attempt, 30), options.maxMs)
  return base / 2 + (base / 2) * options.unit
}

/** What `sleep` and `withTimeout` need of the Timers port. */
interface After<T> {
  after(delayMs: number, fire: () => void): T
  cancel(timer: T): void
}

export function sleep<T>(timers: After<T>, delayMs: number): Promise<void> {
  return new Promise((resolve) => { timers.after(delayMs, resolve) })
}

/** Settles as `promise`, or rejects with what `late()` makes after `timeoutMs`; the promise goes on. */
export function withTimeout<V, T>(
  timers: After<T>, promise: Promise<V>, timeoutMs: number, late: () => Error): Promise<V> {
  return new Promise((resolve, reject) => {
    const timer = timers.after(timeoutMs, () => { reject(late()) })
    promise.then(
      (value) => { timers.cancel(timer); resolve(value) },
      (error: unknown) => { timers.cancel(timer); reject(error) })
  })
}

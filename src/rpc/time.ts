// The clock and the timer of this room: gRPC counts its deadlines by these, so its neighbours here do too.

/** What a timer of Node can count, ms. */
const TIMEOUT_MS_MAX = 2 ** 31 - 1

/** As gRPC wants it: milliseconds since the Unix epoch. */
export function deadlineIn(timeoutMs: number): number {
  return Date.now() + Math.min(timeoutMs, TIMEOUT_MS_MAX)
}

/** Milliseconds until `deadline`, 0 when it has passed; Infinity stays. */
export function timeLeft(deadline: Date | number): number {
  return Math.max(Number(deadline) - Date.now(), 0)
}

/** Calls `fire` once after `delayMs`, unless the function returned was called before. Keeps the process alive. */
export function alarm(delayMs: number, fire: () => void): () => void {
  const timer = setTimeout(fire, Math.min(delayMs, TIMEOUT_MS_MAX))
  return () => { clearTimeout(timer) }
}

/** Calls `run` once the events that are ready now were handled. */
export function soon(run: () => void): void {
  setImmediate(run)
}

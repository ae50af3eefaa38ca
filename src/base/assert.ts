// `assert`, for programmer errors only: a failed one ends the process (src/os/process.ts), uncaught.

export class AssertionError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'AssertionError'
  }
}

/** States the positive: `assert(offset <= logEndOffset, …)`. Build costly messages with a function. */
export function assert(condition: unknown, message: string | (() => string)): asserts condition {
  if (!condition) throw new AssertionError(typeof message === 'string' ? message : message())
}

export function unreachable(value: never): never {
  throw new AssertionError(`unreachable: ${String(value)}`)
}

// What a server answers a call with that failed: expected failures by their fault, surprises as UNKNOWN_SERVER_ERROR.

import type { StatusObject } from '@grpc/grpc-js'

import { AssertionError } from '../base/assert.ts'
import { fault, WeirError } from '../base/error-code.ts'
import { statusOfFault } from './status.ts'

export class Refusals {
  readonly #onUnexpected: (error: unknown, path: string) => void

  /** `onUnexpected` hears of every error that nobody expected: answering the caller must not be all that follows. */
  constructor(onUnexpected: (error: unknown, path: string) => void) {
    this.#onUnexpected = onUnexpected
  }

  /** For whatever a handler threw or rejected with. A broken invariant ends the process, as it would anywhere else. */
  of(error: unknown, path: string): StatusObject {
    if (error instanceof WeirError) return statusOfFault(error.fault())
    if (error instanceof AssertionError) queueMicrotask(() => { throw error })
    else this.#onUnexpected(error, path)
    return statusOfFault(fault('UNKNOWN_SERVER_ERROR', `${path} failed: ${String(error)}`))
  }

  ofDecoding(error: unknown, path: string): StatusObject {
    return error instanceof RangeError ? this.malformed(error.message, path) : this.of(error, path)
  }

  malformed(reason: string, path: string): StatusObject {
    return statusOfFault(fault('INVALID_REQUEST', `${path}: ${reason}`))
  }

  withoutDeadline(path: string): StatusObject {
    return statusOfFault(fault('INVALID_REQUEST', `${path} came without a deadline`,
      'set a deadline (the grpc-timeout header) on every unary call'))
  }
}

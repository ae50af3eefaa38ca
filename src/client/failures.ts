// What went wrong, in the one vocabulary: network errors and statuses of the wire as WeirError.

import { WeirError, weirError } from '../base/error-code.ts'
import { NetworkError } from '../ports.ts'
import type { Status } from '../rpc/messages.ts'
import { faultOf } from '../rpc/outcome.ts'

/** Whatever a port or a handler threw; programmer errors stay what they are. */
export function asWeirError(error: unknown): unknown {
  if (!(error instanceof NetworkError)) return error
  switch (error.code) {
    case 'TIMEOUT':
      return new WeirError(weirError('REQUEST_TIMED_OUT', error.message,
        'retry; raise timeoutMs if the cluster is slow').fault(), error)
    case 'OVERSIZE':
      return new WeirError(weirError('MESSAGE_TOO_LARGE', error.message, 'send less at once').fault(), error)
    case 'INVALID_ADDRESS':
      return new WeirError(weirError('INVALID_REQUEST', error.message, 'give addresses as host:port').fault(), error)
    case 'UNAVAILABLE':
    case 'CANCELLED':
    case 'EADDRINUSE':
    case 'EACCES':
      return new WeirError(weirError('NETWORK_EXCEPTION', error.message,
        'check that the node runs and the address is right').fault(), error)
    default:
      return error
  }
}

/** True for failures that another attempt, or another node, may not have. */
export function worthRetrying(error: unknown): boolean {
  if (error instanceof NetworkError) return error.code !== 'OVERSIZE' && error.code !== 'INVALID_ADDRESS'
  return error instanceof WeirError && error.retriable
}

/** Undefined when the status says done (or is missing). */
export function errorOf(status: Status | null | undefined): WeirError | undefined {
  const fault = faultOf(status)
  return fault === undefined ? undefined : new WeirError(fault)
}

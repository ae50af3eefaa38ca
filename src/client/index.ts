// The SDK's entry.

import { weirError } from '../base/error-code.ts'
import type { ConnectOptions, Weir } from './types.ts'

export { WeirError } from '../base/error-code.ts'
export type * from './types.ts'

/** Resolves when one address of `bootstrap` answered. Rejects with WeirError NETWORK_EXCEPTION after `timeoutMs`. */
export function connect(options: ConnectOptions): Promise<Weir> {
  return Promise.reject(weirError('UNSUPPORTED_VERSION', `no connection to ${options.bootstrap.join(', ')} yet`))
}

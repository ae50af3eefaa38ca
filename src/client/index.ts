// The SDK's entry: `connect` with the machine's clock, timers, chance and network, unless others are given.

import { systemClock, systemRandom, systemTimers } from '../os/system.ts'
import { grpcNetwork } from '../rpc/grpc-network.ts'
import { openConnection } from './connection.ts'
import type { ClientPorts, ConnectOptions, Weir } from './types.ts'

export { WeirError } from '../base/error-code.ts'
export type * from './types.ts'

/**
 * Resolves when one node of `bootstrap` has answered. Rejects with WeirError: NETWORK_EXCEPTION or REQUEST_TIMED_OUT
 * when none did within `timeoutMs`, INVALID_REQUEST on malformed options.
 */
export function connect(options: ConnectOptions): Promise<Weir> {
  return openConnection(options, options.ports ?? systemPorts())
}

function systemPorts(): ClientPorts {
  return { clock: systemClock(), timers: systemTimers(), random: systemRandom(), network: grpcNetwork() }
}

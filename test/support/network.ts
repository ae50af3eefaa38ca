// A client-side network for tests that speak to a cluster by raw calls.

import { grpcNetwork } from '../../src/rpc/grpc-network.ts'
import type { Network } from '../../src/ports.ts'

export function testNetwork(): Network {
  return grpcNetwork()
}

// Raft messages of other controllers.

import { stream, type Handler } from '../../src/ports.ts'
import { methods } from '../../src/rpc/protos.ts'
import type { RaftTransport } from '../raft-transport.ts'

export function raftService(transport: RaftTransport): readonly Handler[] {
  return [stream(methods.raft.exchange, (incoming) => { transport.accept(incoming) })]
}

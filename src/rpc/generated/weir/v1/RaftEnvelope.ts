// Original file: proto/raft.proto

import type { RaftHello as _weir_v1_RaftHello, RaftHello__Output as _weir_v1_RaftHello__Output } from '../../weir/v1/RaftHello.ts';
import type { RaftMessage as _weir_v1_RaftMessage, RaftMessage__Output as _weir_v1_RaftMessage__Output } from '../../weir/v1/RaftMessage.ts';

export interface RaftEnvelope {
  'hello'?: (_weir_v1_RaftHello | null);
  'messages'?: (_weir_v1_RaftMessage)[];
}

export interface RaftEnvelope__Output {
  'hello': (_weir_v1_RaftHello__Output | null);
  'messages': (_weir_v1_RaftMessage__Output)[];
}

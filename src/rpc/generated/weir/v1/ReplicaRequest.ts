// Original file: proto/replica.proto

import type { ReplicaOpen as _weir_v1_ReplicaOpen, ReplicaOpen__Output as _weir_v1_ReplicaOpen__Output } from '../../weir/v1/ReplicaOpen.ts';
import type { ReplicaSubscribe as _weir_v1_ReplicaSubscribe, ReplicaSubscribe__Output as _weir_v1_ReplicaSubscribe__Output } from '../../weir/v1/ReplicaSubscribe.ts';
import type { ReplicaAck as _weir_v1_ReplicaAck, ReplicaAck__Output as _weir_v1_ReplicaAck__Output } from '../../weir/v1/ReplicaAck.ts';

export interface ReplicaRequest {
  'open'?: (_weir_v1_ReplicaOpen | null);
  'subscribe'?: (_weir_v1_ReplicaSubscribe)[];
  'acks'?: (_weir_v1_ReplicaAck)[];
  'unsubscribe'?: (number)[];
}

export interface ReplicaRequest__Output {
  'open': (_weir_v1_ReplicaOpen__Output | null);
  'subscribe': (_weir_v1_ReplicaSubscribe__Output)[];
  'acks': (_weir_v1_ReplicaAck__Output)[];
  'unsubscribe': (number)[];
}

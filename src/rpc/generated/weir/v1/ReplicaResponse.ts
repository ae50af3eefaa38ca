// Original file: proto/replica.proto

import type { ReplicaPush as _weir_v1_ReplicaPush, ReplicaPush__Output as _weir_v1_ReplicaPush__Output } from '../../weir/v1/ReplicaPush.ts';

export interface ReplicaResponse {
  'partitions'?: (_weir_v1_ReplicaPush)[];
}

export interface ReplicaResponse__Output {
  'partitions': (_weir_v1_ReplicaPush__Output)[];
}

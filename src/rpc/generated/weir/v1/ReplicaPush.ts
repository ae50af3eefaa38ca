// Original file: proto/replica.proto

import type { Status as _weir_v1_Status, Status__Output as _weir_v1_Status__Output } from '../../weir/v1/Status.ts';
import type { Divergence as _weir_v1_Divergence, Divergence__Output as _weir_v1_Divergence__Output } from '../../weir/v1/Divergence.ts';
import type { Long } from '@grpc/proto-loader';

export interface ReplicaPush {
  'subscription'?: (number);
  'status'?: (_weir_v1_Status | null);
  'leaderEpoch'?: (number);
  'highWatermark'?: (number | string | Long);
  'logStartOffset'?: (number | string | Long);
  'batches'?: (Buffer | Uint8Array | string);
  'diverging'?: (_weir_v1_Divergence | null);
}

export interface ReplicaPush__Output {
  'subscription': (number);
  'status': (_weir_v1_Status__Output | null);
  'leaderEpoch': (number);
  'highWatermark': (number);
  'logStartOffset': (number);
  'batches': (Buffer);
  'diverging': (_weir_v1_Divergence__Output | null);
}

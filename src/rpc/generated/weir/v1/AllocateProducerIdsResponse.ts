// Original file: proto/link.proto

import type { Status as _weir_v1_Status, Status__Output as _weir_v1_Status__Output } from '../../weir/v1/Status.ts';
import type { Long } from '@grpc/proto-loader';

export interface AllocateProducerIdsResponse {
  'status'?: (_weir_v1_Status | null);
  'first'?: (number | string | Long);
  'count'?: (number);
}

export interface AllocateProducerIdsResponse__Output {
  'status': (_weir_v1_Status__Output | null);
  'first': (number);
  'count': (number);
}

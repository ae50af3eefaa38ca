// Original file: proto/link.proto

import type { Status as _weir_v1_Status, Status__Output as _weir_v1_Status__Output } from '../../weir/v1/Status.ts';
import type { Long } from '@grpc/proto-loader';

export interface RegisterBrokerResponse {
  'status'?: (_weir_v1_Status | null);
  'brokerEpoch'?: (number | string | Long);
  'clusterId'?: (string);
}

export interface RegisterBrokerResponse__Output {
  'status': (_weir_v1_Status__Output | null);
  'brokerEpoch': (number);
  'clusterId': (string);
}

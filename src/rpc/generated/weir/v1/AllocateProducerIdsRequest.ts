// Original file: proto/link.proto

import type { Long } from '@grpc/proto-loader';

export interface AllocateProducerIdsRequest {
  'brokerId'?: (number);
  'brokerEpoch'?: (number | string | Long);
}

export interface AllocateProducerIdsRequest__Output {
  'brokerId': (number);
  'brokerEpoch': (number);
}

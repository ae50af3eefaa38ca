// Original file: proto/transactions.proto

import type { Long } from '@grpc/proto-loader';

export interface InitProducerIdResponse {
  'producerId'?: (number | string | Long);
  'producerEpoch'?: (number);
}

export interface InitProducerIdResponse__Output {
  'producerId': (number);
  'producerEpoch': (number);
}

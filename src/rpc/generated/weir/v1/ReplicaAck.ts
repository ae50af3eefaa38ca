// Original file: proto/replica.proto

import type { Long } from '@grpc/proto-loader';

export interface ReplicaAck {
  'subscription'?: (number);
  'ackOffset'?: (number | string | Long);
}

export interface ReplicaAck__Output {
  'subscription': (number);
  'ackOffset': (number);
}

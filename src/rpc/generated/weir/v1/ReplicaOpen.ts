// Original file: proto/replica.proto

import type { Long } from '@grpc/proto-loader';

export interface ReplicaOpen {
  'replicaId'?: (number);
  'brokerEpoch'?: (number | string | Long);
  'leaderId'?: (number);
}

export interface ReplicaOpen__Output {
  'replicaId': (number);
  'brokerEpoch': (number);
  'leaderId': (number);
}

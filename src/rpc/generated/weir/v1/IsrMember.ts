// Original file: proto/link.proto

import type { Long } from '@grpc/proto-loader';

export interface IsrMember {
  'brokerId'?: (number);
  'brokerEpoch'?: (number | string | Long);
}

export interface IsrMember__Output {
  'brokerId': (number);
  'brokerEpoch': (number);
}

// Original file: proto/link.proto

import type { Long } from '@grpc/proto-loader';

export interface WatchRequest {
  'brokerId'?: (number);
  'brokerEpoch'?: (number | string | Long);
  'metadataOffset'?: (number | string | Long);
  'wantShutdown'?: (boolean);
  'wantFence'?: (boolean);
  'unreachable'?: (number)[];
}

export interface WatchRequest__Output {
  'brokerId': (number);
  'brokerEpoch': (number);
  'metadataOffset': (number);
  'wantShutdown': (boolean);
  'wantFence': (boolean);
  'unreachable': (number)[];
}

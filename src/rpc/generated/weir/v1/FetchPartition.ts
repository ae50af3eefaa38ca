// Original file: proto/data.proto

import type { Long } from '@grpc/proto-loader';

export interface FetchPartition {
  'topic'?: (string);
  'partition'?: (number);
  'offset'?: (number | string | Long);
  'leaderEpoch'?: (number);
  'maxBytes'?: (number);
  '_leaderEpoch'?: "leaderEpoch";
}

export interface FetchPartition__Output {
  'topic': (string);
  'partition': (number);
  'offset': (number);
  'leaderEpoch'?: (number);
  'maxBytes': (number);
  '_leaderEpoch'?: "leaderEpoch";
}

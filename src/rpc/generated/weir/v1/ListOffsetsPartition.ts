// Original file: proto/data.proto

import type { Long } from '@grpc/proto-loader';

export interface ListOffsetsPartition {
  'topic'?: (string);
  'partition'?: (number);
  'leaderEpoch'?: (number);
  'timestamp'?: (number | string | Long);
  '_leaderEpoch'?: "leaderEpoch";
}

export interface ListOffsetsPartition__Output {
  'topic': (string);
  'partition': (number);
  'leaderEpoch'?: (number);
  'timestamp': (number);
  '_leaderEpoch'?: "leaderEpoch";
}

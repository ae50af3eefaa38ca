// Original file: proto/data.proto

import type { Status as _weir_v1_Status, Status__Output as _weir_v1_Status__Output } from '../../weir/v1/Status.ts';
import type { Long } from '@grpc/proto-loader';

export interface ListOffsetsResult {
  'topic'?: (string);
  'partition'?: (number);
  'status'?: (_weir_v1_Status | null);
  'offset'?: (number | string | Long);
  'timestamp'?: (number | string | Long);
  'leaderEpoch'?: (number);
}

export interface ListOffsetsResult__Output {
  'topic': (string);
  'partition': (number);
  'status': (_weir_v1_Status__Output | null);
  'offset': (number);
  'timestamp': (number);
  'leaderEpoch': (number);
}

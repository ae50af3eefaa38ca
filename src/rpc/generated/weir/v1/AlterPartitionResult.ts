// Original file: proto/link.proto

import type { Status as _weir_v1_Status, Status__Output as _weir_v1_Status__Output } from '../../weir/v1/Status.ts';

export interface AlterPartitionResult {
  'topicId'?: (string);
  'partition'?: (number);
  'status'?: (_weir_v1_Status | null);
  'leaderEpoch'?: (number);
  'partitionEpoch'?: (number);
  'isr'?: (number)[];
}

export interface AlterPartitionResult__Output {
  'topicId': (string);
  'partition': (number);
  'status': (_weir_v1_Status__Output | null);
  'leaderEpoch': (number);
  'partitionEpoch': (number);
  'isr': (number)[];
}

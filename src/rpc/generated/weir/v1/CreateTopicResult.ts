// Original file: proto/admin.proto

import type { Status as _weir_v1_Status, Status__Output as _weir_v1_Status__Output } from '../../weir/v1/Status.ts';

export interface CreateTopicResult {
  'name'?: (string);
  'status'?: (_weir_v1_Status | null);
  'topicId'?: (string);
  'partitions'?: (number);
  'replicationFactor'?: (number);
}

export interface CreateTopicResult__Output {
  'name': (string);
  'status': (_weir_v1_Status__Output | null);
  'topicId': (string);
  'partitions': (number);
  'replicationFactor': (number);
}

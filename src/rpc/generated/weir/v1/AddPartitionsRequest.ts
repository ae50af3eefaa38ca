// Original file: proto/admin.proto

import type { AddPartitionsTopic as _weir_v1_AddPartitionsTopic, AddPartitionsTopic__Output as _weir_v1_AddPartitionsTopic__Output } from '../../weir/v1/AddPartitionsTopic.ts';

export interface AddPartitionsRequest {
  'topics'?: (_weir_v1_AddPartitionsTopic)[];
  'requestId'?: (string);
}

export interface AddPartitionsRequest__Output {
  'topics': (_weir_v1_AddPartitionsTopic__Output)[];
  'requestId': (string);
}

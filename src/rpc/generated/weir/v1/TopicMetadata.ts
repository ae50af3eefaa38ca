// Original file: proto/data.proto

import type { Status as _weir_v1_Status, Status__Output as _weir_v1_Status__Output } from '../../weir/v1/Status.ts';
import type { PartitionMetadata as _weir_v1_PartitionMetadata, PartitionMetadata__Output as _weir_v1_PartitionMetadata__Output } from '../../weir/v1/PartitionMetadata.ts';

export interface TopicMetadata {
  'status'?: (_weir_v1_Status | null);
  'name'?: (string);
  'topicId'?: (string);
  'partitions'?: (_weir_v1_PartitionMetadata)[];
}

export interface TopicMetadata__Output {
  'status': (_weir_v1_Status__Output | null);
  'name': (string);
  'topicId': (string);
  'partitions': (_weir_v1_PartitionMetadata__Output)[];
}

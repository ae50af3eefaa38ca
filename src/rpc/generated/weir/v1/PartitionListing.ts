// Original file: proto/admin.proto

import type { PartitionMetadata as _weir_v1_PartitionMetadata, PartitionMetadata__Output as _weir_v1_PartitionMetadata__Output } from '../../weir/v1/PartitionMetadata.ts';

export interface PartitionListing {
  'topic'?: (string);
  'partition'?: (_weir_v1_PartitionMetadata | null);
}

export interface PartitionListing__Output {
  'topic': (string);
  'partition': (_weir_v1_PartitionMetadata__Output | null);
}

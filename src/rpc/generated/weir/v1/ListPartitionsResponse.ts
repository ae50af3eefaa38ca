// Original file: proto/admin.proto

import type { PartitionListing as _weir_v1_PartitionListing, PartitionListing__Output as _weir_v1_PartitionListing__Output } from '../../weir/v1/PartitionListing.ts';

export interface ListPartitionsResponse {
  'partitions'?: (_weir_v1_PartitionListing)[];
}

export interface ListPartitionsResponse__Output {
  'partitions': (_weir_v1_PartitionListing__Output)[];
}

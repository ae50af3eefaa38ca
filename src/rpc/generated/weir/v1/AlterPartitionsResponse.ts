// Original file: proto/link.proto

import type { Status as _weir_v1_Status, Status__Output as _weir_v1_Status__Output } from '../../weir/v1/Status.ts';
import type { AlterPartitionResult as _weir_v1_AlterPartitionResult, AlterPartitionResult__Output as _weir_v1_AlterPartitionResult__Output } from '../../weir/v1/AlterPartitionResult.ts';

export interface AlterPartitionsResponse {
  'status'?: (_weir_v1_Status | null);
  'partitions'?: (_weir_v1_AlterPartitionResult)[];
}

export interface AlterPartitionsResponse__Output {
  'status': (_weir_v1_Status__Output | null);
  'partitions': (_weir_v1_AlterPartitionResult__Output)[];
}

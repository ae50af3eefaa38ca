// Original file: proto/data.proto

import type { ListOffsetsPartition as _weir_v1_ListOffsetsPartition, ListOffsetsPartition__Output as _weir_v1_ListOffsetsPartition__Output } from '../../weir/v1/ListOffsetsPartition.ts';

export interface ListOffsetsRequest {
  'partitions'?: (_weir_v1_ListOffsetsPartition)[];
}

export interface ListOffsetsRequest__Output {
  'partitions': (_weir_v1_ListOffsetsPartition__Output)[];
}

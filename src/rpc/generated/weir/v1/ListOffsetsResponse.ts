// Original file: proto/data.proto

import type { ListOffsetsResult as _weir_v1_ListOffsetsResult, ListOffsetsResult__Output as _weir_v1_ListOffsetsResult__Output } from '../../weir/v1/ListOffsetsResult.ts';

export interface ListOffsetsResponse {
  'partitions'?: (_weir_v1_ListOffsetsResult)[];
}

export interface ListOffsetsResponse__Output {
  'partitions': (_weir_v1_ListOffsetsResult__Output)[];
}

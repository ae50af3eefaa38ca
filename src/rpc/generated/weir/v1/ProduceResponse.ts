// Original file: proto/data.proto

import type { ProduceResult as _weir_v1_ProduceResult, ProduceResult__Output as _weir_v1_ProduceResult__Output } from '../../weir/v1/ProduceResult.ts';

export interface ProduceResponse {
  'partitions'?: (_weir_v1_ProduceResult)[];
}

export interface ProduceResponse__Output {
  'partitions': (_weir_v1_ProduceResult__Output)[];
}

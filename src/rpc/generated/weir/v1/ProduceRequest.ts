// Original file: proto/data.proto

import type { ProducePartition as _weir_v1_ProducePartition, ProducePartition__Output as _weir_v1_ProducePartition__Output } from '../../weir/v1/ProducePartition.ts';

export interface ProduceRequest {
  'acks'?: (number);
  'timeoutMs'?: (number);
  'partitions'?: (_weir_v1_ProducePartition)[];
}

export interface ProduceRequest__Output {
  'acks': (number);
  'timeoutMs': (number);
  'partitions': (_weir_v1_ProducePartition__Output)[];
}

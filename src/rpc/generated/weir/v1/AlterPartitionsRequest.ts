// Original file: proto/link.proto

import type { AlterPartition as _weir_v1_AlterPartition, AlterPartition__Output as _weir_v1_AlterPartition__Output } from '../../weir/v1/AlterPartition.ts';
import type { Long } from '@grpc/proto-loader';

export interface AlterPartitionsRequest {
  'brokerId'?: (number);
  'brokerEpoch'?: (number | string | Long);
  'partitions'?: (_weir_v1_AlterPartition)[];
}

export interface AlterPartitionsRequest__Output {
  'brokerId': (number);
  'brokerEpoch': (number);
  'partitions': (_weir_v1_AlterPartition__Output)[];
}

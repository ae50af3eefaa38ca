// Original file: proto/admin.proto

import type { ElectPartition as _weir_v1_ElectPartition, ElectPartition__Output as _weir_v1_ElectPartition__Output } from '../../weir/v1/ElectPartition.ts';

export interface ElectLeadersRequest {
  'partitions'?: (_weir_v1_ElectPartition)[];
  'unclean'?: (boolean);
  'requestId'?: (string);
}

export interface ElectLeadersRequest__Output {
  'partitions': (_weir_v1_ElectPartition__Output)[];
  'unclean': (boolean);
  'requestId': (string);
}

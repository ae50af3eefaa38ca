// Original file: proto/admin.proto

import type { ElectResult as _weir_v1_ElectResult, ElectResult__Output as _weir_v1_ElectResult__Output } from '../../weir/v1/ElectResult.ts';

export interface ElectLeadersResponse {
  'partitions'?: (_weir_v1_ElectResult)[];
}

export interface ElectLeadersResponse__Output {
  'partitions': (_weir_v1_ElectResult__Output)[];
}

// Original file: proto/admin.proto

import type { ConfigDescription as _weir_v1_ConfigDescription, ConfigDescription__Output as _weir_v1_ConfigDescription__Output } from '../../weir/v1/ConfigDescription.ts';

export interface DescribeConfigsResponse {
  'resources'?: (_weir_v1_ConfigDescription)[];
}

export interface DescribeConfigsResponse__Output {
  'resources': (_weir_v1_ConfigDescription__Output)[];
}

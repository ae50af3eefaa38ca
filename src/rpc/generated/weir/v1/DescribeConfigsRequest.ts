// Original file: proto/admin.proto

import type { ConfigResource as _weir_v1_ConfigResource, ConfigResource__Output as _weir_v1_ConfigResource__Output } from '../../weir/v1/ConfigResource.ts';

export interface DescribeConfigsRequest {
  'resources'?: (_weir_v1_ConfigResource)[];
}

export interface DescribeConfigsRequest__Output {
  'resources': (_weir_v1_ConfigResource__Output)[];
}

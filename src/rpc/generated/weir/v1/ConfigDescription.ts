// Original file: proto/admin.proto

import type { ConfigResource as _weir_v1_ConfigResource, ConfigResource__Output as _weir_v1_ConfigResource__Output } from '../../weir/v1/ConfigResource.ts';
import type { Status as _weir_v1_Status, Status__Output as _weir_v1_Status__Output } from '../../weir/v1/Status.ts';
import type { ConfigValue as _weir_v1_ConfigValue, ConfigValue__Output as _weir_v1_ConfigValue__Output } from '../../weir/v1/ConfigValue.ts';

export interface ConfigDescription {
  'resource'?: (_weir_v1_ConfigResource | null);
  'status'?: (_weir_v1_Status | null);
  'values'?: (_weir_v1_ConfigValue)[];
}

export interface ConfigDescription__Output {
  'resource': (_weir_v1_ConfigResource__Output | null);
  'status': (_weir_v1_Status__Output | null);
  'values': (_weir_v1_ConfigValue__Output)[];
}

// Original file: proto/admin.proto

import type { ConfigResource as _weir_v1_ConfigResource, ConfigResource__Output as _weir_v1_ConfigResource__Output } from '../../weir/v1/ConfigResource.ts';
import type { Status as _weir_v1_Status, Status__Output as _weir_v1_Status__Output } from '../../weir/v1/Status.ts';

export interface ConfigAlterationResult {
  'resource'?: (_weir_v1_ConfigResource | null);
  'status'?: (_weir_v1_Status | null);
}

export interface ConfigAlterationResult__Output {
  'resource': (_weir_v1_ConfigResource__Output | null);
  'status': (_weir_v1_Status__Output | null);
}

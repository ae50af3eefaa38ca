// Original file: proto/admin.proto

import type { ConfigAlterationResult as _weir_v1_ConfigAlterationResult, ConfigAlterationResult__Output as _weir_v1_ConfigAlterationResult__Output } from '../../weir/v1/ConfigAlterationResult.ts';

export interface AlterConfigsResponse {
  'resources'?: (_weir_v1_ConfigAlterationResult)[];
}

export interface AlterConfigsResponse__Output {
  'resources': (_weir_v1_ConfigAlterationResult__Output)[];
}

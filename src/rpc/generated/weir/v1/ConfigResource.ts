// Original file: proto/admin.proto

import type { ConfigScope as _weir_v1_ConfigScope, ConfigScope__Output as _weir_v1_ConfigScope__Output } from '../../weir/v1/ConfigScope.ts';

export interface ConfigResource {
  'scope'?: (_weir_v1_ConfigScope);
  'name'?: (string);
}

export interface ConfigResource__Output {
  'scope': (_weir_v1_ConfigScope__Output);
  'name': (string);
}

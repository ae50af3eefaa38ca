// Original file: proto/admin.proto

import type { ConfigAlteration as _weir_v1_ConfigAlteration, ConfigAlteration__Output as _weir_v1_ConfigAlteration__Output } from '../../weir/v1/ConfigAlteration.ts';

export interface AlterConfigsRequest {
  'resources'?: (_weir_v1_ConfigAlteration)[];
  'validateOnly'?: (boolean);
  'requestId'?: (string);
}

export interface AlterConfigsRequest__Output {
  'resources': (_weir_v1_ConfigAlteration__Output)[];
  'validateOnly': (boolean);
  'requestId': (string);
}

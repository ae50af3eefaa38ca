// Original file: proto/admin.proto

import type { ConfigResource as _weir_v1_ConfigResource, ConfigResource__Output as _weir_v1_ConfigResource__Output } from '../../weir/v1/ConfigResource.ts';
import type { ConfigEntry as _weir_v1_ConfigEntry, ConfigEntry__Output as _weir_v1_ConfigEntry__Output } from '../../weir/v1/ConfigEntry.ts';

export interface ConfigAlteration {
  'resource'?: (_weir_v1_ConfigResource | null);
  'set'?: (_weir_v1_ConfigEntry)[];
  'unset'?: (string)[];
}

export interface ConfigAlteration__Output {
  'resource': (_weir_v1_ConfigResource__Output | null);
  'set': (_weir_v1_ConfigEntry__Output)[];
  'unset': (string)[];
}

// Original file: proto/admin.proto

import type { TopicMetadata as _weir_v1_TopicMetadata, TopicMetadata__Output as _weir_v1_TopicMetadata__Output } from '../../weir/v1/TopicMetadata.ts';
import type { ConfigEntry as _weir_v1_ConfigEntry, ConfigEntry__Output as _weir_v1_ConfigEntry__Output } from '../../weir/v1/ConfigEntry.ts';

export interface TopicDescription {
  'topic'?: (_weir_v1_TopicMetadata | null);
  'configs'?: (_weir_v1_ConfigEntry)[];
}

export interface TopicDescription__Output {
  'topic': (_weir_v1_TopicMetadata__Output | null);
  'configs': (_weir_v1_ConfigEntry__Output)[];
}

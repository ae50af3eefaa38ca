// Original file: proto/admin.proto

import type { ConfigEntry as _weir_v1_ConfigEntry, ConfigEntry__Output as _weir_v1_ConfigEntry__Output } from '../../weir/v1/ConfigEntry.ts';
import type { ReplicaList as _weir_v1_ReplicaList, ReplicaList__Output as _weir_v1_ReplicaList__Output } from '../../weir/v1/ReplicaList.ts';

export interface NewTopic {
  'name'?: (string);
  'partitions'?: (number);
  'replicationFactor'?: (number);
  'configs'?: (_weir_v1_ConfigEntry)[];
  'assignment'?: (_weir_v1_ReplicaList)[];
}

export interface NewTopic__Output {
  'name': (string);
  'partitions': (number);
  'replicationFactor': (number);
  'configs': (_weir_v1_ConfigEntry__Output)[];
  'assignment': (_weir_v1_ReplicaList__Output)[];
}

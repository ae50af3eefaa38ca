// Original file: proto/link.proto

import type { IsrMember as _weir_v1_IsrMember, IsrMember__Output as _weir_v1_IsrMember__Output } from '../../weir/v1/IsrMember.ts';

export interface AlterPartition {
  'topicId'?: (string);
  'partition'?: (number);
  'leaderEpoch'?: (number);
  'partitionEpoch'?: (number);
  'newIsr'?: (_weir_v1_IsrMember)[];
}

export interface AlterPartition__Output {
  'topicId': (string);
  'partition': (number);
  'leaderEpoch': (number);
  'partitionEpoch': (number);
  'newIsr': (_weir_v1_IsrMember__Output)[];
}

// Original file: proto/admin.proto

import type { Status as _weir_v1_Status, Status__Output as _weir_v1_Status__Output } from '../../weir/v1/Status.ts';

export interface TopicStatus {
  'name'?: (string);
  'status'?: (_weir_v1_Status | null);
}

export interface TopicStatus__Output {
  'name': (string);
  'status': (_weir_v1_Status__Output | null);
}

// Original file: proto/admin.proto

import type { Status as _weir_v1_Status, Status__Output as _weir_v1_Status__Output } from '../../weir/v1/Status.ts';

export interface ElectResult {
  'topic'?: (string);
  'partition'?: (number);
  'status'?: (_weir_v1_Status | null);
}

export interface ElectResult__Output {
  'topic': (string);
  'partition': (number);
  'status': (_weir_v1_Status__Output | null);
}

// Original file: proto/common.proto

import type { Leader as _weir_v1_Leader, Leader__Output as _weir_v1_Leader__Output } from '../../weir/v1/Leader.ts';

export interface Status {
  'code'?: (number);
  'name'?: (string);
  'message'?: (string);
  'hint'?: (string);
  'leader'?: (_weir_v1_Leader | null);
}

export interface Status__Output {
  'code': (number);
  'name': (string);
  'message': (string);
  'hint': (string);
  'leader': (_weir_v1_Leader__Output | null);
}

// Original file: proto/data.proto

import type { Record as _weir_v1_Record, Record__Output as _weir_v1_Record__Output } from '../../weir/v1/Record.ts';

export interface RecordList {
  'records'?: (_weir_v1_Record)[];
  'compression'?: (string);
}

export interface RecordList__Output {
  'records': (_weir_v1_Record__Output)[];
  'compression': (string);
}

// Original file: proto/data.proto

import type { FetchForm as _weir_v1_FetchForm, FetchForm__Output as _weir_v1_FetchForm__Output } from '../../weir/v1/FetchForm.ts';
import type { FetchPartition as _weir_v1_FetchPartition, FetchPartition__Output as _weir_v1_FetchPartition__Output } from '../../weir/v1/FetchPartition.ts';

export interface FetchRequest {
  'maxWaitMs'?: (number);
  'minBytes'?: (number);
  'maxBytes'?: (number);
  'form'?: (_weir_v1_FetchForm);
  'partitions'?: (_weir_v1_FetchPartition)[];
}

export interface FetchRequest__Output {
  'maxWaitMs': (number);
  'minBytes': (number);
  'maxBytes': (number);
  'form': (_weir_v1_FetchForm__Output);
  'partitions': (_weir_v1_FetchPartition__Output)[];
}

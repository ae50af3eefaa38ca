// Original file: proto/data.proto

import type { FetchForm as _weir_v1_FetchForm, FetchForm__Output as _weir_v1_FetchForm__Output } from '../../weir/v1/FetchForm.ts';

export interface FetchStreamOpen {
  'form'?: (_weir_v1_FetchForm);
  'creditBytes'?: (number);
}

export interface FetchStreamOpen__Output {
  'form': (_weir_v1_FetchForm__Output);
  'creditBytes': (number);
}

// Original file: proto/data.proto

import type { FetchResult as _weir_v1_FetchResult, FetchResult__Output as _weir_v1_FetchResult__Output } from '../../weir/v1/FetchResult.ts';

export interface FetchResponse {
  'partitions'?: (_weir_v1_FetchResult)[];
}

export interface FetchResponse__Output {
  'partitions': (_weir_v1_FetchResult__Output)[];
}

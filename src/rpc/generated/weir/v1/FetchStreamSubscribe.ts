// Original file: proto/data.proto

import type { FetchPartition as _weir_v1_FetchPartition, FetchPartition__Output as _weir_v1_FetchPartition__Output } from '../../weir/v1/FetchPartition.ts';

export interface FetchStreamSubscribe {
  'subscription'?: (number);
  'partition'?: (_weir_v1_FetchPartition | null);
}

export interface FetchStreamSubscribe__Output {
  'subscription': (number);
  'partition': (_weir_v1_FetchPartition__Output | null);
}

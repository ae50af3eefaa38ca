// Original file: proto/admin.proto

import type { CreateTopicResult as _weir_v1_CreateTopicResult, CreateTopicResult__Output as _weir_v1_CreateTopicResult__Output } from '../../weir/v1/CreateTopicResult.ts';

export interface CreateTopicsResponse {
  'topics'?: (_weir_v1_CreateTopicResult)[];
}

export interface CreateTopicsResponse__Output {
  'topics': (_weir_v1_CreateTopicResult__Output)[];
}

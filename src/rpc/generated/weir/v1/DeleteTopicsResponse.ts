// Original file: proto/admin.proto

import type { TopicStatus as _weir_v1_TopicStatus, TopicStatus__Output as _weir_v1_TopicStatus__Output } from '../../weir/v1/TopicStatus.ts';

export interface DeleteTopicsResponse {
  'topics'?: (_weir_v1_TopicStatus)[];
}

export interface DeleteTopicsResponse__Output {
  'topics': (_weir_v1_TopicStatus__Output)[];
}

// Original file: proto/admin.proto

import type { TopicDescription as _weir_v1_TopicDescription, TopicDescription__Output as _weir_v1_TopicDescription__Output } from '../../weir/v1/TopicDescription.ts';

export interface DescribeTopicsResponse {
  'topics'?: (_weir_v1_TopicDescription)[];
}

export interface DescribeTopicsResponse__Output {
  'topics': (_weir_v1_TopicDescription__Output)[];
}

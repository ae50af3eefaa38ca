// Original file: proto/admin.proto

import type { TopicListing as _weir_v1_TopicListing, TopicListing__Output as _weir_v1_TopicListing__Output } from '../../weir/v1/TopicListing.ts';

export interface ListTopicsResponse {
  'topics'?: (_weir_v1_TopicListing)[];
}

export interface ListTopicsResponse__Output {
  'topics': (_weir_v1_TopicListing__Output)[];
}

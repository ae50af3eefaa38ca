// Original file: proto/admin.proto

import type { NewTopic as _weir_v1_NewTopic, NewTopic__Output as _weir_v1_NewTopic__Output } from '../../weir/v1/NewTopic.ts';

export interface CreateTopicsRequest {
  'topics'?: (_weir_v1_NewTopic)[];
  'validateOnly'?: (boolean);
  'requestId'?: (string);
}

export interface CreateTopicsRequest__Output {
  'topics': (_weir_v1_NewTopic__Output)[];
  'validateOnly': (boolean);
  'requestId': (string);
}

// Original file: proto/admin.proto


export interface ListPartitionsRequest {
  'topics'?: (string)[];
  'onlyUnhealthy'?: (boolean);
}

export interface ListPartitionsRequest__Output {
  'topics': (string)[];
  'onlyUnhealthy': (boolean);
}

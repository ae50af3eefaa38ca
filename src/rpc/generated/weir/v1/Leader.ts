// Original file: proto/common.proto


export interface Leader {
  'id'?: (number);
  'address'?: (string);
  'leaderEpoch'?: (number);
}

export interface Leader__Output {
  'id': (number);
  'address': (string);
  'leaderEpoch': (number);
}

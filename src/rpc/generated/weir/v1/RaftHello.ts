// Original file: proto/raft.proto


export interface RaftHello {
  'from'?: (number);
  'to'?: (number);
  'clusterId'?: (string);
  'votersHash'?: (string);
}

export interface RaftHello__Output {
  'from': (number);
  'to': (number);
  'clusterId': (string);
  'votersHash': (string);
}

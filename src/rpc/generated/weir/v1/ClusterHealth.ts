// Original file: proto/admin.proto


export interface ClusterHealth {
  'topics'?: (number);
  'partitions'?: (number);
  'leaderless'?: (number);
  'underReplicated'?: (number);
  'underMinIsr'?: (number);
}

export interface ClusterHealth__Output {
  'topics': (number);
  'partitions': (number);
  'leaderless': (number);
  'underReplicated': (number);
  'underMinIsr': (number);
}

// Original file: proto/data.proto


export interface PartitionMetadata {
  'partition'?: (number);
  'leader'?: (number);
  'leaderEpoch'?: (number);
  'partitionEpoch'?: (number);
  'replicas'?: (number)[];
  'isr'?: (number)[];
}

export interface PartitionMetadata__Output {
  'partition': (number);
  'leader': (number);
  'leaderEpoch': (number);
  'partitionEpoch': (number);
  'replicas': (number)[];
  'isr': (number)[];
}

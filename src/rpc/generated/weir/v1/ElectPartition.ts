// Original file: proto/admin.proto


export interface ElectPartition {
  'topic'?: (string);
  'partition'?: (number);
}

export interface ElectPartition__Output {
  'topic': (string);
  'partition': (number);
}

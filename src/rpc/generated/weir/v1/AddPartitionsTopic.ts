// Original file: proto/admin.proto


export interface AddPartitionsTopic {
  'name'?: (string);
  'total'?: (number);
}

export interface AddPartitionsTopic__Output {
  'name': (string);
  'total': (number);
}

// Original file: proto/admin.proto


export interface ReplicaList {
  'brokers'?: (number)[];
}

export interface ReplicaList__Output {
  'brokers': (number)[];
}

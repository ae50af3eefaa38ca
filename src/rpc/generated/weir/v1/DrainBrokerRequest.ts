// Original file: proto/admin.proto


export interface DrainBrokerRequest {
  'id'?: (number);
}

export interface DrainBrokerRequest__Output {
  'id': (number);
}

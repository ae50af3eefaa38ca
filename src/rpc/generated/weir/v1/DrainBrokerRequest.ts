// Original file: proto/admin.proto


export interface DrainBrokerRequest {
  'id'?: (number);
  'requestId'?: (string);
}

export interface DrainBrokerRequest__Output {
  'id': (number);
  'requestId': (string);
}

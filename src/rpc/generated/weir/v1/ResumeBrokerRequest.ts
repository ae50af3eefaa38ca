// Original file: proto/admin.proto


export interface ResumeBrokerRequest {
  'id'?: (number);
  'requestId'?: (string);
}

export interface ResumeBrokerRequest__Output {
  'id': (number);
  'requestId': (string);
}

// Original file: proto/admin.proto


export interface ResumeBrokerRequest {
  'id'?: (number);
}

export interface ResumeBrokerRequest__Output {
  'id': (number);
}

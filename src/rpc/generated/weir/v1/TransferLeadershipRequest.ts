// Original file: proto/admin.proto


export interface TransferLeadershipRequest {
  'to'?: (number);
}

export interface TransferLeadershipRequest__Output {
  'to': (number);
}

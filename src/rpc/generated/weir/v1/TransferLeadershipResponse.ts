// Original file: proto/admin.proto


export interface TransferLeadershipResponse {
  'leaderId'?: (number);
}

export interface TransferLeadershipResponse__Output {
  'leaderId': (number);
}

// Original file: proto/admin.proto


export interface DrainBrokerResponse {
  'moved'?: (number);
  'remaining'?: (number);
}

export interface DrainBrokerResponse__Output {
  'moved': (number);
  'remaining': (number);
}

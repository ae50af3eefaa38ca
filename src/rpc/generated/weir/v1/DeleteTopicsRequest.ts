// Original file: proto/admin.proto


export interface DeleteTopicsRequest {
  'names'?: (string)[];
  'requestId'?: (string);
}

export interface DeleteTopicsRequest__Output {
  'names': (string)[];
  'requestId': (string);
}

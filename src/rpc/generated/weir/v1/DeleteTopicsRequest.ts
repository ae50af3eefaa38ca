// Original file: proto/admin.proto


export interface DeleteTopicsRequest {
  'names'?: (string)[];
}

export interface DeleteTopicsRequest__Output {
  'names': (string)[];
}

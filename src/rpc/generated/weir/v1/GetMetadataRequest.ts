// Original file: proto/data.proto


export interface GetMetadataRequest {
  'topics'?: (string)[];
}

export interface GetMetadataRequest__Output {
  'topics': (string)[];
}

// Original file: proto/admin.proto


export interface DescribeTopicsRequest {
  'names'?: (string)[];
}

export interface DescribeTopicsRequest__Output {
  'names': (string)[];
}

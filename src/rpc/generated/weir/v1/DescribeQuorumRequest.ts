// Original file: proto/admin.proto


export interface DescribeQuorumRequest {
}

export interface DescribeQuorumRequest__Output {
}

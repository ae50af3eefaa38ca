// Original file: proto/admin.proto


export interface DescribeClusterRequest {
}

export interface DescribeClusterRequest__Output {
}

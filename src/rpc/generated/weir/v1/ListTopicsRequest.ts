// Original file: proto/admin.proto


export interface ListTopicsRequest {
}

export interface ListTopicsRequest__Output {
}

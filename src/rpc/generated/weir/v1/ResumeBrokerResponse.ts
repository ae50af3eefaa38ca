// Original file: proto/admin.proto


export interface ResumeBrokerResponse {
}

export interface ResumeBrokerResponse__Output {
}

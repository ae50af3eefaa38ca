// Original file: proto/raft.proto


export interface RaftReceipt {
}

export interface RaftReceipt__Output {
}

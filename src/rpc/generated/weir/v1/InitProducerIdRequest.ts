// Original file: proto/transactions.proto


export interface InitProducerIdRequest {
}

export interface InitProducerIdRequest__Output {
}

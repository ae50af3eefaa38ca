// Original file: proto/transactions.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { InitProducerIdRequest as _weir_v1_InitProducerIdRequest, InitProducerIdRequest__Output as _weir_v1_InitProducerIdRequest__Output } from '../../weir/v1/InitProducerIdRequest.ts';
import type { InitProducerIdResponse as _weir_v1_InitProducerIdResponse, InitProducerIdResponse__Output as _weir_v1_InitProducerIdResponse__Output } from '../../weir/v1/InitProducerIdResponse.ts';

export interface TransactionsClient extends grpc.Client {
  InitProducerId(argument: _weir_v1_InitProducerIdRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_InitProducerIdResponse__Output>): grpc.ClientUnaryCall;
  InitProducerId(argument: _weir_v1_InitProducerIdRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_InitProducerIdResponse__Output>): grpc.ClientUnaryCall;
  InitProducerId(argument: _weir_v1_InitProducerIdRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_InitProducerIdResponse__Output>): grpc.ClientUnaryCall;
  InitProducerId(argument: _weir_v1_InitProducerIdRequest, callback: grpc.requestCallback<_weir_v1_InitProducerIdResponse__Output>): grpc.ClientUnaryCall;
  initProducerId(argument: _weir_v1_InitProducerIdRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_InitProducerIdResponse__Output>): grpc.ClientUnaryCall;
  initProducerId(argument: _weir_v1_InitProducerIdRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_InitProducerIdResponse__Output>): grpc.ClientUnaryCall;
  initProducerId(argument: _weir_v1_InitProducerIdRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_InitProducerIdResponse__Output>): grpc.ClientUnaryCall;
  initProducerId(argument: _weir_v1_InitProducerIdRequest, callback: grpc.requestCallback<_weir_v1_InitProducerIdResponse__Output>): grpc.ClientUnaryCall;
  
}

export interface TransactionsHandlers extends grpc.UntypedServiceImplementation {
  InitProducerId: grpc.handleUnaryCall<_weir_v1_InitProducerIdRequest__Output, _weir_v1_InitProducerIdResponse>;
  
}

export interface TransactionsDefinition extends grpc.ServiceDefinition {
  InitProducerId: MethodDefinition<_weir_v1_InitProducerIdRequest, _weir_v1_InitProducerIdResponse, _weir_v1_InitProducerIdRequest__Output, _weir_v1_InitProducerIdResponse__Output>
}

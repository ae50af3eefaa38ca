// Original file: proto/link.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { AllocateProducerIdsRequest as _weir_v1_AllocateProducerIdsRequest, AllocateProducerIdsRequest__Output as _weir_v1_AllocateProducerIdsRequest__Output } from '../../weir/v1/AllocateProducerIdsRequest.ts';
import type { AllocateProducerIdsResponse as _weir_v1_AllocateProducerIdsResponse, AllocateProducerIdsResponse__Output as _weir_v1_AllocateProducerIdsResponse__Output } from '../../weir/v1/AllocateProducerIdsResponse.ts';
import type { AlterPartitionsRequest as _weir_v1_AlterPartitionsRequest, AlterPartitionsRequest__Output as _weir_v1_AlterPartitionsRequest__Output } from '../../weir/v1/AlterPartitionsRequest.ts';
import type { AlterPartitionsResponse as _weir_v1_AlterPartitionsResponse, AlterPartitionsResponse__Output as _weir_v1_AlterPartitionsResponse__Output } from '../../weir/v1/AlterPartitionsResponse.ts';
import type { RegisterBrokerRequest as _weir_v1_RegisterBrokerRequest, RegisterBrokerRequest__Output as _weir_v1_RegisterBrokerRequest__Output } from '../../weir/v1/RegisterBrokerRequest.ts';
import type { RegisterBrokerResponse as _weir_v1_RegisterBrokerResponse, RegisterBrokerResponse__Output as _weir_v1_RegisterBrokerResponse__Output } from '../../weir/v1/RegisterBrokerResponse.ts';
import type { WatchRequest as _weir_v1_WatchRequest, WatchRequest__Output as _weir_v1_WatchRequest__Output } from '../../weir/v1/WatchRequest.ts';
import type { WatchResponse as _weir_v1_WatchResponse, WatchResponse__Output as _weir_v1_WatchResponse__Output } from '../../weir/v1/WatchResponse.ts';

export interface BrokerLinkClient extends grpc.Client {
  AllocateProducerIds(argument: _weir_v1_AllocateProducerIdsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_AllocateProducerIdsResponse__Output>): grpc.ClientUnaryCall;
  AllocateProducerIds(argument: _weir_v1_AllocateProducerIdsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_AllocateProducerIdsResponse__Output>): grpc.ClientUnaryCall;
  AllocateProducerIds(argument: _weir_v1_AllocateProducerIdsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_AllocateProducerIdsResponse__Output>): grpc.ClientUnaryCall;
  AllocateProducerIds(argument: _weir_v1_AllocateProducerIdsRequest, callback: grpc.requestCallback<_weir_v1_AllocateProducerIdsResponse__Output>): grpc.ClientUnaryCall;
  allocateProducerIds(argument: _weir_v1_AllocateProducerIdsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_AllocateProducerIdsResponse__Output>): grpc.ClientUnaryCall;
  allocateProducerIds(argument: _weir_v1_AllocateProducerIdsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_AllocateProducerIdsResponse__Output>): grpc.ClientUnaryCall;
  allocateProducerIds(argument: _weir_v1_AllocateProducerIdsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_AllocateProducerIdsResponse__Output>): grpc.ClientUnaryCall;
  allocateProducerIds(argument: _weir_v1_AllocateProducerIdsRequest, callback: grpc.requestCallback<_weir_v1_AllocateProducerIdsResponse__Output>): grpc.ClientUnaryCall;
  
  AlterPartitions(argument: _weir_v1_AlterPartitionsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_AlterPartitionsResponse__Output>): grpc.ClientUnaryCall;
  AlterPartitions(argument: _weir_v1_AlterPartitionsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_AlterPartitionsResponse__Output>): grpc.ClientUnaryCall;
  AlterPartitions(argument: _weir_v1_AlterPartitionsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_AlterPartitionsResponse__Output>): grpc.ClientUnaryCall;
  AlterPartitions(argument: _weir_v1_AlterPartitionsRequest, callback: grpc.requestCallback<_weir_v1_AlterPartitionsResponse__Output>): grpc.ClientUnaryCall;
  alterPartitions(argument: _weir_v1_AlterPartitionsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_AlterPartitionsResponse__Output>): grpc.ClientUnaryCall;
  alterPartitions(argument: _weir_v1_AlterPartitionsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_AlterPartitionsResponse__Output>): grpc.ClientUnaryCall;
  alterPartitions(argument: _weir_v1_AlterPartitionsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_AlterPartitionsResponse__Output>): grpc.ClientUnaryCall;
  alterPartitions(argument: _weir_v1_AlterPartitionsRequest, callback: grpc.requestCallback<_weir_v1_AlterPartitionsResponse__Output>): grpc.ClientUnaryCall;
  
  Register(argument: _weir_v1_RegisterBrokerRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_RegisterBrokerResponse__Output>): grpc.ClientUnaryCall;
  Register(argument: _weir_v1_RegisterBrokerRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_RegisterBrokerResponse__Output>): grpc.ClientUnaryCall;
  Register(argument: _weir_v1_RegisterBrokerRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_RegisterBrokerResponse__Output>): grpc.ClientUnaryCall;
  Register(argument: _weir_v1_RegisterBrokerRequest, callback: grpc.requestCallback<_weir_v1_RegisterBrokerResponse__Output>): grpc.ClientUnaryCall;
  register(argument: _weir_v1_RegisterBrokerRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_RegisterBrokerResponse__Output>): grpc.ClientUnaryCall;
  register(argument: _weir_v1_RegisterBrokerRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_RegisterBrokerResponse__Output>): grpc.ClientUnaryCall;
  register(argument: _weir_v1_RegisterBrokerRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_RegisterBrokerResponse__Output>): grpc.ClientUnaryCall;
  register(argument: _weir_v1_RegisterBrokerRequest, callback: grpc.requestCallback<_weir_v1_RegisterBrokerResponse__Output>): grpc.ClientUnaryCall;
  
  Watch(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_weir_v1_WatchRequest, _weir_v1_WatchResponse__Output>;
  Watch(options?: grpc.CallOptions): grpc.ClientDuplexStream<_weir_v1_WatchRequest, _weir_v1_WatchResponse__Output>;
  watch(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_weir_v1_WatchRequest, _weir_v1_WatchResponse__Output>;
  watch(options?: grpc.CallOptions): grpc.ClientDuplexStream<_weir_v1_WatchRequest, _weir_v1_WatchResponse__Output>;
  
}

export interface BrokerLinkHandlers extends grpc.UntypedServiceImplementation {
  AllocateProducerIds: grpc.handleUnaryCall<_weir_v1_AllocateProducerIdsRequest__Output, _weir_v1_AllocateProducerIdsResponse>;
  
  AlterPartitions: grpc.handleUnaryCall<_weir_v1_AlterPartitionsRequest__Output, _weir_v1_AlterPartitionsResponse>;
  
  Register: grpc.handleUnaryCall<_weir_v1_RegisterBrokerRequest__Output, _weir_v1_RegisterBrokerResponse>;
  
  Watch: grpc.handleBidiStreamingCall<_weir_v1_WatchRequest__Output, _weir_v1_WatchResponse>;
  
}

export interface BrokerLinkDefinition extends grpc.ServiceDefinition {
  AllocateProducerIds: MethodDefinition<_weir_v1_AllocateProducerIdsRequest, _weir_v1_AllocateProducerIdsResponse, _weir_v1_AllocateProducerIdsRequest__Output, _weir_v1_AllocateProducerIdsResponse__Output>
  AlterPartitions: MethodDefinition<_weir_v1_AlterPartitionsRequest, _weir_v1_AlterPartitionsResponse, _weir_v1_AlterPartitionsRequest__Output, _weir_v1_AlterPartitionsResponse__Output>
  Register: MethodDefinition<_weir_v1_RegisterBrokerRequest, _weir_v1_RegisterBrokerResponse, _weir_v1_RegisterBrokerRequest__Output, _weir_v1_RegisterBrokerResponse__Output>
  Watch: MethodDefinition<_weir_v1_WatchRequest, _weir_v1_WatchResponse, _weir_v1_WatchRequest__Output, _weir_v1_WatchResponse__Output>
}

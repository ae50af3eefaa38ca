// Original file: proto/replica.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { ReplicaRequest as _weir_v1_ReplicaRequest, ReplicaRequest__Output as _weir_v1_ReplicaRequest__Output } from '../../weir/v1/ReplicaRequest.ts';
import type { ReplicaResponse as _weir_v1_ReplicaResponse, ReplicaResponse__Output as _weir_v1_ReplicaResponse__Output } from '../../weir/v1/ReplicaResponse.ts';

export interface ReplicaClient extends grpc.Client {
  FetchStream(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_weir_v1_ReplicaRequest, _weir_v1_ReplicaResponse__Output>;
  FetchStream(options?: grpc.CallOptions): grpc.ClientDuplexStream<_weir_v1_ReplicaRequest, _weir_v1_ReplicaResponse__Output>;
  fetchStream(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_weir_v1_ReplicaRequest, _weir_v1_ReplicaResponse__Output>;
  fetchStream(options?: grpc.CallOptions): grpc.ClientDuplexStream<_weir_v1_ReplicaRequest, _weir_v1_ReplicaResponse__Output>;
  
}

export interface ReplicaHandlers extends grpc.UntypedServiceImplementation {
  FetchStream: grpc.handleBidiStreamingCall<_weir_v1_ReplicaRequest__Output, _weir_v1_ReplicaResponse>;
  
}

export interface ReplicaDefinition extends grpc.ServiceDefinition {
  FetchStream: MethodDefinition<_weir_v1_ReplicaRequest, _weir_v1_ReplicaResponse, _weir_v1_ReplicaRequest__Output, _weir_v1_ReplicaResponse__Output>
}

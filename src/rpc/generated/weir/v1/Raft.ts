// Original file: proto/raft.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { RaftEnvelope as _weir_v1_RaftEnvelope, RaftEnvelope__Output as _weir_v1_RaftEnvelope__Output } from '../../weir/v1/RaftEnvelope.ts';
import type { RaftReceipt as _weir_v1_RaftReceipt, RaftReceipt__Output as _weir_v1_RaftReceipt__Output } from '../../weir/v1/RaftReceipt.ts';

export interface RaftClient extends grpc.Client {
  Exchange(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_weir_v1_RaftEnvelope, _weir_v1_RaftReceipt__Output>;
  Exchange(options?: grpc.CallOptions): grpc.ClientDuplexStream<_weir_v1_RaftEnvelope, _weir_v1_RaftReceipt__Output>;
  exchange(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_weir_v1_RaftEnvelope, _weir_v1_RaftReceipt__Output>;
  exchange(options?: grpc.CallOptions): grpc.ClientDuplexStream<_weir_v1_RaftEnvelope, _weir_v1_RaftReceipt__Output>;
  
}

export interface RaftHandlers extends grpc.UntypedServiceImplementation {
  Exchange: grpc.handleBidiStreamingCall<_weir_v1_RaftEnvelope__Output, _weir_v1_RaftReceipt>;
  
}

export interface RaftDefinition extends grpc.ServiceDefinition {
  Exchange: MethodDefinition<_weir_v1_RaftEnvelope, _weir_v1_RaftReceipt, _weir_v1_RaftEnvelope__Output, _weir_v1_RaftReceipt__Output>
}

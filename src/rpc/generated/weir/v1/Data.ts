// Original file: proto/data.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { FetchRequest as _weir_v1_FetchRequest, FetchRequest__Output as _weir_v1_FetchRequest__Output } from '../../weir/v1/FetchRequest.ts';
import type { FetchResponse as _weir_v1_FetchResponse, FetchResponse__Output as _weir_v1_FetchResponse__Output } from '../../weir/v1/FetchResponse.ts';
import type { FetchStreamRequest as _weir_v1_FetchStreamRequest, FetchStreamRequest__Output as _weir_v1_FetchStreamRequest__Output } from '../../weir/v1/FetchStreamRequest.ts';
import type { FetchStreamResponse as _weir_v1_FetchStreamResponse, FetchStreamResponse__Output as _weir_v1_FetchStreamResponse__Output } from '../../weir/v1/FetchStreamResponse.ts';
import type { GetMetadataRequest as _weir_v1_GetMetadataRequest, GetMetadataRequest__Output as _weir_v1_GetMetadataRequest__Output } from '../../weir/v1/GetMetadataRequest.ts';
import type { GetMetadataResponse as _weir_v1_GetMetadataResponse, GetMetadataResponse__Output as _weir_v1_GetMetadataResponse__Output } from '../../weir/v1/GetMetadataResponse.ts';
import type { ListOffsetsRequest as _weir_v1_ListOffsetsRequest, ListOffsetsRequest__Output as _weir_v1_ListOffsetsRequest__Output } from '../../weir/v1/ListOffsetsRequest.ts';
import type { ListOffsetsResponse as _weir_v1_ListOffsetsResponse, ListOffsetsResponse__Output as _weir_v1_ListOffsetsResponse__Output } from '../../weir/v1/ListOffsetsResponse.ts';
import type { ProduceRequest as _weir_v1_ProduceRequest, ProduceRequest__Output as _weir_v1_ProduceRequest__Output } from '../../weir/v1/ProduceRequest.ts';
import type { ProduceResponse as _weir_v1_ProduceResponse, ProduceResponse__Output as _weir_v1_ProduceResponse__Output } from '../../weir/v1/ProduceResponse.ts';

export interface DataClient extends grpc.Client {
  Fetch(argument: _weir_v1_FetchRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_FetchResponse__Output>): grpc.ClientUnaryCall;
  Fetch(argument: _weir_v1_FetchRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_FetchResponse__Output>): grpc.ClientUnaryCall;
  Fetch(argument: _weir_v1_FetchRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_FetchResponse__Output>): grpc.ClientUnaryCall;
  Fetch(argument: _weir_v1_FetchRequest, callback: grpc.requestCallback<_weir_v1_FetchResponse__Output>): grpc.ClientUnaryCall;
  fetch(argument: _weir_v1_FetchRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_FetchResponse__Output>): grpc.ClientUnaryCall;
  fetch(argument: _weir_v1_FetchRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_FetchResponse__Output>): grpc.ClientUnaryCall;
  fetch(argument: _weir_v1_FetchRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_FetchResponse__Output>): grpc.ClientUnaryCall;
  fetch(argument: _weir_v1_FetchRequest, callback: grpc.requestCallback<_weir_v1_FetchResponse__Output>): grpc.ClientUnaryCall;
  
  FetchStream(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_weir_v1_FetchStreamRequest, _weir_v1_FetchStreamResponse__Output>;
  FetchStream(options?: grpc.CallOptions): grpc.ClientDuplexStream<_weir_v1_FetchStreamRequest, _weir_v1_FetchStreamResponse__Output>;
  fetchStream(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_weir_v1_FetchStreamRequest, _weir_v1_FetchStreamResponse__Output>;
  fetchStream(options?: grpc.CallOptions): grpc.ClientDuplexStream<_weir_v1_FetchStreamRequest, _weir_v1_FetchStreamResponse__Output>;
  
  GetMetadata(argument: _weir_v1_GetMetadataRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_GetMetadataResponse__Output>): grpc.ClientUnaryCall;
  GetMetadata(argument: _weir_v1_GetMetadataRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_GetMetadataResponse__Output>): grpc.ClientUnaryCall;
  GetMetadata(argument: _weir_v1_GetMetadataRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_GetMetadataResponse__Output>): grpc.ClientUnaryCall;
  GetMetadata(argument: _weir_v1_GetMetadataRequest, callback: grpc.requestCallback<_weir_v1_GetMetadataResponse__Output>): grpc.ClientUnaryCall;
  getMetadata(argument: _weir_v1_GetMetadataRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_GetMetadataResponse__Output>): grpc.ClientUnaryCall;
  getMetadata(argument: _weir_v1_GetMetadataRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_GetMetadataResponse__Output>): grpc.ClientUnaryCall;
  getMetadata(argument: _weir_v1_GetMetadataRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_GetMetadataResponse__Output>): grpc.ClientUnaryCall;
  getMetadata(argument: _weir_v1_GetMetadataRequest, callback: grpc.requestCallback<_weir_v1_GetMetadataResponse__Output>): grpc.ClientUnaryCall;
  
  ListOffsets(argument: _weir_v1_ListOffsetsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_ListOffsetsResponse__Output>): grpc.ClientUnaryCall;
  ListOffsets(argument: _weir_v1_ListOffsetsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_ListOffsetsResponse__Output>): grpc.ClientUnaryCall;
  ListOffsets(argument: _weir_v1_ListOffsetsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_ListOffsetsResponse__Output>): grpc.ClientUnaryCall;
  ListOffsets(argument: _weir_v1_ListOffsetsRequest, callback: grpc.requestCallback<_weir_v1_ListOffsetsResponse__Output>): grpc.ClientUnaryCall;
  listOffsets(argument: _weir_v1_ListOffsetsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_ListOffsetsResponse__Output>): grpc.ClientUnaryCall;
  listOffsets(argument: _weir_v1_ListOffsetsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_ListOffsetsResponse__Output>): grpc.ClientUnaryCall;
  listOffsets(argument: _weir_v1_ListOffsetsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_ListOffsetsResponse__Output>): grpc.ClientUnaryCall;
  listOffsets(argument: _weir_v1_ListOffsetsRequest, callback: grpc.requestCallback<_weir_v1_ListOffsetsResponse__Output>): grpc.ClientUnaryCall;
  
  Produce(argument: _weir_v1_ProduceRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_ProduceResponse__Output>): grpc.ClientUnaryCall;
  Produce(argument: _weir_v1_ProduceRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_ProduceResponse__Output>): grpc.ClientUnaryCall;
  Produce(argument: _weir_v1_ProduceRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_ProduceResponse__Output>): grpc.ClientUnaryCall;
  Produce(argument: _weir_v1_ProduceRequest, callback: grpc.requestCallback<_weir_v1_ProduceResponse__Output>): grpc.ClientUnaryCall;
  produce(argument: _weir_v1_ProduceRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_ProduceResponse__Output>): grpc.ClientUnaryCall;
  produce(argument: _weir_v1_ProduceRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_ProduceResponse__Output>): grpc.ClientUnaryCall;
  produce(argument: _weir_v1_ProduceRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_ProduceResponse__Output>): grpc.ClientUnaryCall;
  produce(argument: _weir_v1_ProduceRequest, callback: grpc.requestCallback<_weir_v1_ProduceResponse__Output>): grpc.ClientUnaryCall;
  
  ProduceStream(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_weir_v1_ProduceRequest, _weir_v1_ProduceResponse__Output>;
  ProduceStream(options?: grpc.CallOptions): grpc.ClientDuplexStream<_weir_v1_ProduceRequest, _weir_v1_ProduceResponse__Output>;
  produceStream(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_weir_v1_ProduceRequest, _weir_v1_ProduceResponse__Output>;
  produceStream(options?: grpc.CallOptions): grpc.ClientDuplexStream<_weir_v1_ProduceRequest, _weir_v1_ProduceResponse__Output>;
  
}

export interface DataHandlers extends grpc.UntypedServiceImplementation {
  Fetch: grpc.handleUnaryCall<_weir_v1_FetchRequest__Output, _weir_v1_FetchResponse>;
  
  FetchStream: grpc.handleBidiStreamingCall<_weir_v1_FetchStreamRequest__Output, _weir_v1_FetchStreamResponse>;
  
  GetMetadata: grpc.handleUnaryCall<_weir_v1_GetMetadataRequest__Output, _weir_v1_GetMetadataResponse>;
  
  ListOffsets: grpc.handleUnaryCall<_weir_v1_ListOffsetsRequest__Output, _weir_v1_ListOffsetsResponse>;
  
  Produce: grpc.handleUnaryCall<_weir_v1_ProduceRequest__Output, _weir_v1_ProduceResponse>;
  
  ProduceStream: grpc.handleBidiStreamingCall<_weir_v1_ProduceRequest__Output, _weir_v1_ProduceResponse>;
  
}

export interface DataDefinition extends grpc.ServiceDefinition {
  Fetch: MethodDefinition<_weir_v1_FetchRequest, _weir_v1_FetchResponse, _weir_v1_FetchRequest__Output, _weir_v1_FetchResponse__Output>
  FetchStream: MethodDefinition<_weir_v1_FetchStreamRequest, _weir_v1_FetchStreamResponse, _weir_v1_FetchStreamRequest__Output, _weir_v1_FetchStreamResponse__Output>
  GetMetadata: MethodDefinition<_weir_v1_GetMetadataRequest, _weir_v1_GetMetadataResponse, _weir_v1_GetMetadataRequest__Output, _weir_v1_GetMetadataResponse__Output>
  ListOffsets: MethodDefinition<_weir_v1_ListOffsetsRequest, _weir_v1_ListOffsetsResponse, _weir_v1_ListOffsetsRequest__Output, _weir_v1_ListOffsetsResponse__Output>
  Produce: MethodDefinition<_weir_v1_ProduceRequest, _weir_v1_ProduceResponse, _weir_v1_ProduceRequest__Output, _weir_v1_ProduceResponse__Output>
  ProduceStream: MethodDefinition<_weir_v1_ProduceRequest, _weir_v1_ProduceResponse, _weir_v1_ProduceRequest__Output, _weir_v1_ProduceResponse__Output>
}

import type * as grpc from '@grpc/grpc-js';
import type { EnumTypeDefinition, MessageTypeDefinition } from '@grpc/proto-loader';

import type { BrokerAddress as _weir_v1_BrokerAddress, BrokerAddress__Output as _weir_v1_BrokerAddress__Output } from './weir/v1/BrokerAddress.ts';
import type { ConfigEntry as _weir_v1_ConfigEntry, ConfigEntry__Output as _weir_v1_ConfigEntry__Output } from './weir/v1/ConfigEntry.ts';
import type { DataClient as _weir_v1_DataClient, DataDefinition as _weir_v1_DataDefinition } from './weir/v1/Data.ts';
import type { FetchPartition as _weir_v1_FetchPartition, FetchPartition__Output as _weir_v1_FetchPartition__Output } from './weir/v1/FetchPartition.ts';
import type { FetchRequest as _weir_v1_FetchRequest, FetchRequest__Output as _weir_v1_FetchRequest__Output } from './weir/v1/FetchRequest.ts';
import type { FetchResponse as _weir_v1_FetchResponse, FetchResponse__Output as _weir_v1_FetchResponse__Output } from './weir/v1/FetchResponse.ts';
import type { FetchResult as _weir_v1_FetchResult, FetchResult__Output as _weir_v1_FetchResult__Output } from './weir/v1/FetchResult.ts';
import type { FetchStreamOpen as _weir_v1_FetchStreamOpen, FetchStreamOpen__Output as _weir_v1_FetchStreamOpen__Output } from './weir/v1/FetchStreamOpen.ts';
import type { FetchStreamRequest as _weir_v1_FetchStreamRequest, FetchStreamRequest__Output as _weir_v1_FetchStreamRequest__Output } from './weir/v1/FetchStreamRequest.ts';
import type { FetchStreamResponse as _weir_v1_FetchStreamResponse, FetchStreamResponse__Output as _weir_v1_FetchStreamResponse__Output } from './weir/v1/FetchStreamResponse.ts';
import type { FetchStreamSubscribe as _weir_v1_FetchStreamSubscribe, FetchStreamSubscribe__Output as _weir_v1_FetchStreamSubscribe__Output } from './weir/v1/FetchStreamSubscribe.ts';
import type { GetMetadataRequest as _weir_v1_GetMetadataRequest, GetMetadataRequest__Output as _weir_v1_GetMetadataRequest__Output } from './weir/v1/GetMetadataRequest.ts';
import type { GetMetadataResponse as _weir_v1_GetMetadataResponse, GetMetadataResponse__Output as _weir_v1_GetMetadataResponse__Output } from './weir/v1/GetMetadataResponse.ts';
import type { Header as _weir_v1_Header, Header__Output as _weir_v1_Header__Output } from './weir/v1/Header.ts';
import type { Leader as _weir_v1_Leader, Leader__Output as _weir_v1_Leader__Output } from './weir/v1/Leader.ts';
import type { ListOffsetsPartition as _weir_v1_ListOffsetsPartition, ListOffsetsPartition__Output as _weir_v1_ListOffsetsPartition__Output } from './weir/v1/ListOffsetsPartition.ts';
import type { ListOffsetsRequest as _weir_v1_ListOffsetsRequest, ListOffsetsRequest__Output as _weir_v1_ListOffsetsRequest__Output } from './weir/v1/ListOffsetsRequest.ts';
import type { ListOffsetsResponse as _weir_v1_ListOffsetsResponse, ListOffsetsResponse__Output as _weir_v1_ListOffsetsResponse__Output } from './weir/v1/ListOffsetsResponse.ts';
import type { ListOffsetsResult as _weir_v1_ListOffsetsResult, ListOffsetsResult__Output as _weir_v1_ListOffsetsResult__Output } from './weir/v1/ListOffsetsResult.ts';
import type { PartitionMetadata as _weir_v1_PartitionMetadata, PartitionMetadata__Output as _weir_v1_PartitionMetadata__Output } from './weir/v1/PartitionMetadata.ts';
import type { ProducePartition as _weir_v1_ProducePartition, ProducePartition__Output as _weir_v1_ProducePartition__Output } from './weir/v1/ProducePartition.ts';
import type { ProduceRequest as _weir_v1_ProduceRequest, ProduceRequest__Output as _weir_v1_ProduceRequest__Output } from './weir/v1/ProduceRequest.ts';
import type { ProduceResponse as _weir_v1_ProduceResponse, ProduceResponse__Output as _weir_v1_ProduceResponse__Output } from './weir/v1/ProduceResponse.ts';
import type { ProduceResult as _weir_v1_ProduceResult, ProduceResult__Output as _weir_v1_ProduceResult__Output } from './weir/v1/ProduceResult.ts';
import type { Record as _weir_v1_Record, Record__Output as _weir_v1_Record__Output } from './weir/v1/Record.ts';
import type { RecordList as _weir_v1_RecordList, RecordList__Output as _weir_v1_RecordList__Output } from './weir/v1/RecordList.ts';
import type { Status as _weir_v1_Status, Status__Output as _weir_v1_Status__Output } from './weir/v1/Status.ts';
import type { TopicMetadata as _weir_v1_TopicMetadata, TopicMetadata__Output as _weir_v1_TopicMetadata__Output } from './weir/v1/TopicMetadata.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  weir: {
    v1: {
      BrokerAddress: MessageTypeDefinition<_weir_v1_BrokerAddress, _weir_v1_BrokerAddress__Output>
      ConfigEntry: MessageTypeDefinition<_weir_v1_ConfigEntry, _weir_v1_ConfigEntry__Output>
      Data: SubtypeConstructor<typeof grpc.Client, _weir_v1_DataClient> & { service: _weir_v1_DataDefinition }
      FetchForm: EnumTypeDefinition
      FetchPartition: MessageTypeDefinition<_weir_v1_FetchPartition, _weir_v1_FetchPartition__Output>
      FetchRequest: MessageTypeDefinition<_weir_v1_FetchRequest, _weir_v1_FetchRequest__Output>
      FetchResponse: MessageTypeDefinition<_weir_v1_FetchResponse, _weir_v1_FetchResponse__Output>
      FetchResult: MessageTypeDefinition<_weir_v1_FetchResult, _weir_v1_FetchResult__Output>
      FetchStreamOpen: MessageTypeDefinition<_weir_v1_FetchStreamOpen, _weir_v1_FetchStreamOpen__Output>
      FetchStreamRequest: MessageTypeDefinition<_weir_v1_FetchStreamRequest, _weir_v1_FetchStreamRequest__Output>
      FetchStreamResponse: MessageTypeDefinition<_weir_v1_FetchStreamResponse, _weir_v1_FetchStreamResponse__Output>
      FetchStreamSubscribe: MessageTypeDefinition<_weir_v1_FetchStreamSubscribe, _weir_v1_FetchStreamSubscribe__Output>
      GetMetadataRequest: MessageTypeDefinition<_weir_v1_GetMetadataRequest, _weir_v1_GetMetadataRequest__Output>
      GetMetadataResponse: MessageTypeDefinition<_weir_v1_GetMetadataResponse, _weir_v1_GetMetadataResponse__Output>
      Header: MessageTypeDefinition<_weir_v1_Header, _weir_v1_Header__Output>
      Leader: MessageTypeDefinition<_weir_v1_Leader, _weir_v1_Leader__Output>
      ListOffsetsPartition: MessageTypeDefinition<_weir_v1_ListOffsetsPartition, _weir_v1_ListOffsetsPartition__Output>
      ListOffsetsRequest: MessageTypeDefinition<_weir_v1_ListOffsetsRequest, _weir_v1_ListOffsetsRequest__Output>
      ListOffsetsResponse: MessageTypeDefinition<_weir_v1_ListOffsetsResponse, _weir_v1_ListOffsetsResponse__Output>
      ListOffsetsResult: MessageTypeDefinition<_weir_v1_ListOffsetsResult, _weir_v1_ListOffsetsResult__Output>
      PartitionMetadata: MessageTypeDefinition<_weir_v1_PartitionMetadata, _weir_v1_PartitionMetadata__Output>
      ProducePartition: MessageTypeDefinition<_weir_v1_ProducePartition, _weir_v1_ProducePartition__Output>
      ProduceRequest: MessageTypeDefinition<_weir_v1_ProduceRequest, _weir_v1_ProduceRequest__Output>
      ProduceResponse: MessageTypeDefinition<_weir_v1_ProduceResponse, _weir_v1_ProduceResponse__Output>
      ProduceResult: MessageTypeDefinition<_weir_v1_ProduceResult, _weir_v1_ProduceResult__Output>
      Record: MessageTypeDefinition<_weir_v1_Record, _weir_v1_Record__Output>
      RecordList: MessageTypeDefinition<_weir_v1_RecordList, _weir_v1_RecordList__Output>
      Status: MessageTypeDefinition<_weir_v1_Status, _weir_v1_Status__Output>
      TopicMetadata: MessageTypeDefinition<_weir_v1_TopicMetadata, _weir_v1_TopicMetadata__Output>
    }
  }
}


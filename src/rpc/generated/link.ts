import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { AllocateProducerIdsRequest as _weir_v1_AllocateProducerIdsRequest, AllocateProducerIdsRequest__Output as _weir_v1_AllocateProducerIdsRequest__Output } from './weir/v1/AllocateProducerIdsRequest.ts';
import type { AllocateProducerIdsResponse as _weir_v1_AllocateProducerIdsResponse, AllocateProducerIdsResponse__Output as _weir_v1_AllocateProducerIdsResponse__Output } from './weir/v1/AllocateProducerIdsResponse.ts';
import type { AlterPartition as _weir_v1_AlterPartition, AlterPartition__Output as _weir_v1_AlterPartition__Output } from './weir/v1/AlterPartition.ts';
import type { AlterPartitionResult as _weir_v1_AlterPartitionResult, AlterPartitionResult__Output as _weir_v1_AlterPartitionResult__Output } from './weir/v1/AlterPartitionResult.ts';
import type { AlterPartitionsRequest as _weir_v1_AlterPartitionsRequest, AlterPartitionsRequest__Output as _weir_v1_AlterPartitionsRequest__Output } from './weir/v1/AlterPartitionsRequest.ts';
import type { AlterPartitionsResponse as _weir_v1_AlterPartitionsResponse, AlterPartitionsResponse__Output as _weir_v1_AlterPartitionsResponse__Output } from './weir/v1/AlterPartitionsResponse.ts';
import type { BrokerLinkClient as _weir_v1_BrokerLinkClient, BrokerLinkDefinition as _weir_v1_BrokerLinkDefinition } from './weir/v1/BrokerLink.ts';
import type { ConfigEntry as _weir_v1_ConfigEntry, ConfigEntry__Output as _weir_v1_ConfigEntry__Output } from './weir/v1/ConfigEntry.ts';
import type { Header as _weir_v1_Header, Header__Output as _weir_v1_Header__Output } from './weir/v1/Header.ts';
import type { IsrMember as _weir_v1_IsrMember, IsrMember__Output as _weir_v1_IsrMember__Output } from './weir/v1/IsrMember.ts';
import type { Leader as _weir_v1_Leader, Leader__Output as _weir_v1_Leader__Output } from './weir/v1/Leader.ts';
import type { Record as _weir_v1_Record, Record__Output as _weir_v1_Record__Output } from './weir/v1/Record.ts';
import type { RegisterBrokerRequest as _weir_v1_RegisterBrokerRequest, RegisterBrokerRequest__Output as _weir_v1_RegisterBrokerRequest__Output } from './weir/v1/RegisterBrokerRequest.ts';
import type { RegisterBrokerResponse as _weir_v1_RegisterBrokerResponse, RegisterBrokerResponse__Output as _weir_v1_RegisterBrokerResponse__Output } from './weir/v1/RegisterBrokerResponse.ts';
import type { Status as _weir_v1_Status, Status__Output as _weir_v1_Status__Output } from './weir/v1/Status.ts';
import type { WatchRequest as _weir_v1_WatchRequest, WatchRequest__Output as _weir_v1_WatchRequest__Output } from './weir/v1/WatchRequest.ts';
import type { WatchResponse as _weir_v1_WatchResponse, WatchResponse__Output as _weir_v1_WatchResponse__Output } from './weir/v1/WatchResponse.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  weir: {
    v1: {
      AllocateProducerIdsRequest: MessageTypeDefinition<_weir_v1_AllocateProducerIdsRequest, _weir_v1_AllocateProducerIdsRequest__Output>
      AllocateProducerIdsResponse: MessageTypeDefinition<_weir_v1_AllocateProducerIdsResponse, _weir_v1_AllocateProducerIdsResponse__Output>
      AlterPartition: MessageTypeDefinition<_weir_v1_AlterPartition, _weir_v1_AlterPartition__Output>
      AlterPartitionResult: MessageTypeDefinition<_weir_v1_AlterPartitionResult, _weir_v1_AlterPartitionResult__Output>
      AlterPartitionsRequest: MessageTypeDefinition<_weir_v1_AlterPartitionsRequest, _weir_v1_AlterPartitionsRequest__Output>
      AlterPartitionsResponse: MessageTypeDefinition<_weir_v1_AlterPartitionsResponse, _weir_v1_AlterPartitionsResponse__Output>
      BrokerLink: SubtypeConstructor<typeof grpc.Client, _weir_v1_BrokerLinkClient> & { service: _weir_v1_BrokerLinkDefinition }
      ConfigEntry: MessageTypeDefinition<_weir_v1_ConfigEntry, _weir_v1_ConfigEntry__Output>
      Header: MessageTypeDefinition<_weir_v1_Header, _weir_v1_Header__Output>
      IsrMember: MessageTypeDefinition<_weir_v1_IsrMember, _weir_v1_IsrMember__Output>
      Leader: MessageTypeDefinition<_weir_v1_Leader, _weir_v1_Leader__Output>
      Record: MessageTypeDefinition<_weir_v1_Record, _weir_v1_Record__Output>
      RegisterBrokerRequest: MessageTypeDefinition<_weir_v1_RegisterBrokerRequest, _weir_v1_RegisterBrokerRequest__Output>
      RegisterBrokerResponse: MessageTypeDefinition<_weir_v1_RegisterBrokerResponse, _weir_v1_RegisterBrokerResponse__Output>
      Status: MessageTypeDefinition<_weir_v1_Status, _weir_v1_Status__Output>
      WatchRequest: MessageTypeDefinition<_weir_v1_WatchRequest, _weir_v1_WatchRequest__Output>
      WatchResponse: MessageTypeDefinition<_weir_v1_WatchResponse, _weir_v1_WatchResponse__Output>
    }
  }
}


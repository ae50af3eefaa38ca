import type * as grpc from '@grpc/grpc-js';
import type { EnumTypeDefinition, MessageTypeDefinition } from '@grpc/proto-loader';

import type { AddPartitionsRequest as _weir_v1_AddPartitionsRequest, AddPartitionsRequest__Output as _weir_v1_AddPartitionsRequest__Output } from './weir/v1/AddPartitionsRequest.ts';
import type { AddPartitionsResponse as _weir_v1_AddPartitionsResponse, AddPartitionsResponse__Output as _weir_v1_AddPartitionsResponse__Output } from './weir/v1/AddPartitionsResponse.ts';
import type { AddPartitionsTopic as _weir_v1_AddPartitionsTopic, AddPartitionsTopic__Output as _weir_v1_AddPartitionsTopic__Output } from './weir/v1/AddPartitionsTopic.ts';
import type { AdminClient as _weir_v1_AdminClient, AdminDefinition as _weir_v1_AdminDefinition } from './weir/v1/Admin.ts';
import type { AlterConfigsRequest as _weir_v1_AlterConfigsRequest, AlterConfigsRequest__Output as _weir_v1_AlterConfigsRequest__Output } from './weir/v1/AlterConfigsRequest.ts';
import type { AlterConfigsResponse as _weir_v1_AlterConfigsResponse, AlterConfigsResponse__Output as _weir_v1_AlterConfigsResponse__Output } from './weir/v1/AlterConfigsResponse.ts';
import type { BrokerAddress as _weir_v1_BrokerAddress, BrokerAddress__Output as _weir_v1_BrokerAddress__Output } from './weir/v1/BrokerAddress.ts';
import type { BrokerDescription as _weir_v1_BrokerDescription, BrokerDescription__Output as _weir_v1_BrokerDescription__Output } from './weir/v1/BrokerDescription.ts';
import type { ClusterHealth as _weir_v1_ClusterHealth, ClusterHealth__Output as _weir_v1_ClusterHealth__Output } from './weir/v1/ClusterHealth.ts';
import type { ConfigAlteration as _weir_v1_ConfigAlteration, ConfigAlteration__Output as _weir_v1_ConfigAlteration__Output } from './weir/v1/ConfigAlteration.ts';
import type { ConfigAlterationResult as _weir_v1_ConfigAlterationResult, ConfigAlterationResult__Output as _weir_v1_ConfigAlterationResult__Output } from './weir/v1/ConfigAlterationResult.ts';
import type { ConfigDescription as _weir_v1_ConfigDescription, ConfigDescription__Output as _weir_v1_ConfigDescription__Output } from './weir/v1/ConfigDescription.ts';
import type { ConfigEntry as _weir_v1_ConfigEntry, ConfigEntry__Output as _weir_v1_ConfigEntry__Output } from './weir/v1/ConfigEntry.ts';
import type { ConfigResource as _weir_v1_ConfigResource, ConfigResource__Output as _weir_v1_ConfigResource__Output } from './weir/v1/ConfigResource.ts';
import type { ConfigValue as _weir_v1_ConfigValue, ConfigValue__Output as _weir_v1_ConfigValue__Output } from './weir/v1/ConfigValue.ts';
import type { ControllerDescription as _weir_v1_ControllerDescription, ControllerDescription__Output as _weir_v1_ControllerDescription__Output } from './weir/v1/ControllerDescription.ts';
import type { CreateTopicResult as _weir_v1_CreateTopicResult, CreateTopicResult__Output as _weir_v1_CreateTopicResult__Output } from './weir/v1/CreateTopicResult.ts';
import type { CreateTopicsRequest as _weir_v1_CreateTopicsRequest, CreateTopicsRequest__Output as _weir_v1_CreateTopicsRequest__Output } from './weir/v1/CreateTopicsRequest.ts';
import type { CreateTopicsResponse as _weir_v1_CreateTopicsResponse, CreateTopicsResponse__Output as _weir_v1_CreateTopicsResponse__Output } from './weir/v1/CreateTopicsResponse.ts';
import type { DataClient as _weir_v1_DataClient, DataDefinition as _weir_v1_DataDefinition } from './weir/v1/Data.ts';
import type { DeleteTopicsRequest as _weir_v1_DeleteTopicsRequest, DeleteTopicsRequest__Output as _weir_v1_DeleteTopicsRequest__Output } from './weir/v1/DeleteTopicsRequest.ts';
import type { DeleteTopicsResponse as _weir_v1_DeleteTopicsResponse, DeleteTopicsResponse__Output as _weir_v1_DeleteTopicsResponse__Output } from './weir/v1/DeleteTopicsResponse.ts';
import type { DescribeClusterRequest as _weir_v1_DescribeClusterRequest, DescribeClusterRequest__Output as _weir_v1_DescribeClusterRequest__Output } from './weir/v1/DescribeClusterRequest.ts';
import type { DescribeClusterResponse as _weir_v1_DescribeClusterResponse, DescribeClusterResponse__Output as _weir_v1_DescribeClusterResponse__Output } from './weir/v1/DescribeClusterResponse.ts';
import type { DescribeConfigsRequest as _weir_v1_DescribeConfigsRequest, DescribeConfigsRequest__Output as _weir_v1_DescribeConfigsRequest__Output } from './weir/v1/DescribeConfigsRequest.ts';
import type { DescribeConfigsResponse as _weir_v1_DescribeConfigsResponse, DescribeConfigsResponse__Output as _weir_v1_DescribeConfigsResponse__Output } from './weir/v1/DescribeConfigsResponse.ts';
import type { DescribeQuorumRequest as _weir_v1_DescribeQuorumRequest, DescribeQuorumRequest__Output as _weir_v1_DescribeQuorumRequest__Output } from './weir/v1/DescribeQuorumRequest.ts';
import type { DescribeQuorumResponse as _weir_v1_DescribeQuorumResponse, DescribeQuorumResponse__Output as _weir_v1_DescribeQuorumResponse__Output } from './weir/v1/DescribeQuorumResponse.ts';
import type { DescribeTopicsRequest as _weir_v1_DescribeTopicsRequest, DescribeTopicsRequest__Output as _weir_v1_DescribeTopicsRequest__Output } from './weir/v1/DescribeTopicsRequest.ts';
import type { DescribeTopicsResponse as _weir_v1_DescribeTopicsResponse, DescribeTopicsResponse__Output as _weir_v1_DescribeTopicsResponse__Output } from './weir/v1/DescribeTopicsResponse.ts';
import type { DrainBrokerRequest as _weir_v1_DrainBrokerRequest, DrainBrokerRequest__Output as _weir_v1_DrainBrokerRequest__Output } from './weir/v1/DrainBrokerRequest.ts';
import type { DrainBrokerResponse as _weir_v1_DrainBrokerResponse, DrainBrokerResponse__Output as _weir_v1_DrainBrokerResponse__Output } from './weir/v1/DrainBrokerResponse.ts';
import type { ElectLeadersRequest as _weir_v1_ElectLeadersRequest, ElectLeadersRequest__Output as _weir_v1_ElectLeadersRequest__Output } from './weir/v1/ElectLeadersRequest.ts';
import type { ElectLeadersResponse as _weir_v1_ElectLeadersResponse, ElectLeadersResponse__Output as _weir_v1_ElectLeadersResponse__Output } from './weir/v1/ElectLeadersResponse.ts';
import type { ElectPartition as _weir_v1_ElectPartition, ElectPartition__Output as _weir_v1_ElectPartition__Output } from './weir/v1/ElectPartition.ts';
import type { ElectResult as _weir_v1_ElectResult, ElectResult__Output as _weir_v1_ElectResult__Output } from './weir/v1/ElectResult.ts';
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
import type { ListPartitionsRequest as _weir_v1_ListPartitionsRequest, ListPartitionsRequest__Output as _weir_v1_ListPartitionsRequest__Output } from './weir/v1/ListPartitionsRequest.ts';
import type { ListPartitionsResponse as _weir_v1_ListPartitionsResponse, ListPartitionsResponse__Output as _weir_v1_ListPartitionsResponse__Output } from './weir/v1/ListPartitionsResponse.ts';
import type { ListTopicsRequest as _weir_v1_ListTopicsRequest, ListTopicsRequest__Output as _weir_v1_ListTopicsRequest__Output } from './weir/v1/ListTopicsRequest.ts';
import type { ListTopicsResponse as _weir_v1_ListTopicsResponse, ListTopicsResponse__Output as _weir_v1_ListTopicsResponse__Output } from './weir/v1/ListTopicsResponse.ts';
import type { NewTopic as _weir_v1_NewTopic, NewTopic__Output as _weir_v1_NewTopic__Output } from './weir/v1/NewTopic.ts';
import type { PartitionListing as _weir_v1_PartitionListing, PartitionListing__Output as _weir_v1_PartitionListing__Output } from './weir/v1/PartitionListing.ts';
import type { PartitionMetadata as _weir_v1_PartitionMetadata, PartitionMetadata__Output as _weir_v1_PartitionMetadata__Output } from './weir/v1/PartitionMetadata.ts';
import type { ProducePartition as _weir_v1_ProducePartition, ProducePartition__Output as _weir_v1_ProducePartition__Output } from './weir/v1/ProducePartition.ts';
import type { ProduceRequest as _weir_v1_ProduceRequest, ProduceRequest__Output as _weir_v1_ProduceRequest__Output } from './weir/v1/ProduceRequest.ts';
import type { ProduceResponse as _weir_v1_ProduceResponse, ProduceResponse__Output as _weir_v1_ProduceResponse__Output } from './weir/v1/ProduceResponse.ts';
import type { ProduceResult as _weir_v1_ProduceResult, ProduceResult__Output as _weir_v1_ProduceResult__Output } from './weir/v1/ProduceResult.ts';
import type { QuorumVoter as _weir_v1_QuorumVoter, QuorumVoter__Output as _weir_v1_QuorumVoter__Output } from './weir/v1/QuorumVoter.ts';
import type { Record as _weir_v1_Record, Record__Output as _weir_v1_Record__Output } from './weir/v1/Record.ts';
import type { RecordList as _weir_v1_RecordList, RecordList__Output as _weir_v1_RecordList__Output } from './weir/v1/RecordList.ts';
import type { ReplicaList as _weir_v1_ReplicaList, ReplicaList__Output as _weir_v1_ReplicaList__Output } from './weir/v1/ReplicaList.ts';
import type { ResumeBrokerRequest as _weir_v1_ResumeBrokerRequest, ResumeBrokerRequest__Output as _weir_v1_ResumeBrokerRequest__Output } from './weir/v1/ResumeBrokerRequest.ts';
import type { ResumeBrokerResponse as _weir_v1_ResumeBrokerResponse, ResumeBrokerResponse__Output as _weir_v1_ResumeBrokerResponse__Output } from './weir/v1/ResumeBrokerResponse.ts';
import type { Status as _weir_v1_Status, Status__Output as _weir_v1_Status__Output } from './weir/v1/Status.ts';
import type { TopicDescription as _weir_v1_TopicDescription, TopicDescription__Output as _weir_v1_TopicDescription__Output } from './weir/v1/TopicDescription.ts';
import type { TopicListing as _weir_v1_TopicListing, TopicListing__Output as _weir_v1_TopicListing__Output } from './weir/v1/TopicListing.ts';
import type { TopicMetadata as _weir_v1_TopicMetadata, TopicMetadata__Output as _weir_v1_TopicMetadata__Output } from './weir/v1/TopicMetadata.ts';
import type { TopicStatus as _weir_v1_TopicStatus, TopicStatus__Output as _weir_v1_TopicStatus__Output } from './weir/v1/TopicStatus.ts';
import type { TransferLeadershipRequest as _weir_v1_TransferLeadershipRequest, TransferLeadershipRequest__Output as _weir_v1_TransferLeadershipRequest__Output } from './weir/v1/TransferLeadershipRequest.ts';
import type { TransferLeadershipResponse as _weir_v1_TransferLeadershipResponse, TransferLeadershipResponse__Output as _weir_v1_TransferLeadershipResponse__Output } from './weir/v1/TransferLeadershipResponse.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  weir: {
    v1: {
      AddPartitionsRequest: MessageTypeDefinition<_weir_v1_AddPartitionsRequest, _weir_v1_AddPartitionsRequest__Output>
      AddPartitionsResponse: MessageTypeDefinition<_weir_v1_AddPartitionsResponse, _weir_v1_AddPartitionsResponse__Output>
      AddPartitionsTopic: MessageTypeDefinition<_weir_v1_AddPartitionsTopic, _weir_v1_AddPartitionsTopic__Output>
      Admin: SubtypeConstructor<typeof grpc.Client, _weir_v1_AdminClient> & { service: _weir_v1_AdminDefinition }
      AlterConfigsRequest: MessageTypeDefinition<_weir_v1_AlterConfigsRequest, _weir_v1_AlterConfigsRequest__Output>
      AlterConfigsResponse: MessageTypeDefinition<_weir_v1_AlterConfigsResponse, _weir_v1_AlterConfigsResponse__Output>
      BrokerAddress: MessageTypeDefinition<_weir_v1_BrokerAddress, _weir_v1_BrokerAddress__Output>
      BrokerDescription: MessageTypeDefinition<_weir_v1_BrokerDescription, _weir_v1_BrokerDescription__Output>
      ClusterHealth: MessageTypeDefinition<_weir_v1_ClusterHealth, _weir_v1_ClusterHealth__Output>
      ConfigAlteration: MessageTypeDefinition<_weir_v1_ConfigAlteration, _weir_v1_ConfigAlteration__Output>
      ConfigAlterationResult: MessageTypeDefinition<_weir_v1_ConfigAlterationResult, _weir_v1_ConfigAlterationResult__Output>
      ConfigDescription: MessageTypeDefinition<_weir_v1_ConfigDescription, _weir_v1_ConfigDescription__Output>
      ConfigEntry: MessageTypeDefinition<_weir_v1_ConfigEntry, _weir_v1_ConfigEntry__Output>
      ConfigResource: MessageTypeDefinition<_weir_v1_ConfigResource, _weir_v1_ConfigResource__Output>
      ConfigScope: EnumTypeDefinition
      ConfigValue: MessageTypeDefinition<_weir_v1_ConfigValue, _weir_v1_ConfigValue__Output>
      ControllerDescription: MessageTypeDefinition<_weir_v1_ControllerDescription, _weir_v1_ControllerDescription__Output>
      CreateTopicResult: MessageTypeDefinition<_weir_v1_CreateTopicResult, _weir_v1_CreateTopicResult__Output>
      CreateTopicsRequest: MessageTypeDefinition<_weir_v1_CreateTopicsRequest, _weir_v1_CreateTopicsRequest__Output>
      CreateTopicsResponse: MessageTypeDefinition<_weir_v1_CreateTopicsResponse, _weir_v1_CreateTopicsResponse__Output>
      Data: SubtypeConstructor<typeof grpc.Client, _weir_v1_DataClient> & { service: _weir_v1_DataDefinition }
      DeleteTopicsRequest: MessageTypeDefinition<_weir_v1_DeleteTopicsRequest, _weir_v1_DeleteTopicsRequest__Output>
      DeleteTopicsResponse: MessageTypeDefinition<_weir_v1_DeleteTopicsResponse, _weir_v1_DeleteTopicsResponse__Output>
      DescribeClusterRequest: MessageTypeDefinition<_weir_v1_DescribeClusterRequest, _weir_v1_DescribeClusterRequest__Output>
      DescribeClusterResponse: MessageTypeDefinition<_weir_v1_DescribeClusterResponse, _weir_v1_DescribeClusterResponse__Output>
      DescribeConfigsRequest: MessageTypeDefinition<_weir_v1_DescribeConfigsRequest, _weir_v1_DescribeConfigsRequest__Output>
      DescribeConfigsResponse: MessageTypeDefinition<_weir_v1_DescribeConfigsResponse, _weir_v1_DescribeConfigsResponse__Output>
      DescribeQuorumRequest: MessageTypeDefinition<_weir_v1_DescribeQuorumRequest, _weir_v1_DescribeQuorumRequest__Output>
      DescribeQuorumResponse: MessageTypeDefinition<_weir_v1_DescribeQuorumResponse, _weir_v1_DescribeQuorumResponse__Output>
      DescribeTopicsRequest: MessageTypeDefinition<_weir_v1_DescribeTopicsRequest, _weir_v1_DescribeTopicsRequest__Output>
      DescribeTopicsResponse: MessageTypeDefinition<_weir_v1_DescribeTopicsResponse, _weir_v1_DescribeTopicsResponse__Output>
      DrainBrokerRequest: MessageTypeDefinition<_weir_v1_DrainBrokerRequest, _weir_v1_DrainBrokerRequest__Output>
      DrainBrokerResponse: MessageTypeDefinition<_weir_v1_DrainBrokerResponse, _weir_v1_DrainBrokerResponse__Output>
      ElectLeadersRequest: MessageTypeDefinition<_weir_v1_ElectLeadersRequest, _weir_v1_ElectLeadersRequest__Output>
      ElectLeadersResponse: MessageTypeDefinition<_weir_v1_ElectLeadersResponse, _weir_v1_ElectLeadersResponse__Output>
      ElectPartition: MessageTypeDefinition<_weir_v1_ElectPartition, _weir_v1_ElectPartition__Output>
      ElectResult: MessageTypeDefinition<_weir_v1_ElectResult, _weir_v1_ElectResult__Output>
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
      ListPartitionsRequest: MessageTypeDefinition<_weir_v1_ListPartitionsRequest, _weir_v1_ListPartitionsRequest__Output>
      ListPartitionsResponse: MessageTypeDefinition<_weir_v1_ListPartitionsResponse, _weir_v1_ListPartitionsResponse__Output>
      ListTopicsRequest: MessageTypeDefinition<_weir_v1_ListTopicsRequest, _weir_v1_ListTopicsRequest__Output>
      ListTopicsResponse: MessageTypeDefinition<_weir_v1_ListTopicsResponse, _weir_v1_ListTopicsResponse__Output>
      NewTopic: MessageTypeDefinition<_weir_v1_NewTopic, _weir_v1_NewTopic__Output>
      PartitionListing: MessageTypeDefinition<_weir_v1_PartitionListing, _weir_v1_PartitionListing__Output>
      PartitionMetadata: MessageTypeDefinition<_weir_v1_PartitionMetadata, _weir_v1_PartitionMetadata__Output>
      ProducePartition: MessageTypeDefinition<_weir_v1_ProducePartition, _weir_v1_ProducePartition__Output>
      ProduceRequest: MessageTypeDefinition<_weir_v1_ProduceRequest, _weir_v1_ProduceRequest__Output>
      ProduceResponse: MessageTypeDefinition<_weir_v1_ProduceResponse, _weir_v1_ProduceResponse__Output>
      ProduceResult: MessageTypeDefinition<_weir_v1_ProduceResult, _weir_v1_ProduceResult__Output>
      QuorumVoter: MessageTypeDefinition<_weir_v1_QuorumVoter, _weir_v1_QuorumVoter__Output>
      Record: MessageTypeDefinition<_weir_v1_Record, _weir_v1_Record__Output>
      RecordList: MessageTypeDefinition<_weir_v1_RecordList, _weir_v1_RecordList__Output>
      ReplicaList: MessageTypeDefinition<_weir_v1_ReplicaList, _weir_v1_ReplicaList__Output>
      ResumeBrokerRequest: MessageTypeDefinition<_weir_v1_ResumeBrokerRequest, _weir_v1_ResumeBrokerRequest__Output>
      ResumeBrokerResponse: MessageTypeDefinition<_weir_v1_ResumeBrokerResponse, _weir_v1_ResumeBrokerResponse__Output>
      Status: MessageTypeDefinition<_weir_v1_Status, _weir_v1_Status__Output>
      TopicDescription: MessageTypeDefinition<_weir_v1_TopicDescription, _weir_v1_TopicDescription__Output>
      TopicListing: MessageTypeDefinition<_weir_v1_TopicListing, _weir_v1_TopicListing__Output>
      TopicMetadata: MessageTypeDefinition<_weir_v1_TopicMetadata, _weir_v1_TopicMetadata__Output>
      TopicStatus: MessageTypeDefinition<_weir_v1_TopicStatus, _weir_v1_TopicStatus__Output>
      TransferLeadershipRequest: MessageTypeDefinition<_weir_v1_TransferLeadershipRequest, _weir_v1_TransferLeadershipRequest__Output>
      TransferLeadershipResponse: MessageTypeDefinition<_weir_v1_TransferLeadershipResponse, _weir_v1_TransferLeadershipResponse__Output>
    }
  }
}


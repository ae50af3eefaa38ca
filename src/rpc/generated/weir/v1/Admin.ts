// Original file: proto/admin.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { AddPartitionsRequest as _weir_v1_AddPartitionsRequest, AddPartitionsRequest__Output as _weir_v1_AddPartitionsRequest__Output } from '../../weir/v1/AddPartitionsRequest.ts';
import type { AddPartitionsResponse as _weir_v1_AddPartitionsResponse, AddPartitionsResponse__Output as _weir_v1_AddPartitionsResponse__Output } from '../../weir/v1/AddPartitionsResponse.ts';
import type { AlterConfigsRequest as _weir_v1_AlterConfigsRequest, AlterConfigsRequest__Output as _weir_v1_AlterConfigsRequest__Output } from '../../weir/v1/AlterConfigsRequest.ts';
import type { AlterConfigsResponse as _weir_v1_AlterConfigsResponse, AlterConfigsResponse__Output as _weir_v1_AlterConfigsResponse__Output } from '../../weir/v1/AlterConfigsResponse.ts';
import type { CreateTopicsRequest as _weir_v1_CreateTopicsRequest, CreateTopicsRequest__Output as _weir_v1_CreateTopicsRequest__Output } from '../../weir/v1/CreateTopicsRequest.ts';
import type { CreateTopicsResponse as _weir_v1_CreateTopicsResponse, CreateTopicsResponse__Output as _weir_v1_CreateTopicsResponse__Output } from '../../weir/v1/CreateTopicsResponse.ts';
import type { DeleteTopicsRequest as _weir_v1_DeleteTopicsRequest, DeleteTopicsRequest__Output as _weir_v1_DeleteTopicsRequest__Output } from '../../weir/v1/DeleteTopicsRequest.ts';
import type { DeleteTopicsResponse as _weir_v1_DeleteTopicsResponse, DeleteTopicsResponse__Output as _weir_v1_DeleteTopicsResponse__Output } from '../../weir/v1/DeleteTopicsResponse.ts';
import type { DescribeClusterRequest as _weir_v1_DescribeClusterRequest, DescribeClusterRequest__Output as _weir_v1_DescribeClusterRequest__Output } from '../../weir/v1/DescribeClusterRequest.ts';
import type { DescribeClusterResponse as _weir_v1_DescribeClusterResponse, DescribeClusterResponse__Output as _weir_v1_DescribeClusterResponse__Output } from '../../weir/v1/DescribeClusterResponse.ts';
import type { DescribeConfigsRequest as _weir_v1_DescribeConfigsRequest, DescribeConfigsRequest__Output as _weir_v1_DescribeConfigsRequest__Output } from '../../weir/v1/DescribeConfigsRequest.ts';
import type { DescribeConfigsResponse as _weir_v1_DescribeConfigsResponse, DescribeConfigsResponse__Output as _weir_v1_DescribeConfigsResponse__Output } from '../../weir/v1/DescribeConfigsResponse.ts';
import type { DescribeQuorumRequest as _weir_v1_DescribeQuorumRequest, DescribeQuorumRequest__Output as _weir_v1_DescribeQuorumRequest__Output } from '../../weir/v1/DescribeQuorumRequest.ts';
import type { DescribeQuorumResponse as _weir_v1_DescribeQuorumResponse, DescribeQuorumResponse__Output as _weir_v1_DescribeQuorumResponse__Output } from '../../weir/v1/DescribeQuorumResponse.ts';
import type { DescribeTopicsRequest as _weir_v1_DescribeTopicsRequest, DescribeTopicsRequest__Output as _weir_v1_DescribeTopicsRequest__Output } from '../../weir/v1/DescribeTopicsRequest.ts';
import type { DescribeTopicsResponse as _weir_v1_DescribeTopicsResponse, DescribeTopicsResponse__Output as _weir_v1_DescribeTopicsResponse__Output } from '../../weir/v1/DescribeTopicsResponse.ts';
import type { DrainBrokerRequest as _weir_v1_DrainBrokerRequest, DrainBrokerRequest__Output as _weir_v1_DrainBrokerRequest__Output } from '../../weir/v1/DrainBrokerRequest.ts';
import type { DrainBrokerResponse as _weir_v1_DrainBrokerResponse, DrainBrokerResponse__Output as _weir_v1_DrainBrokerResponse__Output } from '../../weir/v1/DrainBrokerResponse.ts';
import type { ElectLeadersRequest as _weir_v1_ElectLeadersRequest, ElectLeadersRequest__Output as _weir_v1_ElectLeadersRequest__Output } from '../../weir/v1/ElectLeadersRequest.ts';
import type { ElectLeadersResponse as _weir_v1_ElectLeadersResponse, ElectLeadersResponse__Output as _weir_v1_ElectLeadersResponse__Output } from '../../weir/v1/ElectLeadersResponse.ts';
import type { ListPartitionsRequest as _weir_v1_ListPartitionsRequest, ListPartitionsRequest__Output as _weir_v1_ListPartitionsRequest__Output } from '../../weir/v1/ListPartitionsRequest.ts';
import type { ListPartitionsResponse as _weir_v1_ListPartitionsResponse, ListPartitionsResponse__Output as _weir_v1_ListPartitionsResponse__Output } from '../../weir/v1/ListPartitionsResponse.ts';
import type { ListTopicsRequest as _weir_v1_ListTopicsRequest, ListTopicsRequest__Output as _weir_v1_ListTopicsRequest__Output } from '../../weir/v1/ListTopicsRequest.ts';
import type { ListTopicsResponse as _weir_v1_ListTopicsResponse, ListTopicsResponse__Output as _weir_v1_ListTopicsResponse__Output } from '../../weir/v1/ListTopicsResponse.ts';
import type { ResumeBrokerRequest as _weir_v1_ResumeBrokerRequest, ResumeBrokerRequest__Output as _weir_v1_ResumeBrokerRequest__Output } from '../../weir/v1/ResumeBrokerRequest.ts';
import type { ResumeBrokerResponse as _weir_v1_ResumeBrokerResponse, ResumeBrokerResponse__Output as _weir_v1_ResumeBrokerResponse__Output } from '../../weir/v1/ResumeBrokerResponse.ts';
import type { TransferLeadershipRequest as _weir_v1_TransferLeadershipRequest, TransferLeadershipRequest__Output as _weir_v1_TransferLeadershipRequest__Output } from '../../weir/v1/TransferLeadershipRequest.ts';
import type { TransferLeadershipResponse as _weir_v1_TransferLeadershipResponse, TransferLeadershipResponse__Output as _weir_v1_TransferLeadershipResponse__Output } from '../../weir/v1/TransferLeadershipResponse.ts';

export interface AdminClient extends grpc.Client {
  AddPartitions(argument: _weir_v1_AddPartitionsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_AddPartitionsResponse__Output>): grpc.ClientUnaryCall;
  AddPartitions(argument: _weir_v1_AddPartitionsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_AddPartitionsResponse__Output>): grpc.ClientUnaryCall;
  AddPartitions(argument: _weir_v1_AddPartitionsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_AddPartitionsResponse__Output>): grpc.ClientUnaryCall;
  AddPartitions(argument: _weir_v1_AddPartitionsRequest, callback: grpc.requestCallback<_weir_v1_AddPartitionsResponse__Output>): grpc.ClientUnaryCall;
  addPartitions(argument: _weir_v1_AddPartitionsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_AddPartitionsResponse__Output>): grpc.ClientUnaryCall;
  addPartitions(argument: _weir_v1_AddPartitionsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_AddPartitionsResponse__Output>): grpc.ClientUnaryCall;
  addPartitions(argument: _weir_v1_AddPartitionsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_AddPartitionsResponse__Output>): grpc.ClientUnaryCall;
  addPartitions(argument: _weir_v1_AddPartitionsRequest, callback: grpc.requestCallback<_weir_v1_AddPartitionsResponse__Output>): grpc.ClientUnaryCall;
  
  AlterConfigs(argument: _weir_v1_AlterConfigsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_AlterConfigsResponse__Output>): grpc.ClientUnaryCall;
  AlterConfigs(argument: _weir_v1_AlterConfigsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_AlterConfigsResponse__Output>): grpc.ClientUnaryCall;
  AlterConfigs(argument: _weir_v1_AlterConfigsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_AlterConfigsResponse__Output>): grpc.ClientUnaryCall;
  AlterConfigs(argument: _weir_v1_AlterConfigsRequest, callback: grpc.requestCallback<_weir_v1_AlterConfigsResponse__Output>): grpc.ClientUnaryCall;
  alterConfigs(argument: _weir_v1_AlterConfigsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_AlterConfigsResponse__Output>): grpc.ClientUnaryCall;
  alterConfigs(argument: _weir_v1_AlterConfigsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_AlterConfigsResponse__Output>): grpc.ClientUnaryCall;
  alterConfigs(argument: _weir_v1_AlterConfigsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_AlterConfigsResponse__Output>): grpc.ClientUnaryCall;
  alterConfigs(argument: _weir_v1_AlterConfigsRequest, callback: grpc.requestCallback<_weir_v1_AlterConfigsResponse__Output>): grpc.ClientUnaryCall;
  
  CreateTopics(argument: _weir_v1_CreateTopicsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_CreateTopicsResponse__Output>): grpc.ClientUnaryCall;
  CreateTopics(argument: _weir_v1_CreateTopicsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_CreateTopicsResponse__Output>): grpc.ClientUnaryCall;
  CreateTopics(argument: _weir_v1_CreateTopicsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_CreateTopicsResponse__Output>): grpc.ClientUnaryCall;
  CreateTopics(argument: _weir_v1_CreateTopicsRequest, callback: grpc.requestCallback<_weir_v1_CreateTopicsResponse__Output>): grpc.ClientUnaryCall;
  createTopics(argument: _weir_v1_CreateTopicsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_CreateTopicsResponse__Output>): grpc.ClientUnaryCall;
  createTopics(argument: _weir_v1_CreateTopicsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_CreateTopicsResponse__Output>): grpc.ClientUnaryCall;
  createTopics(argument: _weir_v1_CreateTopicsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_CreateTopicsResponse__Output>): grpc.ClientUnaryCall;
  createTopics(argument: _weir_v1_CreateTopicsRequest, callback: grpc.requestCallback<_weir_v1_CreateTopicsResponse__Output>): grpc.ClientUnaryCall;
  
  DeleteTopics(argument: _weir_v1_DeleteTopicsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_DeleteTopicsResponse__Output>): grpc.ClientUnaryCall;
  DeleteTopics(argument: _weir_v1_DeleteTopicsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_DeleteTopicsResponse__Output>): grpc.ClientUnaryCall;
  DeleteTopics(argument: _weir_v1_DeleteTopicsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_DeleteTopicsResponse__Output>): grpc.ClientUnaryCall;
  DeleteTopics(argument: _weir_v1_DeleteTopicsRequest, callback: grpc.requestCallback<_weir_v1_DeleteTopicsResponse__Output>): grpc.ClientUnaryCall;
  deleteTopics(argument: _weir_v1_DeleteTopicsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_DeleteTopicsResponse__Output>): grpc.ClientUnaryCall;
  deleteTopics(argument: _weir_v1_DeleteTopicsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_DeleteTopicsResponse__Output>): grpc.ClientUnaryCall;
  deleteTopics(argument: _weir_v1_DeleteTopicsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_DeleteTopicsResponse__Output>): grpc.ClientUnaryCall;
  deleteTopics(argument: _weir_v1_DeleteTopicsRequest, callback: grpc.requestCallback<_weir_v1_DeleteTopicsResponse__Output>): grpc.ClientUnaryCall;
  
  DescribeCluster(argument: _weir_v1_DescribeClusterRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_DescribeClusterResponse__Output>): grpc.ClientUnaryCall;
  DescribeCluster(argument: _weir_v1_DescribeClusterRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_DescribeClusterResponse__Output>): grpc.ClientUnaryCall;
  DescribeCluster(argument: _weir_v1_DescribeClusterRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_DescribeClusterResponse__Output>): grpc.ClientUnaryCall;
  DescribeCluster(argument: _weir_v1_DescribeClusterRequest, callback: grpc.requestCallback<_weir_v1_DescribeClusterResponse__Output>): grpc.ClientUnaryCall;
  describeCluster(argument: _weir_v1_DescribeClusterRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_DescribeClusterResponse__Output>): grpc.ClientUnaryCall;
  describeCluster(argument: _weir_v1_DescribeClusterRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_DescribeClusterResponse__Output>): grpc.ClientUnaryCall;
  describeCluster(argument: _weir_v1_DescribeClusterRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_DescribeClusterResponse__Output>): grpc.ClientUnaryCall;
  describeCluster(argument: _weir_v1_DescribeClusterRequest, callback: grpc.requestCallback<_weir_v1_DescribeClusterResponse__Output>): grpc.ClientUnaryCall;
  
  DescribeConfigs(argument: _weir_v1_DescribeConfigsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_DescribeConfigsResponse__Output>): grpc.ClientUnaryCall;
  DescribeConfigs(argument: _weir_v1_DescribeConfigsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_DescribeConfigsResponse__Output>): grpc.ClientUnaryCall;
  DescribeConfigs(argument: _weir_v1_DescribeConfigsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_DescribeConfigsResponse__Output>): grpc.ClientUnaryCall;
  DescribeConfigs(argument: _weir_v1_DescribeConfigsRequest, callback: grpc.requestCallback<_weir_v1_DescribeConfigsResponse__Output>): grpc.ClientUnaryCall;
  describeConfigs(argument: _weir_v1_DescribeConfigsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_DescribeConfigsResponse__Output>): grpc.ClientUnaryCall;
  describeConfigs(argument: _weir_v1_DescribeConfigsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_DescribeConfigsResponse__Output>): grpc.ClientUnaryCall;
  describeConfigs(argument: _weir_v1_DescribeConfigsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_DescribeConfigsResponse__Output>): grpc.ClientUnaryCall;
  describeConfigs(argument: _weir_v1_DescribeConfigsRequest, callback: grpc.requestCallback<_weir_v1_DescribeConfigsResponse__Output>): grpc.ClientUnaryCall;
  
  DescribeQuorum(argument: _weir_v1_DescribeQuorumRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_DescribeQuorumResponse__Output>): grpc.ClientUnaryCall;
  DescribeQuorum(argument: _weir_v1_DescribeQuorumRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_DescribeQuorumResponse__Output>): grpc.ClientUnaryCall;
  DescribeQuorum(argument: _weir_v1_DescribeQuorumRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_DescribeQuorumResponse__Output>): grpc.ClientUnaryCall;
  DescribeQuorum(argument: _weir_v1_DescribeQuorumRequest, callback: grpc.requestCallback<_weir_v1_DescribeQuorumResponse__Output>): grpc.ClientUnaryCall;
  describeQuorum(argument: _weir_v1_DescribeQuorumRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_DescribeQuorumResponse__Output>): grpc.ClientUnaryCall;
  describeQuorum(argument: _weir_v1_DescribeQuorumRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_DescribeQuorumResponse__Output>): grpc.ClientUnaryCall;
  describeQuorum(argument: _weir_v1_DescribeQuorumRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_DescribeQuorumResponse__Output>): grpc.ClientUnaryCall;
  describeQuorum(argument: _weir_v1_DescribeQuorumRequest, callback: grpc.requestCallback<_weir_v1_DescribeQuorumResponse__Output>): grpc.ClientUnaryCall;
  
  DescribeTopics(argument: _weir_v1_DescribeTopicsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_DescribeTopicsResponse__Output>): grpc.ClientUnaryCall;
  DescribeTopics(argument: _weir_v1_DescribeTopicsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_DescribeTopicsResponse__Output>): grpc.ClientUnaryCall;
  DescribeTopics(argument: _weir_v1_DescribeTopicsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_DescribeTopicsResponse__Output>): grpc.ClientUnaryCall;
  DescribeTopics(argument: _weir_v1_DescribeTopicsRequest, callback: grpc.requestCallback<_weir_v1_DescribeTopicsResponse__Output>): grpc.ClientUnaryCall;
  describeTopics(argument: _weir_v1_DescribeTopicsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_DescribeTopicsResponse__Output>): grpc.ClientUnaryCall;
  describeTopics(argument: _weir_v1_DescribeTopicsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_DescribeTopicsResponse__Output>): grpc.ClientUnaryCall;
  describeTopics(argument: _weir_v1_DescribeTopicsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_DescribeTopicsResponse__Output>): grpc.ClientUnaryCall;
  describeTopics(argument: _weir_v1_DescribeTopicsRequest, callback: grpc.requestCallback<_weir_v1_DescribeTopicsResponse__Output>): grpc.ClientUnaryCall;
  
  DrainBroker(argument: _weir_v1_DrainBrokerRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_DrainBrokerResponse__Output>): grpc.ClientUnaryCall;
  DrainBroker(argument: _weir_v1_DrainBrokerRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_DrainBrokerResponse__Output>): grpc.ClientUnaryCall;
  DrainBroker(argument: _weir_v1_DrainBrokerRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_DrainBrokerResponse__Output>): grpc.ClientUnaryCall;
  DrainBroker(argument: _weir_v1_DrainBrokerRequest, callback: grpc.requestCallback<_weir_v1_DrainBrokerResponse__Output>): grpc.ClientUnaryCall;
  drainBroker(argument: _weir_v1_DrainBrokerRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_DrainBrokerResponse__Output>): grpc.ClientUnaryCall;
  drainBroker(argument: _weir_v1_DrainBrokerRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_DrainBrokerResponse__Output>): grpc.ClientUnaryCall;
  drainBroker(argument: _weir_v1_DrainBrokerRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_DrainBrokerResponse__Output>): grpc.ClientUnaryCall;
  drainBroker(argument: _weir_v1_DrainBrokerRequest, callback: grpc.requestCallback<_weir_v1_DrainBrokerResponse__Output>): grpc.ClientUnaryCall;
  
  ElectLeaders(argument: _weir_v1_ElectLeadersRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_ElectLeadersResponse__Output>): grpc.ClientUnaryCall;
  ElectLeaders(argument: _weir_v1_ElectLeadersRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_ElectLeadersResponse__Output>): grpc.ClientUnaryCall;
  ElectLeaders(argument: _weir_v1_ElectLeadersRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_ElectLeadersResponse__Output>): grpc.ClientUnaryCall;
  ElectLeaders(argument: _weir_v1_ElectLeadersRequest, callback: grpc.requestCallback<_weir_v1_ElectLeadersResponse__Output>): grpc.ClientUnaryCall;
  electLeaders(argument: _weir_v1_ElectLeadersRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_ElectLeadersResponse__Output>): grpc.ClientUnaryCall;
  electLeaders(argument: _weir_v1_ElectLeadersRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_ElectLeadersResponse__Output>): grpc.ClientUnaryCall;
  electLeaders(argument: _weir_v1_ElectLeadersRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_ElectLeadersResponse__Output>): grpc.ClientUnaryCall;
  electLeaders(argument: _weir_v1_ElectLeadersRequest, callback: grpc.requestCallback<_weir_v1_ElectLeadersResponse__Output>): grpc.ClientUnaryCall;
  
  ListPartitions(argument: _weir_v1_ListPartitionsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_ListPartitionsResponse__Output>): grpc.ClientUnaryCall;
  ListPartitions(argument: _weir_v1_ListPartitionsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_ListPartitionsResponse__Output>): grpc.ClientUnaryCall;
  ListPartitions(argument: _weir_v1_ListPartitionsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_ListPartitionsResponse__Output>): grpc.ClientUnaryCall;
  ListPartitions(argument: _weir_v1_ListPartitionsRequest, callback: grpc.requestCallback<_weir_v1_ListPartitionsResponse__Output>): grpc.ClientUnaryCall;
  listPartitions(argument: _weir_v1_ListPartitionsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_ListPartitionsResponse__Output>): grpc.ClientUnaryCall;
  listPartitions(argument: _weir_v1_ListPartitionsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_ListPartitionsResponse__Output>): grpc.ClientUnaryCall;
  listPartitions(argument: _weir_v1_ListPartitionsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_ListPartitionsResponse__Output>): grpc.ClientUnaryCall;
  listPartitions(argument: _weir_v1_ListPartitionsRequest, callback: grpc.requestCallback<_weir_v1_ListPartitionsResponse__Output>): grpc.ClientUnaryCall;
  
  ListTopics(argument: _weir_v1_ListTopicsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_ListTopicsResponse__Output>): grpc.ClientUnaryCall;
  ListTopics(argument: _weir_v1_ListTopicsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_ListTopicsResponse__Output>): grpc.ClientUnaryCall;
  ListTopics(argument: _weir_v1_ListTopicsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_ListTopicsResponse__Output>): grpc.ClientUnaryCall;
  ListTopics(argument: _weir_v1_ListTopicsRequest, callback: grpc.requestCallback<_weir_v1_ListTopicsResponse__Output>): grpc.ClientUnaryCall;
  listTopics(argument: _weir_v1_ListTopicsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_ListTopicsResponse__Output>): grpc.ClientUnaryCall;
  listTopics(argument: _weir_v1_ListTopicsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_ListTopicsResponse__Output>): grpc.ClientUnaryCall;
  listTopics(argument: _weir_v1_ListTopicsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_ListTopicsResponse__Output>): grpc.ClientUnaryCall;
  listTopics(argument: _weir_v1_ListTopicsRequest, callback: grpc.requestCallback<_weir_v1_ListTopicsResponse__Output>): grpc.ClientUnaryCall;
  
  ResumeBroker(argument: _weir_v1_ResumeBrokerRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_ResumeBrokerResponse__Output>): grpc.ClientUnaryCall;
  ResumeBroker(argument: _weir_v1_ResumeBrokerRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_ResumeBrokerResponse__Output>): grpc.ClientUnaryCall;
  ResumeBroker(argument: _weir_v1_ResumeBrokerRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_ResumeBrokerResponse__Output>): grpc.ClientUnaryCall;
  ResumeBroker(argument: _weir_v1_ResumeBrokerRequest, callback: grpc.requestCallback<_weir_v1_ResumeBrokerResponse__Output>): grpc.ClientUnaryCall;
  resumeBroker(argument: _weir_v1_ResumeBrokerRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_ResumeBrokerResponse__Output>): grpc.ClientUnaryCall;
  resumeBroker(argument: _weir_v1_ResumeBrokerRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_ResumeBrokerResponse__Output>): grpc.ClientUnaryCall;
  resumeBroker(argument: _weir_v1_ResumeBrokerRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_ResumeBrokerResponse__Output>): grpc.ClientUnaryCall;
  resumeBroker(argument: _weir_v1_ResumeBrokerRequest, callback: grpc.requestCallback<_weir_v1_ResumeBrokerResponse__Output>): grpc.ClientUnaryCall;
  
  TransferLeadership(argument: _weir_v1_TransferLeadershipRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_TransferLeadershipResponse__Output>): grpc.ClientUnaryCall;
  TransferLeadership(argument: _weir_v1_TransferLeadershipRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_TransferLeadershipResponse__Output>): grpc.ClientUnaryCall;
  TransferLeadership(argument: _weir_v1_TransferLeadershipRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_TransferLeadershipResponse__Output>): grpc.ClientUnaryCall;
  TransferLeadership(argument: _weir_v1_TransferLeadershipRequest, callback: grpc.requestCallback<_weir_v1_TransferLeadershipResponse__Output>): grpc.ClientUnaryCall;
  transferLeadership(argument: _weir_v1_TransferLeadershipRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_TransferLeadershipResponse__Output>): grpc.ClientUnaryCall;
  transferLeadership(argument: _weir_v1_TransferLeadershipRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_weir_v1_TransferLeadershipResponse__Output>): grpc.ClientUnaryCall;
  transferLeadership(argument: _weir_v1_TransferLeadershipRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_weir_v1_TransferLeadershipResponse__Output>): grpc.ClientUnaryCall;
  transferLeadership(argument: _weir_v1_TransferLeadershipRequest, callback: grpc.requestCallback<_weir_v1_TransferLeadershipResponse__Output>): grpc.ClientUnaryCall;
  
}

export interface AdminHandlers extends grpc.UntypedServiceImplementation {
  AddPartitions: grpc.handleUnaryCall<_weir_v1_AddPartitionsRequest__Output, _weir_v1_AddPartitionsResponse>;
  
  AlterConfigs: grpc.handleUnaryCall<_weir_v1_AlterConfigsRequest__Output, _weir_v1_AlterConfigsResponse>;
  
  CreateTopics: grpc.handleUnaryCall<_weir_v1_CreateTopicsRequest__Output, _weir_v1_CreateTopicsResponse>;
  
  DeleteTopics: grpc.handleUnaryCall<_weir_v1_DeleteTopicsRequest__Output, _weir_v1_DeleteTopicsResponse>;
  
  DescribeCluster: grpc.handleUnaryCall<_weir_v1_DescribeClusterRequest__Output, _weir_v1_DescribeClusterResponse>;
  
  DescribeConfigs: grpc.handleUnaryCall<_weir_v1_DescribeConfigsRequest__Output, _weir_v1_DescribeConfigsResponse>;
  
  DescribeQuorum: grpc.handleUnaryCall<_weir_v1_DescribeQuorumRequest__Output, _weir_v1_DescribeQuorumResponse>;
  
  DescribeTopics: grpc.handleUnaryCall<_weir_v1_DescribeTopicsRequest__Output, _weir_v1_DescribeTopicsResponse>;
  
  DrainBroker: grpc.handleUnaryCall<_weir_v1_DrainBrokerRequest__Output, _weir_v1_DrainBrokerResponse>;
  
  ElectLeaders: grpc.handleUnaryCall<_weir_v1_ElectLeadersRequest__Output, _weir_v1_ElectLeadersResponse>;
  
  ListPartitions: grpc.handleUnaryCall<_weir_v1_ListPartitionsRequest__Output, _weir_v1_ListPartitionsResponse>;
  
  ListTopics: grpc.handleUnaryCall<_weir_v1_ListTopicsRequest__Output, _weir_v1_ListTopicsResponse>;
  
  ResumeBroker: grpc.handleUnaryCall<_weir_v1_ResumeBrokerRequest__Output, _weir_v1_ResumeBrokerResponse>;
  
  TransferLeadership: grpc.handleUnaryCall<_weir_v1_TransferLeadershipRequest__Output, _weir_v1_TransferLeadershipResponse>;
  
}

export interface AdminDefinition extends grpc.ServiceDefinition {
  AddPartitions: MethodDefinition<_weir_v1_AddPartitionsRequest, _weir_v1_AddPartitionsResponse, _weir_v1_AddPartitionsRequest__Output, _weir_v1_AddPartitionsResponse__Output>
  AlterConfigs: MethodDefinition<_weir_v1_AlterConfigsRequest, _weir_v1_AlterConfigsResponse, _weir_v1_AlterConfigsRequest__Output, _weir_v1_AlterConfigsResponse__Output>
  CreateTopics: MethodDefinition<_weir_v1_CreateTopicsRequest, _weir_v1_CreateTopicsResponse, _weir_v1_CreateTopicsRequest__Output, _weir_v1_CreateTopicsResponse__Output>
  DeleteTopics: MethodDefinition<_weir_v1_DeleteTopicsRequest, _weir_v1_DeleteTopicsResponse, _weir_v1_DeleteTopicsRequest__Output, _weir_v1_DeleteTopicsResponse__Output>
  DescribeCluster: MethodDefinition<_weir_v1_DescribeClusterRequest, _weir_v1_DescribeClusterResponse, _weir_v1_DescribeClusterRequest__Output, _weir_v1_DescribeClusterResponse__Output>
  DescribeConfigs: MethodDefinition<_weir_v1_DescribeConfigsRequest, _weir_v1_DescribeConfigsResponse, _weir_v1_DescribeConfigsRequest__Output, _weir_v1_DescribeConfigsResponse__Output>
  DescribeQuorum: MethodDefinition<_weir_v1_DescribeQuorumRequest, _weir_v1_DescribeQuorumResponse, _weir_v1_DescribeQuorumRequest__Output, _weir_v1_DescribeQuorumResponse__Output>
  DescribeTopics: MethodDefinition<_weir_v1_DescribeTopicsRequest, _weir_v1_DescribeTopicsResponse, _weir_v1_DescribeTopicsRequest__Output, _weir_v1_DescribeTopicsResponse__Output>
  DrainBroker: MethodDefinition<_weir_v1_DrainBrokerRequest, _weir_v1_DrainBrokerResponse, _weir_v1_DrainBrokerRequest__Output, _weir_v1_DrainBrokerResponse__Output>
  ElectLeaders: MethodDefinition<_weir_v1_ElectLeadersRequest, _weir_v1_ElectLeadersResponse, _weir_v1_ElectLeadersRequest__Output, _weir_v1_ElectLeadersResponse__Output>
  ListPartitions: MethodDefinition<_weir_v1_ListPartitionsRequest, _weir_v1_ListPartitionsResponse, _weir_v1_ListPartitionsRequest__Output, _weir_v1_ListPartitionsResponse__Output>
  ListTopics: MethodDefinition<_weir_v1_ListTopicsRequest, _weir_v1_ListTopicsResponse, _weir_v1_ListTopicsRequest__Output, _weir_v1_ListTopicsResponse__Output>
  ResumeBroker: MethodDefinition<_weir_v1_ResumeBrokerRequest, _weir_v1_ResumeBrokerResponse, _weir_v1_ResumeBrokerRequest__Output, _weir_v1_ResumeBrokerResponse__Output>
  TransferLeadership: MethodDefinition<_weir_v1_TransferLeadershipRequest, _weir_v1_TransferLeadershipResponse, _weir_v1_TransferLeadershipRequest__Output, _weir_v1_TransferLeadershipResponse__Output>
}

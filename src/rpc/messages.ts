// One type per protocol message, under its name in proto/, the same for what is sent and what is received.
//
// - All fields are present on decode, and required on send; `bytes` are Uint8Array, int64 is a safe integer.
// - A field that is a message is null when absent; members of a oneof and `optional` fields may be missing.
// - Received bytes are views of the received buffer: copy what must outlive the turn and be small.

import type { AddPartitionsRequest__Output } from './generated/weir/v1/AddPartitionsRequest.ts'
import type { AddPartitionsResponse__Output } from './generated/weir/v1/AddPartitionsResponse.ts'
import type { AddPartitionsTopic__Output } from './generated/weir/v1/AddPartitionsTopic.ts'
import type { AllocateProducerIdsRequest__Output } from './generated/weir/v1/AllocateProducerIdsRequest.ts'
import type { AllocateProducerIdsResponse__Output } from './generated/weir/v1/AllocateProducerIdsResponse.ts'
import type { AlterConfigsRequest__Output } from './generated/weir/v1/AlterConfigsRequest.ts'
import type { AlterConfigsResponse__Output } from './generated/weir/v1/AlterConfigsResponse.ts'
import type { AlterPartition__Output } from './generated/weir/v1/AlterPartition.ts'
import type { AlterPartitionResult__Output } from './generated/weir/v1/AlterPartitionResult.ts'
import type { AlterPartitionsRequest__Output } from './generated/weir/v1/AlterPartitionsRequest.ts'
import type { AlterPartitionsResponse__Output } from './generated/weir/v1/AlterPartitionsResponse.ts'
import type { BrokerAddress__Output } from './generated/weir/v1/BrokerAddress.ts'
import type { BrokerDescription__Output } from './generated/weir/v1/BrokerDescription.ts'
import type { ClusterHealth__Output } from './generated/weir/v1/ClusterHealth.ts'
import type { ConfigAlteration__Output } from './generated/weir/v1/ConfigAlteration.ts'
import type { ConfigAlterationResult__Output } from './generated/weir/v1/ConfigAlterationResult.ts'
import type { ConfigDescription__Output } from './generated/weir/v1/ConfigDescription.ts'
import type { ConfigEntry__Output } from './generated/weir/v1/ConfigEntry.ts'
import type { ConfigResource__Output } from './generated/weir/v1/ConfigResource.ts'
import type { ConfigScope__Output } from './generated/weir/v1/ConfigScope.ts'
import type { ConfigValue__Output } from './generated/weir/v1/ConfigValue.ts'
import type { ControllerDescription__Output } from './generated/weir/v1/ControllerDescription.ts'
import type { CreateTopicResult__Output } from './generated/weir/v1/CreateTopicResult.ts'
import type { CreateTopicsRequest__Output } from './generated/weir/v1/CreateTopicsRequest.ts'
import type { CreateTopicsResponse__Output } from './generated/weir/v1/CreateTopicsResponse.ts'
import type { DeleteTopicsRequest__Output } from './generated/weir/v1/DeleteTopicsRequest.ts'
import type { DeleteTopicsResponse__Output } from './generated/weir/v1/DeleteTopicsResponse.ts'
import type { DescribeClusterRequest__Output } from './generated/weir/v1/DescribeClusterRequest.ts'
import type { DescribeClusterResponse__Output } from './generated/weir/v1/DescribeClusterResponse.ts'
import type { DescribeConfigsRequest__Output } from './generated/weir/v1/DescribeConfigsRequest.ts'
import type { DescribeConfigsResponse__Output } from './generated/weir/v1/DescribeConfigsResponse.ts'
import type { DescribeQuorumRequest__Output } from './generated/weir/v1/DescribeQuorumRequest.ts'
import type { DescribeQuorumResponse__Output } from './generated/weir/v1/DescribeQuorumResponse.ts'
import type { DescribeTopicsRequest__Output } from './generated/weir/v1/DescribeTopicsRequest.ts'
import type { DescribeTopicsResponse__Output } from './generated/weir/v1/DescribeTopicsResponse.ts'
import type { Divergence__Output } from './generated/weir/v1/Divergence.ts'
import type { DrainBrokerRequest__Output } from './generated/weir/v1/DrainBrokerRequest.ts'
import type { DrainBrokerResponse__Output } from './generated/weir/v1/DrainBrokerResponse.ts'
import type { ElectLeadersRequest__Output } from './generated/weir/v1/ElectLeadersRequest.ts'
import type { ElectLeadersResponse__Output } from './generated/weir/v1/ElectLeadersResponse.ts'
import type { ElectPartition__Output } from './generated/weir/v1/ElectPartition.ts'
import type { ElectResult__Output } from './generated/weir/v1/ElectResult.ts'
import type { FetchForm__Output } from './generated/weir/v1/FetchForm.ts'
import type { FetchPartition__Output } from './generated/weir/v1/FetchPartition.ts'
import type { FetchRequest__Output } from './generated/weir/v1/FetchRequest.ts'
import type { FetchResponse__Output } from './generated/weir/v1/FetchResponse.ts'
import type { FetchResult__Output } from './generated/weir/v1/FetchResult.ts'
import type { FetchStreamOpen__Output } from './generated/weir/v1/FetchStreamOpen.ts'
import type { FetchStreamRequest__Output } from './generated/weir/v1/FetchStreamRequest.ts'
import type { FetchStreamResponse__Output } from './generated/weir/v1/FetchStreamResponse.ts'
import type { FetchStreamSubscribe__Output } from './generated/weir/v1/FetchStreamSubscribe.ts'
import type { GetMetadataRequest__Output } from './generated/weir/v1/GetMetadataRequest.ts'
import type { GetMetadataResponse__Output } from './generated/weir/v1/GetMetadataResponse.ts'
import type { Header__Output } from './generated/weir/v1/Header.ts'
import type { InitProducerIdRequest__Output } from './generated/weir/v1/InitProducerIdRequest.ts'
import type { InitProducerIdResponse__Output } from './generated/weir/v1/InitProducerIdResponse.ts'
import type { IsrMember__Output } from './generated/weir/v1/IsrMember.ts'
import type { Leader__Output } from './generated/weir/v1/Leader.ts'
import type { ListOffsetsPartition__Output } from './generated/weir/v1/ListOffsetsPartition.ts'
import type { ListOffsetsRequest__Output } from './generated/weir/v1/ListOffsetsRequest.ts'
import type { ListOffsetsResponse__Output } from './generated/weir/v1/ListOffsetsResponse.ts'
import type { ListOffsetsResult__Output } from './generated/weir/v1/ListOffsetsResult.ts'
import type { ListPartitionsRequest__Output } from './generated/weir/v1/ListPartitionsRequest.ts'
import type { ListPartitionsResponse__Output } from './generated/weir/v1/ListPartitionsResponse.ts'
import type { ListTopicsRequest__Output } from './generated/weir/v1/ListTopicsRequest.ts'
import type { ListTopicsResponse__Output } from './generated/weir/v1/ListTopicsResponse.ts'
import type { NewTopic__Output } from './generated/weir/v1/NewTopic.ts'
import type { PartitionListing__Output } from './generated/weir/v1/PartitionListing.ts'
import type { PartitionMetadata__Output } from './generated/weir/v1/PartitionMetadata.ts'
import type { ProducePartition__Output } from './generated/weir/v1/ProducePartition.ts'
import type { ProduceRequest__Output } from './generated/weir/v1/ProduceRequest.ts'
import type { ProduceResponse__Output } from './generated/weir/v1/ProduceResponse.ts'
import type { ProduceResult__Output } from './generated/weir/v1/ProduceResult.ts'
import type { QuorumVoter__Output } from './generated/weir/v1/QuorumVoter.ts'
import type { RaftEntry__Output } from './generated/weir/v1/RaftEntry.ts'
import type { RaftEnvelope__Output } from './generated/weir/v1/RaftEnvelope.ts'
import type { RaftHello__Output } from './generated/weir/v1/RaftHello.ts'
import type { RaftMessage__Output } from './generated/weir/v1/RaftMessage.ts'
import type { RaftReceipt__Output } from './generated/weir/v1/RaftReceipt.ts'
import type { RaftSnapshotChunk__Output } from './generated/weir/v1/RaftSnapshotChunk.ts'
import type { Record__Output } from './generated/weir/v1/Record.ts'
import type { RecordList__Output } from './generated/weir/v1/RecordList.ts'
import type { RegisterBrokerRequest__Output } from './generated/weir/v1/RegisterBrokerRequest.ts'
import type { RegisterBrokerResponse__Output } from './generated/weir/v1/RegisterBrokerResponse.ts'
import type { ReplicaAck__Output } from './generated/weir/v1/ReplicaAck.ts'
import type { ReplicaList__Output } from './generated/weir/v1/ReplicaList.ts'
import type { ReplicaOpen__Output } from './generated/weir/v1/ReplicaOpen.ts'
import type { ReplicaPush__Output } from './generated/weir/v1/ReplicaPush.ts'
import type { ReplicaRequest__Output } from './generated/weir/v1/ReplicaRequest.ts'
import type { ReplicaResponse__Output } from './generated/weir/v1/ReplicaResponse.ts'
import type { ReplicaSubscribe__Output } from './generated/weir/v1/ReplicaSubscribe.ts'
import type { ResumeBrokerRequest__Output } from './generated/weir/v1/ResumeBrokerRequest.ts'
import type { ResumeBrokerResponse__Output } from './generated/weir/v1/ResumeBrokerResponse.ts'
import type { Status__Output } from './generated/weir/v1/Status.ts'
import type { TopicDescription__Output } from './generated/weir/v1/TopicDescription.ts'
import type { TopicListing__Output } from './generated/weir/v1/TopicListing.ts'
import type { TopicMetadata__Output } from './generated/weir/v1/TopicMetadata.ts'
import type { TopicStatus__Output } from './generated/weir/v1/TopicStatus.ts'
import type { TransferLeadershipRequest__Output } from './generated/weir/v1/TransferLeadershipRequest.ts'
import type { TransferLeadershipResponse__Output } from './generated/weir/v1/TransferLeadershipResponse.ts'
import type { WatchRequest__Output } from './generated/weir/v1/WatchRequest.ts'
import type { WatchResponse__Output } from './generated/weir/v1/WatchResponse.ts'

type Leaf = string | number | boolean | null | undefined

/** protobufjs's names of oneofs: their type is a union of field names. They exist on neither side here. */
type IsOneofName<Value> = Value extends string ? (string extends Value ? false : true) : false

type Wire<Value> =
  Value extends Leaf ? Value
    : Value extends Uint8Array ? Uint8Array
      : Value extends readonly (infer Item)[] ? readonly Wire<Item>[]
        : Message<Value>

/** `{}` alone would accept anything. */
interface Empty { readonly [field: string]: never }

/** A message as generated for the receiver, made the same for both sides. */
export type Message<Generated> = keyof Generated extends never ? Empty : {
  readonly [Key in keyof Generated as true extends IsOneofName<Generated[Key]> ? never : Key]:
    undefined extends Generated[Key] ? Wire<Generated[Key]> | undefined : Wire<Generated[Key]>
}

// ---- common.proto ------------------------------------------------------------------------------------------

export type Status = Message<Status__Output>
export type Leader = Message<Leader__Output>
export type Header = Message<Header__Output>
export type Record = Message<Record__Output>
export type ConfigEntry = Message<ConfigEntry__Output>

// ---- data.proto --------------------------------------------------------------------------------------------

export type ProduceRequest = Message<ProduceRequest__Output>
export type ProducePartition = Message<ProducePartition__Output>
export type RecordList = Message<RecordList__Output>
export type ProduceResponse = Message<ProduceResponse__Output>
export type ProduceResult = Message<ProduceResult__Output>
export type FetchForm = FetchForm__Output
export type FetchRequest = Message<FetchRequest__Output>
export type FetchPartition = Message<FetchPartition__Output>
export type FetchResponse = Message<FetchResponse__Output>
export type FetchResult = Message<FetchResult__Output>
export type FetchStreamRequest = Message<FetchStreamRequest__Output>
export type FetchStreamOpen = Message<FetchStreamOpen__Output>
export type FetchStreamSubscribe = Message<FetchStreamSubscribe__Output>
export type FetchStreamResponse = Message<FetchStreamResponse__Output>
export type ListOffsetsRequest = Message<ListOffsetsRequest__Output>
export type ListOffsetsPartition = Message<ListOffsetsPartition__Output>
export type ListOffsetsResponse = Message<ListOffsetsResponse__Output>
export type ListOffsetsResult = Message<ListOffsetsResult__Output>
export type GetMetadataRequest = Message<GetMetadataRequest__Output>
export type GetMetadataResponse = Message<GetMetadataResponse__Output>
export type BrokerAddress = Message<BrokerAddress__Output>
export type TopicMetadata = Message<TopicMetadata__Output>
export type PartitionMetadata = Message<PartitionMetadata__Output>

// ---- admin.proto -------------------------------------------------------------------------------------------

export type CreateTopicsRequest = Message<CreateTopicsRequest__Output>
export type NewTopic = Message<NewTopic__Output>
export type ReplicaList = Message<ReplicaList__Output>
export type CreateTopicsResponse = Message<CreateTopicsResponse__Output>
export type CreateTopicResult = Message<CreateTopicResult__Output>
export type DeleteTopicsRequest = Message<DeleteTopicsRequest__Output>
export type DeleteTopicsResponse = Message<DeleteTopicsResponse__Output>
export type TopicStatus = Message<TopicStatus__Output>
export type AddPartitionsRequest = Message<AddPartitionsRequest__Output>
export type AddPartitionsTopic = Message<AddPartitionsTopic__Output>
export type AddPartitionsResponse = Message<AddPartitionsResponse__Output>
export type DescribeTopicsRequest = Message<DescribeTopicsRequest__Output>
export type DescribeTopicsResponse = Message<DescribeTopicsResponse__Output>
export type TopicDescription = Message<TopicDescription__Output>
export type ListTopicsRequest = Message<ListTopicsRequest__Output>
export type ListTopicsResponse = Message<ListTopicsResponse__Output>
export type TopicListing = Message<TopicListing__Output>
export type ConfigScope = ConfigScope__Output
export type ConfigResource = Message<ConfigResource__Output>
export type DescribeConfigsRequest = Message<DescribeConfigsRequest__Output>
export type DescribeConfigsResponse = Message<DescribeConfigsResponse__Output>
export type ConfigDescription = Message<ConfigDescription__Output>
export type ConfigValue = Message<ConfigValue__Output>
export type AlterConfigsRequest = Message<AlterConfigsRequest__Output>
export type ConfigAlteration = Message<ConfigAlteration__Output>
export type AlterConfigsResponse = Message<AlterConfigsResponse__Output>
export type ConfigAlterationResult = Message<ConfigAlterationResult__Output>
export type DescribeClusterRequest = Message<DescribeClusterRequest__Output>
export type DescribeClusterResponse = Message<DescribeClusterResponse__Output>
export type BrokerDescription = Message<BrokerDescription__Output>
export type ControllerDescription = Message<ControllerDescription__Output>
export type ClusterHealth = Message<ClusterHealth__Output>
export type ListPartitionsRequest = Message<ListPartitionsRequest__Output>
export type ListPartitionsResponse = Message<ListPartitionsResponse__Output>
export type PartitionListing = Message<PartitionListing__Output>
export type ElectLeadersRequest = Message<ElectLeadersRequest__Output>
export type ElectPartition = Message<ElectPartition__Output>
export type ElectLeadersResponse = Message<ElectLeadersResponse__Output>
export type ElectResult = Message<ElectResult__Output>
export type DrainBrokerRequest = Message<DrainBrokerRequest__Output>
export type DrainBrokerResponse = Message<DrainBrokerResponse__Output>
export type ResumeBrokerRequest = Message<ResumeBrokerRequest__Output>
export type ResumeBrokerResponse = Message<ResumeBrokerResponse__Output>
export type DescribeQuorumRequest = Message<DescribeQuorumRequest__Output>
export type DescribeQuorumResponse = Message<DescribeQuorumResponse__Output>
export type QuorumVoter = Message<QuorumVoter__Output>
export type TransferLeadershipRequest = Message<TransferLeadershipRequest__Output>
export type TransferLeadershipResponse = Message<TransferLeadershipResponse__Output>

// ---- link.proto --------------------------------------------------------------------------------------------

export type RegisterBrokerRequest = Message<RegisterBrokerRequest__Output>
export type RegisterBrokerResponse = Message<RegisterBrokerResponse__Output>
export type WatchRequest = Message<WatchRequest__Output>
export type WatchResponse = Message<WatchResponse__Output>
export type AlterPartitionsRequest = Message<AlterPartitionsRequest__Output>
export type AlterPartition = Message<AlterPartition__Output>
export type IsrMember = Message<IsrMember__Output>
export type AlterPartitionsResponse = Message<AlterPartitionsResponse__Output>
export type AlterPartitionResult = Message<AlterPartitionResult__Output>
export type AllocateProducerIdsRequest = Message<AllocateProducerIdsRequest__Output>
export type AllocateProducerIdsResponse = Message<AllocateProducerIdsResponse__Output>

// ---- replica.proto -----------------------------------------------------------------------------------------

export type ReplicaRequest = Message<ReplicaRequest__Output>
export type ReplicaOpen = Message<ReplicaOpen__Output>
export type ReplicaSubscribe = Message<ReplicaSubscribe__Output>
export type ReplicaAck = Message<ReplicaAck__Output>
export type ReplicaResponse = Message<ReplicaResponse__Output>
export type ReplicaPush = Message<ReplicaPush__Output>
export type Divergence = Message<Divergence__Output>

// ---- raft.proto --------------------------------------------------------------------------------------------

export type RaftEnvelope = Message<RaftEnvelope__Output>
export type RaftHello = Message<RaftHello__Output>
export type RaftReceipt = Message<RaftReceipt__Output>
export type RaftMessage = Message<RaftMessage__Output>
export type RaftEntry = Message<RaftEntry__Output>
export type RaftSnapshotChunk = Message<RaftSnapshotChunk__Output>

// ---- transactions.proto ------------------------------------------------------------------------------------

export type InitProducerIdRequest = Message<InitProducerIdRequest__Output>
export type InitProducerIdResponse = Message<InitProducerIdResponse__Output>

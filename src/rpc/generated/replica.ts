import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { ConfigEntry as _weir_v1_ConfigEntry, ConfigEntry__Output as _weir_v1_ConfigEntry__Output } from './weir/v1/ConfigEntry.ts';
import type { Divergence as _weir_v1_Divergence, Divergence__Output as _weir_v1_Divergence__Output } from './weir/v1/Divergence.ts';
import type { Header as _weir_v1_Header, Header__Output as _weir_v1_Header__Output } from './weir/v1/Header.ts';
import type { Leader as _weir_v1_Leader, Leader__Output as _weir_v1_Leader__Output } from './weir/v1/Leader.ts';
import type { Record as _weir_v1_Record, Record__Output as _weir_v1_Record__Output } from './weir/v1/Record.ts';
import type { ReplicaClient as _weir_v1_ReplicaClient, ReplicaDefinition as _weir_v1_ReplicaDefinition } from './weir/v1/Replica.ts';
import type { ReplicaAck as _weir_v1_ReplicaAck, ReplicaAck__Output as _weir_v1_ReplicaAck__Output } from './weir/v1/ReplicaAck.ts';
import type { ReplicaOpen as _weir_v1_ReplicaOpen, ReplicaOpen__Output as _weir_v1_ReplicaOpen__Output } from './weir/v1/ReplicaOpen.ts';
import type { ReplicaPush as _weir_v1_ReplicaPush, ReplicaPush__Output as _weir_v1_ReplicaPush__Output } from './weir/v1/ReplicaPush.ts';
import type { ReplicaRequest as _weir_v1_ReplicaRequest, ReplicaRequest__Output as _weir_v1_ReplicaRequest__Output } from './weir/v1/ReplicaRequest.ts';
import type { ReplicaResponse as _weir_v1_ReplicaResponse, ReplicaResponse__Output as _weir_v1_ReplicaResponse__Output } from './weir/v1/ReplicaResponse.ts';
import type { ReplicaSubscribe as _weir_v1_ReplicaSubscribe, ReplicaSubscribe__Output as _weir_v1_ReplicaSubscribe__Output } from './weir/v1/ReplicaSubscribe.ts';
import type { Status as _weir_v1_Status, Status__Output as _weir_v1_Status__Output } from './weir/v1/Status.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  weir: {
    v1: {
      ConfigEntry: MessageTypeDefinition<_weir_v1_ConfigEntry, _weir_v1_ConfigEntry__Output>
      Divergence: MessageTypeDefinition<_weir_v1_Divergence, _weir_v1_Divergence__Output>
      Header: MessageTypeDefinition<_weir_v1_Header, _weir_v1_Header__Output>
      Leader: MessageTypeDefinition<_weir_v1_Leader, _weir_v1_Leader__Output>
      Record: MessageTypeDefinition<_weir_v1_Record, _weir_v1_Record__Output>
      Replica: SubtypeConstructor<typeof grpc.Client, _weir_v1_ReplicaClient> & { service: _weir_v1_ReplicaDefinition }
      ReplicaAck: MessageTypeDefinition<_weir_v1_ReplicaAck, _weir_v1_ReplicaAck__Output>
      ReplicaOpen: MessageTypeDefinition<_weir_v1_ReplicaOpen, _weir_v1_ReplicaOpen__Output>
      ReplicaPush: MessageTypeDefinition<_weir_v1_ReplicaPush, _weir_v1_ReplicaPush__Output>
      ReplicaRequest: MessageTypeDefinition<_weir_v1_ReplicaRequest, _weir_v1_ReplicaRequest__Output>
      ReplicaResponse: MessageTypeDefinition<_weir_v1_ReplicaResponse, _weir_v1_ReplicaResponse__Output>
      ReplicaSubscribe: MessageTypeDefinition<_weir_v1_ReplicaSubscribe, _weir_v1_ReplicaSubscribe__Output>
      Status: MessageTypeDefinition<_weir_v1_Status, _weir_v1_Status__Output>
    }
  }
}


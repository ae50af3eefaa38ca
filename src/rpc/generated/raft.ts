import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { RaftClient as _weir_v1_RaftClient, RaftDefinition as _weir_v1_RaftDefinition } from './weir/v1/Raft.ts';
import type { RaftEntry as _weir_v1_RaftEntry, RaftEntry__Output as _weir_v1_RaftEntry__Output } from './weir/v1/RaftEntry.ts';
import type { RaftEnvelope as _weir_v1_RaftEnvelope, RaftEnvelope__Output as _weir_v1_RaftEnvelope__Output } from './weir/v1/RaftEnvelope.ts';
import type { RaftHello as _weir_v1_RaftHello, RaftHello__Output as _weir_v1_RaftHello__Output } from './weir/v1/RaftHello.ts';
import type { RaftMessage as _weir_v1_RaftMessage, RaftMessage__Output as _weir_v1_RaftMessage__Output } from './weir/v1/RaftMessage.ts';
import type { RaftReceipt as _weir_v1_RaftReceipt, RaftReceipt__Output as _weir_v1_RaftReceipt__Output } from './weir/v1/RaftReceipt.ts';
import type { RaftSnapshotChunk as _weir_v1_RaftSnapshotChunk, RaftSnapshotChunk__Output as _weir_v1_RaftSnapshotChunk__Output } from './weir/v1/RaftSnapshotChunk.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  weir: {
    v1: {
      Raft: SubtypeConstructor<typeof grpc.Client, _weir_v1_RaftClient> & { service: _weir_v1_RaftDefinition }
      RaftEntry: MessageTypeDefinition<_weir_v1_RaftEntry, _weir_v1_RaftEntry__Output>
      RaftEnvelope: MessageTypeDefinition<_weir_v1_RaftEnvelope, _weir_v1_RaftEnvelope__Output>
      RaftHello: MessageTypeDefinition<_weir_v1_RaftHello, _weir_v1_RaftHello__Output>
      RaftMessage: MessageTypeDefinition<_weir_v1_RaftMessage, _weir_v1_RaftMessage__Output>
      RaftReceipt: MessageTypeDefinition<_weir_v1_RaftReceipt, _weir_v1_RaftReceipt__Output>
      RaftSnapshotChunk: MessageTypeDefinition<_weir_v1_RaftSnapshotChunk, _weir_v1_RaftSnapshotChunk__Output>
    }
  }
}


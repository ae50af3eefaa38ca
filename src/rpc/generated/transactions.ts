import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { InitProducerIdRequest as _weir_v1_InitProducerIdRequest, InitProducerIdRequest__Output as _weir_v1_InitProducerIdRequest__Output } from './weir/v1/InitProducerIdRequest.ts';
import type { InitProducerIdResponse as _weir_v1_InitProducerIdResponse, InitProducerIdResponse__Output as _weir_v1_InitProducerIdResponse__Output } from './weir/v1/InitProducerIdResponse.ts';
import type { TransactionsClient as _weir_v1_TransactionsClient, TransactionsDefinition as _weir_v1_TransactionsDefinition } from './weir/v1/Transactions.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  weir: {
    v1: {
      InitProducerIdRequest: MessageTypeDefinition<_weir_v1_InitProducerIdRequest, _weir_v1_InitProducerIdRequest__Output>
      InitProducerIdResponse: MessageTypeDefinition<_weir_v1_InitProducerIdResponse, _weir_v1_InitProducerIdResponse__Output>
      Transactions: SubtypeConstructor<typeof grpc.Client, _weir_v1_TransactionsClient> & { service: _weir_v1_TransactionsDefinition }
    }
  }
}


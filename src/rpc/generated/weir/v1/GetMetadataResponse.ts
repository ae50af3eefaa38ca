// Original file: proto/data.proto

import type { BrokerAddress as _weir_v1_BrokerAddress, BrokerAddress__Output as _weir_v1_BrokerAddress__Output } from '../../weir/v1/BrokerAddress.ts';
import type { TopicMetadata as _weir_v1_TopicMetadata, TopicMetadata__Output as _weir_v1_TopicMetadata__Output } from '../../weir/v1/TopicMetadata.ts';
import type { Long } from '@grpc/proto-loader';

export interface GetMetadataResponse {
  'clusterId'?: (string);
  'metadataOffset'?: (number | string | Long);
  'controllerId'?: (number);
  'brokers'?: (_weir_v1_BrokerAddress)[];
  'topics'?: (_weir_v1_TopicMetadata)[];
}

export interface GetMetadataResponse__Output {
  'clusterId': (string);
  'metadataOffset': (number);
  'controllerId': (number);
  'brokers': (_weir_v1_BrokerAddress__Output)[];
  'topics': (_weir_v1_TopicMetadata__Output)[];
}

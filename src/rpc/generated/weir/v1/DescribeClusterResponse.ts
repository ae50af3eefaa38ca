// Original file: proto/admin.proto

import type { BrokerDescription as _weir_v1_BrokerDescription, BrokerDescription__Output as _weir_v1_BrokerDescription__Output } from '../../weir/v1/BrokerDescription.ts';
import type { ControllerDescription as _weir_v1_ControllerDescription, ControllerDescription__Output as _weir_v1_ControllerDescription__Output } from '../../weir/v1/ControllerDescription.ts';
import type { ClusterHealth as _weir_v1_ClusterHealth, ClusterHealth__Output as _weir_v1_ClusterHealth__Output } from '../../weir/v1/ClusterHealth.ts';
import type { Long } from '@grpc/proto-loader';

export interface DescribeClusterResponse {
  'clusterId'?: (string);
  'metadataOffset'?: (number | string | Long);
  'controllerId'?: (number);
  'controllerEpoch'?: (number);
  'brokers'?: (_weir_v1_BrokerDescription)[];
  'controllers'?: (_weir_v1_ControllerDescription)[];
  'health'?: (_weir_v1_ClusterHealth | null);
}

export interface DescribeClusterResponse__Output {
  'clusterId': (string);
  'metadataOffset': (number);
  'controllerId': (number);
  'controllerEpoch': (number);
  'brokers': (_weir_v1_BrokerDescription__Output)[];
  'controllers': (_weir_v1_ControllerDescription__Output)[];
  'health': (_weir_v1_ClusterHealth__Output | null);
}

// Original file: proto/admin.proto

import type { Long } from '@grpc/proto-loader';

export interface BrokerDescription {
  'id'?: (number);
  'address'?: (string);
  'rack'?: (string);
  'brokerEpoch'?: (number | string | Long);
  'state'?: (string);
  'leads'?: (number);
  'replicas'?: (number);
  'metadataOffset'?: (number | string | Long);
  'httpAddress'?: (string);
}

export interface BrokerDescription__Output {
  'id': (number);
  'address': (string);
  'rack': (string);
  'brokerEpoch': (number);
  'state': (string);
  'leads': (number);
  'replicas': (number);
  'metadataOffset': (number);
  'httpAddress': (string);
}

// Original file: proto/link.proto

import type { Long } from '@grpc/proto-loader';

export interface RegisterBrokerRequest {
  'clusterId'?: (string);
  'brokerId'?: (number);
  'incarnationId'?: (string);
  'address'?: (string);
  'httpAddress'?: (string);
  'rack'?: (string);
  'previousBrokerEpoch'?: (number | string | Long);
  'directoryId'?: (string);
}

export interface RegisterBrokerRequest__Output {
  'clusterId': (string);
  'brokerId': (number);
  'incarnationId': (string);
  'address': (string);
  'httpAddress': (string);
  'rack': (string);
  'previousBrokerEpoch': (number);
  'directoryId': (string);
}

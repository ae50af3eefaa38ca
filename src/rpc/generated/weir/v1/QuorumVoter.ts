// Original file: proto/admin.proto

import type { Long } from '@grpc/proto-loader';

export interface QuorumVoter {
  'id'?: (number);
  'address'?: (string);
  'role'?: (string);
  'matchIndex'?: (number | string | Long);
  'lastContactMs'?: (number | string | Long);
}

export interface QuorumVoter__Output {
  'id': (number);
  'address': (string);
  'role': (string);
  'matchIndex': (number);
  'lastContactMs': (number);
}

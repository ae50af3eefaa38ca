// Original file: proto/admin.proto

import type { QuorumVoter as _weir_v1_QuorumVoter, QuorumVoter__Output as _weir_v1_QuorumVoter__Output } from '../../weir/v1/QuorumVoter.ts';
import type { Long } from '@grpc/proto-loader';

export interface DescribeQuorumResponse {
  'leaderId'?: (number);
  'term'?: (number | string | Long);
  'commitIndex'?: (number | string | Long);
  'voters'?: (_weir_v1_QuorumVoter)[];
}

export interface DescribeQuorumResponse__Output {
  'leaderId': (number);
  'term': (number);
  'commitIndex': (number);
  'voters': (_weir_v1_QuorumVoter__Output)[];
}

// Original file: proto/replica.proto

import type { Long } from '@grpc/proto-loader';

export interface Divergence {
  'epoch'?: (number);
  'endOffset'?: (number | string | Long);
}

export interface Divergence__Output {
  'epoch': (number);
  'endOffset': (number);
}

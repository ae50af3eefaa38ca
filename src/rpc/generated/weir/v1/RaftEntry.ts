// Original file: proto/raft.proto

import type { Long } from '@grpc/proto-loader';

export interface RaftEntry {
  'index'?: (number | string | Long);
  'term'?: (number | string | Long);
  'data'?: (Buffer | Uint8Array | string);
}

export interface RaftEntry__Output {
  'index': (number);
  'term': (number);
  'data': (Buffer);
}

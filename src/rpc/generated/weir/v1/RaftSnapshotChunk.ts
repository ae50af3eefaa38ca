// Original file: proto/raft.proto

import type { Long } from '@grpc/proto-loader';

export interface RaftSnapshotChunk {
  'index'?: (number | string | Long);
  'term'?: (number | string | Long);
  'position'?: (number | string | Long);
  'totalBytes'?: (number | string | Long);
  'data'?: (Buffer | Uint8Array | string);
  'done'?: (boolean);
}

export interface RaftSnapshotChunk__Output {
  'index': (number);
  'term': (number);
  'position': (number);
  'totalBytes': (number);
  'data': (Buffer);
  'done': (boolean);
}

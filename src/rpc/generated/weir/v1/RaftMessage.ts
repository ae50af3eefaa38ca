// Original file: proto/raft.proto

import type { RaftEntry as _weir_v1_RaftEntry, RaftEntry__Output as _weir_v1_RaftEntry__Output } from '../../weir/v1/RaftEntry.ts';
import type { RaftSnapshotChunk as _weir_v1_RaftSnapshotChunk, RaftSnapshotChunk__Output as _weir_v1_RaftSnapshotChunk__Output } from '../../weir/v1/RaftSnapshotChunk.ts';
import type { Long } from '@grpc/proto-loader';

export interface RaftMessage {
  'kind'?: (string);
  'from'?: (number);
  'to'?: (number);
  'term'?: (number | string | Long);
  'index'?: (number | string | Long);
  'logTerm'?: (number | string | Long);
  'commit'?: (number | string | Long);
  'reject'?: (boolean);
  'rejectHint'?: (number | string | Long);
  'hintTerm'?: (number | string | Long);
  'context'?: (number | string | Long);
  'entries'?: (_weir_v1_RaftEntry)[];
  'snapshot'?: (_weir_v1_RaftSnapshotChunk | null);
  'mark'?: (number | string | Long);
  'voiceless'?: (boolean);
}

export interface RaftMessage__Output {
  'kind': (string);
  'from': (number);
  'to': (number);
  'term': (number);
  'index': (number);
  'logTerm': (number);
  'commit': (number);
  'reject': (boolean);
  'rejectHint': (number);
  'hintTerm': (number);
  'context': (number);
  'entries': (_weir_v1_RaftEntry__Output)[];
  'snapshot': (_weir_v1_RaftSnapshotChunk__Output | null);
  'mark': (number);
  'voiceless': (boolean);
}

// Original file: proto/data.proto

import type { Status as _weir_v1_Status, Status__Output as _weir_v1_Status__Output } from '../../weir/v1/Status.ts';
import type { Record as _weir_v1_Record, Record__Output as _weir_v1_Record__Output } from '../../weir/v1/Record.ts';
import type { Long } from '@grpc/proto-loader';

export interface FetchResult {
  'topic'?: (string);
  'partition'?: (number);
  'status'?: (_weir_v1_Status | null);
  'highWatermark'?: (number | string | Long);
  'logStartOffset'?: (number | string | Long);
  'records'?: (_weir_v1_Record)[];
  'batches'?: (Buffer | Uint8Array | string);
  'nextOffset'?: (number | string | Long);
  'subscription'?: (number);
}

export interface FetchResult__Output {
  'topic': (string);
  'partition': (number);
  'status': (_weir_v1_Status__Output | null);
  'highWatermark': (number);
  'logStartOffset': (number);
  'records': (_weir_v1_Record__Output)[];
  'batches': (Buffer);
  'nextOffset': (number);
  'subscription': (number);
}

// Original file: proto/data.proto

import type { Status as _weir_v1_Status, Status__Output as _weir_v1_Status__Output } from '../../weir/v1/Status.ts';
import type { Long } from '@grpc/proto-loader';

export interface ProduceResult {
  'topic'?: (string);
  'partition'?: (number);
  'status'?: (_weir_v1_Status | null);
  'baseOffset'?: (number | string | Long);
  'logAppendTime'?: (number | string | Long);
  'logStartOffset'?: (number | string | Long);
}

export interface ProduceResult__Output {
  'topic': (string);
  'partition': (number);
  'status': (_weir_v1_Status__Output | null);
  'baseOffset': (number);
  'logAppendTime': (number);
  'logStartOffset': (number);
}

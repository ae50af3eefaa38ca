// Original file: proto/data.proto

import type { RecordList as _weir_v1_RecordList, RecordList__Output as _weir_v1_RecordList__Output } from '../../weir/v1/RecordList.ts';

export interface ProducePartition {
  'topic'?: (string);
  'partition'?: (number);
  'leaderEpoch'?: (number);
  'records'?: (_weir_v1_RecordList | null);
  'batch'?: (Buffer | Uint8Array | string);
  '_leaderEpoch'?: "leaderEpoch";
  'form'?: "records"|"batch";
}

export interface ProducePartition__Output {
  'topic': (string);
  'partition': (number);
  'leaderEpoch'?: (number);
  'records'?: (_weir_v1_RecordList__Output | null);
  'batch'?: (Buffer);
  '_leaderEpoch'?: "leaderEpoch";
  'form'?: "records"|"batch";
}

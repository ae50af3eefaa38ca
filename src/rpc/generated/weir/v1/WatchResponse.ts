// Original file: proto/link.proto

import type { Status as _weir_v1_Status, Status__Output as _weir_v1_Status__Output } from '../../weir/v1/Status.ts';
import type { Long } from '@grpc/proto-loader';

export interface WatchResponse {
  'controllerEpoch'?: (number | string | Long);
  'controllerId'?: (number);
  'status'?: (_weir_v1_Status | null);
  'fromOffset'?: (number | string | Long);
  'toOffset'?: (number | string | Long);
  'image'?: (boolean);
  'records'?: (Buffer | Uint8Array | string)[];
  'fenced'?: (boolean);
  'shouldShutdown'?: (boolean);
}

export interface WatchResponse__Output {
  'controllerEpoch': (number);
  'controllerId': (number);
  'status': (_weir_v1_Status__Output | null);
  'fromOffset': (number);
  'toOffset': (number);
  'image': (boolean);
  'records': (Buffer)[];
  'fenced': (boolean);
  'shouldShutdown': (boolean);
}

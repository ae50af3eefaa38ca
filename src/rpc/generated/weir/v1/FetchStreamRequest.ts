// Original file: proto/data.proto

import type { FetchStreamOpen as _weir_v1_FetchStreamOpen, FetchStreamOpen__Output as _weir_v1_FetchStreamOpen__Output } from '../../weir/v1/FetchStreamOpen.ts';
import type { FetchStreamSubscribe as _weir_v1_FetchStreamSubscribe, FetchStreamSubscribe__Output as _weir_v1_FetchStreamSubscribe__Output } from '../../weir/v1/FetchStreamSubscribe.ts';

export interface FetchStreamRequest {
  'open'?: (_weir_v1_FetchStreamOpen | null);
  'subscribe'?: (_weir_v1_FetchStreamSubscribe | null);
  'unsubscribe'?: (number);
  'creditBytes'?: (number);
  'request'?: "open"|"subscribe"|"unsubscribe"|"creditBytes";
}

export interface FetchStreamRequest__Output {
  'open'?: (_weir_v1_FetchStreamOpen__Output | null);
  'subscribe'?: (_weir_v1_FetchStreamSubscribe__Output | null);
  'unsubscribe'?: (number);
  'creditBytes'?: (number);
  'request'?: "open"|"subscribe"|"unsubscribe"|"creditBytes";
}

// Original file: proto/common.proto

import type { Header as _weir_v1_Header, Header__Output as _weir_v1_Header__Output } from '../../weir/v1/Header.ts';
import type { Long } from '@grpc/proto-loader';

export interface Record {
  'key'?: (Buffer | Uint8Array | string);
  'value'?: (Buffer | Uint8Array | string);
  'headers'?: (_weir_v1_Header)[];
  'timestamp'?: (number | string | Long);
  'offset'?: (number | string | Long);
  '_key'?: "key";
  '_value'?: "value";
}

export interface Record__Output {
  'key'?: (Buffer);
  'value'?: (Buffer);
  'headers': (_weir_v1_Header__Output)[];
  'timestamp': (number);
  'offset': (number);
  '_key'?: "key";
  '_value'?: "value";
}

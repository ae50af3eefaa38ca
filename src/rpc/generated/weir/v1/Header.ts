// Original file: proto/common.proto


export interface Header {
  'key'?: (string);
  'value'?: (Buffer | Uint8Array | string);
  '_value'?: "value";
}

export interface Header__Output {
  'key': (string);
  'value'?: (Buffer);
  '_value'?: "value";
}

// Original file: proto/common.proto


export interface ConfigEntry {
  'key'?: (string);
  'value'?: (string);
}

export interface ConfigEntry__Output {
  'key': (string);
  'value': (string);
}

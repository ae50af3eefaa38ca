// Original file: proto/admin.proto


export interface ConfigValue {
  'key'?: (string);
  'value'?: (string);
  'source'?: (string);
  'type'?: (string);
  'unit'?: (string);
  'doc'?: (string);
}

export interface ConfigValue__Output {
  'key': (string);
  'value': (string);
  'source': (string);
  'type': (string);
  'unit': (string);
  'doc': (string);
}

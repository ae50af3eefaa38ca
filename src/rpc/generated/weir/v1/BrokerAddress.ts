// Original file: proto/data.proto


export interface BrokerAddress {
  'id'?: (number);
  'address'?: (string);
  'rack'?: (string);
  'fenced'?: (boolean);
}

export interface BrokerAddress__Output {
  'id': (number);
  'address': (string);
  'rack': (string);
  'fenced': (boolean);
}

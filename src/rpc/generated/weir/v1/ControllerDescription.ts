// Original file: proto/admin.proto


export interface ControllerDescription {
  'id'?: (number);
  'address'?: (string);
  'active'?: (boolean);
}

export interface ControllerDescription__Output {
  'id': (number);
  'address': (string);
  'active': (boolean);
}

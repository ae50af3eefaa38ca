// Original file: proto/admin.proto


export interface TopicListing {
  'name'?: (string);
  'topicId'?: (string);
  'partitions'?: (number);
  'replicationFactor'?: (number);
}

export interface TopicListing__Output {
  'name': (string);
  'topicId': (string);
  'partitions': (number);
  'replicationFactor': (number);
}

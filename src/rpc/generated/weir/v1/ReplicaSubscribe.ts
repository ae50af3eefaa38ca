// Original file: proto/replica.proto

import type { Long } from '@grpc/proto-loader';

export interface ReplicaSubscribe {
  'subscription'?: (number);
  'topicId'?: (string);
  'partition'?: (number);
  'leaderEpoch'?: (number);
  'fetchOffset'?: (number | string | Long);
  'lastFetchedEpoch'?: (number);
  'ackOffset'?: (number | string | Long);
}

export interface ReplicaSubscribe__Output {
  'subscription': (number);
  'topicId': (string);
  'partition': (number);
  'leaderEpoch': (number);
  'fetchOffset': (number);
  'lastFetchedEpoch': (number);
  'ackOffset': (number);
}

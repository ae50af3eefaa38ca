// What a partition log needs to know of its topic and its broker, in the log's own names.

import type { BrokerConfig, TopicConfig } from '../../src/config/keys.ts'
import type { LogConfig } from '../log/log-config.ts'

export function logConfigOf(topic: TopicConfig, broker: BrokerConfig): LogConfig {
  return {
    segmentBytes: topic['segment.bytes'],
    segmentMs: topic['segment.ms'],
    indexIntervalBytes: topic['index.interval.bytes'],
    segmentIndexBytes: topic['segment.index.bytes'],
    retentionMs: topic['retention.ms'],
    retentionBytes: topic['retention.bytes'],
    messageTimestampType: topic['message.timestamp.type'],
    flushMode: topic['flush.mode'],
    fileDeleteDelayMs: topic['file.delete.delay.ms'],
    producerIdExpirationMs: broker['producer.id.expiration.ms']
  }
}

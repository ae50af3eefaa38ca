// What a partition log needs to know of its topic and its broker. Units are in the names; -1 = no limit.

export interface LogConfig {
  readonly segmentBytes: number
  readonly segmentMs: number
  readonly indexIntervalBytes: number
  readonly segmentIndexBytes: number
  readonly retentionMs: number
  readonly retentionBytes: number
  readonly messageTimestampType: 'CreateTime' | 'LogAppendTime'
  /** sync: every append asks for a flush at once; replicated: flushed at roll and at close, as the OS likes. */
  readonly flushMode: 'sync' | 'replicated'
  readonly fileDeleteDelayMs: number
  readonly producerIdExpirationMs: number
}

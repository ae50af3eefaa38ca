// The options of a consumer, checked, with every default in place.

import { weirError } from '../base/error-code.ts'
import { checkPosition } from './offsets.ts'
import { integerOption } from './options.ts'
import type { ConsumerOptions, Position } from './types.ts'

export interface Assignment {
  readonly topic: string
  readonly partition: number
  readonly from: Position
  /** Where to go on when the position is no longer there; undefined: that is an error. */
  readonly resetTo: Position | undefined
}

export interface ConsumerSettings {
  readonly topics: readonly string[]
  readonly partitions: readonly Assignment[]
  readonly from: Position
  readonly resetTo: Position | undefined
  readonly until: Position | undefined
  readonly maxBufferedBytes: number
  readonly raw: boolean
}

/** Throws UNSUPPORTED_VERSION for `group`, INVALID_REQUEST for the rest. */
export function consumerSettings(options: ConsumerOptions): ConsumerSettings {
  if (options.group !== undefined) {
    throw weirError('UNSUPPORTED_VERSION', 'this release has no consumer groups', 'name partitions, or whole topics')
  }
  const topics = [...new Set(options.topics ?? [])]
  const partitions = (options.partitions ?? []).map((wanted): Assignment => {
    const from = wanted.from ?? options.from
    return { topic: wanted.topic, partition: wanted.partition, from: from ?? 'end', resetTo: resetOf(from) }
  })
  if (topics.length + partitions.length === 0) {
    throw weirError('INVALID_REQUEST', 'the consumer has neither topics nor partitions', 'name at least one')
  }
  const named = new Set<string>()
  for (const { topic, partition, from } of partitions) {
    checkPosition(from)
    const name = `${topic}-${partition}`
    if (topics.includes(topic) || named.has(name)) {
      throw weirError('INVALID_REQUEST', `${name} is named twice`, 'name it in `topics` or in `partitions`, once')
    }
    named.add(name)
  }
  if (options.from !== undefined) checkPosition(options.from)
  if (options.until !== undefined) checkPosition(options.until)
  return {
    topics, partitions, from: options.from ?? 'end', resetTo: resetOf(options.from), until: options.until,
    raw: options.raw ?? false,
    maxBufferedBytes: integerOption(options.maxBufferedBytes,
      { name: 'maxBufferedBytes', min: 64 * 1024, max: 2 ** 30, byDefault: 16 * 2 ** 20 })
  }
}

/** An offset that is gone stays gone; every other position can be found again. */
function resetOf(from: Position | undefined): Position | undefined {
  return typeof from === 'number' ? undefined : from
}

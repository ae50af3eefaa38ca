// The options of a producer, checked, with every default in place.

import { weirError } from '../base/error-code.ts'
import { codecByName, type Codec } from '../records/compression.ts'
import { integerOption, TIMEOUT_MS } from './options.ts'
import type { Partitioner, ProducerOptions } from './types.ts'

/** A leader remembers as many batches of a producer: more in flight could not be told from a gap. */
const IDEMPOTENT_IN_FLIGHT_MAX = 5

export interface ProducerSettings {
  /** As on the wire: -1 is all. */
  readonly acks: number
  readonly idempotent: boolean
  readonly lingerMs: number
  readonly batchBytes: number
  readonly codec: Codec
  readonly maxBufferedBytes: number
  readonly maxBlockMs: number
  readonly deliveryTimeoutMs: number
  readonly requestTimeoutMs: number
  readonly maxInFlight: number
  readonly retryBackoffMs: number
  readonly partitioner: Partitioner | undefined
}

/** Throws INVALID_REQUEST, INVALID_REQUIRED_ACKS or UNSUPPORTED_COMPRESSION_TYPE. */
export function producerSettings(options: ProducerOptions): ProducerSettings {
  const acks = acksOf(options.acks)
  const idempotent = options.idempotent ?? acks === -1
  if (idempotent && acks !== -1) {
    throw weirError('INVALID_REQUEST', `idempotent=true with acks=${acks}`, 'set acks: \'all\', or idempotent: false')
  }
  const codec = codecByName(options.compression ?? 'none')
  if (codec === undefined) {
    throw weirError('UNSUPPORTED_COMPRESSION_TYPE', `compression ${JSON.stringify(options.compression)}`,
      'use none, gzip, snappy, lz4 or zstd')
  }
  return { acks, idempotent, codec, partitioner: options.partitioner, ...numbersOf(options, idempotent, acks) }
}

function acksOf(acks: ProducerOptions['acks']): number {
  switch (acks) {
    case undefined:
    case 'all':
      return -1
    case 0:
    case 1:
      return acks
    default:
      throw weirError('INVALID_REQUIRED_ACKS', `acks=${String(acks)}: expected 'all', 1 or 0`)
  }
}

function numbersOf(options: ProducerOptions, idempotent: boolean, acks: number) {
  const inFlightDefault = idempotent || acks === 0 ? IDEMPOTENT_IN_FLIGHT_MAX : 1
  return {
    lingerMs: integerOption(options.lingerMs, { name: 'lingerMs', min: 0, max: 60_000, byDefault: 2 }),
    batchBytes: integerOption(options.batchBytes,
      { name: 'batchBytes', min: 1024, max: 16 * 2 ** 20, byDefault: 64 * 1024 }),
    maxBufferedBytes: integerOption(options.maxBufferedBytes,
      { name: 'maxBufferedBytes', min: 1024, max: 4 * 2 ** 30, byDefault: 32 * 2 ** 20 }),
    maxBlockMs: integerOption(options.maxBlockMs, { name: 'maxBlockMs', ...TIMEOUT_MS, min: 0, byDefault: 60_000 }),
    deliveryTimeoutMs: integerOption(options.deliveryTimeoutMs,
      { name: 'deliveryTimeoutMs', ...TIMEOUT_MS, byDefault: 120_000 }),
    requestTimeoutMs: integerOption(options.requestTimeoutMs,
      { name: 'requestTimeoutMs', min: 1, max: 300_000, byDefault: 30_000 }),
    maxInFlight: integerOption(options.maxInFlight,
      { name: 'maxInFlight', min: 1, max: idempotent ? IDEMPOTENT_IN_FLIGHT_MAX : 100, byDefault: inFlightDefault }),
    retryBackoffMs: integerOption(options.retryBackoffMs,
      { name: 'retryBackoffMs', min: 1, max: 60_000, byDefault: 20 })
  }
}

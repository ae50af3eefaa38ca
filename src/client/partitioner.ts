// Which partition a record goes to: Kafka's murmur2 of the key, or one partition per batch without a key.

import type { Random } from '../ports.ts'

const SEED = 0x9747b28c
const MIX = 0x5bd1e995

/** Kafka's murmur2 (seed 0x9747b28c) as a signed 32-bit integer. */
export function murmur2(bytes: Uint8Array): number {
  const { length } = bytes
  let hash = SEED ^ length
  const whole = length & ~3
  for (let at = 0; at < whole; at += 4) {
    let word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
    word = Math.imul(word, MIX)
    word ^= word >>> 24
    word = Math.imul(word, MIX)
    hash = Math.imul(hash, MIX) ^ word
  }
  const rest = length - whole
  if (rest > 0) {
    if (rest > 2) hash ^= bytes[whole + 2]! << 16
    if (rest > 1) hash ^= bytes[whole + 1]! << 8
    hash = Math.imul(hash ^ bytes[whole]!, MIX)
  }
  hash ^= hash >>> 13
  hash = Math.imul(hash, MIX)
  return (hash ^ (hash >>> 15)) | 0
}

/** The partition of `key`, the same as every Kafka client with default settings chooses. */
export function partitionForKey(key: Uint8Array, partitionCount: number): number {
  return (murmur2(key) & 0x7fffffff) % partitionCount
}

/** For records without a key: stays with one partition until its batch is full or sent, then takes another. */
export class StickyPartition {
  readonly #random: Random
  #current = -1

  constructor(random: Random) {
    this.#random = random
  }

  /** `usable` are the partitions that have a leader now; all are taken when none has. */
  choose(usable: () => readonly number[], partitionCount: number): number {
    if (this.#current < 0 || this.#current >= partitionCount) this.#current = this.#other(usable(), partitionCount)
    return this.#current
  }

  /** The batch of `partition` is closed: the next record may go elsewhere. */
  batchClosed(partition: number, usable: () => readonly number[], partitionCount: number): void {
    if (partition === this.#current) this.#current = this.#other(usable(), partitionCount)
  }

  #other(usable: readonly number[], partitionCount: number): number {
    const candidates = usable.filter((partition) => partition !== this.#current)
    if (candidates.length > 0) return candidates[this.#random.below(candidates.length)]!
    return usable.length > 0 ? usable[0]! : this.#random.below(partitionCount)
  }
}

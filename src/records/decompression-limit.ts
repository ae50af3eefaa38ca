// How much memory compressed records may take: the caps, and the error that a codec throws over one.

const MIB = 2 ** 20
const MOST_BYTES = 64 * MIB
const LEAST_BYTES = MIB
const MOST_TIMES = 100

/** The most that records may expand to which were written through our own validation. */
export const MAX_DECOMPRESSED_BYTES = MOST_BYTES

/** The most that `compressedBytes` from a producer may expand to: a hundredfold, within 1 MiB and 64 MiB. */
export function expansionLimit(compressedBytes: number): number {
  return Math.min(MOST_BYTES, Math.max(MOST_TIMES * compressedBytes, LEAST_BYTES))
}

export function tooLarge(codec: string, maxBytes: number): RangeError {
  return new RangeError(`${codec} data expands to more than ${maxBytes} bytes`)
}

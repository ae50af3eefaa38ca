// Values to send: capital letters by chance, as Kafka's own tools do, so that compression has something to find.

import type { Random } from '../ports.ts'

const KINDS = 64
/** Of all values together: large ones are fewer. */
const TOTAL_BYTES = 1024 * 1024
const LETTERS = 26
const FIRST_LETTER = 65

/** Some values of `bytes` each, to be sent in turn. */
export function someValues(random: Random, bytes: number): readonly Uint8Array[] {
  const kinds = Math.min(KINDS, Math.max(1, Math.floor(TOTAL_BYTES / bytes)))
  return Array.from({ length: kinds }, () => {
    const value = new Uint8Array(bytes)
    for (let at = 0; at < bytes; at++) value[at] = FIRST_LETTER + random.below(LETTERS)
    return value
  })
}

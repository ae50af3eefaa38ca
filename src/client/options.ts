// Checks what callers pass: an option out of range is refused by name, with its limits.

import { weirError } from '../base/error-code.ts'

export interface IntegerRange {
  readonly name: string
  readonly min: number
  readonly max: number
  readonly byDefault: number
}

/** The value, or the default when it is missing. Throws INVALID_REQUEST when it is no integer within the range. */
export function integerOption(value: number | undefined, range: IntegerRange): number {
  if (value === undefined) return range.byDefault
  if (Number.isSafeInteger(value) && value >= range.min && value <= range.max) return value
  throw weirError('INVALID_REQUEST', `${range.name}=${value}: expected an integer from ${range.min} to ${range.max}`,
    `leave it out for the default, ${range.byDefault}`)
}

export const TIMEOUT_MS: Omit<IntegerRange, 'name' | 'byDefault'> = { min: 1, max: 24 * 3_600_000 }

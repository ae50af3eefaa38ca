// The one refusal of damaged or outdated Raft state: what is wrong, where, and how to get the controller back.

import { weirError, type WeirError } from '../../src/base/error-code.ts'

/**
 * KAFKA_STORAGE_ERROR for state under `dir` that must not take part in elections. The way back is always the same:
 * nothing of a damaged Raft log is worth a guess while the other voters hold it whole.
 */
export function damagedState(dir: string, what: string): WeirError {
  return weirError('KAFKA_STORAGE_ERROR', `Raft state in ${dir} cannot be trusted: ${what}`,
    `this controller neither starts nor votes with it. Check the disk; then move ${dir} away and start this one empty: `
    + 'it votes again when it has caught up with a leader. Until then the other controllers must make a majority '
    + 'without it; never empty a second one before')
}

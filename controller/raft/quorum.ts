// Majorities of a fixed set of voters: of votes, of acknowledged indexes, of who was heard.

import { assert } from '../../src/base/assert.ts'

export type Verdict = 'won' | 'lost' | 'pending'

/** More than half of `voters`. */
export function majorityOf(voters: number): number {
  return Math.floor(voters / 2) + 1
}

/** The highest value that a majority has reached; `reached` holds one value per voter. */
export function majorityReached(reached: readonly number[]): number {
  assert(reached.length > 0, 'a quorum has voters')
  return [...reached].sort((left, right) => right - left)[majorityOf(reached.length) - 1]!
}

/** Counts votes: `granted` by voter id, of `voters` voters in all. */
export function tally(voters: number, votes: ReadonlyMap<number, boolean>): Verdict {
  let granted = 0
  for (const vote of votes.values()) if (vote) granted++
  const refused = votes.size - granted
  if (granted >= majorityOf(voters)) return 'won'
  return refused > voters - majorityOf(voters) ? 'lost' : 'pending'
}

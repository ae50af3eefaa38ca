// How much of each kind of trouble one history of the bare Raft simulator has.

import type { SeededRandom } from '../../src/base/seeded-random.ts'

/** Draws that differ from seed to seed: each kind of trouble is common in some histories and missing in others. */
export interface Profile {
  readonly voters: number
  readonly wireMax: number
  /** Of 100 deliveries: lost, repeated, out of order. */
  readonly loss: number
  readonly repeats: number
  readonly disorder: number
  /** Of 100 messages sent: kept for long. */
  readonly delays: number
  /** Of 100 promises: the store that made it is emptied at once. */
  readonly ambushes: number
  /** Of 1 000 steps. */
  readonly crashes: number
  readonly cuts: number
  readonly wipes: number
  readonly faults: number
  readonly transfers: number
  readonly rumours: number
  readonly coups: number
  /** Of 100 steps: a node's I/O goes on (low = slow disks), its timer ticks. */
  readonly io: number
  readonly ticks: number
  readonly proposals: number
}

export function drawProfile(random: SeededRandom): Profile {
  const one = (...values: readonly number[]) => values[random.below(values.length)]!
  return {
    voters: one(3, 3, 3, 3, 5, 5, 1), wireMax: one(15, 40, 80), loss: one(0, 2, 10, 30), repeats: one(0, 5, 20),
    disorder: one(0, 10, 50), delays: one(0, 0, 10, 30), ambushes: one(0, 0, 0, 0, 4), crashes: one(0, 5, 15, 40),
    cuts: one(0, 10, 25), wipes: one(0, 0, 4, 12), faults: one(0, 0, 3), transfers: one(0, 3, 20),
    rumours: one(5, 20), coups: one(0, 15, 40), io: one(30, 70, 100), ticks: one(15, 25, 40),
    proposals: one(5, 15, 40) }
}

// The bare Raft simulator in every run of the suite; `make sim-raft RUNS=n` runs more seeds, `SEED=n` one of them.

import { expect } from 'chai'

import { runRaftSeed } from './raft-world.ts'

const SEEDS = 2_000
const STEPS = 150
/** Each must have happened, on the average of so many seeds once. */
const EXPECTED: Readonly<Record<string, number>> = {
  leaders: 1, committed: 1, founded: 1, admitted: 20, installed: 20, snapshots: 1, replaced: 100, reads: 2,
  transfers: 20, partitions: 3, coups: 3, lostWrites: 3, failedWrites: 50, wipes: 20, ambushes: 50, copies: 500 }

describe('simulated Raft', function () {
  this.timeout(120_000)

  it(`${SEEDS} seeds: R1 to R14 hold after each event, and after the faults all agree`, async () => {
    const marks = new Map<string, number>()
    for (let seed = 1; seed <= SEEDS; seed++) {
      const run = await runRaftSeed(seed, STEPS)
      if (run.failure !== undefined) {
        throw new Error(`make sim-raft SEED=${seed} STEPS=${STEPS}: ${run.failure.message}`, { cause: run.failure })
      }
      for (const [mark, times] of run.marks) marks.set(mark, (marks.get(mark) ?? 0) + times)
    }
    for (const [mark, seeds] of Object.entries(EXPECTED)) {
      expect(marks.get(mark) ?? 0, mark).to.be.above(SEEDS / seeds)
    }
  })

  it('a seed decides everything', async () => {
    const [first, again] = [await runRaftSeed(11), await runRaftSeed(11)]
    expect([...again.marks]).to.deep.equal([...first.marks])
  })
})

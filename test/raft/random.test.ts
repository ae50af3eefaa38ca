// Raft under random faults: many short histories from fixed seeds, each checked step by step.

import { expect } from 'chai'

import { seededRandom } from '../../src/base/seeded-random.ts'
import { RandomSchedule, type Marks } from './random-schedule.ts'

const SCHEDULES = 350
const STEPS = 800

describe('Raft under faults', () => {
  it(`keeps its promises in ${SCHEDULES} random histories`, () => {
    const marks: Marks = {
      leaders: 0, applied: 0, installed: 0, replaced: 0, transferred: 0, reads: 0, lostReadys: 0, steppedDown: 0 }
    const first = Number(process.env['SEED'] ?? 1)
    const count = process.env['SEED'] === undefined ? SCHEDULES : 1
    for (let seed = first; seed < first + count; seed++) {
      try {
        new RandomSchedule(seededRandom(seed), marks).run(STEPS)
      } catch (error) {
        throw new Error(`SEED=${seed} repeats it: ${String(error)}`, { cause: error })
      }
    }
    // A history in which nothing happens proves nothing.
    if (count > 1) for (const [mark, times] of Object.entries(marks)) expect(times, mark).to.be.greaterThan(count / 20)
  })
})

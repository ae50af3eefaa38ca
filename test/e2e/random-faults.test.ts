// A few seeds of random faults; `test/e2e/long/random-faults.test.ts` runs as many as one wants.

import { expect } from 'chai'

import { runSchedule } from '../support/fault-schedule.ts'
import { KEPT } from '../support/ledger.ts'

describe('random faults', function () {
  this.timeout(60_000)

  for (const seed of [1, 2, 3]) {
    it(`seed ${seed}: nothing acknowledged is lost, doubled, out of order or unread`, async () => {
      const { misread, refused, steps, ...report } = await runSchedule({ seed, durationMs: 3_000 })
      expect(report, steps.join('\n')).to.include({ ...KEPT, failed: 0 })
      expect(misread, steps.join('\n')).to.deep.equal([])
      expect(refused, steps.join('\n')).to.deep.equal([])
    })
  }
})

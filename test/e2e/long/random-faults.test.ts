// Random faults for as long as one wants: RUNS=100 SEED=1 MS=8000 mocha dist/test/e2e/long/random-faults.test.js

import { expect } from 'chai'

import type { ClusterOptions } from '../../../src/testing/cluster.ts'
import { runSchedule } from '../../support/fault-schedule.ts'
import { KEPT } from '../../support/ledger.ts'

const runs = Number(process.env['RUNS'] ?? 20)
const first = Number(process.env['SEED'] ?? 1)
const durationMs = Number(process.env['MS'] ?? 8_000)
const logLevel = (process.env['FAULT_LOG'] ?? 'silent') as NonNullable<ClusterOptions['logLevel']>

describe(`random faults, ${runs} seeds from ${first}, ${durationMs} ms each`, function () {
  this.timeout(durationMs + 180_000)

  for (let seed = first; seed < first + runs; seed++) {
    it(`seed ${seed}`, async () => {
      const { misread, refused, steps, ...report } = await runSchedule({ seed, durationMs, logLevel })
      if (logLevel !== 'silent') process.stdout.write(`${steps.join('\n')}\n`)
      expect(report, steps.join('\n')).to.include({ ...KEPT, failed: 0 })
      expect(misread.slice(0, 20), steps.join('\n')).to.deep.equal([])
      expect(refused, steps.join('\n')).to.deep.equal([])
    })
  }
})

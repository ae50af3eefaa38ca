// Seeds of the whole simulator in every run of the suite; `make sim RUNS=n` runs many more, on all cores.

import { expect } from 'chai'

import { simulate } from './simulate.ts'

const SEEDS = 200

describe('simulated clusters', function () {
  this.timeout(300_000)

  it(`${SEEDS} seeds: what was promised is kept, and after the healing everything serves`, async () => {
    let acknowledged = 0
    let faults = 0
    for (let seed = 1; seed <= SEEDS; seed++) {
      const report = await simulate(seed)
      if (report.violation !== undefined) {
        const { violation } = report
        throw new Error(`make sim SEED=${seed}: ${violation.message}`, { cause: violation })
      }
      acknowledged += report.acknowledged
      faults += report.faults
    }
    expect(acknowledged).to.be.above(SEEDS * 100)
    expect(faults).to.be.above(SEEDS * 10)
  })

  it('a seed decides everything; another seed is another run', async () => {
    const hashes: string[] = []
    for (const seed of [7, 7, 8]) hashes.push((await simulate(seed)).hash)
    expect(hashes[1]).to.equal(hashes[0])
    expect(hashes[2]).to.not.equal(hashes[0])
  })
})

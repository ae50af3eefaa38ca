// Rates: of the whole run, and of what comes behind its first quarter.

import { expect } from 'chai'

import { Meter } from '../../src/bench/meter.ts'

function clockAt(start: { nowMs: number }) {
  return { monotonicMs: () => start.nowMs, wallMs: () => 0 }
}

describe('Meter', () => {
  it('leaves the first quarter out of the steady rate, by records', () => {
    const time = { nowMs: 1_000 }
    const meter = new Meter(clockAt(time), { records: 400, durationMs: Infinity })
    time.nowMs = 2_000
    meter.count(100, 100_000)
    meter.tick()
    time.nowMs = 3_000
    meter.count(300, 300_000)
    meter.tick()
    expect(meter.rates()).to.deep.equal({
      records: 400, bytes: 400_000, ms: 2_000, wholeRecordsPerSecond: 200, recordsPerSecond: 300, mbPerSecond: 0.3 })
  })

  it('or by time', () => {
    const time = { nowMs: 0 }
    const meter = new Meter(clockAt(time), { records: Infinity, durationMs: 4_000 })
    time.nowMs = 1_000
    meter.count(10, 10)
    meter.tick()
    time.nowMs = 4_000
    meter.count(600, 600)
    meter.tick()
    expect(meter.rates()).to.include({ wholeRecordsPerSecond: 153, recordsPerSecond: 200 })
  })

  it('counts from the beginning when the run was too short for a quarter', () => {
    const time = { nowMs: 0 }
    const meter = new Meter(clockAt(time), { records: 1_000, durationMs: Infinity })
    time.nowMs = 500
    meter.count(100, 100)
    meter.tick()
    expect(meter.rates()).to.include({ recordsPerSecond: 200, wholeRecordsPerSecond: 200 })
  })

  it('has no rate before time has passed', () => {
    expect(new Meter(clockAt({ nowMs: 5 }), { records: 1, durationMs: 1 }).rates())
      .to.include({ records: 0, ms: 0, recordsPerSecond: 0, mbPerSecond: 0 })
  })
})

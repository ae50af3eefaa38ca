// Percentiles of durations: nearest rank, whatever their order and number.

import { expect } from 'chai'

import { Latencies } from '../../src/bench/latencies.ts'

describe('Latencies', () => {
  it('has nothing to tell without values', () => {
    expect(new Latencies().percentiles()).to.deep.equal({ count: 0, p50: 0, p99: 0, p999: 0, max: 0 })
  })

  it('takes the nearest rank, and grows as needed', () => {
    const latencies = new Latencies()
    for (let value = 10_000; value >= 1; value--) latencies.add(value)
    expect(latencies.percentiles()).to.deep.equal({ count: 10_000, p50: 5_000, p99: 9_900, p999: 9_990, max: 10_000 })
  })

  it('rounds to two decimals', () => {
    const latencies = new Latencies()
    latencies.add(1.23456)
    expect(latencies.percentiles()).to.include({ p50: 1.23, max: 1.23 })
  })
})

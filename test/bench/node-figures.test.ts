// What is read out of a node's /metrics, as the node really writes it.

import { expect } from 'chai'

import { figuresOf } from '../../src/bench/node-figures.ts'
import { createMetrics } from '../../src/observe/metrics.ts'

describe('figuresOf', () => {
  it('finds CPU, memory and delay in what a node serves', async () => {
    const figures = figuresOf('broker 1', await createMetrics().render())
    expect(figures.node).to.equal('broker 1')
    expect(figures.cpuSeconds).to.be.at.least(0)
    expect(figures.rssBytes).to.be.above(1_000_000)
  })

  it('takes the sampling interval off the delay, and knows labels', () => {
    const text = 'weir_process_cpu_seconds_total{a="b c"} 1.5\nweir_process_resident_memory_bytes 10\n'
      + 'weir_nodejs_eventloop_lag_p99_seconds 0.0305\n'
    expect(figuresOf('x', text)).to.deep.equal({ node: 'x', cpuSeconds: 1.5, rssBytes: 10, loopDelayP99Ms: 10.5 })
    expect(figuresOf('x', text.replace('0.0305', '0.0199')).loopDelayP99Ms).to.equal(0)
  })

  it('says NaN where a figure is missing', () => {
    expect(Number.isNaN(figuresOf('x', '').cpuSeconds)).to.equal(true)
  })
})

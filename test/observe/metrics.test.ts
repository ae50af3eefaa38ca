// Tests of the metrics: the table is sound, figures come out as Prometheus text, unknown names are refused.

import { expect } from 'chai'
import { readFileSync } from 'node:fs'

import { createMetrics } from '../../src/observe/metrics.ts'
import { BATCH, LATENCY_MS, METRICS, SIZE_BYTES, type MetricRow } from '../../src/observe/metrics-table.ts'
import { repoPath, sourceFiles } from '../support/paths.ts'

const ROWS: readonly MetricRow[] = [
  { name: 'weir_things_total', kind: 'counter', help: 'Things.' },
  { name: 'weir_level', kind: 'gauge', help: 'Level.' },
  { name: 'weir_wait_ms', kind: 'histogram', help: 'Wait.', buckets: [1, 10] }
]

describe('createMetrics', () => {
  it('renders what was counted, set and observed', async () => {
    const metrics = createMetrics(ROWS)
    metrics.count('weir_things_total')
    metrics.count('weir_things_total', 4)
    metrics.gauge('weir_level', 9)
    metrics.gauge('weir_level', -2.5)
    metrics.observe('weir_wait_ms', 0.5)
    metrics.observe('weir_wait_ms', 5)
    metrics.observe('weir_wait_ms', 50)
    const lines = (await metrics.render()).split('\n')
    expect(lines).to.include.members([
      '# HELP weir_things_total Things.', '# TYPE weir_things_total counter', 'weir_things_total 5', 'weir_level -2.5',
      'weir_wait_ms_bucket{le="1"} 1', 'weir_wait_ms_bucket{le="10"} 2', 'weir_wait_ms_bucket{le="+Inf"} 3',
      'weir_wait_ms_sum 55.5', 'weir_wait_ms_count 3'
    ])
    expect(metrics.contentType).to.match(/^text\/plain/)
  })

  it('tells about the process: CPU, memory, delay of the event loop', async () => {
    const metrics = createMetrics()
    await metrics.render()
    const text = await metrics.render()
    for (const name of ['weir_process_cpu_seconds_total', 'weir_process_resident_memory_bytes',
      'weir_nodejs_eventloop_lag_p99_seconds']) {
      expect(text).to.match(new RegExp(`^${name} \\S+$`, 'm'))
    }
  })

  it('starts every row of the table at zero, so that an alert sees the first count', async () => {
    const text = await createMetrics().render()
    for (const { name, kind } of METRICS) {
      expect(text, name).to.match(new RegExp(`^${name}${kind === 'histogram' ? '_count' : ''} 0$`, 'm'))
    }
  })

  it('refuses a name that is not in the table, or not of that kind', () => {
    const metrics = createMetrics(ROWS)
    expect(() => { metrics.count('weir_unknown_total') }).to.throw('weir_unknown_total is a counter')
    expect(() => { metrics.count('weir_level') }).to.throw('weir_level is a counter')
    expect(() => { metrics.gauge('weir_things_total', 1) }).to.throw('weir_things_total is a gauge')
    expect(() => { metrics.observe('weir_level', 1) }).to.throw('weir_level is a histogram')
    expect(() => createMetrics([...ROWS, ...ROWS])).to.throw('has one row')
  })

  it('keeps two nodes in one process apart', async () => {
    const [one, other] = [createMetrics(ROWS), createMetrics(ROWS)]
    one.count('weir_things_total')
    expect(await other.render()).to.include('weir_things_total 0')
  })
})

describe('the table of metrics', () => {
  it('follows its own rules', () => {
    for (const row of METRICS) {
      expect(row.name).to.match(/^weir_[a-z0-9]+(_[a-z0-9]+)*$/)
      expect(row.name.endsWith('_total'), row.name).to.equal(row.kind === 'counter')
      expect(row.help, row.name).to.match(/^[A-Z].*[.]$/)
      expect(row.buckets !== undefined, row.name).to.equal(row.kind === 'histogram')
    }
    for (const buckets of [LATENCY_MS, SIZE_BYTES, BATCH, ...METRICS.map((row) => row.buckets ?? [])]) {
      expect(buckets).to.deep.equal([...new Set(buckets)].sort((a, b) => a - b))
    }
    expect([SIZE_BYTES.at(-1), BATCH.at(-1)]).to.deep.equal([64 * 1024 * 1024, 4096])
  })

  it('has every name the servers use, and no other', () => {
    const used = new Set<string>()
    for (const file of sourceFiles().filter((name) => /^(src|broker|controller)\//.test(name))) {
      // The bench reads what the library says of other processes.
      if (file === 'src/observe/metrics-table.ts' || file.startsWith('src/bench/')) continue
      for (const [name] of readFileSync(repoPath(file), 'utf8').matchAll(/(?<=')weir_[a-z0-9_]+[a-z0-9](?=')/g)) {
        used.add(name)
      }
    }
    expect([...used].sort()).to.deep.equal(METRICS.map((row) => row.name).sort())
  })
})

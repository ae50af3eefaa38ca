// The Metrics port over prom-client: the rows of the table, and figures of the process itself.

import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

import { assert } from '../base/assert.ts'
import type { Metrics } from '../ports.ts'
import { METRICS, type MetricRow } from './metrics-table.ts'

/** How often the event loop's delay is sampled, ms: fine enough for steps that are too long, cheap when idle. */
const LOOP_SAMPLING_MS = 20

export interface RenderedMetrics extends Metrics {
  /** The text that Prometheus reads. */
  render(): Promise<string>
  readonly contentType: string
}

/** A registry of its own: several nodes in one process do not mix. `rows` is for tests. */
export function createMetrics(rows: readonly MetricRow[] = METRICS): RenderedMetrics {
  return new PrometheusMetrics(rows)
}

class PrometheusMetrics implements RenderedMetrics {
  readonly #registry = new Registry()
  readonly #counters = new Map<string, Counter>()
  readonly #gauges = new Map<string, Gauge>()
  readonly #histograms = new Map<string, Histogram>()
  #watchesProcess = false

  constructor(rows: readonly MetricRow[]) {
    const names = new Set<string>()
    for (const row of rows) {
      assert(!names.has(row.name), `metric ${row.name} has one row`)
      names.add(row.name)
      this.#register(row)
    }
  }

  get contentType(): string { return this.#registry.contentType }

  count(name: string, by = 1): void { find(this.#counters, 'counter', name).inc(by) }
  gauge(name: string, value: number): void { find(this.#gauges, 'gauge', name).set(value) }
  observe(name: string, value: number): void { find(this.#histograms, 'histogram', name).observe(value) }

  async render(): Promise<string> {
    // Nobody who is never asked samples anything.
    if (!this.#watchesProcess) {
      this.#watchesProcess = true
      collectDefaultMetrics({
        register: this.#registry, prefix: 'weir_', eventLoopMonitoringPrecision: LOOP_SAMPLING_MS
      })
    }
    return this.#registry.metrics()
  }

  #register(row: MetricRow): void {
    const settings = { name: row.name, help: row.help, registers: [this.#registry] }
    switch (row.kind) {
      case 'counter': this.#counters.set(row.name, new Counter(settings)); break
      case 'gauge': this.#gauges.set(row.name, new Gauge(settings)); break
      case 'histogram': {
        assert(row.buckets !== undefined, `histogram ${row.name} has buckets`)
        this.#histograms.set(row.name, new Histogram({ ...settings, buckets: [...row.buckets] }))
        break
      }
    }
  }
}

function find<T>(among: ReadonlyMap<string, T>, kind: MetricRow['kind'], name: string): T {
  const found = among.get(name)
  assert(found !== undefined, () => `${name} is a ${kind} of the table in src/observe/metrics-table.ts: add a row`)
  return found
}

// Figures of the nodes during a run, out of their /metrics: CPU, memory, delay of the event loop.

import { rounded } from './latencies.ts'
import type { BenchWorld } from './world.ts'

const GB = 1e9
/** The event loop's delay is measured as the time between samples, which are this far apart by intent. */
const LOOP_SAMPLING_MS = 20

export interface NodeFigures {
  readonly node: string
  readonly cpuSeconds: number
  readonly rssBytes: number
  /** Since the last time it was asked. */
  readonly loopDelayP99Ms: number
}

/** Per GB (10^9 bytes) of values; undefined where no node tells. */
export interface Cost {
  readonly client: number
  readonly nodes: Readonly<Record<string, number>> | undefined
}

/** Nodes that do not tell are left out. */
export async function nodeFigures(world: BenchWorld): Promise<readonly NodeFigures[]> {
  const nodes = world.nodes ?? (await world.weir.admin.describeCluster()).brokers
    .filter(({ httpAddress }) => httpAddress !== '')
    .map(({ id, httpAddress }) => ({ name: `broker ${id}`, http: httpAddress }))
  const found = await Promise.allSettled(nodes.map(async ({ name, http }) => figuresOf(name, await world.scrape(http))))
  return found.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
}

export function figuresOf(node: string, metrics: string): NodeFigures {
  return {
    node,
    cpuSeconds: sample(metrics, 'weir_process_cpu_seconds_total'),
    rssBytes: sample(metrics, 'weir_process_resident_memory_bytes'),
    loopDelayP99Ms: Math.max(0, rounded(sample(metrics, 'weir_nodejs_eventloop_lag_p99_seconds') * 1000
      - LOOP_SAMPLING_MS))
  }
}

/** The first sample of `name`, NaN when there is none. */
function sample(metrics: string, name: string): number {
  const line = metrics.split('\n').find((one) => one.startsWith(`${name} `) || one.startsWith(`${name}{`))
  return line === undefined ? NaN : Number(line.slice(line.lastIndexOf(' ') + 1))
}

/** Begins to count CPU; the result ends it. */
export async function costOf(world: BenchWorld): Promise<(bytes: number) => Promise<{
  readonly cost: Cost; readonly nodes: readonly NodeFigures[] }>> {
  const before = await nodeFigures(world)
  const ownBefore = world.ownCpuSeconds()
  return async (bytes) => {
    const own = world.ownCpuSeconds() - ownBefore
    const nodes = await nodeFigures(world)
    const perGb = (seconds: number) => rounded(bytes === 0 ? 0 : seconds / (bytes / GB))
    const used = nodes.flatMap(({ node, cpuSeconds }) => {
      const first = before.find((one) => one.node === node)
      return first === undefined ? [] : [[node, perGb(cpuSeconds - first.cpuSeconds)] as const]
    })
    return { cost: { client: perGb(own), nodes: used.length === 0 ? undefined : Object.fromEntries(used) }, nodes }
  }
}

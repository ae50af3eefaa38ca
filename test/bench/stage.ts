// The cluster under load, as processes, and the world that src/bench wants; made when first asked for.

import { existsSync, writeFileSync } from 'node:fs'

import type { BenchWorld } from '../../src/bench/world.ts'
import { ownCpuSeconds } from '../../src/cli/commands/bench.ts'
import { LocalCluster } from '../../src/cli/local-cluster.ts'
import { scrape } from '../../src/cli/scrape.ts'
import { connect } from '../../src/client/index.ts'
import type { Weir } from '../../src/client/types.ts'
import { systemClock, systemRandom, systemTimers } from '../../src/os/system.ts'
import { grpcNetwork } from '../../src/rpc/grpc-network.ts'
import type { DiskLimits } from './machine.ts'
import { otherLoad } from './process-figures.ts'

const TIMEOUT_MS = 60_000

export interface Limits { readonly disk: DiskLimits; readonly loopbackMbPerSecond: number }

export interface StageOptions {
  readonly trials: number
  readonly soakSeconds: number
  /** Scheduling weight of all our processes, as /proc/PID/autogroup takes it; undefined: as it is. */
  readonly nice: number | undefined
  readonly measureLimits: () => Promise<Limits>
  readonly say: (text: string) => void
}

export class Stage {
  readonly options: StageOptions
  readonly #abort = new AbortController()
  #cluster: Promise<LocalCluster> | undefined
  #weir: Promise<Weir> | undefined
  #limits: Promise<Limits> | undefined

  constructor(options: StageOptions) {
    this.options = options
    this.raise([process.pid])
  }

  /** Taken once, when the first row asks. */
  limits(): Promise<Limits> {
    this.#limits ??= this.options.measureLimits()
    return this.#limits
  }

  /** The one cluster that rows share which do not break it. */
  cluster(): Promise<LocalCluster> {
    this.#cluster ??= this.newCluster()
    return this.#cluster
  }

  async newCluster(): Promise<LocalCluster> {
    const cluster = await LocalCluster.start({
      controllers: 3, brokers: 3, port: 'free', logLevel: 'warn', signal: this.#abort.signal })
    this.raise(pidsOf(cluster))
    return cluster
  }

  async world(): Promise<BenchWorld> {
    const cluster = await this.cluster()
    this.#weir ??= connect({ bootstrap: cluster.bootstrap, timeoutMs: TIMEOUT_MS })
    return {
      weir: await this.#weir, clock: systemClock(), timers: systemTimers(), random: systemRandom(),
      network: grpcNetwork(), ownCpuSeconds, scrape, signal: this.#abort.signal, onProgress: () => undefined,
      nodes: [...cluster.brokers, ...cluster.controllers].map(({ name, http }) => ({ name, http })) }
  }

  /** Begins to watch what other processes than the cluster's and this one take; the result tells it. */
  async otherLoad(): Promise<() => number> { return otherLoad([process.pid, ...pidsOf(await this.cluster())]) }

  raise(pids: readonly number[]): void {
    const { nice } = this.options
    if (nice === undefined) return
    for (const pid of pids) {
      const file = `/proc/${pid}/autogroup`
      if (existsSync(file)) writeFileSync(file, String(nice))
    }
  }

  async close(): Promise<void> {
    const weir = await this.#weir?.catch(() => undefined)
    await weir?.close()
    const cluster = await this.#cluster?.catch(() => undefined)
    cluster?.killAll()
    await cluster?.close()
  }

  /** Ends what is under way; `close` still tidies up. */
  interrupt(): void { this.#abort.abort() }
}

export function pidsOf({ brokers, controllers }: LocalCluster): number[] {
  return [...brokers, ...controllers].map(({ pid }) => pid)
}

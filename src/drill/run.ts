// Runs one drill: a cluster of real processes, a workload at a fixed rate, one strike a trial, and the verdict after
// everything was read back.

import { seededRandom } from '../base/seeded-random.ts'
import { sleep } from '../base/async.ts'
import { WeirError, weirError } from '../base/error-code.ts'
import type { PartitionListing, Weir } from '../client/types.ts'
import type { Clock, Random, Timers } from '../ports.ts'
import { isGreen, Ledger, type LedgerVerdict } from './ledger.ts'
import type { DrillScript, Scene, Strike } from './scripts.ts'
import { spread, type Spread } from './statistics.ts'
import { Workload } from './workload.ts'

const TOPIC = 'drill'
const PARTITIONS = 6
const PAYLOAD_BYTES = 100
const STEADY_MS = 600
/** A trial whose cluster does not serve again by then ends the drill, red. */
const RECOVERY_MAX_MS = 30_000
const POLL_MS = 10

/** One process of the cluster under drill. */
export interface DrillNode {
  readonly id: number
  kill(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void
  /** Settles when its process has ended. */
  readonly exited: Promise<unknown>
  start(): Promise<void>
  /** Resolves when it serves again. */
  ready(): Promise<void>
}

export interface DrillCluster {
  readonly brokers: readonly DrillNode[]
  readonly controllers: readonly DrillNode[]
}

export interface DrillOptions {
  readonly script: DrillScript
  readonly trials: number
  readonly seed: number
  /** Records per second. */
  readonly rate: number
  readonly cluster: DrillCluster
  readonly weir: Weir
  readonly clock: Clock
  readonly timers: Timers
  /** Each trial as it ends. */
  onTrial(trial: number, unavailableMs: number): void
}

export interface DrillReport extends LedgerVerdict {
  readonly drill: string
  readonly seed: number
  readonly trials: number
  readonly unavailableMs: Spread
  /** From the strike to the next metadata change that was committed; only for drills that strike a controller. */
  readonly metadataCommitMs: Spread | undefined
  readonly limitMs: number
  readonly verdict: 'green' | 'red'
  /** From the start of all nodes to the last one ready; only for drills that start them first. */
  readonly restartMs: Spread | undefined
  /** Why it is red. */
  readonly reason: string | undefined
}

/** Rejects with WeirError when the cluster does not come back. */
export async function runDrill(options: DrillOptions): Promise<DrillReport> {
  const { weir, clock, timers, rate } = options
  const random = seededRandom(options.seed)
  await weir.admin.createTopic({
    name: TOPIC, partitions: PARTITIONS, replicationFactor: 3, configs: { 'min.insync.replicas': '2' } })
  const ledger = new Ledger(PAYLOAD_BYTES)
  const producer = weir.producer({ acks: 'all', lingerMs: 1 })
  const workload = new Workload({ topic: TOPIC, producer, ledger, rate, clock, timers })
  const measured: Measured = { gaps: [], commits: [], restarts: [] }
  for (let trial = 1; trial <= options.trials; trial++) {
    await whole(options)
    await sleep(timers, STEADY_MS)
    const result = await runTrial(options, ledger, random)
    measured.gaps.push(result.unavailableMs)
    if (result.metadataCommitMs !== undefined) measured.commits.push(result.metadataCommitMs)
    if (result.restartMs !== undefined) measured.restarts.push(result.restartMs)
    options.onTrial(trial, result.unavailableMs)
  }
  await whole(options)
  await workload.stop()
  await producer.close()
  const found = await ledger.judge(weir.consumer({ topics: [TOPIC], from: 'start', until: 'end' }))
  return judge(options, found, measured, workload.failure)
}

/** Of each trial, ms. */
interface Measured { readonly gaps: number[]; readonly commits: number[]; readonly restarts: number[] }

function judge(
  { script, trials, seed }: DrillOptions, found: LedgerVerdict, measured: Measured, failure: string | undefined,
): DrillReport {
  const unavailableMs = spread(measured.gaps)
  const faults = [
    ...(isGreen(found) ? [] : ['records are missing, twice there, out of order or altered']),
    ...(found.failed === 0 ? [] : [`${found.failed} sends failed (${failure})`]),
    ...(unavailableMs.p99 <= script.limitMs ? [] : [`unavailable for longer than ${script.limitMs} ms`])
  ]
  return {
    drill: script.name, seed, trials, ...found, unavailableMs,
    metadataCommitMs: spreadOfSome(measured.commits), restartMs: spreadOfSome(measured.restarts),
    limitMs: script.limitMs,
    verdict: faults.length === 0 ? 'green' : 'red', reason: faults.length === 0 ? undefined : faults.join('; ')
  }
}

function spreadOfSome(values: readonly number[]): Spread | undefined {
  return values.length === 0 ? undefined : spread(values)
}

// ---- one trial ----------------------------------------------------------------------------------------------

async function runTrial(options: DrillOptions, ledger: Ledger, random: Random): Promise<{
  readonly unavailableMs: number; readonly metadataCommitMs: number | undefined
  readonly restartMs: number | undefined }> {
  const { script, clock } = options
  const partitions = await options.weir.admin.listPartitions([TOPIC])
  const scene = await drawScene(options, partitions, random)
  const strikes = script.strikes(scene)
  const watched = concerned(partitions, strikes)
  const struckMs = clock.monotonicMs()
  ledger.watch(watched, struckMs)
  for (const { kind, id, signal } of strikes) nodeOf(options, kind, id).kill(signal)
  const backMs = script.restartFirst === true ? await startAll(options, strikes) : undefined
  const commit = strikes.some(({ kind }) => kind === 'controller') ? nextCommit(options, struckMs) : undefined
  await served(options, ledger, watched, struckMs)
  const metadataCommitMs = await commit
  const unavailableMs = ledger.unavailableMs(clock.monotonicMs())
  if (backMs === undefined) {
    for (const strike of strikes) await undo(nodeOf(options, strike.kind, strike.id), strike)
  }
  return { unavailableMs, metadataCommitMs, restartMs: backMs }
}

/** Starts all that were struck; resolves with the time until the last of them was ready, ms. */
async function startAll(options: DrillOptions, strikes: readonly Strike[]): Promise<number> {
  const fromMs = options.clock.monotonicMs()
  const nodes = strikes.map(({ kind, id }) => nodeOf(options, kind, id))
  await Promise.all(nodes.map((node) => restart(node)))
  await Promise.all(nodes.map((node) => node.ready()))
  return options.clock.monotonicMs() - fromMs
}

async function drawScene(
  { weir, cluster }: DrillOptions, partitions: readonly PartitionListing[], random: Random): Promise<Scene> {
  const drawn = partitions[random.below(partitions.length)]!
  const followers = drawn.replicas.filter((id) => id !== drawn.leader)
  const { leaderId } = await weir.admin.describeQuorum()
  const ids = (nodes: readonly DrillNode[]) => nodes.map(({ id }) => id)
  return {
    leader: drawn.leader, follower: followers[random.below(followers.length)]!, controller: leaderId,
    brokers: ids(cluster.brokers), controllers: ids(cluster.controllers) }
}

/** Partitions that a strike touches: those with a replica on a struck broker; all of them when only controllers are. */
function concerned(partitions: readonly PartitionListing[], strikes: readonly Strike[]): readonly number[] {
  const brokers = strikes.filter(({ kind }) => kind === 'broker').map(({ id }) => id)
  return partitions.filter(({ replicas }) => brokers.length === 0 || replicas.some((id) => brokers.includes(id)))
    .map(({ partition }) => partition)
}

function nodeOf({ cluster }: DrillOptions, kind: Strike['kind'], id: number): DrillNode {
  const nodes = kind === 'broker' ? cluster.brokers : cluster.controllers
  const node = nodes.find((one) => one.id === id)
  if (node === undefined) throw weirError('BROKER_ID_NOT_REGISTERED', `there is no ${kind} ${id}`)
  return node
}

async function undo(node: DrillNode, { signal }: Strike): Promise<void> {
  if (signal === 'SIGSTOP') node.kill('SIGCONT')
  else await restart(node)
  await node.ready()
}

async function restart(node: DrillNode): Promise<void> {
  await node.exited
  await node.start()
}

/** Resolves once every watched partition has acknowledged records again, steadily. */
async function served(
  { clock, timers }: DrillOptions, ledger: Ledger, partitions: readonly number[], struckMs: number): Promise<void> {
  // A stall may begin a moment after the strike: what counts is a steady stretch behind it.
  let steadySinceMs = clock.monotonicMs()
  for (;;) {
    await sleep(timers, POLL_MS)
    const nowMs = clock.monotonicMs()
    const silentMs = Math.max(...partitions.map((partition) => nowMs - ledger.lastAckMs(partition)))
    if (silentMs > STEADY_MS / 4) steadySinceMs = nowMs
    if (nowMs - steadySinceMs >= STEADY_MS && nowMs - struckMs >= 2 * STEADY_MS) return
    if (nowMs - struckMs > RECOVERY_MAX_MS) {
      throw weirError('REQUEST_TIMED_OUT', `the cluster did not serve again within ${RECOVERY_MAX_MS} ms`,
        'see the log files of its nodes')
    }
  }
}

/** When the next metadata change is committed, ms after the strike. */
async function nextCommit({ weir, clock, timers }: DrillOptions, struckMs: number): Promise<number> {
  for (;;) {
    try {
      const value = String(100_000 + Math.floor(clock.monotonicMs()))
      await weir.admin.alterConfigs({ scope: 'topic', name: TOPIC }, { set: { 'file.delete.delay.ms': value } })
      return clock.monotonicMs() - struckMs
    } catch (error) {
      if (!(error instanceof WeirError)) throw error
      if (clock.monotonicMs() - struckMs > RECOVERY_MAX_MS) throw error
      await sleep(timers, POLL_MS)
    }
  }
}

/** Resolves when every partition has all its replicas in sync. */
async function whole({ weir, clock, timers }: DrillOptions): Promise<void> {
  const deadlineMs = clock.monotonicMs() + RECOVERY_MAX_MS
  for (;;) {
    try {
      const ill = await weir.admin.listPartitions([TOPIC], true)
      if (ill.length === 0) return
    } catch (error) {
      if (!(error instanceof WeirError)) throw error
    }
    if (clock.monotonicMs() > deadlineMs) {
      throw weirError('REQUEST_TIMED_OUT', `replicas are not all in sync after ${RECOVERY_MAX_MS} ms`,
        '`weir partition list --unhealthy` shows which; see the log files of the nodes')
    }
    await sleep(timers, POLL_MS)
  }
}

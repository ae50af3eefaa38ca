// Rows about faults: how long nothing is acknowledged when a node is killed or stopped.

import { connect } from '../../src/client/index.ts'
import { runDrill, type DrillReport } from '../../src/drill/run.ts'
import { DRILLS } from '../../src/drill/scripts.ts'
import { systemClock, systemTimers } from '../../src/os/system.ts'
import type { Line } from './line.ts'
import { KAFKA } from './peers.ts'
import type { Stage } from './stage.ts'

const RATE = 1_000
const SEED = 1
const TIMEOUT_MS = 30_000

interface Expected {
  readonly p50: number
  readonly p99: number
  readonly peer?: { readonly p50: number; readonly max: number }
}

export async function killLeaderRow(stage: Stage): Promise<Line[]> {
  return gapLines(await drill(stage, 'kill-leader'), { p50: 300, p99: 800, peer: KAFKA.killLeader })
}

export async function killFollowerRow(stage: Stage): Promise<Line[]> {
  return gapLines(await drill(stage, 'kill-follower'), { p50: 300, p99: 800, peer: KAFKA.killFollower })
}

export async function pauseLeaderRow(stage: Stage): Promise<Line[]> {
  return gapLines(await drill(stage, 'pause-leader'), { p50: 1_000, p99: 1_800, peer: KAFKA.pauseLeader })
}

export async function killControllerRow(stage: Stage): Promise<Line[]> {
  const report = await drill(stage, 'kill-controller')
  return [
    { figure: 'kill-controller: to the next metadata commit, p50', value: report.metadataCommitMs?.p50, unit: 'ms',
      aim: { most: 350 } },
    { figure: '  p99', value: report.metadataCommitMs?.p99, unit: 'ms', aim: { most: 900 } },
    { figure: '  longest gap of acknowledgements meanwhile', value: report.unavailableMs.max, unit: 'ms',
      aim: { most: 50 }, note: verdictText(report) }]
}

function gapLines(report: DrillReport, { p50, p99, peer }: Expected): Line[] {
  const { unavailableMs } = report
  return [
    { figure: `${report.drill}: unavailable, p50`, value: unavailableMs.p50, unit: 'ms', aim: { most: p50 },
      ...(peer === undefined ? {} : { peer: peer.p50 }) },
    { figure: `  p99 of ${report.trials}`, value: unavailableMs.p99, unit: 'ms', aim: { most: p99 },
      ...(peer === undefined ? {} : { peer: peer.max }), note: verdictText(report) }]
}

/** What was acknowledged and is not there is worse than any time. */
function verdictText({ acked, ackedLost, duplicated, reordered, corrupt, failed }: DrillReport): string {
  const wrong = [[ackedLost, 'LOST'], [duplicated, 'twice'], [reordered, 'out of order'], [corrupt, 'corrupt'],
    [failed, 'refused']] as const
  const found = wrong.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`)
  return `${acked} acknowledged, ${found.length === 0 ? 'none lost' : found.join(', ')}`
}

/** On a cluster of its own. */
async function drill(stage: Stage, name: string): Promise<DrillReport> {
  const script = DRILLS.find((one) => one.name === name)
  if (script === undefined) throw new Error(`there is no drill ${name}`)
  const cluster = await stage.newCluster()
  try {
    const weir = await connect({ bootstrap: cluster.bootstrap, timeoutMs: TIMEOUT_MS })
    try {
      return await runDrill({
        script, trials: stage.options.trials, seed: SEED, rate: RATE, cluster, weir, clock: systemClock(),
        timers: systemTimers(),
        onTrial: (trial, unavailableMs) => {
          stage.options.say(`${name} ${trial}: unavailable ${Math.round(unavailableMs)} ms`)
        } })
    } finally {
      await weir.close()
    }
  } finally {
    cluster.killAll()
    await cluster.close()
  }
}

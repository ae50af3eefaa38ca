// `weir drill`: a fault script with a workload and a verdict, on a cluster of real processes that it starts itself.

import type { Command } from 'commander'

import { weirError } from '../../base/error-code.ts'
import { nearest } from '../../config/keys.ts'
import { runDrill, type DrillReport } from '../../drill/run.ts'
import { DRILLS, type DrillScript } from '../../drill/scripts.ts'
import type { Spread } from '../../drill/statistics.ts'
import { systemClock, systemTimers } from '../../os/system.ts'
import { LocalCluster } from '../local-cluster.ts'
import { integer, UsageError } from '../parse.ts'
import { startProgress } from '../progress.ts'
import { EXIT, option, type ExitCode, type Session, type Shell } from '../shell.ts'
import { facts, table } from '../table.ts'

interface Options { readonly trials: number; readonly seed: number; readonly rate: number; readonly keep?: boolean }

export function addDrill(program: Command, shell: Shell): void {
  program.command('drill').argument('<name>', 'which drill, or `list`')
    .description('break a cluster on purpose, under load, and count what was lost')
    .option('--trials <n>', 'how often', option(integer(1, 10_000)), 5)
    .option('--seed <n>', 'draws who is struck', option(integer(0, 2 ** 32 - 1)), 1)
    .option('--rate <n>', 'records per second', option(integer(10, 100_000)), 1_000)
    .action(shell.verb(drill))
}

async function drill(session: Session, name: string, options: Options): Promise<ExitCode> {
  if (name === 'list') {
    const drills = DRILLS.map(({ name: drillName, about, limitMs }) => ({ name: drillName, about, limitMs }))
    await session.print({ drills }, () => table(['drill', 'what happens', 'p99 limit, ms'],
      drills.map(({ name: drillName, about, limitMs }) => [drillName, about, String(limitMs)])))
    return EXIT.done
  }
  const report = await onOwnCluster(session, scriptOf(name), options)
  await session.print(report, () => reportText(report))
  if (report.verdict === 'red') session.note(`red: ${report.reason}`)
  return report.verdict === 'green' ? EXIT.done : EXIT.red
}

function scriptOf(name: string): DrillScript {
  const script = DRILLS.find((one) => one.name === name)
  if (script !== undefined) return script
  const near = nearest(DRILLS.map((one) => one.name), name)
  throw new UsageError(`there is no drill ${name}`,
    near === undefined ? '`weir drill list` shows them' : `did you mean ${near}?`)
}

async function onOwnCluster(session: Session, script: DrillScript, options: Options): Promise<DrillReport> {
  const clock = systemClock()
  session.note('starting 3 controllers and 3 brokers')
  const cluster = await LocalCluster.start({ controllers: 3, brokers: 3, port: 'free' })
  const progress = await startProgress({
    total: options.trials, what: script.name, show: (done) => `${done} trials`, terminal: session.around.bars,
    nowMs: session.around.nowMs, write: session.around.note })
  let interrupted = false
  const forget = session.around.onInterrupt(() => {
    interrupted = true
    cluster.killAll()
  })
  try {
    session.note(`ready in ${Math.round(cluster.readyMs)} ms; ${options.trials} trials of: ${script.about}`)
    const weir = await session.around.connect({ bootstrap: cluster.bootstrap, timeoutMs: 30_000 })
    try {
      return await runDrill({
        script, trials: options.trials, seed: options.seed, rate: options.rate, cluster, weir, clock,
        timers: systemTimers(),
        onTrial: (trial, unavailableMs) => { progress.update(trial, `unavailable ${Math.round(unavailableMs)} ms`) } })
    } finally {
      await weir.close()
    }
  } catch (error) {
    if (interrupted) {
      throw weirError('REQUEST_TIMED_OUT', 'the drill was interrupted', 'start it again')
    }
    throw error
  } finally {
    forget()
    progress.stop()
    cluster.killAll()
    await cluster.close()
  }
}

function reportText(report: DrillReport): string {
  const { unavailableMs, metadataCommitMs, restartMs } = report
  const three = ({ p50, p99, max }: Spread) => `p50 ${p50}, p99 ${p99}, max ${max} ms`
  return facts([
    ['drill', report.drill], ['trials', String(report.trials)], ['seed', String(report.seed)],
    ['acknowledged', String(report.acked)], ['acknowledged and lost', String(report.ackedLost)],
    ['duplicated', String(report.duplicated)], ['reordered', String(report.reordered)],
    ['corrupt', String(report.corrupt)], ['failed sends', String(report.failed)],
    ['unavailable', three(unavailableMs)],
    ...(metadataCommitMs === undefined ? [] : [['next metadata commit', three(metadataCommitMs)] as const]),
    ...(restartMs === undefined ? [] : [['start to ready', three(restartMs)] as const]),
    ['verdict', report.verdict]])
}

// `make bench`: what matters, measured on clusters of real processes, beside what we aim at, what Kafka does, and what
// the machine can do. About four minutes.
//
// BENCH=row,row picks rows; TRIALS=n drills each fault n times (5); SOAK=seconds for the long run (20); BENCH_NICE=-10
// gives our processes more weight on a machine that others use; `--format json` prints one document.

import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { killControllerRow, killFollowerRow, killLeaderRow, pauseLeaderRow } from './drill-rows.ts'
import { isMet, linesText, type Line, type RowLine } from './line.ts'
import { fetchRow, latencyRow, partitionsRow, produceRow, soakRow } from './load-rows.ts'
import { DISK_LOOP, diskLimits, loopbackMbPerSecond, runDiskLoop, runTcpSink, TCP_SINK } from './machine.ts'
import { Stage, type Limits } from './stage.ts'
import { idleRow, inProcessRow, startRow } from './start-rows.ts'

type Row = (stage: Stage) => Promise<readonly Line[]>

/** In this order: what needs quiet comes first, what breaks clusters makes its own. */
const ROWS: Readonly<Record<string, Row>> = {
  limits: limitsRow, start: startRow, 'in-process': inProcessRow, idle: idleRow, latency: latencyRow,
  produce: produceRow, fetch: fetchRow, partitions: partitionsRow, 'kill-leader': killLeaderRow,
  'kill-follower': killFollowerRow, 'kill-controller': killControllerRow, 'pause-leader': pauseLeaderRow, soak: soakRow
}

const mainFile = fileURLToPath(import.meta.url)

async function limitsRow(stage: Stage): Promise<Line[]> {
  const { disk, loopbackMbPerSecond: tcp } = await stage.limits()
  return [
    { figure: 'loopback TCP, one stream', value: tcp, unit: 'MB/s' },
    { figure: '4 KiB append and fdatasync', value: disk.syncsPerSecond, unit: 'per second' },
    { figure: '  p50', value: disk.syncP50Ms, unit: 'ms' },
    { figure: '16 KiB', value: disk.mbPerSecond16, unit: 'MB/s' },
    { figure: '128 KiB', value: disk.mbPerSecond128, unit: 'MB/s' },
    { figure: '4 KiB, three processes at once, together', value: disk.threeSyncsPerSecond, unit: 'per second' },
    { figure: '16 KiB, three processes at once, each', value: disk.threeMbPerSecond16, unit: 'MB/s' },
    { figure: '128 KiB, three processes at once, each', value: disk.threeMbPerSecond128, unit: 'MB/s' }]
}

async function measureLimits(): Promise<Limits> {
  const dir = mkdtempSync(join(tmpdir(), 'weir-limit-'))
  try {
    return { disk: await diskLimits(dir, mainFile), loopbackMbPerSecond: await loopbackMbPerSecond(mainFile) }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

function setting(name: string, byDefault: number): number {
  const value = Number(process.env[name] ?? byDefault)
  if (Number.isInteger(value) && value >= 1 && value <= 100_000) return value
  throw new Error(`${name}=${process.env[name]} is not an integer from 1 to 100000`)
}

function chosenRows(): readonly string[] {
  const chosen = process.env['BENCH']?.split(',').map((name) => name.trim()) ?? Object.keys(ROWS)
  const unknown = chosen.find((name) => ROWS[name] === undefined)
  if (unknown !== undefined) throw new Error(`BENCH=${unknown}: the rows are ${Object.keys(ROWS).join(', ')}`)
  return chosen
}

async function main(args: readonly string[]): Promise<void> {
  const json = args.join(' ').includes('--format json') || args.includes('--format=json')
  const rows = chosenRows()
  const nice = process.env['BENCH_NICE']
  const stage = new Stage({
    trials: setting('TRIALS', 5), soakSeconds: setting('SOAK', 20), measureLimits,
    nice: nice === undefined ? undefined : Number(nice), say: (text) => { process.stderr.write(`${text}\n`) } })
  process.once('SIGINT', () => {
    stage.interrupt()
    void stage.close().then(() => process.exit(130))
  })
  const beganMs = performance.now()
  const lines: RowLine[] = []
  try {
    for (const row of rows) lines.push(...await measured(stage, row))
  } finally {
    await stage.close()
  }
  const seconds = Math.round((performance.now() - beganMs) / 1000)
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? '?'}, Node ${process.version}`
  if (json) {
    const document = lines.map((line) => ({ ...line, met: isMet(line) }))
    process.stdout.write(`${JSON.stringify({ machine, seconds, lines: document })}\n`)
  } else {
    process.stdout.write(`\n${linesText(lines)}\n${machine}; ${seconds} s. Kafka: 4.4.0 on the machine that `
      + 'test/bench/peers.ts tells of.\n')
  }
}

/** A row that fails is told as such; the others go on. */
async function measured(stage: Stage, row: string): Promise<RowLine[]> {
  process.stderr.write(`${row} …\n`)
  try {
    return (await ROWS[row]!(stage)).map((line) => ({ row, ...line }))
  } catch (error) {
    process.exitCode = 1
    const note = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
    return [{ row, figure: 'FAILED', value: undefined, unit: '', note }]
  }
}

const [first, ...rest] = process.argv.slice(2)
if (first === DISK_LOOP) runDiskLoop(rest)
else if (first === TCP_SINK) runTcpSink()
else await main(process.argv.slice(2))

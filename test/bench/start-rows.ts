// Rows about starting and resting: the real command line, idle processes, a cluster inside this process.

import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

import { connect } from '../../src/client/index.ts'
import { startCluster } from '../../src/testing/cluster.ts'
import { builtPath } from '../support/paths.ts'
import type { Line } from './line.ts'
import { KAFKA } from './peers.ts'
import { cpuSeconds, rssMib } from './process-figures.ts'
import { pidsOf, type Stage } from './stage.ts'

const START_RUNS = 3
const PORT_TRIES = 5
const IDLE_MS = 10_000
const IN_PROCESS_RUNS = 5

/** `weir up --ephemeral`, from exec to an acknowledged record. */
export async function startRow({ options }: Stage): Promise<Line[]> {
  const ready: number[] = []
  const first: number[] = []
  const stopped: number[] = []
  for (let run = 0; run < START_RUNS; run++) {
    const took = await startOnce()
    ready.push(took.readyMs)
    first.push(took.firstMs)
    stopped.push(took.stoppedMs)
    options.say(`start ${run + 1}: ready ${Math.round(took.readyMs)} ms, first record ${Math.round(took.firstMs)} ms`)
  }
  return [
    { figure: 'weir up: exec to ready', value: median(ready), unit: 'ms', aim: { most: 3_000 } },
    { figure: 'exec to first record acknowledged', value: median(first), unit: 'ms', aim: { most: 3_500 },
      peer: KAFKA.startMs },
    { figure: 'SIGTERM to all drained and gone', value: median(stopped), unit: 'ms' }]
}

interface Started { readonly child: ChildProcess; readonly readyMs: number; readonly bootstrap: readonly string[] }

async function startOnce(): Promise<{
  readonly readyMs: number; readonly firstMs: number; readonly stoppedMs: number }> {
  const beganMs = performance.now()
  const { child, readyMs, bootstrap } = await up()
  const exited = once(child, 'exit')
  try {
    // Trying another port is no part of a start.
    const lostMs = performance.now() - beganMs - readyMs
    const weir = await connect({ bootstrap })
    await weir.admin.createTopic({ name: 'first', partitions: 1, replicationFactor: 3 })
    await weir.producer({ lingerMs: 0 }).send({ topic: 'first', value: 'x' })
    const firstMs = performance.now() - beganMs - lostMs
    await weir.close()
    const endMs = performance.now()
    child.kill('SIGTERM')
    await exited
    return { readyMs, firstMs, stoppedMs: performance.now() - endMs }
  } finally {
    child.kill('SIGTERM')
    await exited
  }
}

async function up(): Promise<Started> {
  for (let attempt = 1; ; attempt++) {
    const port = 20_000 + Math.floor(Math.random() * 200) * 100
    const beganMs = performance.now()
    const child = spawn(process.execPath,
      [builtPath('src/cli/main.ts'), 'up', '--ephemeral', '--port', String(port), '--format', 'json'],
      { stdio: ['ignore', 'pipe', 'ignore'] })
    const line = await Promise.race([once(child.stdout, 'data'), once(child, 'exit').then(() => undefined)])
    if (line !== undefined) {
      const { brokers } = JSON.parse(String(line[0])) as { readonly brokers: readonly { readonly grpc: string }[] }
      return { child, readyMs: performance.now() - beganMs, bootstrap: brokers.map(({ grpc }) => grpc) }
    }
    if (attempt === PORT_TRIES) throw new Error(`\`weir up\` ended ${PORT_TRIES} times before it was ready`)
  }
}

/** Ten seconds of nothing. */
export async function idleRow(stage: Stage): Promise<Line[]> {
  const cluster = await stage.cluster()
  await sleep(IDLE_MS / 2)
  const pids = pidsOf(cluster)
  const before = pids.map((pid) => cpuSeconds(pid) ?? NaN)
  const beganMs = performance.now()
  await sleep(IDLE_MS)
  const seconds = (performance.now() - beganMs) / 1000
  const used = pids.reduce((sum, pid, index) => sum + (cpuSeconds(pid) ?? NaN) - before[index]!, 0)
  const most = (nodes: readonly { readonly pid: number }[]) => Math.max(...nodes.map(({ pid }) => rssMib(pid) ?? NaN))
  return [
    { figure: 'RSS of an idle broker (largest)', value: most(cluster.brokers), unit: 'MiB', aim: { most: 120 },
      peer: KAFKA.idleRssMib },
    { figure: 'RSS of an idle controller (largest)', value: most(cluster.controllers), unit: 'MiB',
      aim: { most: 120 } },
    { figure: 'CPU of six idle processes', value: used / seconds * 100, unit: '% of a core', aim: { most: 13.6 },
      peer: KAFKA.idleCpuPercent }]
}

/** `startCluster`, for tests of users. */
export async function inProcessRow(): Promise<Line[]> {
  const ready: number[] = []
  const stopped: number[] = []
  for (let run = 0; run < IN_PROCESS_RUNS; run++) {
    const beganMs = performance.now()
    const cluster = await startCluster({ controllers: 3, brokers: 3 })
    ready.push(performance.now() - beganMs)
    const endMs = performance.now()
    await cluster.close()
    stopped.push(performance.now() - endMs)
  }
  return [
    { figure: 'startCluster: 3 + 3 nodes in one process, ready', value: median(ready), unit: 'ms',
      aim: { most: 1_000 } },
    { figure: 'close: nothing left behind', value: median(stopped), unit: 'ms', aim: { most: 300 } }]
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN
}

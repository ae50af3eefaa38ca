// The bare Raft simulator's command line: `main.js RUNS FROM` runs seeds on all cores, `main.js one SEED` one of them,
// with its trace when it fails.

import { fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'

import { runRaftSeed, STEPS } from '../raft-world.ts'

/** Of each history. */
const steps = Number(process.env['STEPS'] ?? STEPS)

interface Share {
  readonly done: number
  readonly failed: number
  readonly cpuMs: number
  readonly marks: readonly (readonly [string, number])[]
}

async function one(seed: number): Promise<boolean> {
  const { failure, trace, marks } = await runRaftSeed(seed, steps)
  if (failure !== undefined) console.log(`${trace.join('\n')}\nseed ${seed} FAILED: ${failure.stack}`)
  else console.log(`seed ${seed}: ok, ${JSON.stringify(Object.fromEntries(marks))}`)
  return failure === undefined
}

async function share(first: number, end: number, stride: number): Promise<Share> {
  const marks = new Map<string, number>()
  const before = process.cpuUsage()
  let done = 0
  let failed = 0
  for (let seed = first; seed < end && failed < 3; seed += stride) {
    const run = await runRaftSeed(seed, steps)
    done++
    for (const [mark, times] of run.marks) marks.set(mark, (marks.get(mark) ?? 0) + times)
    if (run.failure === undefined) continue
    failed++
    console.log(`make sim-raft SEED=${seed}${steps === STEPS ? '' : ` STEPS=${steps}`}: ${run.failure.message}`)
  }
  const { user, system } = process.cpuUsage(before)
  return { done, failed, cpuMs: (user + system) / 1000, marks: [...marks] }
}

async function many(runs: number, from: number): Promise<boolean> {
  const startedMs = Date.now()
  const workers = Math.min(availableParallelism(), runs)
  const shares = await Promise.all(Array.from({ length: workers }, (_unset, at) => new Promise<Share>((resolve) => {
    const worker = fork(fileURLToPath(import.meta.url), ['share', from + at, from + runs, workers].map(String),
      { execArgv: ['--enable-source-maps'] })
    let result: Share = { done: 0, failed: 1, cpuMs: 0, marks: [] }
    worker.on('message', (message) => { result = message as Share })
    worker.on('exit', () => { resolve(result) })
  })))
  const sum = (of: (share: Share) => number) => shares.reduce((total, each) => total + of(each), 0)
  const marks = new Map<string, number>()
  for (const [mark, times] of shares.flatMap((each) => each.marks)) marks.set(mark, (marks.get(mark) ?? 0) + times)
  const [done, failed] = [sum((each) => each.done), sum((each) => each.failed)]
  const counts = [...marks].sort(([left], [right]) => (left < right ? -1 : 1))
  console.log(counts.map(([mark, times]) => `${mark} ${times}`).join(', '))
  console.log(`${done - failed} passed, ${failed} failed; ${((Date.now() - startedMs) / 1000).toFixed(1)} s, `
    + `${(done * 60_000 / sum((each) => each.cpuMs)).toFixed(0)} seeds a minute of one core`)
  return failed === 0
}

const [first = '10000', second = '1', third, fourth] = process.argv.slice(2)
if (first === 'share') {
  process.send!(await share(Number(second), Number(third), Number(fourth)))
  process.disconnect()
} else {
  const good = first === 'one' ? await one(Number(second)) : await many(Number(first), Number(second))
  process.exitCode = good ? 0 : 1
}

// The simulator's command line: `main.js one SEED` runs one seed and writes its lanes to a file; `main.js many RUNS
// FROM` runs many on all cores and stops at the first that fails; `main.js worker` serves the latter.

import { fork } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'

import { simulate, type Report } from './simulate.ts'

const DIR = '.cache/sim'
const TOTAL_MS = Number(process.env['MS'] ?? 60_000)
/** Room for what lives as long as one event, and no stacks: who wants one runs the seed alone. */
const WORKER_FLAGS = ['--enable-source-maps', '--max-semi-space-size=64', '--stack-trace-limit=0']

interface Result { readonly seed: number; readonly line: string; readonly ok: boolean; readonly cpuMs: number }

async function one(seed: number): Promise<number> {
  const report = await simulate(seed, { totalMs: TOTAL_MS, keepTrace: 100_000 })
  console.log(lineOf(report))
  if (report.violation !== undefined) console.log(explain(report))
  console.log(`trace hash ${report.hash}`)
  mkdirSync(DIR, { recursive: true })
  const file = `${DIR}/seed-${seed}.txt`
  writeFileSync(file, report.lanes)
  console.log(`lanes in ${file}`)
  return report.violation === undefined ? 0 : 1
}

function lineOf(report: Report): string {
  const errors = Object.entries(report.errors).map(([name, count]) => `${name}×${count}`).join(' ')
  const { seed, violation, virtualMs, events, faults, acknowledged, sent } = report
  return `seed ${seed}: ${violation === undefined ? 'ok' : 'FAILED'}, ${(virtualMs / 1000).toFixed(1)} virtual s, `
    + `${events} events, ${faults} faults, ${acknowledged} of ${sent} acknowledged, `
    + `${report.reads} reads${errors === '' ? '' : `, ${errors}`}`
}

function explain({ violation, seed }: Report): string {
  const cause = violation?.cause instanceof Error ? `\n${violation.cause.stack ?? ''}` : ''
  const length = TOTAL_MS === 60_000 ? '' : ` MS=${TOTAL_MS}`
  return `${violation?.message ?? ''}${cause}\nreplay with: make sim SEED=${seed}${length}`
}

/** Each worker takes a seed, answers, and gets the next. */
function many(runs: number, from: number): Promise<number> {
  const startedMs = Date.now()
  const state = { next: from, done: 0, failed: 0, cpuMs: 0, shownMs: 0 }
  const workers = Array.from({ length: Math.min(availableParallelism(), runs) }, () => (
    fork(fileURLToPath(import.meta.url), ['worker'], { execArgv: WORKER_FLAGS })))
  return new Promise((resolve) => {
    const finish = () => {
      for (const worker of workers) worker.kill()
      const seconds = (Date.now() - startedMs) / 1000
      console.log(`${state.done - state.failed} passed, ${state.failed} failed; ${seconds.toFixed(1)} s, `
        + `${(state.done * 60_000 / state.cpuMs).toFixed(0)} seeds a minute of one core`)
      resolve(state.failed)
    }
    const give = (worker: typeof workers[number]) => {
      if (state.next < from + runs) worker.send(state.next++)
    }
    for (const worker of workers) {
      worker.on('message', (message) => {
        const result = message as Result
        state.done++
        state.cpuMs += result.cpuMs
        if (!result.ok) {
          state.failed++
          console.log(result.line)
          return finish()
        }
        if (state.done === runs) return finish()
        progress(state, runs, startedMs)
        give(worker)
      })
      worker.on('exit', (code) => {
        if (code === 0 || code === null) return
        console.log(`a worker ended with code ${code}`)
        state.failed++
        finish()
      })
      give(worker)
    }
  })
}

function progress(state: { readonly done: number; shownMs: number }, runs: number, startedMs: number): void {
  const nowMs = Date.now()
  if (nowMs - state.shownMs < 2_000) return
  state.shownMs = nowMs
  const leftS = (nowMs - startedMs) / state.done * (runs - state.done) / 1000
  process.stderr.write(`${state.done}/${runs} seeds, about ${leftS.toFixed(0)} s left\n`)
}

function serve(): void {
  process.on('message', (message) => {
    void answer(message as number)
  })
}

async function answer(seed: number): Promise<void> {
  const before = process.cpuUsage()
  const report = await simulate(seed, { totalMs: TOTAL_MS })
  const { user, system } = process.cpuUsage(before)
  const ok = report.violation === undefined
  process.send?.({
    seed, ok, line: ok ? '' : `${lineOf(report)}\n${explain(report)}`, cpuMs: (user + system) / 1000 } satisfies Result)
}

const [mode, first, second] = process.argv.slice(2)
if (mode === 'worker') serve()
else {
  const failed = mode === 'many' ? await many(Number(first), Number(second ?? 1)) : await one(Number(first ?? 1))
  process.exitCode = failed === 0 ? 0 : 1
}

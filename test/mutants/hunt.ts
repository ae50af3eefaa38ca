// Runs seeds against one planted mutant in a process of its own, until one fails or the budget is spent.

import { fork } from 'node:child_process'
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

import type { simulate } from '../sim/simulate.ts'
import type { runRaftSeed } from '../sim/raft-world.ts'
import type { Mutant } from './mutants.ts'

/** Virtual time of a cluster's seed, ms. */
export const CLUSTER_MS = 60_000
/** A seed that takes longer hangs, and that kills a mutant too, ms. */
const SEED_TIMEOUT_MS = 120_000

export interface Verdict {
  readonly mutant: Mutant
  /** Number of seeds, the killing one included; undefined: it survived `seeds` of them. */
  readonly killedAfter: number | undefined
  readonly seeds: number
  readonly checker: string
  readonly message: string
  readonly seconds: number
}

interface Outcome {
  readonly seed: number
  readonly failure: { readonly checker: string; readonly message: string } | undefined
}

/** Seeds 1 to `seeds` in the build under `tree`. `onSeed` is told of each that passed. */
export function hunt(
  mutant: Mutant, tree: string, seeds: number, onSeed: (seed: number) => void = () => {}): Promise<Verdict> {
  const startedMs = Date.now()
  const worker = fork(fileURLToPath(import.meta.url), ['hunt', mutant.world, tree, String(seeds)],
    { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  let errors = ''
  worker.stderr?.on('data', (bytes: Buffer) => { errors = (errors + bytes.toString()).slice(-2_000) })
  return new Promise((done) => {
    let last = 0
    let timer: NodeJS.Timeout | undefined
    const end = (killedAfter: number | undefined, checker: string, message: string) => {
      clearTimeout(timer)
      worker.removeAllListeners()
      worker.kill('SIGKILL')
      done({ mutant, killedAfter, seeds: killedAfter ?? last, checker, message,
        seconds: (Date.now() - startedMs) / 1000 })
    }
    const watch = () => {
      clearTimeout(timer)
      timer = setTimeout(() => { end(last + 1, 'hang', `seed ${last + 1} does not end`) }, SEED_TIMEOUT_MS)
    }
    watch()
    worker.on('message', (message) => {
      const { seed, failure } = message as Outcome
      watch()
      if (failure !== undefined) return end(seed, failure.checker, failure.message)
      last = seed
      onSeed(seed)
      if (seed === seeds) end(undefined, '', '')
    })
    worker.on('exit', (code) => { end(last + 1, 'crash', `the process ended with ${code}: ${errors}`) })
  })
}

async function serve(world: string, tree: string, seeds: number): Promise<void> {
  const load = async <T>(file: string): Promise<T> => (
    await import(pathToFileURL(resolve(tree, 'dist/test/sim', file)).href) as T)
  const run = world === 'raft' ? raftRunner(await load('raft-world.js')) : clusterRunner(await load('simulate.js'))
  for (let seed = 1; seed <= seeds; seed++) {
    const failure = await run(seed)
    await new Promise((sent) => { process.send!({ seed, failure } satisfies Outcome, sent) })
    if (failure !== undefined) return
  }
}

function raftRunner(module: { readonly runRaftSeed: typeof runRaftSeed }) {
  return async (seed: number): Promise<Outcome['failure']> => {
    const { failure } = await module.runRaftSeed(seed)
    return failure === undefined ? undefined : { checker: 'raft', message: failure.message }
  }
}

function clusterRunner(module: { readonly simulate: typeof simulate }) {
  return async (seed: number): Promise<Outcome['failure']> => {
    const { violation } = await module.simulate(seed, { totalMs: CLUSTER_MS, keepTrace: 1 })
    return violation === undefined ? undefined : { checker: violation.checker, message: violation.message }
  }
}

const [mode, world = '', tree = '', seeds = '0'] = process.argv.slice(2)
if (mode === 'hunt') await serve(world, tree, Number(seeds))

// `make mutants`: plants each mutant, hunts it, prints the table. ONLY=3,14 picks some, FORMAT=json is for programs,
// SEEDS=n hunts longer or shorter than each one's budget.

import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

import { hunt, type Verdict } from './hunt.ts'
import { MUTANTS } from './mutants.ts'
import { plant } from './plant.ts'

const RESULTS = 'test/mutants/RESULTS.md'
const only = process.env['ONLY']?.split(',').map(Number)
const chosen = MUTANTS.filter(({ id }) => only === undefined || only.includes(id))
const json = process.env['FORMAT'] === 'json'

async function all(): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = []
  const left = [...chosen]
  const work = async () => {
    for (let mutant = left.shift(); mutant !== undefined; mutant = left.shift()) {
      const tree = plant(mutant)
      const verdict = await hunt(mutant, tree, Number(process.env['SEEDS'] ?? mutant.budget))
      verdicts.push(verdict)
      process.stderr.write(`${verdicts.length}/${chosen.length} ${line(verdict)}\n`)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  return verdicts.sort((one, other) => one.mutant.id - other.mutant.id)
}

function line({ mutant, killedAfter, seeds, checker, seconds }: Verdict): string {
  const end = killedAfter === undefined ? `SURVIVED ${seeds} seeds` : `killed by seed ${killedAfter} (${checker})`
  return `mutant ${mutant.id}, ${mutant.title}: ${end}, ${seconds.toFixed(1)} s`
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((one, other) => one - other)[Math.floor((numbers.length - 1) / 2)] ?? 0
}

function table(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map(({ mutant, killedAfter, seeds, checker, message }) => {
    const { id, title, breaks, world, budget } = mutant
    const end = killedAfter === undefined ? `survived ${seeds}` : String(killedAfter)
    const why = killedAfter === undefined ? mutant.equivalent ?? '' : firstWords(message)
    return `| ${id} | ${title} | ${breaks} | ${world} | ${end} | ${budget} | ${checker} | ${why} |`
  })
  return ['| # | Mutant | Breaks | World | Seeds to kill | Budget | Killer | How it showed |',
    '|---|---|---|---|---|---|---|---|', ...rows].join('\n')
}

function firstWords(message: string): string {
  const text = message.split('\n')[0]!.replaceAll('|', '/')
  return text.length > 110 ? `${text.slice(0, 110)}…` : text
}

const verdicts = await all()
const killed = verdicts.filter(({ killedAfter }) => killedAfter !== undefined)
const closing = `${killed.length} of ${verdicts.length} killed, median `
  + `${median(killed.map(({ killedAfter }) => killedAfter!))} seeds`
if (json) {
  console.log(JSON.stringify(
    verdicts.map(({ mutant: { id, title, budget }, ...rest }) => ({ id, title, budget, ...rest }))))
} else console.log(`${table(verdicts)}\n\n${closing}`)
if (only === undefined && process.env['SEEDS'] === undefined) {
  mkdirSync('test/mutants', { recursive: true })
  writeFileSync(RESULTS, '# Mutants\n\n'
    + 'Written by `make mutants`: bugs planted one at a time, and the seeds it took to see each.\n\n'
    + `${table(verdicts)}\n\n${closing}\n`)
}
const survivors = verdicts.filter(({ mutant, killedAfter }) =>
  killedAfter === undefined && mutant.equivalent === undefined)
process.exitCode = survivors.length === 0 ? 0 : 1

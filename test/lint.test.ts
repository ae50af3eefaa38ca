// Proves that the linter's rules bite, typed ones included: each planted line must be refused where its rule
// holds, and the rooms that may touch the machine must be let through.

import { expect } from 'chai'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

import { makeTempDir, repoPath, repoRoot, sourceFiles } from './support/paths.ts'

interface Diagnostic { readonly code: string; readonly filename: string; readonly message: string }
interface Report {
  readonly diagnostics: readonly Diagnostic[]
  readonly number_of_files: number
}

const LONG = `export function long(): number {\n  let sum = 0\n${'  sum += 1\n'.repeat(70)}  return sum\n}\n`
const SWITCH = "export function f(k: 'a' | 'b') {\n  switch (k) {\n    case 'a': return 1\n"

// [file, text, the rule that must refuse it]
const PLANTED: readonly (readonly [string, string, string])[] = [
  ['src/base/l01.ts', 'export const now = () => Date.now()\n', 'no-restricted-globals'],
  ['src/base/l02.ts', 'export const now = () => new Date()\n', 'no-restricted-globals'],
  ['broker/l03.ts', 'setTimeout(() => undefined, 1)\n', 'no-restricted-globals'],
  ['broker/l04.ts', 'setInterval(() => undefined, 1)\n', 'no-restricted-globals'],
  ['broker/l05.ts', 'setImmediate(() => undefined)\n', 'no-restricted-globals'],
  ['controller/l06.ts', 'export const at = () => performance.now()\n', 'no-restricted-globals'],
  ['controller/l07.ts', 'export const page = () => fetch("http://localhost")\n', 'no-restricted-globals'],
  ['controller/l08.ts', 'export const home = () => process.env["HOME"]\n', 'no-restricted-globals'],
  ['controller/l09.ts', 'export const at = () => globalThis.performance.now()\n', 'no-restricted-globals'],
  ['src/client/l10.ts', 'export const chance = () => Math.random()\n', 'no-restricted-properties'],
  ['src/client/l11.ts', 'export const late = () => AbortSignal.timeout(1)\n', 'no-restricted-properties'],
  ['src/base/l12.ts', 'async function f() { await Promise.resolve() }\nexport function g() { f() }\n',
    'no-floating-promises'],
  ['src/base/l13.ts', 'const f = async () => { await Promise.resolve() }\n[1].forEach(f)\n',
    'no-misused-promises'],
  ['src/base/l14.ts', `${SWITCH}  }\n  return 2\n}\n`, 'switch-exhaustiveness-check'],
  ['src/base/l15.ts', 'export const f = (x: any) => [x]\n', 'no-explicit-any'],
  ['src/base/l16.ts', "import { X } from './l17.ts'\nexport const f = (x: X) => [x]\n",
    'consistent-type-imports'],
  ['src/base/l17.ts', 'export interface X { readonly a: number }\nexport default function f() { return 1 }\n',
    'no-default-export'],
  ['src/base/l18.ts', LONG, 'max-lines-per-function'],
  ['src/base/l19.ts', 'export function f(g: () => void) { try { g() } catch {} }\n', 'no-empty'],
  ['src/base/l20.ts', "export function f() { throw 'text' }\n", 'only-throw-error'],
  ['src/base/l21.ts', "console.log('loose')\n", 'no-console'],
  ['src/base/l22.ts', 'export async function f() { return 1 }\n', 'require-await'],
  ['src/base/l23.ts', "export const f = (text: string) => { const x: string = JSON.parse(text); return x }\n",
    'no-unsafe-assignment']
]

const ALLOWED: readonly (readonly [string, string])[] = [
  ['src/os/ok1.ts', 'export const now = () => Date.now() + Math.random()\n'],
  ['src/cli/ok2.ts', 'export const home = () => process.env["HOME"]\n'],
  ['src/testing/ok3.ts', 'export const soon = (run: () => void) => setTimeout(run, 1)\n'],
  ['broker/main.ts', "console.log(process.pid)\n"],
  ['test/ok4.test.ts', 'export const at = () => performance.now()\n'],
  ['broker/ok5.ts', `${SWITCH}    case 'b': return 2\n  }\n}\n`]
]

/** The linter finds its typed half through PATH, whatever directory it looks at. */
function oxlint(cwd: string, ...paths: readonly string[]): Report {
  const tools = repoPath('node_modules/.bin')
  const run = spawnSync(join(tools, 'oxlint'), ['--format', 'json', ...paths], {
    cwd, encoding: 'utf8', maxBuffer: 64 << 20,
    env: { ...process.env, PATH: `${tools}${delimiter}${process.env['PATH'] ?? ''}` }
  })
  expect(run.stdout, run.stderr).to.match(/^\s*\{/)
  return JSON.parse(run.stdout) as Report
}

function lint(files: readonly (readonly [string, string])[]): string[] {
  const tree = makeTempDir('lint')
  try {
    cpSync(repoPath('.oxlintrc.json'), join(tree.path, '.oxlintrc.json'))
    writeFileSync(join(tree.path, 'tsconfig.json'), JSON.stringify({
      compilerOptions: {
        target: 'es2023', lib: ['es2023', 'dom'], module: 'nodenext', strict: true, noEmit: true, types: [],
        allowImportingTsExtensions: true
      }
    }))
    writeFileSync(join(tree.path, 'globals.d.ts'),
      'declare const process: { readonly pid: number; readonly env: Readonly<Record<string, string>> }\n')
    for (const [file, text] of files) {
      mkdirSync(join(tree.path, dirname(file)), { recursive: true })
      writeFileSync(join(tree.path, file), text)
    }
    return oxlint(tree.path).diagnostics.map(({ filename, code }) => `${filename}: ${ruleOf(code)}`)
  } finally {
    tree.remove()
  }
}

/** `typescript(no-floating-promises)` is `no-floating-promises`. */
function ruleOf(code: string): string {
  return code.replace(/^.*\((.*)\)$/, '$1')
}

describe('lint', function () {
  this.timeout(60_000)

  it('refuses every planted line', () => {
    const seen = new Set(lint(PLANTED.map(([file, text]) => [file, text] as const)))
    expect(PLANTED.map(([file, , rule]) => `${file}: ${rule}`).filter((wanted) => !seen.has(wanted)))
      .to.deep.equal([])
  })

  it('lets the rooms that may touch the machine pass', () => {
    expect(lint(ALLOWED)).to.deep.equal([])
  })

  it('finds the real tree read and clean', () => {
    const report = oxlint(repoRoot, 'src', 'controller', 'broker', 'test')
    expect(report.number_of_files).to.be.at.least(sourceFiles().length)
    expect(report.diagnostics.map(({ filename, code, message }) => `${filename}: ${code}: ${message}`))
      .to.deep.equal([])
  })
})

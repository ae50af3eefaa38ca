// House rules that no compiler or linter checks, over every TypeScript file we write.

import { expect } from 'chai'
import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'

import { repoPath, sourceFiles } from './support/paths.ts'

const COLUMNS = 120

/** What may stand without being imported. */
const ROOTS = [
  'controller/main.ts', 'broker/main.ts', 'src/cli/main.ts', 'src/client/index.ts', 'src/testing/cluster.ts'
]
const IS_TEST_ROOT = /^test\/(.*\.test|.*\/main)\.ts$/

const EVERYWHERE: readonly (readonly [string, RegExp])[] = [
  ['unfinished work', /\b(TODO|FIXME|XXX|HACK)\b/],
  ['a cast to any', /\bas any\b/],
  ['an error swallowed', /\bcatch\s*(\([^)]*\)\s*)?\{\s*\}/],
  ['a compiler or linter silenced', /@ts-(ignore|nocheck|expect-error)|(ox|es)lint-disable/],
  ['a path of one machine', /(^|['"`\s(])\/(home|root|Users|work|mnt)\//],
  ['trailing blanks or a tab', /[ \t]+$|\t/],
  ['a semicolon at the end of a line', /;$/],
  ['a relative import without .ts', /\bfrom '\.{1,2}\/[^']*(?<!\.ts|\.json)'/]
]
const IN_PRODUCTION: readonly (readonly [string, RegExp])[] = [
  ['a catch that does not name what it expects', /\bcatch\s*\{/],
  ['a 32-bit shift of an offset', /[oO]ffset\)?\s*(>>|<<)/],
  ['a bigint', /\b\d+n\b|\bBigInt\b|\bbigint\b/]
]

const files = sourceFiles()
/** Two tests quote what is forbidden. */
const unquoted = files.filter((file) => !['test/tidy.test.ts', 'test/lint.test.ts'].includes(file))
const production = files.filter((file) => !file.startsWith('test/'))
const textOf = new Map(files.map((file) => [file, readFileSync(repoPath(file), 'utf8')]))

function text(file: string): string {
  return textOf.get(file) ?? ''
}

/** Lines of `among` that match, as `file:line: what`. */
function offences(among: readonly string[], what: string, pattern: RegExp): string[] {
  return among.flatMap((file) => text(file).split('\n').flatMap((line, index) =>
    pattern.test(line) ? [`${file}:${index + 1}: ${what}`] : []))
}

/** The files that `file` imports by relative path. */
function importsOf(file: string): string[] {
  return [...text(file).matchAll(/\b(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)]
    .map((match) => posix.join(posix.dirname(file), match[1] ?? ''))
}

function reachable(from: readonly string[]): Set<string> {
  const seen = new Set(from)
  for (const file of seen) for (const next of importsOf(file)) seen.add(next)
  return seen
}

/** The comment a file begins with (behind a `#!` line), as one line of text. */
function headerOf(source: string): string {
  const lines = source.split('\n')
  if (lines[0]?.startsWith('#!') === true) lines.shift()
  const end = lines.findIndex((line) => !line.startsWith('//'))
  const comment = end < 0 ? lines : lines.slice(0, end)
  return comment.map((line) => line.replace(/^\/\/ ?/, '')).join(' ').trim()
}

describe('tidy', () => {
  it('found the files', () => {
    expect(files.filter((file) => file.startsWith('test/'))).to.include('test/tidy.test.ts')
    expect(production).to.include('src/ports.ts')
  })

  it(`keeps lines within ${COLUMNS} columns`, () => {
    const wide = files.flatMap((file) => text(file).split('\n').flatMap((line, index) =>
      line.length > COLUMNS ? [`${file}:${index + 1}: ${line.length}`] : []))
    expect(wide).to.deep.equal([])
  })

  it('begins every file with a sentence that says what it is for', () => {
    const silent = files.filter((file) => !/^[A-Z`].{19,}[.:]/.test(headerOf(text(file))))
    expect(silent).to.deep.equal([])
  })

  it('ends every file with one newline', () => {
    expect(files.filter((file) => !/[^\n]\n$/.test(text(file)))).to.deep.equal([])
  })

  for (const [what, pattern] of EVERYWHERE) {
    it(`has nowhere ${what}`, () => { expect(offences(unquoted, what, pattern)).to.deep.equal([]) })
  }
  for (const [what, pattern] of IN_PRODUCTION) {
    it(`has in production nowhere ${what}`, () => {
      expect(offences(production, what, pattern)).to.deep.equal([])
    })
  }

  it('gives no file a name that could mean anything', () => {
    const drawer = /\/(utils?|helpers?|common|misc|shared|index)((\.test)?\.ts$|\/)/
    expect(files.filter((file) => drawer.test(`/${file}`) && !ROOTS.includes(file))).to.deep.equal([])
    expect(files.filter((file) => !/^[a-z0-9/.-]+$/.test(file)), 'kebab-case').to.deep.equal([])
  })

  it('has the roots this test knows', () => {
    expect(ROOTS.filter((root) => !existsSync(repoPath(root)))).to.deep.equal([])
  })

  it('ships no file that no root reaches', () => {
    const live = reachable(ROOTS)
    expect(production.filter((file) => !live.has(file))).to.deep.equal([])
  })

  it('keeps no test support that no test reaches', () => {
    const tests = files.filter((file) => file.startsWith('test/'))
    const live = reachable(tests.filter((file) => IS_TEST_ROOT.test(file)))
    expect(tests.filter((file) => !live.has(file))).to.deep.equal([])
  })
})

describe('tidy, on itself', () => {
  // A pattern that matches nothing would keep every test above green.
  const SAMPLES: readonly (readonly [string, string])[] = [
    ['unfinished work', '// TODO: later'],
    ['a cast to any', 'f(x as any)'],
    ['an error swallowed', 'try { f() } catch { }'],
    ['an error swallowed', 'try { f() } catch (error) {}'],
    ['a compiler or linter silenced', '// @ts-ignore'],
    ['a path of one machine', "read('/home/me/x')"],
    ['trailing blanks or a tab', 'x '],
    ['a semicolon at the end of a line', 'f();'],
    ['a relative import without .ts', "import { x } from '../x.js'"],
    ['a catch that does not name what it expects', '} catch {'],
    ['a 32-bit shift of an offset', 'const high = (baseOffset >> 8)'],
    ['a bigint', 'const x = 1n']
  ]
  const patterns = [...EVERYWHERE, ...IN_PRODUCTION]

  it('knows a sample for every pattern, and refuses it', () => {
    expect(patterns.map(([what]) => what).filter((what) => !SAMPLES.some(([known]) => known === what)))
      .to.deep.equal([])
    for (const [what, sample] of SAMPLES) {
      expect(patterns.find(([name]) => name === what)?.[1].test(sample), `${what}: ${sample}`).to.equal(true)
    }
  })

  it('reads headers and imports as they are written', () => {
    expect(headerOf('#!/usr/bin/env node\n// One thing,\n// twice.\n\nimport x\n'))
      .to.equal('One thing, twice.')
    expect(headerOf('import x\n')).to.equal('')
    expect(importsOf('src/base/fifo.ts')).to.deep.equal(['src/base/assert.ts'])
  })
})

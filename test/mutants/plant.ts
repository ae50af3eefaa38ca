// Plants a mutant: a copy of the build, of hard links, in which the patched sources are compiled anew.

import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { transformSync } from '@swc/core'

import type { Edit, Mutant } from './mutants.ts'

/** The source of each patched file, patched. Throws when an edit does not fit exactly once. */
export function patched(edits: readonly Edit[], root = '.'): ReadonlyMap<string, string> {
  const sources = new Map<string, string>()
  for (const { file, find, replace } of edits) {
    const source = sources.get(file) ?? readFileSync(join(root, file), 'utf8')
    const places = source.split(find).length - 1
    if (places !== 1) throw new Error(`${file} has ${places} places like this, not one:\n${find}`)
    sources.set(file, source.replace(find, () => replace))
  }
  return sources
}

/** JavaScript as the compiler of this project would write it. Throws when the source cannot be parsed. */
export function compiled(source: string, file: string): string {
  const { code } = transformSync(source, {
    filename: file, jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'es6' } })
  return code.replaceAll(/(from\s*|import\s*\(?)(["'][.][^"']*)[.]ts(["'])/g, '$1$2.js$3')
}

/** Where mutant `id` is planted; a build of its own, beside the one of the project. Returns the tree's root. */
export function plant(mutant: Mutant): string {
  const tree = `.cache/mutants/${mutant.id}`
  rmSync(tree, { recursive: true, force: true })
  mkdirSync(tree, { recursive: true })
  execFileSync('cp', ['-al', 'dist', 'package.json', 'proto', tree])
  for (const [file, source] of patched(mutant.edits)) {
    const target = join(tree, 'dist', file.replace(/[.]ts$/, '.js'))
    mkdirSync(dirname(target), { recursive: true })
    // Never through a hard link: that would be the project's own build.
    rmSync(target, { force: true })
    writeFileSync(target, compiled(source, file))
  }
  return tree
}

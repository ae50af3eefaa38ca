// Where tests find things: files of the repository, compiled output, directories to throw away.

import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The compiled tree this very test runs from (`dist`, or another outDir beside it). */
const builtRoot = fileURLToPath(new URL('../../', import.meta.url))

export const repoRoot = resolve(builtRoot, '..')

/** A path from the root of the repository: `repoPath('test/fixtures/frames')`. */
export function repoPath(...parts: readonly string[]): string {
  return join(repoRoot, ...parts)
}

/** The compiled form of a source path: `builtPath('src/cli/main.ts')` is …/dist/src/cli/main.js. */
export function builtPath(source: string): string {
  return join(builtRoot, source.replace(/\.ts$/, '.js'))
}

/** Every TypeScript file we write (not what is generated), as sorted paths from the root, with `/`. */
export function sourceFiles(): string[] {
  const notOurs = /^(src\/rpc\/generated|test\/fixtures|test\/clients)\//
  return ['src', 'controller', 'broker', 'test']
    .flatMap((room) => readdirSync(repoPath(room), { recursive: true, encoding: 'utf8' })
      .map((name) => `${room}/${name.replaceAll('\\', '/')}`))
    .filter((file) => file.endsWith('.ts') && !notOurs.test(file))
    .sort()
}

/** An empty directory under the system's temporary one. `remove` it in an `after` hook. */
export function makeTempDir(name: string): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), `weir-${name}-`))
  return { path, remove: () => { rmSync(path, { recursive: true, force: true }) } }
}

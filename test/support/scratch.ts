// Directories to throw away, gone when the tests of the calling `describe` are done.

import { after } from 'mocha'

import { makeTempDir } from './paths.ts'

/** Call it in a `describe`; what it returns makes a new, empty directory each time and tells its path. */
export function scratch(name: string): () => string {
  const made: ReturnType<typeof makeTempDir>[] = []
  after(() => { for (const dir of made.splice(0)) dir.remove() })
  return () => {
    const dir = makeTempDir(name)
    made.push(dir)
    return dir.path
  }
}

// What the network does to its process: nothing of it stays after closing, and a broken invariant ends it.

import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { expect } from 'chai'

import type { Mode } from './process-child.ts'

/** Resolves with the exit code and stderr of the child in that mode. */
function run(mode: Mode): Promise<{ readonly code: number | null; readonly text: string }> {
  const script = fileURLToPath(new URL('process-child.js', import.meta.url))
  const child = spawn(process.execPath, [script, mode], { stdio: ['ignore', 'ignore', 'pipe'], timeout: 20_000 })
  let text = ''
  child.stderr.setEncoding('utf8').on('data', (piece: string) => { text += piece })
  return new Promise((resolve) => { child.on('close', (code) => { resolve({ code, text }) }) })
}

describe('process of a network', function () {
  this.timeout(30_000)

  it('ends by itself once peers and listeners are closed', async () => {
    expect(await run('closes')).to.deep.equal({ code: 0, text: '' })
  })

  for (const where of ['unary', 'message'] as const) {
    it(`ends by an invariant broken in a handler (${where})`, async () => {
      const { code, text } = await run(where)
      expect(code).to.equal(1)
      expect(text).to.contain('AssertionError: broken invariant')
    })
  }
})

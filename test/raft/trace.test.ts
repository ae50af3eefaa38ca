// Protocol traces: every script in test/raft/traces does what it says. `UPDATE=1` rewrites them: read the diff.

import { expect } from 'chai'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

import { repoPath } from '../support/paths.ts'
import { runTrace } from './trace.ts'

const DIR = repoPath('test/raft/traces')

describe('Raft traces', () => {
  const names = readdirSync(DIR).filter((name) => name.endsWith('.txt')).sort()

  it('are there', () => { expect(names.length).to.be.greaterThanOrEqual(10) })

  for (const name of names) {
    it(name.replace('.txt', ''), () => {
      const golden = readFileSync(`${DIR}/${name}`, 'utf8')
      const actual = runTrace(golden)
      if (process.env['UPDATE'] === '1') writeFileSync(`${DIR}/${name}`, actual)
      else expect(actual).to.equal(golden)
    })
  }
})

// Every mutant fits today's sources; one of them is planted and hunted for real.

import { expect } from 'chai'

import { hunt } from './hunt.ts'
import { MUTANTS } from './mutants.ts'
import { compiled, patched, plant } from './plant.ts'

describe('mutants', function () {
  this.timeout(120_000)

  for (const { id, title, edits } of MUTANTS) {
    it(`${id}, ${title}: fits the sources`, () => {
      for (const [file, source] of patched(edits)) expect(compiled(source, file)).to.not.match(/from ['"][.].*[.]ts/)
    })
  }

  it('an edit that does not fit once is refused', () => {
    const edit = { file: 'controller/raft/log.ts', find: 'no such line', replace: '' }
    expect(() => patched([edit])).to.throw('0 places')
    expect(() => patched([{ ...edit, find: 'return' }])).to.throw('not one')
  })

  it('a planted mutant is killed; the same hunt passes without it', async () => {
    const mutant = MUTANTS.find(({ id }) => id === 4)!
    const verdict = await hunt(mutant, plant(mutant), 20)
    expect(verdict.killedAfter).to.be.within(1, 20)
    expect((await hunt(mutant, '.', 20)).killedAfter).to.equal(undefined)
  })
})

// Majorities: what three of five have, and when a vote is decided.

import { expect } from 'chai'

import { majorityOf, majorityReached, tally } from '../../controller/raft/quorum.ts'

describe('Raft quorum', () => {
  it('needs more than half', () => {
    expect([1, 2, 3, 4, 5].map(majorityOf)).to.deep.equal([1, 2, 2, 3, 3])
  })

  it('finds what a majority has reached, and leaves its input as it was', () => {
    const reached = [7, 1, 9, 3, 10]
    expect(majorityReached(reached)).to.equal(7)
    expect(reached).to.deep.equal([7, 1, 9, 3, 10])
    expect(majorityReached([4, 8])).to.equal(4)
    expect(majorityReached([4])).to.equal(4)
  })

  it('decides a vote as soon as it is decided', () => {
    const votes = (...answers: readonly boolean[]) => new Map(answers.map((answer, at) => [at + 1, answer]))
    expect(tally(3, votes(true))).to.equal('pending')
    expect(tally(3, votes(true, true))).to.equal('won')
    expect(tally(3, votes(true, false))).to.equal('pending')
    expect(tally(3, votes(false, false))).to.equal('lost')
    expect(tally(4, votes(true, true, false, false))).to.equal('lost')
  })
})

// The Raft log in memory: what it cuts, what it keeps, what counts as durable, and pointers that never pass each other.

import { expect } from 'chai'

import { entryBytes, RaftLog } from '../../controller/raft/log.ts'
import type { Entry, Snapshot } from '../../controller/raft/types.ts'
import { bytes } from './raft-cluster.ts'

/** `entries(3, 1, 1, 2)`: entries 3/1, 4/1 and 5/2. */
function entries(first: number, ...terms: readonly number[]): Entry[] {
  return terms.map((term, at) => ({ index: first + at, term, data: bytes(`${first + at}/${term}`) }))
}

function snapshot(index: number, term: number): Snapshot { return { index, term, data: bytes('image') } }

function termsOf(log: RaftLog): (number | undefined)[] {
  return Array.from({ length: log.last - log.compacted }, (_, at) => log.termAt(log.compacted + 1 + at))
}

describe('RaftLog', () => {
  it('knows no term of what is compacted or not there', () => {
    const log = new RaftLog(snapshot(5, 2), entries(4, 2, 2, 3), 5, 5)
    expect([0, 4, 5, 6, 7].map((index) => log.termAt(index))).to.deep.equal([undefined, undefined, 2, 3, undefined])
    expect(log.matches(0, 0)).to.equal(false)
  })

  it('refuses a log with a gap, and a commit index it does not reach', () => {
    expect(() => new RaftLog(snapshot(5, 2), entries(7, 3), 5, 5)).to.throw('gap')
    expect(() => new RaftLog(undefined, entries(1, 1), 2, 0)).to.throw('commit 2')
  })

  it('cuts at a conflict, never for an old message', () => {
    const log = new RaftLog(undefined, entries(1, 1, 1, 1, 1), 1, 0)
    expect(log.merge(1, entries(2, 1))).to.equal(2)
    expect(termsOf(log)).to.deep.equal([1, 1, 1, 1])
    expect(log.merge(2, entries(3, 2))).to.equal(3)
    expect(termsOf(log)).to.deep.equal([1, 1, 2])
    expect(log.stable).to.equal(2)
    expect(log.unstable().map(({ index }) => index)).to.deep.equal([3])
  })

  it('never replaces what is committed', () => {
    const log = new RaftLog(undefined, entries(1, 1, 1), 2, 0)
    expect(() => log.merge(1, entries(2, 2))).to.throw('committed')
  })

  it('does not take a write for the durability of what replaced it meanwhile', () => {
    const log = new RaftLog(undefined, [], 0, 0)
    log.merge(0, entries(1, 1, 1, 1))
    const written = log.unstable()
    log.merge(1, entries(2, 2, 2))
    log.stabilize(written)
    expect(log.stable).to.equal(1)
    log.stabilize(log.unstable())
    expect(log.stable).to.equal(3)
  })

  it('counts no write while a snapshot waits to replace the log on disk', () => {
    const log = new RaftLog(undefined, [], 0, 0)
    const written = entries(6, 2)
    const installed = snapshot(5, 2)
    log.install(installed)
    log.merge(5, written)
    log.stabilize(written)
    expect(log.stable).to.equal(5)
    log.snapshotDone(snapshot(4, 2))
    expect(log.pendingSnapshot).to.equal(installed)
    log.snapshotDone(installed)
    log.stabilize(written)
    expect(log.stable).to.equal(6)
  })

  it('applies only what is both committed and durable here', () => {
    const log = new RaftLog(undefined, entries(1, 1), 1, 0)
    log.append(entries(2, 1))
    log.commitTo(2)
    expect(log.toApply().map(({ index }) => index)).to.deep.equal([1])
    expect(() => log.applyTo(2)).to.throw('applied')
  })

  it('commits no further than it reaches, and never back', () => {
    const log = new RaftLog(undefined, entries(1, 1, 1), 2, 0)
    expect(log.commitTo(1)).to.equal(false)
    expect(log.committed).to.equal(2)
    expect(() => log.commitTo(3)).to.throw('lost entries')
  })

  it('keeps a tail when it compacts, and ignores an older snapshot', () => {
    const log = new RaftLog(undefined, entries(1, 1, 1, 2, 2, 2), 4, 4)
    log.compact(snapshot(4, 2), 1)
    expect([log.compacted, log.termAt(3), log.termAt(2)]).to.deep.equal([3, 2, undefined])
    log.compact(snapshot(2, 1), 0)
    expect(log.snapshot?.index).to.equal(4)
    expect(() => log.compact(snapshot(5, 2), 0)).to.throw('applied')
    expect(() => log.compact(snapshot(4, 1), 0)).to.throw('of this log')
  })

  it('hints at the last entry of no later term', () => {
    const log = new RaftLog(undefined, entries(1, 1, 1, 4, 4, 6), 0, 0)
    expect(log.conflictHint(9, 5)).to.deep.equal({ index: 4, term: 4 })
    expect(log.conflictHint(5, 3)).to.deep.equal({ index: 2, term: 1 })
    expect(log.conflictHint(5, 0)).to.deep.equal({ index: 0, term: 0 })
    const compacted = new RaftLog(snapshot(5, 6), entries(6, 6), 5, 5)
    expect(compacted.conflictHint(6, 3)).to.deep.equal({ index: 4, term: 0 })
  })

  it('slices by bytes, one entry at least', () => {
    const log = new RaftLog(undefined, entries(1, 1, 1, 1), 0, 0)
    const size = entryBytes(entries(1, 1)[0]!)
    const sliced = (from: number, limit: number) => log.sliceBytes(from, limit).map(({ index }) => index)
    expect(sliced(1, 1)).to.deep.equal([1])
    expect(sliced(1, 2 * size)).to.deep.equal([1, 2])
    expect(sliced(2, 9 * size)).to.deep.equal([2, 3])
    expect(sliced(4, 9 * size)).to.deep.equal([])
  })
})

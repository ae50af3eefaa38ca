// Flow control of one follower: what is in flight is bounded, and outdated refusals change nothing.

import { expect } from 'chai'

import { Progress } from '../../controller/raft/progress.ts'

function replicating(limits = { messages: 2, bytes: 1000 }): Progress {
  const progress = new Progress(2, 4, limits)
  progress.acknowledge(3)
  progress.toReplicate()
  return progress
}

describe('Progress', () => {
  it('probes one message at a time', () => {
    const progress = new Progress(2, 4, { messages: 9, bytes: 1000 })
    progress.sent(4, 10)
    expect(progress).to.include({ paused: true, next: 4 })
    progress.resume()
    expect(progress.paused).to.equal(false)
  })

  it('bounds the appends in flight', () => {
    const progress = replicating()
    progress.sent(5, 10)
    expect(progress.paused).to.equal(false)
    progress.sent(6, 10)
    expect(progress).to.include({ paused: true, next: 7 })
    progress.acknowledge(4)
    expect(progress.paused, 'nothing whole was acknowledged').to.equal(true)
    progress.acknowledge(5)
    expect(progress.paused).to.equal(false)
  })

  it('bounds the bytes in flight, but lets the first append out', () => {
    const progress = replicating({ messages: 9, bytes: 20 })
    expect(progress.paused).to.equal(false)
    progress.sent(4, 50)
    expect(progress.paused).to.equal(true)
    progress.acknowledge(4)
    expect(progress.paused).to.equal(false)
  })

  it('counts no empty append', () => {
    const progress = replicating({ messages: 1, bytes: 1000 })
    progress.sent(3, 0)
    expect(progress).to.include({ paused: false, next: 4 })
  })

  it('goes back to what matches when an append was refused, not for an outdated refusal', () => {
    const progress = replicating()
    progress.sent(5, 10)
    expect(progress.refuse(3, 1)).to.equal(false)
    expect(progress.state).to.equal('replicate')
    expect(progress.refuse(5, 4)).to.equal(true)
    expect(progress).to.include({ state: 'probe', next: 4 })
  })

  it('probes where the hint says, never below what matches', () => {
    const progress = new Progress(2, 10, { messages: 1, bytes: 1 })
    expect(progress.refuse(7, 2), 'of another message').to.equal(false)
    expect(progress.refuse(9, 5)).to.equal(true)
    expect(progress.next).to.equal(6)
    progress.acknowledge(4)
    expect(progress.refuse(5, 1)).to.equal(true)
    expect(progress.next).to.equal(5)
  })

  it('sends nothing while a snapshot is under way, and goes on behind it', () => {
    const progress = new Progress(2, 4, { messages: 1, bytes: 1 })
    progress.toSnapshot(9)
    expect(progress).to.include({ paused: true, state: 'snapshot' })
    expect(progress.refuse(3, 0)).to.equal(false)
    progress.toProbe()
    expect(progress).to.include({ state: 'probe', next: 10, paused: false })
  })

  it('waits to be heard when the snapshot failed', () => {
    const progress = new Progress(2, 4, { messages: 1, bytes: 1 })
    progress.toSnapshot(9)
    progress.snapshotFailed()
    expect(progress).to.include({ state: 'probe', next: 1, paused: true })
  })
})

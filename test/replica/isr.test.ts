// Who is in sync, and where the high watermark may stand.

import { expect } from 'chai'

import {
  acknowledge, highWatermark, laggards, mayJoin, newFollower, type FollowerState
} from '../../broker/replica/isr.ts'

function follower(id: number, fields: Partial<FollowerState> = {}): FollowerState {
  return { ...newFollower(id, 0), ...fields }
}

function followers(...list: FollowerState[]): Map<number, FollowerState> {
  return new Map(list.map((entry) => [entry.id, entry]))
}

describe('isr: high watermark', () => {
  const base = { leaderId: 1, ownEnd: 100, isr: [1, 2, 3], additions: [], minIsr: 2 }

  it('is the least acknowledged end over the ISR', () => {
    const known = followers(follower(2, { ackOffset: 90 }), follower(3, { ackOffset: 95 }))
    expect(highWatermark({ ...base, followers: known })).to.equal(90)
  })

  it('counts the leader by its own share only: what it has not flushed is not there', () => {
    const known = followers(follower(2, { ackOffset: 90 }), follower(3, { ackOffset: 95 }))
    expect(highWatermark({ ...base, ownEnd: 70, followers: known })).to.equal(70)
  })

  it('waits for a member being added: the controller may have committed it already (maximal ISR)', () => {
    const known = followers(follower(2, { ackOffset: 100 }), follower(3, { ackOffset: 40 }))
    expect(highWatermark({ ...base, isr: [1, 2], additions: [1, 2, 3], followers: known })).to.equal(40)
  })

  it('ignores replicas outside the ISR', () => {
    const known = followers(follower(2, { ackOffset: 100 }), follower(3, { ackOffset: 4 }))
    expect(highWatermark({ ...base, isr: [1, 2], followers: known })).to.equal(100)
  })

  it('stays while the ISR is smaller than min.insync.replicas (KIP-966)', () => {
    expect(highWatermark({ ...base, isr: [1], followers: followers() })).to.equal(undefined)
    expect(highWatermark({ ...base, isr: [1], minIsr: 1, followers: followers() })).to.equal(100)
  })

  it('stays until every member has subscribed in this epoch', () => {
    const known = followers(follower(2, { ackOffset: 90 }), follower(3))
    expect(highWatermark({ ...base, followers: known })).to.equal(undefined)
    expect(highWatermark({ ...base, followers: followers(follower(2, { ackOffset: 90 })) })).to.equal(undefined)
  })
})

describe('isr: caught up and late', () => {
  it('a follower that reaches the end is caught up now', () => {
    const state = follower(2)
    acknowledge(state, { offset: 10, leaderEnd: 10, nowMs: 500 })
    expect(state.lastCaughtUpMs).to.equal(500)
  })

  it('one that reaches what was the end at its last acknowledgement was caught up then', () => {
    const state = follower(2)
    acknowledge(state, { offset: 5, leaderEnd: 10, nowMs: 500 })
    expect(state.lastCaughtUpMs).to.equal(0)
    acknowledge(state, { offset: 10, leaderEnd: 20, nowMs: 600 })
    expect(state.lastCaughtUpMs).to.equal(500)
  })

  it('acknowledgements never go back', () => {
    const state = follower(2)
    acknowledge(state, { offset: 10, leaderEnd: 20, nowMs: 1 })
    acknowledge(state, { offset: 4, leaderEnd: 20, nowMs: 2 })
    expect(state.ackOffset).to.equal(10)
  })

  const base = { leaderId: 1, leaderEnd: 100, isr: [1, 2, 3], nowMs: 20_000, lagMaxMs: 10_000 }

  it('late is behind, and for longer than the lag time; neither alone', () => {
    const known = followers(
      follower(2, { ackOffset: 100, lastCaughtUpMs: 0 }), follower(3, { ackOffset: 99, lastCaughtUpMs: 10_000 }))
    expect(laggards({ ...base, followers: known })).to.deep.equal([])
    expect(laggards({ ...base, nowMs: 20_001, followers: known })).to.deep.equal([3])
  })

  it('a member nobody knows is late', () => {
    expect(laggards({ ...base, followers: followers(follower(2, { ackOffset: 100 })) })).to.deep.equal([3])
  })
})

describe('isr: joining', () => {
  const at = { highWatermark: 50, epochStartOffset: 40, eligibleBrokerEpoch: 7 }

  it('takes the high watermark, the epoch start, and the current registration', () => {
    expect(mayJoin(follower(2, { ackOffset: 50, brokerEpoch: 7 }), at)).to.equal(true)
    expect(mayJoin(follower(2, { ackOffset: 49, brokerEpoch: 7 }), at)).to.equal(false)
  })

  it('refuses one below the start of the leader epoch, wherever the mark is (KAFKA-7128)', () => {
    expect(mayJoin(follower(2, { ackOffset: 50, brokerEpoch: 7 }), { ...at, epochStartOffset: 51 })).to.equal(false)
  })

  it('refuses acknowledgements of a former incarnation, and fenced or draining brokers', () => {
    expect(mayJoin(follower(2, { ackOffset: 50, brokerEpoch: 6 }), at)).to.equal(false)
    expect(mayJoin(follower(2, { ackOffset: 50, brokerEpoch: 7 }), { ...at, eligibleBrokerEpoch: undefined }))
      .to.equal(false)
  })
})

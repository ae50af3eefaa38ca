// Which broker is taken for gone, and when: to the millisecond, on virtual time.

import { expect } from 'chai'

import { BrokerSessions, type SessionsNeeds } from '../../controller/broker-sessions.ts'
import { FakeLogger } from '../support/fake-ports.ts'
import { FakeTime } from '../support/fake-time.ts'

const TIMEOUT_MS = 700
const GRACE_MS = 20
/** The longest wait for the next look. */
const LOOK_MS = 50

describe('broker sessions', () => {
  let time: FakeTime
  let sessions: BrokerSessions
  let expired: string[]
  const make = (more: Partial<SessionsNeeds> = {}) => {
    time = new FakeTime()
    expired = []
    sessions = new BrokerSessions({
      clock: time, timers: time, logger: new FakeLogger(), sessionTimeoutMs: TIMEOUT_MS, hints: true,
      graceMs: GRACE_MS,
      expire: (id, epoch, reason) => {
        const text = `${id}/${epoch} ${reason}`
        if (!expired.includes(text)) expired.push(text)
      },
      ...more
    })
    sessions.begin()
  }
  beforeEach(() => { make() })

  /** Heartbeats of `ids` every 100 ms. */
  const beat = async (ids: readonly number[], ms: number) => {
    for (let passed = 0; passed < ms; passed += 100) {
      for (const id of ids) sessions.heartbeat(id, 10, 10)
      await time.advance(100)
    }
  }

  describe('session timeout', () => {
    it('fences a broker that is silent for the timeout, not one that speaks', async () => {
      for (const id of [1, 2]) {
        sessions.started(id, 10)
        sessions.connected(id, 10)
      }
      await beat([1], 600)
      expect(expired).to.deep.equal([])
      await beat([1], 200)
      expect(expired).to.deep.equal(['2/10 session timeout'])
    })

    it('fences within one look after the timeout', async () => {
      await time.advance(30)
      sessions.started(1, 10)
      await time.advance(TIMEOUT_MS - 1)
      expect(expired).to.deep.equal([])
      await time.advance(LOOK_MS + 1)
      expect(expired).to.deep.equal(['1/10 session timeout'])
    })

    it('a heartbeat of an older registration counts for nothing', async () => {
      sessions.started(1, 20)
      for (let at = 0; at < 8; at++) {
        sessions.heartbeat(1, 10, 99)
        await time.advance(100)
      }
      expect(expired).to.deep.equal(['1/20 session timeout'])
      expect(sessions.metadataOffset(1)).to.equal(-1)
    })

    it('the same registration keeps its session, another gets a fresh one', async () => {
      sessions.started(1, 10)
      await time.advance(600)
      sessions.started(1, 10)
      await time.advance(100)
      expect(expired).to.deep.equal(['1/10 session timeout'])
      sessions.started(1, 30)
      await time.advance(600)
      expect(expired).to.deep.equal(['1/10 session timeout'])
    })

    it('an unregistered broker is forgotten', async () => {
      sessions.started(1, 10)
      sessions.ended(1)
      await time.advance(2 * TIMEOUT_MS)
      expect(expired).to.deep.equal([])
    })
  })

  describe('loss of the stream', () => {
    beforeEach(() => {
      sessions.started(1, 10)
      sessions.connected(1, 10)
    })

    it('fences after the grace', async () => {
      sessions.disconnected(1, 10)
      await time.advance(GRACE_MS - 1)
      expect(expired).to.deep.equal([])
      await time.advance(1)
      expect(expired).to.deep.equal(['1/10 connection lost'])
    })

    it('does not fence the same incarnation when it is back in time', async () => {
      sessions.disconnected(1, 10)
      await time.advance(GRACE_MS - 1)
      sessions.connected(1, 10)
      await beat([1], 1_000)
      expect(expired).to.deep.equal([])
      expect(sessions.isConnected(1)).to.equal(true)
    })

    it('does not fence while another stream of it is open', async () => {
      sessions.connected(1, 10)
      sessions.disconnected(1, 10)
      await beat([1], 1_000)
      expect(expired).to.deep.equal([])
      sessions.disconnected(1, 10)
      await time.advance(GRACE_MS)
      expect(expired).to.deep.equal(['1/10 connection lost'])
    })

    it('does not fence a later registration for the stream of an earlier one', async () => {
      sessions.started(1, 30)
      sessions.disconnected(1, 10)
      await time.advance(100)
      expect(expired).to.deep.equal([])
    })

    it('says nothing when hints are off', async () => {
      make({ hints: false })
      sessions.started(1, 10)
      sessions.connected(1, 10)
      sessions.disconnected(1, 10)
      sessions.unreachable(1, 2)
      sessions.unreachable(1, 3)
      await time.advance(TIMEOUT_MS - 1)
      expect(expired).to.deep.equal([])
      await time.advance(LOOK_MS)
      expect(expired).to.deep.equal(['1/10 session timeout'])
    })
  })

  describe('reports of other brokers', () => {
    beforeEach(() => {
      for (const id of [1, 2, 3]) {
        sessions.started(id, 10)
        sessions.connected(id, 10)
      }
    })

    it('one is not believed while the broker has a stream here', async () => {
      sessions.unreachable(1, 2)
      await beat([2, 3], 600)
      expect(expired).to.deep.equal([])
    })

    it('one is believed when the broker has no stream here, after the grace', async () => {
      make()
      sessions.started(1, 10)
      sessions.unreachable(1, 2)
      await time.advance(GRACE_MS - 1)
      expect(expired).to.deep.equal([])
      await time.advance(1)
      expect(expired).to.deep.equal(['1/10 unreachable for broker 2'])
    })

    it('two are believed as soon as it is silent here too', async () => {
      await beat([1, 2, 3], 300)
      sessions.heartbeat(1, 10, 10)
      sessions.unreachable(1, 2)
      sessions.unreachable(1, 3)
      await time.advance(200)
      expect(expired).to.deep.equal([])
      await time.advance(100)
      expect(expired).to.deep.equal(['1/10 unreachable for two brokers'])
    })

    it('two are not believed while it speaks here', async () => {
      for (let at = 0; at < 20; at++) {
        for (const id of [1, 2, 3]) sessions.heartbeat(id, 10, 10)
        sessions.unreachable(1, 2)
        sessions.unreachable(1, 3)
        await time.advance(100)
      }
      expect(expired).to.deep.equal([])
    })

    it('the same reporter twice is one, and nobody reports himself', async () => {
      sessions.unreachable(1, 2)
      sessions.unreachable(1, 2)
      sessions.unreachable(1, 1)
      await beat([2, 3], 600)
      expect(expired).to.deep.equal([])
    })

    it('old reports and reports from before a new connection do not count', async () => {
      sessions.unreachable(1, 2)
      sessions.connected(1, 10)
      sessions.unreachable(1, 3)
      await beat([2, 3], 600)
      expect(expired).to.deep.equal([])
      make()
      sessions.started(1, 10)
      sessions.connected(1, 10)
      sessions.unreachable(1, 2)
      await beat([1], 800)
      sessions.unreachable(1, 3)
      await time.advance(400)
      expect(expired).to.deep.equal([])
    })

    it('those about a broker nobody knows are dropped', async () => {
      sessions.unreachable(9, 2)
      await time.advance(100)
      expect(expired).to.deep.equal([])
    })
  })

  describe('a stall of this process', () => {
    beforeEach(() => {
      sessions.started(1, 10)
      sessions.connected(1, 10)
      sessions.heartbeat(1, 10, 10)
    })

    it('does not count as silence of the brokers', async () => {
      await time.advance(100)
      time.standStill(5_000)
      await time.advance(500)
      expect(expired).to.deep.equal([])
    })

    it('extends a session by its own length and no more', async () => {
      await time.advance(100)
      time.standStill(5_000)
      await time.advance(TIMEOUT_MS - 100 + LOOK_MS)
      expect(expired).to.deep.equal(['1/10 session timeout'])
    })

    it('does not extend the session of a broker that was heard at its end', async () => {
      time.standStill(5_000)
      sessions.heartbeat(1, 10, 10)
      await time.advance(TIMEOUT_MS + LOOK_MS)
      expect(expired).to.deep.equal(['1/10 session timeout'])
    })

    it('makes the loss of a stream during it mean nothing', async () => {
      await time.advance(100)
      sessions.disconnected(1, 10)
      time.standStill(400)
      await time.advance(100)
      expect(expired).to.deep.equal([])
    })

    it('makes hints mean nothing for a session timeout', async () => {
      await time.advance(100)
      time.standStill(400)
      await time.advance(LOOK_MS)
      sessions.disconnected(1, 10)
      await time.advance(GRACE_MS + 1)
      expect(expired).to.deep.equal([])
    })
  })

  describe('waiting for brokers to know', () => {
    let done: boolean
    const wait = (offset: number, brokers: number[]) => {
      done = false
      void sessions.whenAt(offset, brokers, 1_000).then(() => { done = true })
    }
    beforeEach(() => {
      for (const id of [1, 2]) sessions.started(id, 10)
    })

    it('ends when each acts on the offset', async () => {
      wait(20, [1, 2])
      sessions.heartbeat(1, 10, 25)
      await time.settle()
      expect(done).to.equal(false)
      sessions.heartbeat(2, 10, 20)
      await time.settle()
      expect(done).to.equal(true)
      expect(time.pending).to.equal(1)
    })

    it('does not wait for fenced brokers, or unknown ones', async () => {
      wait(20, [1, 2, 9])
      sessions.fenced(2)
      sessions.ended(1)
      await time.settle()
      expect(done).to.equal(true)
    })

    it('ends at once when nobody has to know', async () => {
      wait(20, [])
      await time.settle()
      expect(done).to.equal(true)
    })

    it('ends after the timeout, and when this controller is no longer active', async () => {
      wait(20, [1])
      await time.advance(999)
      expect(done).to.equal(false)
      await time.advance(1)
      await time.settle()
      expect(done).to.equal(true)
      wait(20, [1])
      sessions.end()
      await time.settle()
      expect(done).to.equal(true)
    })
  })

  it('end forgets everything and leaves no timer, whatever was under way', async () => {
    sessions.started(1, 10)
    sessions.connected(1, 10)
    sessions.heartbeat(1, 10, 10)
    sessions.disconnected(1, 10)
    sessions.unreachable(1, 2)
    void sessions.whenAt(99, [1], 1_000)
    sessions.end()
    expect(time.pending).to.equal(0)
    sessions.started(1, 10)
    expect(sessions.metadataOffset(1)).to.equal(-1)
    await time.advance(5_000)
    expect(expired).to.deep.equal([])
  })

  it('begin after end starts afresh: a late start in between leaves no old session', async () => {
    sessions.end()
    sessions.started(1, 10)
    await time.advance(5_000)
    sessions.begin()
    sessions.started(1, 10)
    await time.advance(TIMEOUT_MS - 1)
    expect(expired).to.deep.equal([])
  })
})

// The active controller over a Raft log that the test plays: it decides what commits, when, and who leads.

import { expect } from 'chai'

import { ActiveController, OutcomeUnknown, type CommittedEntry } from '../../controller/active-controller.ts'
import { deferred, type Deferred } from '../../src/base/async.ts'
import { WeirError } from '../../src/base/error-code.ts'
import { encodeRecord, joinRecords } from '../../src/metadata/codec.ts'
import { recordsOf, topicByName, type MetadataImage } from '../../src/metadata/image.ts'
import { failureOf, throwing } from '../support/failures.ts'
import { FakeLogger, noMetrics } from '../support/fake-ports.ts'
import { creation, newTopic, registration } from './state/cluster.ts'

const ADDRESSES: Readonly<Record<number, string>> = { 1: 'c1:1', 2: 'c2:1', 3: 'c3:1' }

/** One controller, number 1, and its Raft log. */
class Bench {
  readonly events: string[] = []
  readonly log: CommittedEntry[] = []
  readonly reads: Deferred<void>[] = []
  readonly images: MetadataImage[] = []
  term = 0
  leads = false
  readonly controller: ActiveController
  #committed = 0

  constructor(queueMax = 100) {
    this.controller = new ActiveController({
      nodeId: 1, logger: new FakeLogger(), metrics: noMetrics, queueMax,
      propose: (data) => {
        if (this.leads) this.append(data)
        return this.leads
      },
      readBarrier: () => {
        const read = deferred<void>()
        this.reads.push(read)
        return read.promise
      },
      addressOf: (id) => ADDRESSES[id] ?? '',
      activated: (term) => { this.events.push(`activated ${term}`) },
      deactivated: () => { this.events.push('deactivated') },
      applied: (_data, _delta, image) => { this.images.push(image) },
      restored: () => { this.events.push('restored') } })
  }

  append(data: Uint8Array): void {
    this.log.push({ index: this.log.length + 1, term: this.term, data })
  }

  /** Commits what is in the log, up to `index`. */
  commit(index = this.log.length): void {
    const entries = this.log.slice(this.#committed, index)
    this.#committed = index
    this.controller.committed(entries)
  }

  /** Wins the election of the next term; `commit` makes it active. */
  elect(): this {
    this.term++
    this.leads = true
    this.controller.leadershipChanged({ leaderId: 1, term: this.term })
    this.append(new Uint8Array(0))
    return this
  }

  active(): this {
    this.elect().commit()
    void this.controller.submit({ kind: 'formCluster', clusterId: 'c' })
    this.commit()
    for (const id of [1, 2, 3]) {
      void this.controller.submit(registration(id)).then(({ brokerEpoch }) => (
        this.controller.submit({ kind: 'unfenceBroker', brokerId: id, brokerEpoch })))
    }
    return this
  }

  /** Another leads; uncommitted entries are cut off. */
  depose(leaderId: number): void {
    this.term++
    this.leads = false
    this.controller.leadershipChanged({ leaderId, term: this.term })
  }

  cut(): void { this.log.length = this.#committed }

  /** A follower that begins with a snapshot. */
  restore(index: number, data: Uint8Array): void {
    for (let at = 1; at <= index; at++) this.log.push({ index: at, term: 0, data: new Uint8Array(0) })
    this.#committed = index
    this.controller.restore(index, data)
  }
}

/** Brokers 1 to 3 active. */
async function activeBench(queueMax?: number): Promise<Bench> {
  const bench = new Bench(queueMax).active()
  bench.commit()
  await Promise.resolve()
  bench.commit()
  await new Promise<void>((resolve) => { setImmediate(resolve) })
  bench.commit()
  expect([...bench.controller.image.brokers.values()].every(({ fenced }) => !fenced)).to.equal(true)
  return bench
}

/** Settled or not, without waiting. */
function watched<T>(promise: Promise<T>): { state: string; readonly promise: Promise<T> } {
  const watch = { state: 'waits', promise }
  promise.then(() => { watch.state = 'resolved' }, () => { watch.state = 'rejected' })
  return watch
}

const turn = () => new Promise<void>((resolve) => { setImmediate(resolve) })
const create = (name: string) => creation([{ ...newTopic(name), topicId: name.padEnd(32, '-') }])

describe('active controller', () => {
  describe('commands', () => {
    it('a reply waits for the commit of its entry', async () => {
      const bench = await activeBench()
      const reply = watched(bench.controller.submit(create('a')))
      await turn()
      expect(reply.state).to.equal('waits')
      expect(topicByName(bench.controller.image, 'a')).to.equal(undefined)
      bench.commit()
      expect((await reply.promise)[0]).to.include({ name: 'a', partitions: 1, replicationFactor: 3, fault: undefined })
      expect(topicByName(bench.controller.image, 'a')).to.not.equal(undefined)
    })

    it('a second creation of a name is decided on the first, committed or not', async () => {
      const bench = await activeBench()
      const replies = [bench.controller.submit(create('a')), bench.controller.submit(create('a'))]
      bench.commit()
      const [first, second] = await Promise.all(replies)
      expect(first![0]!.fault).to.equal(undefined)
      expect(second![0]!.fault!.message).to.equal('topic a exists')
    })

    it('a refusal waits for what it rests on', async () => {
      const bench = await activeBench()
      const epoch = bench.controller.image.brokers.get(1)!.epoch
      void bench.controller.submit({ ...registration(1), incarnationId: 'next' })
      const refused = watched(failureOf(
        bench.controller.submit({ kind: 'fenceBroker', brokerId: 1, brokerEpoch: epoch })))
      await turn()
      expect(refused.state).to.equal('waits')
      bench.commit()
      expect(await refused.promise).to.include({ name: 'STALE_BROKER_EPOCH' })
    })

    it('a refusal that rests on what got lost is not given', async () => {
      const bench = await activeBench()
      const epoch = bench.controller.image.brokers.get(1)!.epoch
      const lost = failureOf(bench.controller.submit({ ...registration(1), incarnationId: 'next' }))
      const refused = failureOf(bench.controller.submit({ kind: 'fenceBroker', brokerId: 1, brokerEpoch: epoch }))
      bench.depose(2)
      expect(await lost).to.include({ name: 'NOT_CONTROLLER' })
      expect(await refused).to.include({ name: 'NOT_CONTROLLER' })
    })

    it('a reply without records is given at once when nothing waits', async () => {
      const bench = await activeBench()
      const { length } = bench.log
      const epoch = bench.controller.image.brokers.get(1)!.epoch
      expect(await bench.controller.submit({ ...registration(1), incarnationId: 'i1' })).to.deep.equal(
        { brokerEpoch: epoch })
      expect(bench.log.length).to.equal(length)
    })

    it('replies come in the order of the commands', async () => {
      const bench = await activeBench()
      const order: string[] = []
      for (const name of ['a', 'b', 'a', 'c']) {
        void bench.controller.submit(create(name)).then(([result]) => (
          order.push(`${name}${result!.fault === undefined ? '' : ' refused'}`)))
      }
      bench.commit()
      await turn()
      expect(order).to.deep.equal(['a', 'b', 'a refused', 'c'])
    })

    it('refuses when the queue is full, and takes commands again later', async () => {
      const bench = await activeBench(3)
      const replies = ['a', 'b', 'c'].map((name) => bench.controller.submit(create(name)))
      const { length } = bench.log
      expect(await failureOf(bench.controller.submit(create('d')))).to.include(
        { name: 'THROTTLING_QUOTA_EXCEEDED', message: '3 commands wait for their commit (controller.queue.max)' })
      expect(bench.log.length).to.equal(length)
      expect(bench.controller.parkedCommands).to.equal(3)
      bench.commit()
      await Promise.all(replies)
      const last = bench.controller.submit(create('d'))
      bench.commit()
      expect((await last)[0]!.fault).to.equal(undefined)
    })

    it('refuses a command whose entry no log would take, and nothing of it stays', async () => {
      const bench = await activeBench()
      const topics = Array.from({ length: 150 }, (_unset, at) => newTopic(`t${at}`))
      const endless = topics.map((topic) => ({ ...topic, topicId: topic.topicId.padEnd(30_000, 'x') }))
      const { length } = bench.log
      const failure = await failureOf(bench.controller.submit(creation(endless)))
      expect(failure).to.include({ name: 'INVALID_REQUEST', hint: 'split it' })
      expect(bench.log.length).to.equal(length)
      const reply = bench.controller.submit(creation(topics))
      bench.commit()
      expect((await reply).every(({ fault }) => fault === undefined)).to.equal(true)
    })

    it('refuses when the log says that this node does not lead any more, and nothing of it stays', async () => {
      const bench = await activeBench()
      bench.leads = false
      expect(await failureOf(bench.controller.submit(create('a')))).to.include({ name: 'NOT_CONTROLLER' })
      bench.leads = true
      const reply = bench.controller.submit(create('a'))
      bench.commit()
      expect((await reply)[0]!.fault).to.equal(undefined)
    })

    it('every entry takes the image one offset further, own or of others alike', async () => {
      const bench = await activeBench()
      void bench.controller.submit(create('a'))
      bench.commit()
      const replayed = new Bench()
      replayed.controller.committed(bench.log)
      expect(recordsOf(replayed.controller.image)).to.deep.equal(recordsOf(bench.controller.image))
      expect(replayed.images.map(({ offset }) => offset)).to.deep.equal(bench.log.map(({ index }) => index))
    })
  })

  describe('requests with an id', () => {
    const topicIdOf = (reply: readonly { readonly topicId: string }[]) => reply[0]!.topicId
    /** A retry brings a topic id of its own. */
    const retry = (name: string) => creation([{ ...newTopic(name), topicId: 'r'.repeat(32) }])

    it('are carried out once while the first one waits, and both get its reply after the commit', async () => {
      const bench = await activeBench()
      const { length } = bench.log
      const first = watched(bench.controller.submit(create('a'), 'q1'))
      const second = watched(bench.controller.submit(retry('a'), 'q1'))
      await turn()
      expect([first.state, second.state]).to.deep.equal(['waits', 'waits'])
      expect(bench.log.length).to.equal(length + 1)
      bench.commit()
      expect(await second.promise).to.deep.equal(JSON.parse(JSON.stringify(await first.promise)))
      expect(topicIdOf(await second.promise)).to.equal('a'.padEnd(32, '-'))
    })

    it('get the reply of the first one later, though the topic is gone', async () => {
      const bench = await activeBench()
      void bench.controller.submit(create('a'), 'q1')
      void bench.controller.submit({ kind: 'deleteTopics', names: ['a'] }, 'q2')
      bench.commit()
      const { length } = bench.log
      expect((await bench.controller.submit(retry('a'), 'q1'))[0]).to.include({ name: 'a', partitions: 1 })
      expect((await bench.controller.submit({ kind: 'deleteTopics', names: ['a'] }, 'q2'))[0])
        .to.deep.equal({ name: 'a' })
      expect(bench.log.length).to.equal(length)
      expect(topicByName(bench.controller.image, 'a')).to.equal(undefined)
    })

    it('are known to the next active controller, from the log and from a snapshot', async () => {
      const bench = await activeBench()
      const lost = failureOf(bench.controller.submit(create('a'), 'q1'))
      bench.depose(2)
      expect(await lost).to.be.instanceOf(OutcomeUnknown)
      const fromLog = new Bench()
      fromLog.log.push(...bench.log)
      fromLog.term = 7
      fromLog.elect().commit()
      expect(topicIdOf(await fromLog.controller.submit(retry('a'), 'q1'))).to.equal('a'.padEnd(32, '-'))

      const { index, data } = fromLog.controller.takeSnapshot()
      const fromSnapshot = new Bench()
      fromSnapshot.restore(index, data)
      fromSnapshot.elect().commit()
      expect(topicIdOf(await fromSnapshot.controller.submit(retry('a'), 'q1'))).to.equal('a'.padEnd(32, '-'))
    })

    it('whose entry was lost with its leader are carried out anew', async () => {
      const bench = await activeBench()
      const lost = failureOf(bench.controller.submit(create('a'), 'q1'))
      bench.depose(2)
      await lost
      bench.cut()
      bench.elect().commit()
      const reply = bench.controller.submit(retry('a'), 'q1')
      bench.commit()
      expect(topicIdOf(await reply)).to.equal('r'.repeat(32))
    })

    it('that changed nothing are decided anew', async () => {
      const bench = await activeBench()
      void bench.controller.submit(create('a'))
      bench.commit()
      expect((await bench.controller.submit(retry('a'), 'q1'))[0]!.fault!.message).to.equal('topic a exists')
      void bench.controller.submit({ kind: 'deleteTopics', names: ['a'] })
      const again = bench.controller.submit(retry('a'), 'q1')
      bench.commit()
      expect((await again)[0]!.fault).to.equal(undefined)
    })

    it('refuse an id that belongs to another command', async () => {
      const bench = await activeBench()
      void bench.controller.submit(create('a'), 'q1')
      bench.commit()
      expect(await failureOf(bench.controller.submit({ kind: 'deleteTopics', names: ['a'] }, 'q1'))).to.include({
        name: 'INVALID_REQUEST', message: 'request id q1 was used for createTopics, now for deleteTopics' })
    })

    it('without a reply worth telling are known as well', async () => {
      const bench = await activeBench()
      void bench.controller.submit({ kind: 'drainBroker', brokerId: 1 }, 'q1')
      void bench.controller.submit({ kind: 'resumeBroker', brokerId: 1 }, 'q2')
      void bench.controller.submit({ kind: 'drainBroker', brokerId: 1 }, 'q3')
      bench.commit()
      const { length } = bench.log
      expect(await bench.controller.submit({ kind: 'resumeBroker', brokerId: 1 }, 'q2')).to.equal(undefined)
      expect(bench.controller.image.brokers.get(1)!.draining).to.equal(true)
      expect(bench.log.length).to.equal(length)
    })
  })

  describe('leadership', () => {
    it('is active once an entry of its own term is applied, not before', async () => {
      const bench = new Bench().elect()
      expect(bench.controller.isActive).to.equal(false)
      expect(await failureOf(bench.controller.submit(create('a')))).to.include({ name: 'NOT_CONTROLLER' })
      bench.commit()
      expect(bench.controller.isActive).to.equal(true)
      expect(bench.events).to.deep.equal(['activated 1'])
    })

    it('applies what earlier terms left before it is active', async () => {
      const bench = await activeBench()
      const lost = failureOf(bench.controller.submit(create('a')))
      bench.depose(2)
      expect(await lost).to.include({ name: 'NOT_CONTROLLER' })
      // The entry was replicated: it commits in the next term, which this node leads again.
      bench.elect()
      bench.commit(bench.log.length - 1)
      expect(topicByName(bench.controller.image, 'a')).to.not.equal(undefined)
      expect(bench.controller.isActive).to.equal(false)
      bench.commit()
      expect(bench.controller.isActive).to.equal(true)
      const again = bench.controller.submit(create('a'))
      expect((await again)[0]!.fault!.message).to.equal('topic a exists')
    })

    it('drops what was proposed and cut off', async () => {
      const bench = await activeBench()
      const lost = failureOf(bench.controller.submit(create('a')))
      bench.depose(2)
      await lost
      bench.cut()
      bench.elect().commit()
      const reply = bench.controller.submit(create('a'))
      bench.commit()
      expect((await reply)[0]!.fault).to.equal(undefined)
    })

    it('fails what waits when it is lost, saying who leads and that the outcome is unknown', async () => {
      const bench = await activeBench()
      const failures = ['a', 'b'].map((name) => failureOf(bench.controller.submit(create(name))))
      bench.depose(3)
      for (const failure of await Promise.all(failures)) {
        expect(failure).to.be.instanceOf(OutcomeUnknown)
        expect((failure as WeirError).fault()).to.deep.equal({
          code: 41, message: 'controller 1 is not the active one', hint: 'ask controller 3',
          leader: { id: 3, address: 'c3:1', leaderEpoch: 2 } })
      }
      expect(bench.events).to.deep.equal(['activated 1', 'deactivated'])
      expect(bench.controller.parkedCommands).to.equal(0)
    })

    it('what comes while it is not active was surely not carried out', async () => {
      const bench = new Bench()
      bench.controller.leadershipChanged({ leaderId: -1, term: 4 })
      const failure = await failureOf(bench.controller.submit(create('a')))
      expect(failure).to.be.instanceOf(WeirError).and.not.instanceOf(OutcomeUnknown)
      expect((failure as WeirError).fault()).to.deep.include({
        hint: 'ask again: an election is under way', leader: { id: -1, address: '', leaderEpoch: 4 } })
    })

    it('lost and won again without a word in between is a new beginning', async () => {
      const bench = await activeBench()
      const lost = failureOf(bench.controller.submit(create('a')))
      bench.cut()
      bench.elect()
      expect(await lost).to.be.instanceOf(OutcomeUnknown)
      expect(bench.controller.isActive).to.equal(false)
      bench.commit()
      expect(bench.events).to.deep.equal(['activated 1', 'deactivated', 'activated 2'])
    })

    it('told twice of the same, does nothing', async () => {
      const bench = await activeBench()
      const reply = watched(bench.controller.submit(create('a')))
      bench.controller.leadershipChanged({ leaderId: 1, term: 1 })
      bench.commit()
      await reply.promise
      expect(bench.events).to.deep.equal(['activated 1'])
    })

    it('lost before it was active, tells nobody', () => {
      const bench = new Bench().elect()
      bench.depose(2)
      expect(bench.events).to.deep.equal([])
    })

    it('close fails what waits, and does nothing on a standby', async () => {
      const bench = await activeBench()
      const lost = failureOf(bench.controller.submit(create('a')))
      bench.controller.close()
      expect(await lost).to.be.instanceOf(OutcomeUnknown)
      expect(bench.events).to.deep.equal(['activated 1', 'deactivated'])
      const standby = new Bench()
      standby.depose(2)
      standby.controller.close()
      expect(standby.events).to.deep.equal([])
      expect(standby.controller.notController().leader).to.include({ id: 2 })
    })
  })

  describe('reads', () => {
    it('wait for the proof that this controller leads', async () => {
      const bench = await activeBench()
      const read = watched(bench.controller.read())
      await turn()
      expect(read.state).to.equal('waits')
      void bench.controller.submit(create('a'))
      bench.commit()
      bench.reads[0]!.resolve()
      expect(topicByName(await read.promise, 'a')).to.not.equal(undefined)
    })

    it('are refused by a standby, and when leadership is lost meanwhile', async () => {
      expect(await failureOf(new Bench().controller.read())).to.include({ name: 'NOT_CONTROLLER' })
      const bench = await activeBench()
      const read = failureOf(bench.controller.read())
      bench.depose(2)
      bench.reads[0]!.resolve()
      expect(await read).to.include({ name: 'NOT_CONTROLLER' })
    })
  })

  describe('snapshots', () => {
    it('restore what was there, byte for byte', async () => {
      const bench = await activeBench()
      void bench.controller.submit(create('a'))
      bench.commit()
      const { index, data } = bench.controller.takeSnapshot()
      expect(index).to.equal(bench.log.length)
      const other = new Bench()
      other.controller.restore(index, data)
      expect(other.controller.image.offset).to.equal(index)
      expect(recordsOf(other.controller.image)).to.deep.equal(recordsOf(bench.controller.image))
      expect(other.controller.takeSnapshot().data).to.deep.equal(data)
      expect(other.events).to.deep.equal(['restored'])
    })

    it('are followed by the entries behind them', async () => {
      const bench = await activeBench()
      const { index, data } = bench.controller.takeSnapshot()
      void bench.controller.submit(create('a'))
      bench.commit()
      const other = new Bench()
      other.controller.restore(index, data)
      other.controller.committed(bench.log.slice(index))
      expect(recordsOf(other.controller.image)).to.deep.equal(recordsOf(bench.controller.image))
    })

    it('never take the state back, and never under an active controller', async () => {
      const bench = await activeBench()
      const { index, data } = bench.controller.takeSnapshot()
      expect(throwing(() => { bench.controller.restore(index + 1, data) })).to.include({ name: 'AssertionError' })
      bench.depose(2)
      expect(throwing(() => { bench.controller.restore(index, data) })).to.include({ name: 'AssertionError' })
    })
  })

  it('refuses a gap in the log', () => {
    const data = joinRecords([encodeRecord({ kind: 'clusterId', clusterId: 'c' })])
    expect(throwing(() => { new Bench().controller.committed([{ index: 2, term: 1, data }]) })).to.include(
      { name: 'AssertionError' })
  })
})

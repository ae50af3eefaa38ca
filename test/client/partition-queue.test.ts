// The queue of one partition: what may be sent when, and what an answer means for those behind it.

import { expect } from 'chai'

import { Batch, sequenceAfter } from '../../src/client/batches.ts'
import { PartitionQueue } from '../../src/client/partition-queue.ts'
import { fault, type ErrorName } from '../../src/base/error-code.ts'
import { baseSequence, checkBatch, producerId } from '../../src/records/batch.ts'
import { codecByName } from '../../src/records/compression.ts'

const NONE = codecByName('none')!

describe('PartitionQueue', () => {
  let queue: PartitionQueue
  let batches: Batch[]

  beforeEach(() => {
    queue = new PartitionQueue('t', 0, { idempotent: true, maxInFlight: 3 })
    queue.identify({ producerId: 7, producerEpoch: 0 })
    batches = Array.from({ length: 6 }, () => {
      const batch = new Batch('t', 0, Infinity)
      const waiter = { resolve: () => { /* nobody waits */ }, reject: () => { /* nobody waits */ } }
      for (let count = 0; count < 2; count++) {
        batch.append({ key: null, value: null, headers: [], timestamp: 1 }, 1, 0, waiter)
      }
      batch.due = true
      queue.add(batch)
      return batch
    })
  })

  /** Sends all that may be sent; their indices. */
  function sendAll(): number[] {
    const sent: number[] = []
    for (let batch = queue.next(0); batch !== undefined; batch = queue.next(0)) {
      if (queue.needsIdentity(batch)) queue.identify({ producerId: 8, producerEpoch: 0 })
      batch.encode(NONE, queue.stampFor(batch))
      queue.sent(batch, 'a:1', 0)
      sent.push(batches.indexOf(batch))
    }
    return sent
  }

  const answer = (index: number, refused?: ErrorName) => (
    queue.answered(batches[index]!, refused === undefined ? undefined : fault(refused, 'told')).kind)

  const stamps = () => batches.map(({ stamp }) => (
    stamp === undefined ? undefined : [stamp.producerId, stamp.baseSequence]))

  it('sends one alone first, then as many as may be in flight', () => {
    expect(sendAll()).to.deep.equal([0])
    answer(0)
    expect(sendAll()).to.deep.equal([1, 2, 3])
    answer(1)
    expect(sendAll()).to.deep.equal([4])
    expect(stamps()).to.deep.equal([[7, 0], [7, 2], [7, 4], [7, 6], [7, 8], undefined])
  })

  it('sends nothing after a failure until every answer is there, then all again in order', () => {
    sendAll()
    answer(0)
    sendAll()
    expect(answer(1, 'NOT_ENOUGH_REPLICAS')).to.equal('again')
    expect(sendAll()).to.deep.equal([])
    expect(answer(2, 'OUT_OF_ORDER_SEQUENCE_NUMBER')).to.equal('again')
    expect(sendAll()).to.deep.equal([])
    expect(answer(3, 'OUT_OF_ORDER_SEQUENCE_NUMBER')).to.equal('again')
    expect(sendAll()).to.deep.equal([1, 2, 3])
    expect(stamps().slice(1, 4)).to.deep.equal([[7, 2], [7, 4], [7, 6]])
  })

  it('takes a new identity behind a gap, and the bytes follow', () => {
    sendAll()
    answer(0)
    sendAll()
    expect(answer(1, 'MESSAGE_TOO_LARGE')).to.equal('failed')
    answer(2, 'OUT_OF_ORDER_SEQUENCE_NUMBER')
    answer(3, 'OUT_OF_ORDER_SEQUENCE_NUMBER')
    expect(sendAll()).to.deep.equal([2])
    answer(2)
    expect(sendAll()).to.deep.equal([3, 4, 5])
    expect(stamps().slice(2)).to.deep.equal([[8, 0], [8, 2], [8, 4], [8, 6]])
    const bytes = batches[3]!.encode(NONE)
    expect([producerId(bytes), baseSequence(bytes), checkBatch(bytes, 0, bytes.length)])
      .to.deep.equal([8, 2, undefined])
  })

  it('keeps the numbers of a batch in doubt, and fails it when the leader does not know them', () => {
    sendAll()
    answer(0)
    sendAll()
    for (const index of [1, 2, 3]) queue.abandon(batches[index]!, fault('NETWORK_EXCEPTION', 'gone'))
    expect(sendAll()).to.deep.equal([1, 2, 3])
    expect(answer(1, 'OUT_OF_ORDER_SEQUENCE_NUMBER')).to.equal('failed')
    expect(answer(2)).to.equal('done')
    expect(answer(3)).to.equal('done')
    expect(sendAll()).to.deep.equal([4])
    expect(stamps()[4]).to.deep.equal([8, 0])
  })

  it('knows news about a leader from what it knew', () => {
    sendAll()
    expect(queue.movedTo('a:1', 0)).to.equal(false)
    expect(queue.movedTo('b:1', 1)).to.equal(true)
    expect(queue.movedTo('b:1', 1)).to.equal(false)
    expect(queue.movedTo('b:1', 2)).to.equal(true)
  })

  it('wraps sequence numbers from 2^31−1 to 0', () => {
    expect([sequenceAfter(2 ** 31 - 3, 2), sequenceAfter(2 ** 31 - 3, 3), sequenceAfter(2 ** 31 - 1, 2)])
      .to.deep.equal([2 ** 31 - 1, 0, 1])
  })
})

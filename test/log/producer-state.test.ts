// Idempotent producers of a partition: which batch is new, which is a retry, which must not come now.

import { expect } from 'chai'

import { ProducerState } from '../../broker/log/producer-state.ts'
import { errorName } from '../../src/base/error-code.ts'
import { writeInt32 } from '../../src/base/int64.ts'
import { buildControlBatch } from '../../src/records/builder.ts'
import { crc32c } from '../../src/records/crc32c.ts'
import { batch } from './samples.ts'

const SEQUENCE_LAST = 2 ** 31 - 1

interface Sent {
  readonly id?: number
  readonly epoch?: number
  readonly sequence: number
  readonly records?: number
  readonly offset?: number
  readonly timestamp?: number
}

function sent({ id = 7, epoch = 0, sequence, records = 1, offset = 0, timestamp = 1000 }: Sent): Uint8Array {
  return batch(offset, { records, timestamp, producerId: id, producerEpoch: epoch, baseSequence: sequence })
}

/** 'append', 'duplicate A-B', or the name of the refusal. */
function verdict(state: ProducerState, what: Sent): string {
  const check = state.check(sent(what), 0)
  if (check.kind === 'duplicate') return `duplicate ${check.baseOffset}-${check.lastOffset}`
  return check.kind === 'append' ? 'append' : errorName(check.fault.code)
}

function stateAfter(...batches: readonly Sent[]): ProducerState {
  const state = new ProducerState()
  for (const each of batches) state.update(sent(each), 0)
  return state
}

/** Six batches of two records each: sequences 0 to 11, offsets 100 to 111. */
const SIX = Array.from({ length: 6 }, (_, index): Sent =>
  ({ sequence: index * 2, records: 2, offset: 100 + index * 2, timestamp: 1000 + index }))

describe('producer state, check', () => {
  it('lets batches of no producer and of control pass', () => {
    const state = stateAfter(...SIX)
    expect(state.check(batch(0), 0)).to.deep.equal({ kind: 'append' })
    const marker = buildControlBatch({
      type: 'ABORT', producerId: 7, producerEpoch: 0, coordinatorEpoch: 0, timestamp: 1 })
    expect(state.check(marker, 0)).to.deep.equal({ kind: 'append' })
  })

  it('takes an unknown producer at sequence 0 only', () => {
    expect(verdict(new ProducerState(), { sequence: 0 })).to.equal('append')
    expect(verdict(new ProducerState(), { sequence: 1 })).to.equal('UNKNOWN_PRODUCER_ID')
  })

  it('takes the next sequence only', () => {
    const state = stateAfter({ sequence: 0, records: 3 })
    expect(verdict(state, { sequence: 3 })).to.equal('append')
    expect(verdict(state, { sequence: 4 })).to.equal('OUT_OF_ORDER_SEQUENCE_NUMBER')
    expect(verdict(state, { sequence: 2 })).to.equal('OUT_OF_ORDER_SEQUENCE_NUMBER')
    expect(verdict(state, { sequence: 3, id: 8 })).to.equal('UNKNOWN_PRODUCER_ID')
  })

  it('goes on at 0 behind 2^31−1', () => {
    const state = stateAfter({ sequence: SEQUENCE_LAST - 1, records: 2, offset: 10 })
    expect(verdict(state, { sequence: 0 })).to.equal('append')
    expect(verdict(state, { sequence: SEQUENCE_LAST - 1, records: 2 })).to.equal('duplicate 10-11')
    const across = stateAfter({ sequence: SEQUENCE_LAST, records: 3, offset: 10 })
    expect(verdict(across, { sequence: 2 })).to.equal('append')
    expect(verdict(across, { sequence: SEQUENCE_LAST, records: 3 })).to.equal('duplicate 10-12')
  })

  it('knows each of the last five batches again, with its own offsets', () => {
    const state = stateAfter(...SIX)
    expect(SIX.map((each) => verdict(state, each))).to.deep.equal([
      'OUT_OF_ORDER_SEQUENCE_NUMBER', 'duplicate 102-103', 'duplicate 104-105', 'duplicate 106-107',
      'duplicate 108-109', 'duplicate 110-111'])
    expect(state.check(sent(SIX[2]!), 0)).to.include({ kind: 'duplicate', timestamp: 1003 })
    // Same beginning, other end: no retry of ours.
    expect(verdict(state, { sequence: 2, records: 3 })).to.equal('OUT_OF_ORDER_SEQUENCE_NUMBER')
    expect(verdict(state, { sequence: 12 })).to.equal('append')
  })

  it('fences old epochs, and lets a new one begin at 0 with an empty window', () => {
    const state = stateAfter({ sequence: 0, epoch: 3, offset: 10 })
    expect(verdict(state, { sequence: 1, epoch: 2 })).to.equal('INVALID_PRODUCER_EPOCH')
    expect(verdict(state, { sequence: 0, epoch: 2 })).to.equal('INVALID_PRODUCER_EPOCH')
    expect(verdict(state, { sequence: 1, epoch: 4 })).to.equal('OUT_OF_ORDER_SEQUENCE_NUMBER')
    expect(verdict(state, { sequence: 0, epoch: 4 })).to.equal('append')
    state.update(sent({ sequence: 0, epoch: 4, offset: 11 }), 0)
    expect(verdict(state, { sequence: 0, epoch: 4 })).to.equal('duplicate 11-11')
    expect(verdict(state, { sequence: 0, epoch: 3 })).to.equal('INVALID_PRODUCER_EPOCH')
  })

  it('sees a marker\'s new epoch, and no sequence in it', () => {
    const state = stateAfter({ sequence: 0, offset: 10 })
    const marker = (producerEpoch: number) => buildControlBatch({
      type: 'ABORT', producerId: 7, producerEpoch, coordinatorEpoch: 0, timestamp: 1, baseOffset: 11 })
    state.update(marker(0), 0)
    expect(verdict(state, { sequence: 1 })).to.equal('append')
    state.update(marker(1), 0)
    expect(verdict(state, { sequence: 1 })).to.equal('INVALID_PRODUCER_EPOCH')
    expect(verdict(state, { sequence: 1, epoch: 1 })).to.equal('OUT_OF_ORDER_SEQUENCE_NUMBER')
    expect(verdict(state, { sequence: 0, epoch: 1 })).to.equal('append')
  })
})

describe('producer state, bounds', () => {
  it('forgets who was not seen since, by the clock where one is given', () => {
    const state = stateAfter({ id: 1, sequence: 0, timestamp: 500 }, { id: 2, sequence: 0, timestamp: 900 })
    state.update(sent({ id: 3, sequence: 0, timestamp: 5 }), 0, 900)
    state.expire(500)
    expect(state.count).to.equal(3)
    state.expire(501)
    expect([1, 2, 3].map((id) => verdict(state, { id, sequence: 1 })))
      .to.deep.equal(['UNKNOWN_PRODUCER_ID', 'append', 'append'])
  })

  it('drops the one silent for longest beyond its limit', () => {
    const state = new ProducerState(2)
    for (const [id, sequence] of [[1, 0], [2, 0], [1, 1], [3, 0]] as const) state.update(sent({ id, sequence }), 0)
    expect(state.count).to.equal(2)
    expect([[1, 2], [2, 1], [3, 1]].map(([id, sequence]) => verdict(state, { id: id!, sequence: sequence! })))
      .to.deep.equal(['append', 'UNKNOWN_PRODUCER_ID', 'append'])
  })

  it('keeps no batch of no producer', () => {
    const state = new ProducerState()
    state.update(batch(0), 0)
    expect(state.count).to.equal(0)
  })
})

describe('producer state, snapshot', () => {
  it('is Kafka\'s format, an entry for each batch', () => {
    const state = stateAfter({ id: 0x1234, epoch: 2, sequence: 5, records: 3, offset: 100, timestamp: 998 })
    const bytes = Buffer.from(state.snapshot())
    expect(bytes.subarray(6).toString('hex')).to.equal(['00000001', '0000000000001234', '0002', '00000007',
      '0000000000000066', '00000002', '00000000000003e8', 'ffffffff', 'ffffffffffffffff'].join(''))
    expect(bytes.readInt16BE(0)).to.equal(1)
    expect(bytes.readUInt32BE(2)).to.equal(crc32c(bytes.subarray(6)))
  })

  it('comes back whole', () => {
    const state = stateAfter(...SIX, { id: 9, sequence: 0, offset: 112 })
    const again = stateAfter({ id: 1, sequence: 0 })
    expect(again.load(state.snapshot())).to.equal(undefined)
    expect(again.count).to.equal(2)
    expect(verdict(again, { sequence: 12 })).to.equal('append')
    expect(verdict(again, SIX[5]!)).to.equal('duplicate 110-111')
    for (const known of SIX.slice(1)) expect(verdict(again, known)).to.equal(verdict(state, known))
    expect(verdict(again, SIX[1]!)).to.match(/^duplicate/)
    expect(verdict(again, SIX[0]!)).to.equal('OUT_OF_ORDER_SEQUENCE_NUMBER')
    expect(verdict(again, { id: 9, sequence: 1 })).to.equal('append')
    expect(again.snapshot()).to.deep.equal(state.snapshot())
    again.expire(1005)
    expect(again.count).to.equal(1)
  })

  it('keeps the epoch of a producer without batches', () => {
    const state = new ProducerState()
    state.update(buildControlBatch({
      type: 'ABORT', producerId: 7, producerEpoch: 3, coordinatorEpoch: 0, timestamp: 50 }), 0)
    const again = new ProducerState()
    expect(again.load(state.snapshot())).to.equal(undefined)
    expect(verdict(again, { sequence: 0, epoch: 2 })).to.equal('INVALID_PRODUCER_EPOCH')
    expect(verdict(again, { sequence: 0, epoch: 3 })).to.equal('append')
    expect(verdict(again, { sequence: 1, epoch: 3 })).to.equal('OUT_OF_ORDER_SEQUENCE_NUMBER')
  })

  it('is refused whole when any byte is flipped or missing', () => {
    const bytes = stateAfter(...SIX, { id: 9, sequence: 0 }).snapshot()
    for (let at = 0; at < bytes.length; at++) {
      const damaged = bytes.slice()
      damaged[at]! ^= 1
      for (const wrong of [damaged, bytes.subarray(0, at)]) {
        const state = stateAfter({ sequence: 0 })
        expect(state.load(wrong), `byte ${at}`).to.be.a('string')
        expect(state.count).to.equal(0)
      }
    }
  })

  it('is refused with a sound checksum over nonsense', () => {
    const resealed = (change: (bytes: Uint8Array) => Uint8Array) => {
      const bytes = change(stateAfter({ sequence: 0 }).snapshot().slice())
      writeInt32(bytes, crc32c(bytes.subarray(6)), 2)
      return new ProducerState().load(bytes)
    }
    expect(resealed((bytes) => bytes)).to.equal(undefined)
    expect(resealed((bytes) => { bytes[6] = 0x7f; return bytes })).to.contain('count')
    expect(resealed((bytes) => { bytes[6] = 0xff; return bytes })).to.contain('count')
    expect(resealed((bytes) => Uint8Array.from([...bytes, 0]))).to.contain('too many')
    expect(resealed((bytes) => { bytes[10] = 0x7f; return bytes })).to.contain('2^53')
  })
})

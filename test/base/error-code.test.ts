// The error table against Kafka's published numbers, and the two forms of a failure.

import { expect } from 'chai'

import {
  ErrorCode, errorName, fault, isRetriable, ok, refuse, weirError, WeirError, type ErrorName
} from '../../src/base/error-code.ts'

// From the error table of Kafka's protocol guide. A wrong number here talks to clients in a foreign language.
const PUBLISHED: readonly (readonly [ErrorName, number, boolean])[] = [
  ['UNKNOWN_SERVER_ERROR', -1, false],
  ['NONE', 0, false],
  ['OFFSET_OUT_OF_RANGE', 1, false],
  ['CORRUPT_MESSAGE', 2, true],
  ['UNKNOWN_TOPIC_OR_PARTITION', 3, true],
  ['LEADER_NOT_AVAILABLE', 5, true],
  ['NOT_LEADER_OR_FOLLOWER', 6, true],
  ['REQUEST_TIMED_OUT', 7, true],
  ['MESSAGE_TOO_LARGE', 10, false],
  ['NETWORK_EXCEPTION', 13, true],
  ['NOT_ENOUGH_REPLICAS', 19, true],
  ['NOT_ENOUGH_REPLICAS_AFTER_APPEND', 20, true],
  ['INVALID_TIMESTAMP', 32, false],
  ['UNSUPPORTED_VERSION', 35, false],
  ['TOPIC_ALREADY_EXISTS', 36, false],
  ['NOT_CONTROLLER', 41, true],
  ['INVALID_REQUEST', 42, false],
  ['OUT_OF_ORDER_SEQUENCE_NUMBER', 45, false],
  ['DUPLICATE_SEQUENCE_NUMBER', 46, false],
  ['INVALID_PRODUCER_EPOCH', 47, false],
  ['KAFKA_STORAGE_ERROR', 56, true],
  ['FENCED_LEADER_EPOCH', 74, true],
  ['UNKNOWN_LEADER_EPOCH', 75, true],
  ['STALE_BROKER_EPOCH', 77, false],
  ['UNKNOWN_TOPIC_ID', 100, true],
  ['INELIGIBLE_REPLICA', 107, false]
]

describe('error codes', () => {
  it("are Kafka's", () => {
    for (const [name, code, retriable] of PUBLISHED) {
      expect([ErrorCode[name], errorName(code), isRetriable(code)]).to.deep.equal([code, name, retriable])
    }
  })

  it('are one to one, and frozen', () => {
    const codes = Object.values(ErrorCode)
    expect(new Set(codes).size).to.equal(codes.length)
    for (const [name, code] of Object.entries(ErrorCode)) expect(errorName(code)).to.equal(name)
    expect(Object.isFrozen(ErrorCode)).to.equal(true)
  })

  it('of a later release read as an unknown server error, not retriable', () => {
    expect([errorName(9999), isRetriable(9999)]).to.deep.equal(['UNKNOWN_SERVER_ERROR', false])
  })
})

describe('faults', () => {
  it('carry a hint only when there is one', () => {
    expect(fault('NOT_CONTROLLER', 'no')).to.deep.equal({ code: 41, message: 'no' })
    expect(fault('NOT_CONTROLLER', 'no', 'ask 2')).to.deep.equal({ code: 41, message: 'no', hint: 'ask 2' })
    expect(refuse('NOT_CONTROLLER', 'no')).to.deep.equal({ ok: false, fault: { code: 41, message: 'no' } })
    expect(ok(3)).to.deep.equal({ ok: true, value: 3 })
  })

  it('become a WeirError and come back whole', () => {
    const leader = { id: 2, address: 'h:1', leaderEpoch: 5 }
    const full = { code: 6, message: 'not me', hint: 'refresh', leader }
    const cause = new Error('below')
    const error = new WeirError(full, cause)
    expect(error.fault()).to.deep.equal(full)
    expect(error).to.be.instanceOf(Error)
    expect(error).to.deep.include({ name: 'NOT_LEADER_OR_FOLLOWER', message: 'not me', retriable: true })
    expect(error.cause).to.equal(cause)
    expect(weirError('NONE', 'm').fault()).to.deep.equal({ code: 0, message: 'm' })
    expect(String(error)).to.equal('NOT_LEADER_OR_FOLLOWER: not me')
  })
})

// Failures on the wire: what a server sends comes back as what it meant.

import { Metadata, status } from '@grpc/grpc-js'
import { expect } from 'chai'

import { ErrorCode, errorName, WeirError, type Fault } from '../../src/base/error-code.ts'
import { NetworkError } from '../../src/ports.ts'
import { errorOfStatus, statusOfFault, streamErrorOfStatus } from '../../src/rpc/status.ts'

const PATH = '/weir.v1.Data/Fetch'

function bare(code: status, details = 'why'): Error {
  return errorOfStatus({ code, details, metadata: new Metadata() }, PATH)
}

function backAgain(fault: Fault): Fault {
  const error = errorOfStatus(statusOfFault(fault), PATH)
  expect(error).to.be.instanceOf(WeirError)
  return (error as WeirError).fault()
}

describe('failures on the wire', () => {
  it('every error comes back by its number, and no gRPC client takes one for success', () => {
    for (const code of Object.values(ErrorCode)) {
      expect(statusOfFault({ code, message: 'm' }).code, errorName(code)).to.not.equal(status.OK)
      expect(backAgain({ code, message: 'm' })).to.deep.equal({ code, message: 'm' })
    }
  })

  it('clients that know gRPC only get the nearest status', () => {
    const of = (code: number) => statusOfFault({ code, message: 'm' }).code
    expect(of(ErrorCode.INVALID_REQUEST)).to.equal(status.INVALID_ARGUMENT)
    expect(of(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)).to.equal(status.NOT_FOUND)
    expect(of(ErrorCode.TOPIC_ALREADY_EXISTS)).to.equal(status.ALREADY_EXISTS)
    expect(of(ErrorCode.NOT_ENOUGH_REPLICAS)).to.equal(status.UNAVAILABLE)
    expect(of(ErrorCode.UNKNOWN_SERVER_ERROR)).to.equal(status.INTERNAL)
  })

  it('a fault comes back whole', () => {
    const fault = {
      code: ErrorCode.NOT_LEADER_OR_FOLLOWER, message: 'a "quoted"\n\tü 📚\u007f', hint: 'ask the leader',
      leader: { id: 2, address: 'b2:9092', leaderEpoch: 7 } }
    expect(backAgain(fault)).to.deep.equal(fault)
  })

  it('the trailer is printable ASCII, whatever the text', () => {
    const { metadata } = statusOfFault({ code: 42, message: 'ü📚\0\u001f\u007f\u2028' })
    expect(metadata.get('weir-error')[0]).to.match(/^[ -~]+$/)
  })

  it('text that is no UTF-16, or endless, still goes through', () => {
    expect(backAgain({ code: 42, message: 'half \ud83d' }).message).to.equal('half \ufffd')
    const { details } = statusOfFault({ code: 42, message: `${'x'.repeat(999)}📚${'y'.repeat(100_000)}` })
    expect(details.length).to.be.lessThan(1_010)
    expect(() => encodeURI(details)).to.not.throw()
  })

  it('what ends a call besides refusals is a NetworkError by kind', () => {
    const kinds = new Map([
      [status.UNAVAILABLE, 'UNAVAILABLE'], [status.DEADLINE_EXCEEDED, 'TIMEOUT'], [status.ABORTED, 'CANCELLED'],
      [status.RESOURCE_EXHAUSTED, 'OVERSIZE'], [status.INTERNAL, 'UNAVAILABLE'], [status.CANCELLED, 'UNAVAILABLE']])
    for (const [code, kind] of kinds) {
      expect(bare(code)).to.be.instanceOf(NetworkError).with.property('code', kind)
      expect(bare(code).message).to.contain(PATH).and.to.contain('why')
    }
    expect(bare(status.RESOURCE_EXHAUSTED).message).to.contain('max.request.bytes')
  })

  it('a server that does not know the method, or our request, refuses', () => {
    expect(bare(status.UNIMPLEMENTED)).to.be.instanceOf(WeirError).with.property('name', 'UNSUPPORTED_VERSION')
    expect(bare(status.INVALID_ARGUMENT)).to.be.instanceOf(WeirError).with.property('name', 'INVALID_REQUEST')
  })

  it('a trailer that no server of ours wrote is not believed', () => {
    for (const trailer of ['', 'x', 'null', '7', '{}', '{"code":"6","message":"m"}', '{"code":6}']) {
      const metadata = new Metadata()
      metadata.set('weir-error', trailer)
      const error = errorOfStatus({ code: status.UNAVAILABLE, details: '', metadata }, PATH)
      expect(error, trailer).to.be.instanceOf(NetworkError)
    }
    const metadata = new Metadata()
    metadata.set('weir-error', '{"code":6,"message":"m","hint":1,"leader":{"id":"1"}}')
    const error = errorOfStatus({ code: status.UNAVAILABLE, details: '', metadata }, PATH)
    expect((error as WeirError).fault()).to.deep.equal({ code: 6, message: 'm' })
  })

  it('a refused stream closes with a NetworkError that has the refusal as its cause', () => {
    const error = streamErrorOfStatus(statusOfFault({ code: ErrorCode.INVALID_REQUEST, message: 'bad' }), PATH)
    expect(error).to.be.instanceOf(NetworkError).with.property('code', 'UNAVAILABLE')
    expect(error.cause).to.be.instanceOf(WeirError).with.property('name', 'INVALID_REQUEST')
    expect(error.message).to.contain('INVALID_REQUEST: bad')
  })
})

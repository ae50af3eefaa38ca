// Metadata records survive their bytes, whatever they hold; bytes that are not records are refused by name.

import { expect } from 'chai'

import {
  MetadataCodecError, RECORD_KINDS, decodeRecord, encodeRecord, joinRecords, splitRecords
} from '../../src/metadata/codec.ts'
import { seeded } from '../support/numbers.ts'
import { EACH_KIND, samplesFor } from './samples.ts'

describe('metadata codec', () => {
  for (const kind of RECORD_KINDS) {
    it(`gives back every ${kind} record`, () => {
      const { record } = samplesFor(seeded(7))
      for (let run = 0; run < 300; run++) {
        const original = record(kind)
        expect(decodeRecord(encodeRecord(original))).to.deep.equal(original)
      }
    })
  }

  it('has an example of every kind, so that the tests of images cover them all', () => {
    expect(new Set(EACH_KIND.map(({ kind }) => kind))).to.deep.equal(new Set(RECORD_KINDS))
  })

  it('refuses unknown kinds and versions by name', () => {
    const bytes = encodeRecord({ kind: 'removeTopic', topicId: 't' })
    expect(codeOf(Uint8Array.of(99, 0))).to.equal('UNKNOWN_KIND')
    expect(codeOf(Uint8Array.of(bytes[0]!, 1, ...bytes.subarray(2)))).to.equal('UNKNOWN_VERSION')
  })

  it('refuses a record cut at any byte, and one with bytes too many', () => {
    for (const original of EACH_KIND) {
      const bytes = encodeRecord(original)
      for (let length = 0; length < bytes.length; length++) {
        expect(codeOf(bytes.subarray(0, length)), `${original.kind} cut at ${length}`).to.equal('MALFORMED')
      }
      expect(codeOf(Uint8Array.of(...bytes, 0))).to.equal('MALFORMED')
    }
  })

  it('joins and splits the records of an entry', () => {
    const parts = EACH_KIND.map(encodeRecord)
    expect(splitRecords(joinRecords(parts))).to.deep.equal(parts)
    expect(joinRecords([])).to.have.length(0)
    expect(splitRecords(new Uint8Array(0))).to.deep.equal([])
    const cut = joinRecords(parts).subarray(0, -1)
    expect(() => splitRecords(cut)).to.throw(MetadataCodecError)
  })
})

function codeOf(bytes: Uint8Array): string {
  try {
    decodeRecord(bytes)
    return 'none'
  } catch (error) {
    if (!(error instanceof MetadataCodecError)) throw error
    return error.code
  }
}

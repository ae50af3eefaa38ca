// The checksum against the check value of its polynomial.

import { expect } from 'chai'

import { crc32c } from '../../src/records/crc32c.ts'

describe('crc32c', () => {
  it('gives the check value of the Castagnoli polynomial, unsigned', () => {
    expect(crc32c(Buffer.from('123456789'))).to.equal(0xe3069283)
    expect(crc32c(new Uint8Array(0))).to.equal(0)
  })

  it('looks at a view only', () => {
    expect(crc32c(Buffer.from('xx123456789xx').subarray(2, 11))).to.equal(0xe3069283)
  })
})

// Addresses as configurations write them: what is one, and what is none.

import { expect } from 'chai'

import { parseAddress } from '../../src/rpc/address.ts'

describe('address', () => {
  it('is host:port', () => {
    expect(parseAddress('b1:9092')).to.deep.equal({ host: 'b1', port: 9092 })
    expect(parseAddress('127.0.0.1:0')).to.deep.equal({ host: '127.0.0.1', port: 0 })
    expect(parseAddress('a-b.c_d.example:65535')).to.deep.equal({ host: 'a-b.c_d.example', port: 65_535 })
    expect(parseAddress('[::1]:80')).to.deep.equal({ host: '[::1]', port: 80 })
  })

  it('is nothing else', () => {
    for (const address of ['', 'b1', ':80', 'b1:', 'b1:65536', 'b1:x', 'b1:-1', '::1:80', 'dns:b1:80', 'unix:/x:1',
      'http://b1:80', 'b1 :80', 'b1:80 ', '[::1]', '[gg]:80']) {
      expect(parseAddress(address), address).to.equal(undefined)
    }
  })
})

// Assertions: silent when true, loud when not, and free of the cost of their message.

import { expect } from 'chai'

import { assert, AssertionError, unreachable } from '../../src/base/assert.ts'

describe('assert', () => {
  it('throws AssertionError with its message when the condition does not hold', () => {
    assert(true, 'unused')
    expect(() => { assert(Math.min(1, 2) > 1, 'one above two') }).to.throw(AssertionError, 'one above two')
    expect(() => { assert(undefined, () => 'made late') }).to.throw(AssertionError, 'made late')
  })

  it('does not build the message of one that holds', () => {
    assert(true, () => { throw new Error('was built') })
  })

  it('unreachable names the value', () => {
    expect(() => unreachable('x' as never)).to.throw(AssertionError, 'unreachable: x')
  })
})

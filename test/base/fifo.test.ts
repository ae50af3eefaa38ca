// Fifo: order, bound, and nothing kept alive behind its back.

import { expect } from 'chai'

import { Fifo } from '../../src/base/fifo.ts'
import { seeded } from '../support/numbers.ts'

describe('Fifo', () => {
  it('gives items back in order and says when it has none', () => {
    const fifo = new Fifo<string>(3)
    expect([fifo.peek(), fifo.shift(), fifo.length, fifo.full])
      .to.deep.equal([undefined, undefined, 0, false])
    fifo.push('a')
    fifo.push('b')
    expect([fifo.peek(), fifo.shift(), fifo.shift(), fifo.shift()]).to.deep.equal(['a', 'a', 'b', undefined])
  })

  it('refuses above its bound, adds nothing then, and takes again once there is room', () => {
    for (const bound of [1, 2, 15, 16, 17, 33, 100]) {
      const fifo = new Fifo<number>(bound)
      for (let item = 0; item < bound; item++) expect(fifo.push(item)).to.equal(true)
      expect([fifo.full, fifo.push(-1), fifo.length], `bound ${bound}`).to.deep.equal([true, false, bound])
      expect(fifo.shift()).to.equal(0)
      expect([fifo.full, fifo.push(bound)]).to.deep.equal([false, true])
      for (let item = 1; item <= bound; item++) expect(fifo.shift()).to.equal(item)
      expect(fifo.length).to.equal(0)
    }
  })

  it('refuses a bound below one', () => {
    expect(() => new Fifo(0)).to.throw('bound 0 >= 1')
  })

  it('behaves as an array does, through growth and wrap-around', () => {
    const random = seeded(4)
    for (let round = 0; round < 50; round++) {
      const bound = 1 + Math.floor(random() * 80)
      const fifo = new Fifo<number>(bound)
      const model: number[] = []
      for (let step = 0; step < 500; step++) {
        if (random() < 0.6) {
          const fits = model.length < bound
          if (fits) model.push(step)
          expect(fifo.push(step)).to.equal(fits)
        } else {
          expect(fifo.shift()).to.equal(model.shift())
        }
        expect([fifo.length, fifo.peek(), fifo.full])
          .to.deep.equal([model.length, model[0], model.length === bound])
      }
    }
  })
})

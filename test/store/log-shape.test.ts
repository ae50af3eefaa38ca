// LogShape against an array of entries.

import { expect } from 'chai'

import { LogShape } from '../../controller/store/log-shape.ts'
import { AssertionError } from '../../src/base/assert.ts'
import { seeded } from '../support/numbers.ts'
import { entry } from './bench.ts'

describe('LogShape', () => {
  it('agrees with a plain list over random changes', () => {
    for (let seed = 1; seed <= 50; seed++) {
      const random = seeded(seed)
      const below = (bound: number): number => Math.floor(random() * bound)
      const shape = new LogShape(1)
      let first = 1
      let list: ReturnType<typeof entry>[] = []
      for (let step = 0; step < 60; step++) {
        const dice = below(10)
        const last = first + list.length - 1
        if (dice < 6) {
          const next = entry(last + 1, below(5), 'x'.repeat(below(9)))
          shape.append(next)
          list.push(next)
        } else if (dice < 8) {
          const from = first + below(list.length + 1)
          shape.cutFrom(from)
          list = list.slice(0, from - first)
        } else if (dice < 9) {
          const from = first + below(list.length + 2) - 1
          shape.dropBefore(from)
          list = list.slice(Math.max(0, from - first))
          first = Math.max(first, from)
        } else {
          first = last + below(3) + 1
          shape.restartAt(first)
          list = []
        }
        const why = `seed ${seed}, step ${step}`
        expect([shape.firstIndex, shape.lastIndex], why).to.deep.equal([first, first + list.length - 1])
        expect(shape.bytes, why).to.equal(list.reduce((sum, { data }) => sum + data.length, 0))
        for (let index = first - 1; index <= first + list.length; index++) {
          expect(shape.termAt(index), why).to.equal(list.find((one) => one.index === index)?.term)
        }
      }
    }
  })

  it('takes no hole', () => {
    expect(() => { new LogShape(4).append(entry(5, 1)) }).to.throw(AssertionError)
  })
})

// Parked requests wake once, in order, or not at all.

import { expect } from 'chai'

import { Purgatory, Room } from '../../broker/replica/purgatory.ts'

describe('purgatory', () => {
  it('wakes what the mark has passed, in order, and leaves the rest', () => {
    const purgatory = new Purgatory(new Room(10), 10)
    const woken: string[] = []
    for (const end of [5, 7, 9]) purgatory.park(end, (code) => { woken.push(`${end}:${code}`) })
    purgatory.reach(6, 0)
    expect(woken).to.deep.equal(['5:0'])
    purgatory.reach(9, 0)
    expect(woken).to.deep.equal(['5:0', '7:0', '9:0'])
  })

  it('fails everyone at once with the code given', () => {
    const purgatory = new Purgatory(new Room(10), 10)
    const woken: number[] = []
    purgatory.park(5, (code) => { woken.push(code) })
    purgatory.park(6, (code) => { woken.push(code) })
    purgatory.fail(6)
    purgatory.reach(100, 0)
    expect(woken).to.deep.equal([6, 6])
  })

  it('forgets who gave up, and gives the room back exactly once', () => {
    const room = new Room(2)
    const purgatory = new Purgatory(room, 10)
    const woken: number[] = []
    const cancel = purgatory.park(5, (code) => { woken.push(code) })
    expect(room.used).to.equal(1)
    cancel!()
    cancel!()
    expect(room.used).to.equal(0)
    purgatory.reach(5, 0)
    expect(woken).to.deep.equal([])
    expect(room.used).to.equal(0)
  })

  it('refuses above its own bound and above the bound that partitions share', () => {
    const room = new Room(3)
    const small = new Purgatory(room, 2)
    const other = new Purgatory(room, 2)
    const park = (purgatory: Purgatory) => purgatory.park(1, () => { /* not asked */ }) !== undefined
    expect([park(small), park(small), park(small)]).to.deep.equal([true, true, false])
    expect([park(other), park(other)]).to.deep.equal([true, false])
  })
})

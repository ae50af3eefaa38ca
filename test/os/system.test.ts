// Tests of real time and chance.

import { expect } from 'chai'
import { writeFileSync, readFile } from 'node:fs'

import { systemClock, systemRandom, systemTimers } from '../../src/os/system.ts'
import { scratch } from '../support/scratch.ts'

describe('systemClock', () => {
  it('never falls, and tells the date', () => {
    const clock = systemClock()
    let last = clock.monotonicMs()
    for (let reads = 0; reads < 1000; reads++) {
      const now = clock.monotonicMs()
      expect(now).to.be.at.least(last)
      last = now
    }
    expect(clock.wallMs()).to.be.within(Date.now() - 1000, Date.now() + 1000)
    expect(Number.isInteger(clock.wallMs())).to.equal(true)
  })
})

describe('systemTimers', () => {
  const newDir = scratch('soon')
  const timers = systemTimers()

  it('fires not before the delay has passed', async () => {
    for (const delayMs of [0, 0.4, 1.7, 5]) {
      const start = performance.now()
      await new Promise<void>((resolve) => { timers.after(delayMs, resolve) })
      expect(performance.now() - start).to.be.at.least(delayMs)
    }
  })

  it('does not take a delay beyond 2^31 ms, or an endless one, for none', async () => {
    let fired = 0
    const long = timers.after(2 ** 31 + 5, () => { fired++ })
    const endless = timers.after(Number.POSITIVE_INFINITY, () => { fired++ })
    await new Promise<void>((resolve) => { timers.after(10, resolve) })
    timers.cancel(long)
    timers.cancel(endless)
    expect(fired).to.equal(0)
  })

  it('does not fire once cancelled; cancelling again, or late, does nothing', async () => {
    let fired = 0
    const cancelled = timers.after(1, () => { fired++ })
    timers.cancel(cancelled)
    timers.cancel(cancelled)
    const late = await new Promise<ReturnType<typeof timers.after>>((resolve) => {
      const timer = timers.after(5, () => { resolve(timer) })
    })
    timers.cancel(late)
    timers.cancel({ id: undefined })
    expect(fired).to.equal(0)
  })

  it('refuses a negative delay', () => {
    expect(() => timers.after(-1, () => { throw new Error('fired') })).to.throw('>= 0')
    expect(() => timers.after(Number.NaN, () => { throw new Error('fired') })).to.throw('>= 0')
  })

  it('runs `soon` in call order, after this turn and its promises', async () => {
    const order: string[] = []
    await new Promise<void>((resolve) => {
      timers.soon(() => { order.push('first') })
      timers.soon(() => { order.push('second') })
      timers.soon(resolve)
      void Promise.resolve().then(() => { order.push('promise') })
      order.push('now')
    })
    expect(order).to.deep.equal(['now', 'promise', 'first', 'second'])
  })

  it('lets I/O through when `soon` feeds itself', async () => {
    const file = `${newDir()}/file`
    writeFileSync(file, 'x')
    let done = false
    readFile(file, () => { done = true })
    await new Promise<void>((resolve) => {
      const step = () => {
        if (done) resolve()
        else timers.soon(step)
      }
      step()
    })
    expect(done).to.equal(true)
  })
})

describe('systemRandom', () => {
  it('differs from generator to generator', () => {
    expect(systemRandom().uint32()).to.not.equal(systemRandom().uint32())
    expect(systemRandom().fork('a').id()).to.not.equal(systemRandom().fork('a').id())
  })

  it('makes ids, and forks that depend on the name only', () => {
    const random = systemRandom()
    expect(random.id()).to.match(/^[0-9a-f]{32}$/)
    expect(random.id()).to.not.equal(random.id())
    const first = random.fork('a').uint32()
    random.uint32()
    expect(random.fork('a').uint32()).to.equal(first)
    expect(random.below(10)).to.be.within(0, 9)
  })
})

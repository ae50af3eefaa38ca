// Awaiting tools: order and isolation of the serial queue, backoff bounds, timeouts on a hand-driven clock.

import { expect } from 'chai'

import { backoffMs, deferred, SerialQueue, sleep, withTimeout } from '../../src/base/async.ts'

/** Timers that fire when told to. */
class HandTimers {
  readonly pending = new Map<number, { readonly delayMs: number; readonly fire: () => void }>()
  #next = 0

  after(delayMs: number, fire: () => void): number {
    this.pending.set(++this.#next, { delayMs, fire })
    return this.#next
  }

  cancel(timer: number): void { this.pending.delete(timer) }

  fireAll(): void {
    const due = [...this.pending.values()]
    this.pending.clear()
    for (const { fire } of due) fire()
  }
}

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('was expected to reject')
}

describe('SerialQueue', () => {
  it('runs one task at a time, in the order given', async () => {
    const queue = new SerialQueue()
    const trace: string[] = []
    const gates = [deferred<void>(), deferred<void>(), deferred<void>()]
    const done = Promise.all(gates.map((gate, index) => queue.run(async () => {
      trace.push(`start ${index}`)
      await gate.promise
      trace.push(`end ${index}`)
      return index
    })))
    gates[2]?.resolve()
    gates[1]?.resolve()
    gates[0]?.resolve()
    expect(await done).to.deep.equal([0, 1, 2])
    expect(trace).to.deep.equal(['start 0', 'end 0', 'start 1', 'end 1', 'start 2', 'end 2'])
  })

  it('starts no task on the turn of the caller', async () => {
    const queue = new SerialQueue()
    let started = false
    const run = queue.run(() => { started = true; return Promise.resolve() })
    expect(started).to.equal(false)
    await run
    expect(started).to.equal(true)
  })

  it('hands a failure to its caller only', async () => {
    const queue = new SerialQueue()
    const failed = queue.run(() => Promise.reject(new Error('boom')))
    const thrown = queue.run(() => { throw new Error('at once') })
    const behind = queue.run(() => Promise.resolve('fine'))
    expect(await rejection(failed)).to.have.property('message', 'boom')
    expect(await rejection(thrown)).to.have.property('message', 'at once')
    expect(await behind).to.equal('fine')
  })

  it('is idle when all that was queued before has settled, failures included', async () => {
    const queue = new SerialQueue()
    await queue.idle()
    const gate = deferred<void>()
    let ended = 0
    const first = rejection(queue.run(async () => { await gate.promise; ended++; throw new Error('late') }))
    const second = queue.run(() => { ended++; return Promise.resolve() })
    const idle = queue.idle().then(() => ended)
    expect(ended).to.equal(0)
    gate.resolve()
    expect(await idle).to.equal(2)
    await Promise.all([first, second])
  })
})

describe('backoffMs', () => {
  it('doubles from first to max, jittered over the upper half', () => {
    const at = (attempt: number, unit: number) => backoffMs({ attempt, firstMs: 100, maxMs: 1000, unit })
    expect([0, 1, 2, 3, 4, 50].map((attempt) => at(attempt, 0))).to.deep.equal([50, 100, 200, 400, 500, 500])
    expect([0, 1, 2, 3, 4, 50].map((attempt) => at(attempt, 0.5)))
      .to.deep.equal([75, 150, 300, 600, 750, 750])
    expect(at(3, 1 - 2 ** -32)).to.be.lessThan(800).and.greaterThan(799.9)
  })

  it('stays finite after any number of attempts', () => {
    for (const attempt of [30, 31, 1023, 1024, 1e9]) {
      expect(backoffMs({ attempt, firstMs: 1, maxMs: 5000, unit: 0 })).to.equal(2500)
    }
  })
})

describe('sleep and withTimeout', () => {
  it('sleep ends when its timer fires', async () => {
    const timers = new HandTimers()
    const asleep = sleep(timers, 25)
    expect([...timers.pending.values()].map(({ delayMs }) => delayMs)).to.deep.equal([25])
    timers.fireAll()
    await asleep
  })

  it('withTimeout settles as the promise does, and takes its timer back', async () => {
    const timers = new HandTimers()
    expect(await withTimeout(timers, Promise.resolve(7), 10, () => new Error('late'))).to.equal(7)
    const own = Promise.reject(new Error('own'))
    expect(await rejection(withTimeout(timers, own, 10, () => new Error('late'))))
      .to.have.property('message', 'own')
    expect(timers.pending.size).to.equal(0)
  })

  it('withTimeout rejects when time is up, whatever the promise does later', async () => {
    const timers = new HandTimers()
    const slow = deferred<number>()
    const waited = rejection(withTimeout(timers, slow.promise, 10, () => new Error('late')))
    timers.fireAll()
    expect(await waited).to.have.property('message', 'late')
    slow.reject(new Error('nobody listens, and it is no unhandled rejection'))
    await new Promise((resolve) => { setImmediate(resolve) })
  })
})

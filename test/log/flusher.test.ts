// Group commit over many logs: everyone's turn comes, no request is lost, and not too many run at a time.

import { expect } from 'chai'

import { Flusher, type Flushable } from '../../broker/log/flusher.ts'
import { deferred, type Deferred } from '../../src/base/async.ts'
import { seeded } from '../support/numbers.ts'

/** Writes down who is flushed; each flush ends when the test says so. */
class World {
  readonly started: string[] = []
  readonly running = new Map<string, Deferred<void>>()
  /** Of each log: what is appended, and what a flush that has ended covered. */
  readonly appended = new Map<string, number>()
  readonly flushed = new Map<string, number>()
  mostAtOnce = 0

  log(name: string): Flushable {
    return {
      flushNow: async () => {
        expect(this.running.has(name), `${name} is not flushed twice at a time`).to.equal(false)
        const covered = this.appended.get(name) ?? 0
        const end = deferred<void>()
        this.started.push(name)
        this.running.set(name, end)
        this.mostAtOnce = Math.max(this.mostAtOnce, this.running.size)
        await end.promise
        this.flushed.set(name, covered)
      }
    }
  }

  async end(name: string): Promise<void> {
    const end = this.running.get(name)
    this.running.delete(name)
    end?.resolve()
    await turn()
  }
}

function turn(): Promise<void> { return new Promise((resolve) => { setImmediate(resolve) }) }

describe('flusher', () => {
  it('flushes at once, and only as many at a time as it may', async () => {
    const world = new World()
    const flusher = new Flusher(2)
    for (const name of ['a', 'b', 'c', 'd']) flusher.request(world.log(name))
    expect(world.started).to.deep.equal(['a', 'b'])
    await world.end('b')
    expect(world.started).to.deep.equal(['a', 'b', 'c'])
    await world.end('a')
    await world.end('c')
    await world.end('d')
    expect([world.started, world.mostAtOnce]).to.deep.equal([['a', 'b', 'c', 'd'], 2])
  })

  it('a request during a flush brings one more after it, however many ask', async () => {
    const world = new World()
    const flusher = new Flusher(2)
    const log = world.log('a')
    for (let count = 0; count < 5; count++) flusher.request(log)
    expect(world.started).to.deep.equal(['a'])
    await world.end('a')
    expect(world.started).to.deep.equal(['a', 'a'])
    await world.end('a')
    expect(world.started).to.deep.equal(['a', 'a'])
  })

  it('a flush begins with the turn after the request: what is appended until then rides along', async () => {
    const world = new World()
    const flusher = new Flusher(2, setImmediate)
    flusher.request(world.log('a'))
    flusher.request(world.log('b'))
    world.appended.set('a', 3)
    expect(world.started).to.deep.equal([])
    await turn()
    expect(world.started).to.deep.equal(['a', 'b'])
    await world.end('a')
    expect(world.flushed.get('a')).to.equal(3)
  })

  it('a busy log waits behind the others', async () => {
    const world = new World()
    const flusher = new Flusher(1)
    const [a, b, c] = ['a', 'b', 'c'].map((name) => world.log(name))
    flusher.request(a!)
    flusher.request(b!)
    flusher.request(c!)
    for (const expected of ['a', 'b', 'c', 'a', 'a']) {
      expect(world.started.at(-1)).to.equal(expected)
      flusher.request(a!)
      await world.end(expected)
    }
  })

  it('loses no request, whatever the order', async () => {
    for (let seed = 1; seed <= 60; seed++) {
      const random = seeded(seed)
      const world = new World()
      const names = ['a', 'b', 'c', 'd', 'e']
      const logs = new Map(names.map((name) => [name, world.log(name)]))
      const concurrency = 1 + Math.floor(random() * 3)
      const flusher = seed % 2 === 0 ? new Flusher(concurrency) : new Flusher(concurrency, setImmediate)
      for (let step = 0; step < 80; step++) {
        const name = names[Math.floor(random() * names.length)]!
        if (random() < 0.6) {
          world.appended.set(name, (world.appended.get(name) ?? 0) + 1)
          flusher.request(logs.get(name)!)
        } else await world.end(name)
        expect(world.running.size).to.be.at.most(concurrency)
      }
      await turn()
      while (world.running.size > 0) {
        await world.end([...world.running.keys()][0]!)
        await turn()
      }
      expect(world.flushed, `seed ${seed}`).to.deep.equal(world.appended)
    }
  })
})

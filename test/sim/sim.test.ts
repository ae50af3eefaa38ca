// The simulator itself: order and time, what is out of reach, what a power loss leaves, what a cut way does.

import { expect } from 'chai'

import { seededRandom } from '../../src/base/seeded-random.ts'
import { stream, type Network, type NetworkError } from '../../src/ports.ts'
import { methods } from '../../src/rpc/protos.ts'
import { SimDisk } from './sim-disk.ts'
import { SECTOR_BYTES, SimFile } from './sim-file.ts'
import { SimStores } from './sim-kv.ts'
import { SimNetwork } from './sim-network.ts'
import { Life } from './life.ts'
import { Violation, World } from './world.ts'

const bytes = (length: number, value: number) => new Uint8Array(length).fill(value)

async function violationOf(run: (world: World) => Promise<unknown>): Promise<string> {
  const world = new World(1)
  try {
    await world.run(() => run(world))
  } catch (error) {
    if (error instanceof Violation) return error.checker
    throw error
  }
  return 'none'
}

describe('simulated world', () => {
  it('runs events by time, then by order of creation, and settles promises in between', async () => {
    const world = new World(1)
    const seen: string[] = []
    await world.run(async () => {
      const note = (text: string) => () => {
        seen.push(text)
        void Promise.resolve().then(() => Promise.resolve()).then(() => { seen.push(`${text}'`) })
      }
      world.after(5, undefined, 'late', note('late'))
      world.after(1, undefined, 'a', note('a'))
      world.after(1, undefined, 'b', note('b'))
      await world.sleep(10)
    })
    expect(seen).to.deep.equal(['a', "a'", 'b', "b'", 'late', "late'"])
    expect(world.nowMs).to.equal(10)
  })

  it('drops the events of a dead process', async () => {
    const world = new World(1)
    const life = new Life('n')
    let fired = false
    await world.run(async () => {
      world.after(2, life, 'timer', () => { fired = true })
      world.after(1, undefined, 'kill', () => { life.alive = false })
      await world.sleep(5)
    })
    expect(fired).to.equal(false)
  })

  it("takes any use of the machine's time, chance or files, and any stray rejection, as a violation", async () => {
    expect(await violationOf((world) => world.sleep(1))).to.equal('none')
    for (const stray of [
      () => Date.now(), () => Math.random(), () => performance.now(), () => setTimeout(() => {}, 0),
      () => { throw new Error('thrown by a timer') }
    ]) {
      expect(await violationOf((world) => {
        world.after(1, undefined, 'stray', stray)
        return world.sleep(5)
      })).to.equal('uncaught')
    }
    expect(await violationOf((world) => {
      world.after(1, undefined, 'stray', () => { void Promise.reject(new Error('nobody hears')) })
      return world.sleep(5)
    })).to.equal('unhandledRejection')
    expect(Date.now()).to.be.above(0)
  })

  it('says so when nothing is left to happen, or time stands still', async () => {
    expect(await violationOf(() => new Promise(() => {}))).to.equal('world')
    expect(await violationOf((world) => {
      const again = () => { world.after(0, undefined, 'again', again) }
      again()
      return world.sleep(1)
    })).to.equal('world')
  })
})

describe('simulated disk', () => {
  it('keeps synced bytes over any power loss; each unsynced sector stays, goes or is torn', () => {
    const fates = new Set<string>()
    for (let seed = 0; seed < 200; seed++) {
      const file = new SimFile()
      file.write(bytes(SECTOR_BYTES * 2, 1), 0)
      file.done(file.mark())
      expect(file.durableSize).to.equal(SECTOR_BYTES * 2)
      file.write(bytes(SECTOR_BYTES * 3, 2), SECTOR_BYTES * 2)
      file.losePower(seededRandom(seed))
      const left = file.copy()
      expect(left.subarray(0, SECTOR_BYTES * 2)).to.deep.equal(bytes(SECTOR_BYTES * 2, 1))
      expect([...left.subarray(SECTOR_BYTES * 2)].every((byte) => byte === 0 || byte === 2)).to.equal(true)
      const fate = [2, 3, 4].map((sector) => left[sector * SECTOR_BYTES] ?? '-').join('')
      fates.add(fate)
    }
    expect([...fates]).to.include.members(['---', '222', '022', '202'])
  })

  it('what is written while a sync runs is not in it', () => {
    const file = new SimFile()
    file.write(bytes(10, 1), 0)
    const mark = file.mark()
    file.write(bytes(10, 2), 10)
    file.done(mark)
    expect([file.durableSize, file.isDurable]).to.deep.equal([10, false])
    file.done(file.mark())
    expect([file.durableSize, file.isDurable]).to.deep.equal([20, true])
  })

  it('loses the pages of a failed sync for good, though a later one succeeds', () => {
    const file = new SimFile()
    file.write(bytes(10, 1), 0)
    file.failed(file.mark())
    file.done(file.mark())
    expect(file.copy()).to.deep.equal(bytes(10, 1))
    file.losePower(seededRandom(1))
    expect(file.size).to.equal(0)
  })

  it('a name is there for certain after a sync of its directory only', async () => {
    const world = new World(3)
    const disk = new SimDisk(world, 'd')
    await world.run(async () => {
      const port = disk.port(new Life('n'))
      await port.makeDir('/a')
      await port.syncDir('/')
      const file = port.createNow('/a/f')
      file.writeNow([bytes(4, 7)], 0)
      await file.sync()
      expect(disk.isNameDurable('/a')).to.equal(true)
      expect(disk.isNameDurable('/a/f')).to.equal(false)
      await port.syncDir('/a')
      expect(disk.isNameDurable('/a/f')).to.equal(true)
      disk.losePower()
      expect(disk.look('/a/f')?.copy()).to.deep.equal(bytes(4, 7))
    })
  })

  it('a store keeps synced batches and a prefix of the others', async () => {
    const kept = new Set<number>()
    for (let seed = 0; seed < 30; seed++) {
      const world = new World(seed)
      const stores = new SimStores(world, 's')
      const key = (index: number) => bytes(1, index)
      await world.run(async () => {
        const store = await stores.port(new Life('n'))('/kv')
        for (let index = 0; index < 4; index++) {
          await store.write([{ kind: 'put', key: key(index), value: key(index) }], index === 1 ? 'sync' : 'lazy')
        }
        expect(stores.lookDurable('/kv', key(1))).to.deep.equal(key(1))
        expect(stores.lookDurable('/kv', key(2))).to.equal(undefined)
        stores.losePower()
      })
      const left = [0, 1, 2, 3].filter((index) => stores.look('/kv', key(index)) !== undefined)
      expect(left).to.deep.equal([0, 1, 2, 3].slice(0, left.length))
      expect(left.length).to.be.at.least(2)
      kept.add(left.length)
    }
    expect(kept.size).to.be.above(1)
  })
})

describe('simulated network', () => {
  const method = methods.replica.fetchStream
  const message = (id: number) => ({
    open: null, subscribe: [], acks: [{ subscription: id, ackOffset: 1 }], unsubscribe: [] })

  /** `n` streams numbers to `m`; resolves with what arrived and how the stream ended. */
  async function numbers(seed: number, act: (world: World, network: SimNetwork, kill: () => void) => Promise<void>):
    Promise<{ readonly got: readonly number[]; readonly ended: string }> {
    const world = new World(seed)
    const network = new SimNetwork(world)
    const got: number[] = []
    let ended = 'open'
    await world.run(async () => {
      network.place('m:1', 'm')
      await network.port('m', new Life('m')).listen('m:1', [stream(method, (incoming) => {
        incoming.handle({ message: ({ acks }) => { got.push(acks[0]!.subscription) }, close: () => {} })
      })])
      const life = new Life('n')
      const port: Network = network.port('n', life)
      const opened = port.dial('m:1').open(method)
      opened.handle({ message: () => {}, close: (error: NetworkError | undefined) => { ended = error?.code ?? 'end' } })
      for (let id = 1; id <= 20; id++) {
        world.after(id, life, 'send', () => { opened.send(message(id)) })
      }
      await act(world, network, () => {
        life.alive = false
        network.kill(life)
      })
      await world.sleep(30_000)
    })
    return { got, ended }
  }

  it('keeps order', async () => {
    const { got } = await numbers(1, async () => {})
    expect(got).to.deep.equal(Array.from({ length: 20 }, (_, index) => index + 1))
  })

  it('holds what is sent over a cut way, and goes on or breaks when it is mended: never a gap', async () => {
    const outcomes = new Set<string>()
    for (let seed = 1; seed <= 12; seed++) {
      const { got, ended } = await numbers(seed, async (world, network) => {
        await world.sleep(8)
        network.links.cut('n', 'm')
        await world.sleep(2_000)
        expect(network.links.isCut('n', 'm')).to.equal(true)
        network.links.mend('n', 'm')
      })
      expect(got).to.deep.equal(Array.from({ length: got.length }, (_, index) => index + 1))
      expect(got.length).to.equal(ended === 'open' ? 20 : got.length)
      outcomes.add(ended)
    }
    expect([...outcomes].sort()).to.deep.equal(['UNAVAILABLE', 'open'])
  })

  it('what a killed process had written still arrives', async () => {
    const { got } = await numbers(1, async (world, _network, kill) => {
      await world.sleep(10.5)
      kill()
    })
    expect(got.at(-1)).to.equal(10)
  })
})

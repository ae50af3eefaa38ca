// A controller whose data directory was emptied, and the first start of all, on ports and in virtual time.

import { expect } from 'chai'

import { RaftBench, type Voter } from './raft-bench.ts'

describe('stores without a voice', () => {
  let bench: RaftBench
  afterEach(async () => {
    await bench.stop()
    await bench.time.advance(0)
    expect(bench.time.pending).to.equal(0)
  })

  const lost = async (node: Voter) => {
    await node.powerLoss()
    node.wipe()
    await node.start()
  }
  const voices = () => bench.nodes.filter(({ running }) => running).map(({ driver }) => driver.status().voice)

  it('a first start waits for all controllers, and says so; later a majority will do', async () => {
    bench = new RaftBench(3)
    const [first, second, third] = bench.nodes
    await first!.start()
    await second!.start()
    await bench.time.advance(20_000)
    expect(bench.leader).to.equal(undefined)
    const warnings = first!.ports.logger.lines.filter(({ text }) => text === 'no vote yet')
    expect(warnings.length).to.equal(2)
    expect(warnings[0]!.fields).to.include({ unheard: '3', replaced: '' })
    await third!.start()
    await bench.elected()
    await bench.commit('a')
    await bench.time.advance(200)
    expect(voices()).to.deep.equal([true, true, true])
    for (const node of bench.nodes) await node.powerLoss()
    await first!.start()
    await third!.start()
    await bench.elected()
    await bench.commit('b')
  })

  it('a first start survives a power loss of all at any moment of it', async () => {
    for (let ms = 0; ms <= 30; ms += 2) {
      bench = await new RaftBench(3).start()
      await bench.time.advance(ms)
      for (const node of bench.nodes) await node.powerLoss()
      for (const node of bench.nodes) await node.start()
      await bench.elected()
      await bench.commit('a')
      await bench.stop()
    }
  })

  it('an emptied follower comes back under the same leader, takes all and votes again', async () => {
    bench = await new RaftBench(3, { snapshotEntries: 5 }).start()
    const leader = await bench.elected()
    for (const word of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) await bench.commit(word)
    const [follower, other] = bench.others(leader)
    await lost(follower!)
    await bench.time.until('it has a voice', () => follower!.driver.status().voice)
    expect(bench.leader).to.equal(leader)
    expect(follower!.applied).to.deep.equal(leader.applied)
    await leader.powerLoss()
    await bench.elected()
    await bench.commit('h')
    expect(other!.applied).to.deep.equal(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])
  })

  it('an emptied leader comes back as a follower', async () => {
    bench = await new RaftBench(3).start()
    const leader = await bench.elected()
    await bench.commit('a')
    await lost(leader)
    await bench.time.until('it has a voice', () => leader.driver.status().voice)
    expect(leader.applied).to.deep.equal(['a'])
    await bench.commit('b')
  })

  it('an emptied one and the one that lacks an entry elect nobody, so the entry stays', async () => {
    bench = await new RaftBench(3).start()
    const leader = await bench.elected()
    await bench.commit('a')
    const [emptied, behind] = bench.others(leader)
    // `b` is on the leader and on one follower. That one loses its store, and the leader its power.
    await behind!.powerLoss()
    await bench.commit('b')
    await leader.powerLoss()
    await lost(emptied!)
    await behind!.start()
    await bench.time.advance(20_000)
    expect(bench.leader).to.equal(undefined)
    await leader.start()
    await bench.elected()
    await bench.commit('c')
    await bench.time.until('all vote', () => voices().every((voice) => voice))
    for (const { applied } of bench.nodes) expect(applied).to.deep.equal(['a', 'b', 'c'])
  })

  it('of five, two may be emptied at once', async () => {
    bench = await new RaftBench(5).start()
    const leader = await bench.elected()
    await bench.commit('a')
    const [first, second] = bench.others(leader)
    await lost(first!)
    await lost(second!)
    await bench.time.until('all vote', () => voices().every((voice) => voice))
    await bench.commit('b')
    for (const { applied } of bench.nodes) expect(applied).to.deep.equal(['a', 'b'])
  })

  it('a voice is not lost by a restart, nor got by one', async () => {
    bench = await new RaftBench(3).start()
    const leader = await bench.elected()
    await bench.commit('a')
    const [emptied, other] = bench.others(leader)
    await other!.powerLoss()
    await lost(emptied!)
    await bench.time.advance(100)
    await emptied!.powerLoss()
    await emptied!.start()
    await bench.time.advance(5_000)
    // Neither is the leader in office: it hears no majority that counts.
    expect(voices()).to.deep.equal([1, 2, 3].filter((id) => id !== other!.id).map((id) => id !== emptied!.id))
    expect(bench.leader).to.equal(undefined)
    await other!.start()
    await bench.time.until('all vote', () => voices().every((voice) => voice))
    await emptied!.powerLoss()
    await emptied!.start()
    expect(emptied!.driver.status().voice).to.equal(true)
  })
})

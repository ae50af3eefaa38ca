// The idempotent producer under random faults: whatever dies, freezes, moves or forgets to answer, every record is in
// the log exactly once and in order.

import { expect } from 'chai'

import { openConnection } from '../../src/client/connection.ts'
import type { ErrorName } from '../../src/base/error-code.ts'
import { seeded } from '../support/numbers.ts'
import { FakeCluster } from './fake-broker.ts'
import { fixedRandom, World } from './fake-world.ts'

const ROUNDS = 12
const STEPS = 100
const REFUSALS: readonly ErrorName[] = [
  'NOT_ENOUGH_REPLICAS', 'LEADER_NOT_AVAILABLE', 'REQUEST_TIMED_OUT', 'THROTTLING_QUOTA_EXCEEDED',
  'UNKNOWN_LEADER_EPOCH'
]

/** One fault, or the end of one. */
function disturb(cluster: FakeCluster, random: () => number): void {
  const below = (bound: number) => Math.floor(random() * bound)
  const broker = cluster.brokers[below(cluster.brokers.length)]!
  switch (below(7)) {
    case 0:
      cluster.kill(broker.id)
      break
    case 1:
      cluster.moveLeader('t', below(2), 1 + below(3))
      break
    case 2:
      cluster.moveLeader('t', below(2), -1)
      break
    case 3:
      broker.mute = true
      break
    case 4:
      broker.frozen = true
      break
    case 5:
      broker.refusals.push(REFUSALS[below(REFUSALS.length)]!)
      break
    default:
      heal(cluster, broker.id)
  }
}

function heal(cluster: FakeCluster, id: number): void {
  const broker = cluster.broker(id)
  // What was lost in a frozen or mute stream never comes.
  if (broker.frozen || broker.mute) cluster.network.cut(broker.address)
  broker.frozen = false
  broker.mute = false
  broker.down = false
  broker.refusals.length = 0
}

describe('Producer under faults', () => {
  for (let round = 0; round < ROUNDS; round++) {
    it(`loses, repeats and reorders nothing (seed ${round})`, async () => {
      const random = seeded(round)
      const world = new World()
      const cluster = new FakeCluster(world)
      cluster.create('t', 2)
      const weir = await world.get(openConnection({ bootstrap: cluster.addresses },
        { clock: world, timers: world, random: fixedRandom(round), network: cluster.network }))
      const producer = weir.producer({ lingerMs: round % 3 })
      const sent: Promise<unknown>[] = []
      const expected: [string[], string[]] = [[], []]
      for (let step = 0; step < STEPS; step++) {
        for (let count = Math.floor(random() * 4); count > 0; count--) {
          const partition = random() < 0.5 ? 0 : 1
          const value = `${step}.${count}`
          expected[partition].push(value)
          sent.push(producer.send({ topic: 't', partition, value }))
        }
        await world.run(random() < 0.7 ? random() * 0.4 : random() * 30)
        if (random() < 0.3) disturb(cluster, random)
      }
      for (const { id } of cluster.brokers) heal(cluster, id)
      for (const partition of [0, 1]) cluster.moveLeader('t', partition, 2)
      await world.get(Promise.all(sent), 30_000)
      expect(cluster.topics.get('t')!.map((partition) => partition.values())).to.deep.equal(expected)
      expect(producer.stats).to.deep.include({ acknowledged: sent.length, failed: 0, bufferedBytes: 0 })
      await world.get(weir.close())
    })
  }
})

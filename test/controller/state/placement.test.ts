// Placement: even leaders and replicas, racks, and the same answer for the same seed.

import { expect } from 'chai'

import { Placement } from '../../../controller/state/placement.ts'
import { StateCluster } from './cluster.ts'

function racked(racks: readonly string[]): StateCluster {
  const cluster = new StateCluster()
  for (const [id, rack] of racks.entries()) {
    cluster.register(id, { rack })
    cluster.unfence(id)
  }
  return cluster
}

/** How many of `values` each of `brokers` brokers has. */
function tally(values: readonly number[], brokers: number): number[] {
  return Array.from({ length: brokers }, (_, id) => values.filter((value) => value === id).length)
}
const spread = (counts: readonly number[]) => Math.max(...counts) - Math.min(...counts)

describe('placement', () => {
  for (const [brokers, factor, partitions] of [[3, 3, 9], [3, 2, 6], [5, 3, 50], [7, 3, 10], [4, 1, 13]] as const) {
    it(`spreads ${partitions} × ${factor} replicas evenly over ${brokers} brokers, for any seed`, () => {
      const { image } = racked(Array.from({ length: brokers }, () => ''))
      for (let seed = 0; seed < 20; seed++) {
        const placement = new Placement(image, seed)
        placement.beginTopic([])
        const assignment = Array.from({ length: partitions }, () => placement.next(factor))
        for (const replicas of assignment) expect(new Set(replicas).size).to.equal(factor)
        expect(spread(tally(assignment.map(([leader]) => leader!), brokers)), 'leaders').to.be.at.most(1)
        expect(spread(tally(assignment.flat(), brokers)), 'replicas').to.be.at.most(2)
      }
    })
  }

  it('uses as many racks as there are replicas', () => {
    const racks = ['a', 'a', 'a', 'b', 'c']
    const placement = new Placement(racked(racks).image, 3)
    placement.beginTopic([])
    for (let partition = 0; partition < 30; partition++) {
      expect(new Set(placement.next(3).map((id) => racks[id])).size).to.equal(3)
    }
  })

  it('gives the leaders of topics with one partition to different brokers', () => {
    const cluster = racked(['', '', ''])
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) cluster.create(name, {}, { seed: 1 })
    const leaders = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => cluster.partition(name).leader)
    expect(tally(leaders, 3)).to.deep.equal([2, 2, 2])
  })

  it('gives a new broker its share of a new topic, not all of it', () => {
    const cluster = racked(['', ''])
    cluster.create('old', { partitions: 40, replicationFactor: 2 })
    cluster.register(2)
    cluster.unfence(2)
    cluster.create('new', { partitions: 9, replicationFactor: 2 })
    const leaders = Array.from({ length: 9 }, (_, index) => cluster.partition('new', index).leader)
    expect(tally(leaders, 3)).to.deep.equal([3, 3, 3])
  })

  it('varies the followers of one leader', () => {
    const placement = new Placement(racked(Array.from({ length: 9 }, () => '')).image, 5)
    placement.beginTopic([])
    const assignment = Array.from({ length: 90 }, () => placement.next(2))
    const followersOf0 = assignment.filter(([leader]) => leader === 0).map(([, follower]) => follower)
    expect(new Set(followersOf0).size).to.be.greaterThan(3)
  })

  it('takes fenced brokers last, and never as preferred leaders', () => {
    const cluster = racked(['', '', ''])
    cluster.fence(0)
    const placement = new Placement(cluster.image, 1)
    placement.beginTopic([])
    for (let partition = 0; partition < 12; partition++) {
      expect(placement.next(2)).to.not.include(0)
      expect(placement.next(3)[2]).to.equal(0)
    }
  })

  it('answers a seed with one assignment, other seeds with others', () => {
    const { image } = racked(['', '', '', '', ''])
    const place = (seed: number) => {
      const placement = new Placement(image, seed)
      placement.beginTopic([])
      return JSON.stringify(Array.from({ length: 20 }, () => placement.next(3)))
    }
    expect(place(4)).to.equal(place(4))
    expect(new Set([1, 2, 3, 4].map(place)).size).to.equal(4)
  })
})

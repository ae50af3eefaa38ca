// Chooses the brokers of new partitions: leaders even within the topic, replicas even over brokers, each partition
// spread over as many racks as it has replicas. The same seed on the same image gives the same answer.

import { assert } from '../../src/base/assert.ts'
import type { BrokerImage, MetadataImage } from '../../src/metadata/image.ts'

interface Place {
  readonly id: number
  readonly rack: string
  /** A broker that cannot serve now takes replicas only when there are too few others. */
  readonly active: boolean
  topicLeaders: number
  topicReplicas: number
  clusterLeaders: number
  clusterReplicas: number
}

export class Placement {
  readonly #places: readonly Place[]
  #seed: number

  /** `seed`: any integer. */
  constructor(image: MetadataImage, seed: number) {
    this.#seed = seed | 0
    this.#places = [...image.brokers.values()].map((broker) => placeOf(broker)).sort((a, b) => a.id - b.id)
    const byId = new Map(this.#places.map((place) => [place.id, place]))
    for (const topic of image.topics.values()) {
      for (const { replicas } of topic.partitions) count(byId, replicas, 'cluster')
    }
  }

  get brokers(): number { return this.#places.length }
  get activeBrokers(): number { return this.#places.filter(({ active }) => active).length }

  /** Starts on a topic whose partitions so far have these `assignments`. */
  beginTopic(assignments: readonly (readonly number[])[]): void {
    for (const place of this.#places) {
      place.topicLeaders = 0
      place.topicReplicas = 0
    }
    const byId = new Map(this.#places.map((place) => [place.id, place]))
    for (const replicas of assignments) count(byId, replicas, 'topic')
  }

  /** Brokers of one more partition, the preferred leader first. Needs 1 <= replicationFactor <= brokers. */
  next(replicationFactor: number): number[] {
    assert(replicationFactor >= 1 && replicationFactor <= this.brokers, 'replication factor fits the brokers')
    const order = this.#shuffled()
    const leader = least(order, (place) => [
      place.active ? 0 : 1, place.topicLeaders, place.clusterLeaders, place.topicReplicas])
    const chosen = [leader]
    while (chosen.length < replicationFactor) {
      const rest = order.filter((place) => !chosen.includes(place))
      chosen.push(least(rest, (place) => [
        place.active ? 0 : 1, chosen.filter(({ rack }) => rack === place.rack).length,
        place.topicReplicas, place.clusterReplicas]))
    }
    for (const [position, place] of chosen.entries()) {
      place.topicReplicas++
      place.clusterReplicas++
      if (position === 0) {
        place.topicLeaders++
        place.clusterLeaders++
      }
    }
    return chosen.map(({ id }) => id)
  }

  /** A fresh order for each partition, so that the followers of one leader differ from partition to partition. */
  #shuffled(): Place[] {
    const order = [...this.#places]
    for (let last = order.length - 1; last > 0; last--) {
      const other = this.#below(last + 1)
      const held = order[last]!
      order[last] = order[other]!
      order[other] = held
    }
    return order
  }

  /** mulberry32: enough for ties. */
  #below(bound: number): number {
    this.#seed = (this.#seed + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#seed ^ (this.#seed >>> 15), this.#seed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor(((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32 * bound)
  }
}

function placeOf(broker: BrokerImage): Place {
  return {
    id: broker.id, rack: broker.rack === '' ? `broker ${broker.id}` : broker.rack,
    active: !broker.fenced && !broker.draining,
    topicLeaders: 0, topicReplicas: 0, clusterLeaders: 0, clusterReplicas: 0
  }
}

function count(byId: ReadonlyMap<number, Place>, replicas: readonly number[], scope: 'topic' | 'cluster'): void {
  for (const [position, id] of replicas.entries()) {
    const place = byId.get(id)
    if (place === undefined) continue
    place[`${scope}Replicas`]++
    if (position === 0) place[`${scope}Leaders`]++
  }
}

/** The first of `places` with the least key, compared element by element. */
function least(places: readonly Place[], key: (place: Place) => readonly number[]): Place {
  let best: { place: Place; key: readonly number[] } | undefined
  for (const place of places) {
    const candidate = { place, key: key(place) }
    if (best === undefined || isLess(candidate.key, best.key)) best = candidate
  }
  assert(best !== undefined, 'a broker to choose')
  return best.place
}

function isLess(a: readonly number[], b: readonly number[]): boolean {
  for (const [position, value] of a.entries()) {
    if (value !== b[position]) return value < b[position]!
  }
  return false
}

// What the committed metadata may say of partitions, from one image to the next.

import type { MetadataImage, PartitionImage } from '../../../src/metadata/image.ts'
import type { SimCluster } from '../cluster.ts'

export class MetadataSanity {
  readonly #cluster: SimCluster
  #image: MetadataImage | undefined

  constructor(cluster: SimCluster) {
    this.#cluster = cluster
  }

  look(): void {
    const next = this.#cluster.image
    const previous = this.#image
    if (next === undefined || next === previous || next.offset <= (previous?.offset ?? -1)) return
    this.#image = next
    for (const [id, broker] of next.brokers) {
      if (broker.epoch < (previous?.brokers.get(id)?.epoch ?? -1)) this.#fail(`the epoch of broker ${id} fell`)
    }
    if (next.topics === previous?.topics) return
    for (const [id, topic] of next.topics) {
      const before = previous?.topics.get(id)
      if (before === topic) continue
      topic.partitions.forEach((partition, index) => {
        this.#check(`${topic.name}-${index}`, before?.partitions[index], partition)
        // With offsets in between the ISR may have grown meanwhile.
        if (next.offset === (previous?.offset ?? -1) + 1) {
          this.#checkElection(`${topic.name}-${index}`, before?.partitions[index], partition)
        }
      })
    }
  }

  #check(name: string, before: PartitionImage | undefined, now: PartitionImage): void {
    if (before === now) return
    if (now.isr.length === 0) this.#fail(`${name} has an empty ISR`)
    if (!now.isr.every((id) => now.replicas.includes(id))) {
      this.#fail(`${name}: ISR ${now.isr.join(',')} is no part of replicas ${now.replicas.join(',')}`)
    }
    if (now.leader !== -1 && !now.isr.includes(now.leader)) {
      this.#fail(`${name}: leader ${now.leader} is not in ISR ${now.isr.join(',')}`)
    }
    if (before === undefined) return
    if (now.leaderEpoch < before.leaderEpoch) this.#fail(`${name}: the leader epoch fell`)
    // The same from another controller is another object.
    if (now.partitionEpoch <= before.partitionEpoch && JSON.stringify(before) !== JSON.stringify(now)) {
      this.#fail(`${name}: changed without a new partition epoch: ${JSON.stringify(before)} → ${JSON.stringify(now)}`)
    }
    if (now.leader !== before.leader && now.leaderEpoch === before.leaderEpoch && now.leader !== -1) {
      this.#fail(`${name}: leader ${before.leader} became ${now.leader} within leader epoch ${now.leaderEpoch}`)
    }
  }

  #checkElection(name: string, before: PartitionImage | undefined, now: PartitionImage): void {
    if (before === undefined || now.leader === before.leader) return
    if (now.leader !== -1 && !before.isr.includes(now.leader)) {
      this.#fail(`${name}: ${now.leader} leads and was not in ISR ${before.isr.join(',')}`)
    }
  }

  #fail(what: string): void { this.#cluster.world.fail('metadata', what) }
}

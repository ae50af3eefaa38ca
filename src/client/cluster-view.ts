// What the client believes of the cluster: brokers, topics, partition leaders. News only ever moves it forward.

import type { LeaderHint } from '../base/error-code.ts'
import type { BrokerAddress, GetMetadataResponse, TopicMetadata } from '../rpc/messages.ts'

export interface PartitionView {
  readonly partition: number
  /** Broker id, -1 = none now. */
  readonly leader: number
  /** host:port, empty when there is no leader or its address is unknown. */
  readonly address: string
  readonly leaderEpoch: number
}

export interface TopicView {
  readonly name: string
  readonly topicId: string
  /** Of the answer this was taken from. */
  readonly metadataOffset: number
  /** By index. */
  readonly partitions: readonly PartitionView[]
}

export class ClusterView {
  readonly #brokers = new Map<number, BrokerAddress>()
  readonly #topics = new Map<string, TopicView>()
  #brokersAt = -1
  #clusterId = ''

  get clusterId(): string { return this.#clusterId }

  /** The first cluster asked about is the one; every other one is not. */
  isOf(clusterId: string): boolean {
    if (this.#clusterId === '') this.#clusterId = clusterId
    return clusterId === this.#clusterId
  }

  topic(name: string): TopicView | undefined { return this.#topics.get(name) }

  /** Addresses of brokers, those in service first. */
  brokerAddresses(): readonly string[] {
    const all = [...this.#brokers.values()].filter(({ address }) => address !== '')
    return [...all.filter(({ fenced }) => !fenced), ...all.filter(({ fenced }) => fenced)].map(({ address }) => address)
  }

  get brokerCount(): number { return this.#brokers.size }

  /** Names of the topics whose view changed; undefined when the answer is of another cluster. */
  take(answer: GetMetadataResponse): readonly string[] | undefined {
    if (!this.isOf(answer.clusterId)) return undefined
    this.takeBrokers(answer.metadataOffset, answer.brokers)
    return answer.topics.filter((topic) => this.#takeTopic(answer.metadataOffset, topic)).map(({ name }) => name)
  }

  takeBrokers(metadataOffset: number, brokers: readonly BrokerAddress[]): void {
    if (metadataOffset < this.#brokersAt) return
    this.#brokersAt = metadataOffset
    this.#brokers.clear()
    for (const broker of brokers) this.#brokers.set(broker.id, broker)
  }

  /** What an error told about a leader. True when it was news. */
  hint(topic: string, partition: number, leader: LeaderHint): boolean {
    const view = this.#topics.get(topic)
    const known = view?.partitions[partition]
    if (view === undefined || known === undefined || leader.leaderEpoch < known.leaderEpoch) return false
    const address = leader.address === '' ? this.#addressOf(leader.id) : leader.address
    if (leader.leaderEpoch === known.leaderEpoch && (known.address !== '' || address === '')) return false
    const partitions = [...view.partitions]
    partitions[partition] = { partition, leader: leader.id, address, leaderEpoch: leader.leaderEpoch }
    this.#topics.set(topic, { ...view, partitions })
    return true
  }

  #addressOf(broker: number): string { return this.#brokers.get(broker)?.address ?? '' }

  #takeTopic(metadataOffset: number, topic: TopicMetadata): boolean {
    const known = this.#topics.get(topic.name)
    if (known !== undefined && metadataOffset < known.metadataOffset) return false
    if (topic.status !== null && topic.status.code !== 0) return this.#topics.delete(topic.name)
    const before = known?.topicId === topic.topicId ? known.partitions : []
    const partitions = topic.partitions.map(({ partition, leader, leaderEpoch }): PartitionView => {
      const old = before[partition]
      if (old !== undefined && leaderEpoch < old.leaderEpoch) return old
      return { partition, leader, address: this.#addressOf(leader), leaderEpoch }
    })
    this.#topics.set(topic.name, { name: topic.name, topicId: topic.topicId, metadataOffset, partitions })
    return before.length !== partitions.length || partitions.some((view, index) => differs(view, before[index]!))
  }
}

function differs(a: PartitionView, b: PartitionView): boolean {
  return a.leader !== b.leader || a.leaderEpoch !== b.leaderEpoch || a.address !== b.address
}

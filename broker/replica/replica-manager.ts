// The partitions hosted by this broker: turns each published metadata change into leading, following, stopping or
// deleting, keeps one fetcher for each leader broker, and finds a partition for a request.

import { ErrorCode } from '../../src/base/error-code.ts'
import { topicConfig, type BrokerConfig } from '../../src/config/keys.ts'
import type { MetadataDelta } from '../../src/metadata/delta.ts'
import { isActive, NO_CONFIGS, partitionOf, type MetadataImage } from '../../src/metadata/image.ts'
import { localChanges, type LocalChange, type LocalChangeKind } from '../../src/metadata/local-changes.ts'
import { DiskError, type Ports, type Timer } from '../../src/ports.ts'
import type { LogManager } from '../log/log-manager.ts'
import { Fetcher } from './fetcher.ts'
import { Partition, type PartitionNeeds } from './partition.ts'
import { Room } from './purgatory.ts'
import { logConfigOf } from './topic-log-config.ts'

export interface ReplicaManagerNeeds {
  readonly brokerId: number
  readonly ports: Ports
  readonly config: BrokerConfig
  readonly logs: LogManager
  /** The newest image; read at the moment of need. */
  image(): MetadataImage
  brokerEpoch(): number
  proposeIsr: PartitionNeeds['proposeIsr']
  onUnreachable(brokerId: number): void
  /** A log cannot be used: this broker asks to be fenced. */
  onStorageFault(): void
}

export class ReplicaManager {
  readonly #needs: ReplicaManagerNeeds
  readonly #room: Room
  readonly #hosted = new Map<string, Map<number, Partition>>()
  readonly #fetchers = new Map<number, Fetcher>()
  #isrTimer: Timer | undefined
  #closed = false
  #hasSwept = false

  constructor(needs: ReplicaManagerNeeds) {
    this.#needs = needs
    this.#room = new Room(needs.config['max.parked.requests'])
  }

  get room(): Room { return this.#room }

  start(): void { this.#scheduleIsrCheck() }

  partition(topicId: string, index: number): Partition | undefined {
    return this.#hosted.get(topicId)?.get(index)
  }

  *partitions(): Iterable<Partition> {
    for (const byIndex of this.#hosted.values()) yield* byIndex.values()
  }

  /** Metadata subscriber. Deletes and stops, then leads, then follows: what is freed is free before it is used. */
  async apply(delta: MetadataDelta, previous: MetadataImage, next: MetadataImage): Promise<void> {
    const changes = localChanges(this.#needs.brokerId, delta, previous, next)
    const of = (...kinds: readonly LocalChangeKind[]) => changes.filter(({ kind }) => kinds.includes(kind))
    await Promise.all(of('delete').map((change) => this.#remove(change)))
    await Promise.all(of('stop').map((change) => this.#stop(change, next)))
    await Promise.all(of('lead').map((change) => this.#lead(change, next)))
    await Promise.all(of('follow').map((change) => this.#follow(change, next)))
    for (const change of of('update')) {
      const partition = this.partition(change.topicId, change.partition)
      if (partition?.leaderEpoch === change.image.leaderEpoch) partition.update(change.image)
    }
    this.#reconfigure(delta, next)
    this.#showCounts()
    // A broker unfenced since may join ISRs at once, also those of partitions to which nobody writes.
    if ([...delta.changedBrokers].length > 0) for (const partition of this.partitions()) partition.expandIsr()
    if (!this.#hasSwept) await this.#sweep(next)
  }

  /** The first image says what belongs here: directories of deleted topics and moved replicas go out of the way. */
  async #sweep(image: MetadataImage): Promise<void> {
    this.#hasSwept = true
    try {
      await this.#needs.logs.setAsideStrays((topic, partition) => {
        const topicId = image.topicIdByName.get(topic)
        return topicId !== undefined
          && partitionOf(image, topicId, partition)?.replicas.includes(this.#needs.brokerId) === true
      })
    } catch (error) {
      if (!(error instanceof DiskError)) throw error
      this.#needs.ports.logger.error('stray directories could not be set aside', {
        code: error.code, path: error.path, reason: error.message })
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    if (this.#isrTimer !== undefined) this.#needs.ports.timers.cancel(this.#isrTimer)
    for (const fetcher of this.#fetchers.values()) fetcher.close()
    this.#fetchers.clear()
    for (const partition of this.partitions()) partition.retire(ErrorCode.NOT_LEADER_OR_FOLLOWER)
    await Promise.all([...this.partitions()].map((partition) => partition.transitions.idle()))
  }

  #showCounts(): void {
    let hosted = 0
    let led = 0
    for (const { role } of this.partitions()) {
      hosted++
      if (role === 'leader') led++
    }
    this.#needs.ports.metrics.gauge('weir_partitions_hosted', hosted)
    this.#needs.ports.metrics.gauge('weir_partitions_led', led)
  }

  // ---- changes --------------------------------------------------------------------------------------------

  async #lead(change: LocalChange, image: MetadataImage): Promise<void> {
    const partition = await this.#host(change, image)
    if (partition === undefined) return
    this.#unfollow(partition)
    await this.#guard(change, () => partition.lead(change.image))
  }

  async #follow(change: LocalChange, image: MetadataImage): Promise<void> {
    const partition = await this.#host(change, image)
    if (partition === undefined) return
    this.#unfollow(partition)
    await this.#guard(change, () => partition.follow(change.image))
    const leader = change.image.leader
    if (this.#closed || leader < 0 || leader === this.#needs.brokerId || partition.image !== change.image) return
    this.#fetcher(leader).add(partition)
  }

  /** No leader now: keeps the replica ready, and tells everyone who waits on it. */
  async #stop(change: LocalChange, image: MetadataImage): Promise<void> {
    const partition = await this.#host(change, image)
    if (partition === undefined) return
    this.#unfollow(partition)
    await this.#guard(change, () => partition.follow(change.image))
  }

  /** The partition, with its log created when it is new here. Undefined when its log cannot be used. */
  async #host(change: LocalChange, image: MetadataImage): Promise<Partition | undefined> {
    const known = this.partition(change.topicId, change.partition)
    if (known !== undefined) return known
    const config = topicConfig(image.configs.topics.get(change.topicId) ?? NO_CONFIGS)
    const log = await this.#guard(change, () => this.#needs.logs.open({
      topic: change.topic, partition: change.partition, topicId: change.topicId,
      config: logConfigOf(config, this.#needs.config) }))
    if (log === undefined) return undefined
    const partition = new Partition({
      topicId: change.topicId, topic: change.topic, index: change.partition, log, config, image: change.image,
      needs: {
        brokerId: this.#needs.brokerId,
        clock: this.#needs.ports.clock,
        logger: this.#needs.ports.logger,
        room: this.#room,
        parkedMax: this.#needs.config['max.parked.requests'],
        lagMaxMs: this.#needs.config['replica.lag.time.max.ms'],
        eligibleBrokerEpoch: (id) => {
          const broker = this.#needs.image().brokers.get(id)
          return isActive(broker) ? broker.epoch : undefined
        },
        proposeIsr: (of, isr) => {
          this.#needs.ports.metrics.count('weir_isr_changes_total')
          this.#needs.proposeIsr(of, isr)
        }
      }
    })
    log.onOffline = chain(log.onOffline, () => { this.#needs.onStorageFault() })
    let byIndex = this.#hosted.get(change.topicId)
    if (byIndex === undefined) this.#hosted.set(change.topicId, byIndex = new Map<number, Partition>())
    byIndex.set(change.partition, partition)
    return partition
  }

  async #remove(change: LocalChange): Promise<void> {
    const partition = this.partition(change.topicId, change.partition)
    if (partition !== undefined) {
      this.#unfollow(partition)
      partition.retire(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
      await partition.transitions.idle()
      const byIndex = this.#hosted.get(change.topicId)
      byIndex?.delete(change.partition)
      if (byIndex?.size === 0) this.#hosted.delete(change.topicId)
    }
    await this.#guard(change, () => this.#needs.logs.delete(change.topicId, change.partition))
  }

  #reconfigure(delta: MetadataDelta, next: MetadataImage): void {
    for (const topicId of delta.changedTopicConfigs) {
      const config = topicConfig(next.configs.topics.get(topicId) ?? NO_CONFIGS)
      for (const partition of this.#hosted.get(topicId)?.values() ?? []) {
        partition.setConfig(config)
        partition.log.setConfig(logConfigOf(config, this.#needs.config))
      }
    }
  }

  /** A storage fault makes this replica unusable, not the process. */
  async #guard<T>(change: LocalChange, act: () => Promise<T>): Promise<T | undefined> {
    try {
      return await act()
    } catch (error) {
      if (!(error instanceof DiskError)) throw error
      this.#needs.ports.logger.error('partition cannot be used', {
        topic: change.topic, partition: change.partition, change: change.kind,
        code: error.code, path: error.path, reason: error.message })
      this.#needs.onStorageFault()
      return undefined
    }
  }

  // ---- following ------------------------------------------------------------------------------------------

  #fetcher(leaderId: number): Fetcher {
    const known = this.#fetchers.get(leaderId)
    if (known !== undefined) return known
    const { ports, config } = this.#needs
    const fetcher = new Fetcher({
      brokerId: this.#needs.brokerId, leaderId, timers: ports.timers, network: ports.network, logger: ports.logger,
      metrics: ports.metrics,
      backoffMs: config['replica.fetch.backoff.ms'],
      address: () => this.#needs.image().brokers.get(leaderId)?.address,
      brokerEpoch: () => this.#needs.brokerEpoch(),
      onUnreachable: () => { this.#needs.onUnreachable(leaderId) },
      onTruncatedBelowMark: (partition, offset) => {
        ports.metrics.count('weir_truncated_below_high_watermark_total')
        ports.logger.error('committed records are cut from this replica', {
          topic: partition.topic, partition: partition.index, leader: leaderId, offset,
          highWatermark: partition.log.highWatermark })
      }
    })
    this.#fetchers.set(leaderId, fetcher)
    return fetcher
  }

  #unfollow(partition: Partition): void {
    for (const [leaderId, fetcher] of this.#fetchers) {
      fetcher.remove(partition)
      if (fetcher.size > 0) continue
      fetcher.close()
      this.#fetchers.delete(leaderId)
    }
  }

  // ---- leading --------------------------------------------------------------------------------------------

  #scheduleIsrCheck(): void {
    this.#isrTimer = this.#needs.ports.timers.after(this.#needs.config['replica.lag.time.max.ms'] / 4, () => {
      for (const partition of this.partitions()) partition.checkIsr()
      this.#scheduleIsrCheck()
    })
  }
}

function chain(first: (() => void) | undefined, then: () => void): () => void {
  return () => {
    first?.()
    then()
  }
}

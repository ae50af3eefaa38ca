// Follows one leader broker: one stream, one subscription for each partition. Appends what is pushed, truncates where
// the logs diverge, and acknowledges what is durable.
//
// Source: KIP-101, KIP-279, KIP-320 (truncation by leader epoch, repeated until the logs agree).

import { ErrorCode, errorName } from '../../src/base/error-code.ts'
import {
  DiskError, type Logger, type MessageStream, type Metrics, type Network, type NetworkError, type Peer, type Timers
} from '../../src/ports.ts'
import type { Divergence, ReplicaPush, ReplicaRequest, ReplicaResponse } from '../../src/rpc/messages.ts'
import { methods } from '../../src/rpc/protos.ts'
import type { Partition } from './partition.ts'

export interface FetcherNeeds {
  readonly brokerId: number
  readonly leaderId: number
  readonly timers: Timers
  readonly network: Network
  readonly logger: Logger
  readonly metrics: Metrics
  readonly backoffMs: number
  /** The leader's address in the image now; undefined while it is not registered. */
  address(): string | undefined
  brokerEpoch(): number
  /** The connection to the leader was refused or reset. */
  onUnreachable(): void
  /** Records below this replica's own high watermark were cut: data was lost (unclean election, lost disk). */
  onTruncatedBelowMark(partition: Partition, offset: number): void
}

interface Following {
  readonly partition: Partition
  readonly leaderEpoch: number
  /** Number on the stream; 0 while not subscribed. */
  subscription: number
  ackedOffset: number
  /** A truncation or a backoff is under way: nothing is subscribed. */
  pausing: boolean
}

export class Fetcher {
  readonly #needs: FetcherNeeds
  readonly #byPartition = new Map<Partition, Following>()
  readonly #bySubscription = new Map<number, Following>()
  readonly #toSubscribe = new Set<Following>()
  readonly #toAcknowledge = new Set<Following>()
  readonly #toUnsubscribe: number[] = []
  #lastSubscription = 0
  #peer: Peer | undefined
  #stream: MessageStream<ReplicaRequest, ReplicaResponse> | undefined
  #scheduled = false
  #reopening = false
  #closed = false

  constructor(needs: FetcherNeeds) {
    this.#needs = needs
  }

  get size(): number { return this.#byPartition.size }

  /** The partition is a follower of this leader in its current leader epoch. */
  add(partition: Partition): void {
    this.remove(partition)
    const following: Following = {
      partition, leaderEpoch: partition.leaderEpoch, subscription: 0, ackedOffset: -1, pausing: false }
    this.#byPartition.set(partition, following)
    partition.onAckable = () => { this.#ackable(following) }
    this.#subscribe(following)
  }

  remove(partition: Partition): void {
    const following = this.#byPartition.get(partition)
    if (following === undefined) return
    this.#byPartition.delete(partition)
    partition.onAckable = undefined
    this.#toSubscribe.delete(following)
    this.#unsubscribe(following, true)
  }

  close(): void {
    this.#closed = true
    for (const partition of [...this.#byPartition.keys()]) this.remove(partition)
    this.#stream?.destroy('fetcher closed')
    this.#peer?.close()
  }

  // ---- stream ---------------------------------------------------------------------------------------------

  #subscribe(following: Following): void {
    this.#toSubscribe.add(following)
    this.#schedule()
  }

  #ackable(following: Following): void {
    if (following.subscription === 0) return
    this.#toAcknowledge.add(following)
    this.#schedule()
  }

  #unsubscribe(following: Following, tellLeader: boolean): void {
    if (following.subscription === 0) return
    this.#bySubscription.delete(following.subscription)
    this.#toAcknowledge.delete(following)
    if (tellLeader && this.#stream !== undefined) {
      this.#toUnsubscribe.push(following.subscription)
      this.#schedule()
    }
    following.subscription = 0
  }

  #schedule(): void {
    if (this.#scheduled || this.#closed) return
    this.#scheduled = true
    this.#needs.timers.soon(() => {
      this.#scheduled = false
      if (!this.#closed) this.#flush()
    })
  }

  #flush(): void {
    const opening = this.#stream === undefined
    if (opening && (this.#toSubscribe.size === 0 || this.#reopening || !this.#open())) return
    const subscribe = [...this.#toSubscribe].filter((following) => this.#ready(following)).map((following) => {
      const { partition } = following
      following.subscription = ++this.#lastSubscription
      following.ackedOffset = partition.ackableEnd
      this.#bySubscription.set(following.subscription, following)
      return {
        subscription: following.subscription, topicId: partition.topicId, partition: partition.index,
        leaderEpoch: following.leaderEpoch, fetchOffset: partition.log.logEndOffset,
        lastFetchedEpoch: partition.log.lastLeaderEpoch, ackOffset: following.ackedOffset
      }
    })
    const acks = [...this.#toAcknowledge].filter(hasNews).map((following) => {
      following.ackedOffset = following.partition.ackableEnd
      return { subscription: following.subscription, ackOffset: following.ackedOffset }
    })
    const unsubscribe = this.#toUnsubscribe.splice(0)
    this.#toSubscribe.clear()
    this.#toAcknowledge.clear()
    if (!opening && subscribe.length + acks.length + unsubscribe.length === 0) return
    this.#stream!.send({
      open: opening ? {
        replicaId: this.#needs.brokerId, brokerEpoch: this.#needs.brokerEpoch(), leaderId: this.#needs.leaderId
      } : null,
      subscribe, acks, unsubscribe
    })
  }

  #ready(following: Following): boolean {
    return this.#byPartition.get(following.partition) === following && !following.pausing
      && following.partition.role === 'follower' && following.partition.leaderEpoch === following.leaderEpoch
  }

  #open(): boolean {
    const address = this.#needs.address()
    if (address === undefined) {
      this.#reopenLater()
      return false
    }
    if (this.#peer?.address !== address) {
      this.#peer?.close()
      this.#peer = this.#needs.network.dial(address)
    }
    const stream = this.#peer.open(methods.replica.fetchStream)
    this.#stream = stream
    stream.handle({
      message: (message) => {
        for (const push of message.partitions) this.#pushed(push)
      },
      end: () => { stream.end() },
      close: (error) => { this.#streamLost(stream, error) }
    })
    return true
  }

  #streamLost(stream: MessageStream<ReplicaRequest, ReplicaResponse>, error: NetworkError | undefined): void {
    if (this.#stream !== stream) return
    this.#stream = undefined
    this.#toUnsubscribe.length = 0
    for (const following of [...this.#bySubscription.values()]) {
      this.#unsubscribe(following, false)
      this.#toSubscribe.add(following)
    }
    if (this.#closed) return
    this.#needs.logger.info('replication stream lost', {
      leader: this.#needs.leaderId, partitions: this.#byPartition.size, error: error?.message })
    if (error?.code === 'UNAVAILABLE') this.#needs.onUnreachable()
    this.#reopenLater()
  }

  #reopenLater(): void {
    if (this.#reopening) return
    this.#reopening = true
    this.#needs.timers.after(this.#needs.backoffMs, () => {
      this.#reopening = false
      this.#schedule()
    })
  }

  // ---- pushes ---------------------------------------------------------------------------------------------

  #pushed(push: ReplicaPush): void {
    const following = this.#bySubscription.get(push.subscription)
    if (following === undefined || !this.#current(following)) return
    const code = push.status?.code ?? 0
    if (push.diverging !== null && push.diverging !== undefined) this.#diverged(following, push.diverging)
    else if (code !== 0) this.#refused(following, code, push.logStartOffset)
    else this.#append(following, push)
  }

  /** Still the follower this subscription was made for: a late push of an older leader must not touch the log. */
  #current(following: Following): boolean {
    const { partition } = following
    return partition.role === 'follower' && partition.leaderEpoch === following.leaderEpoch && !partition.log.offline
  }

  #append(following: Following, push: ReplicaPush): void {
    const { partition } = following
    if (push.leaderEpoch !== following.leaderEpoch) return
    if (push.batches.length > 0) {
      const result = partition.log.appendReplicated(push.batches)
      if (!result.ok) {
        this.#needs.logger.error('pushed batches do not fit: subscribes again', {
          topic: partition.topic, partition: partition.index, leader: this.#needs.leaderId,
          code: errorName(result.fault.code), reason: result.fault.message })
        this.#again(following)
        return
      }
      this.#needs.metrics.count('weir_replicated_bytes_total', push.batches.length)
    }
    partition.followHighWatermark(push.highWatermark)
    if (push.logStartOffset > partition.log.logStartOffset) {
      partition.log.deleteRecordsBefore(Math.min(push.logStartOffset, partition.log.logEndOffset))
    }
    if (partition.ackableEnd > following.ackedOffset) this.#ackable(following)
  }

  #refused(following: Following, code: number, leaderLogStart: number): void {
    const { partition } = following
    if (code === ErrorCode.OFFSET_OUT_OF_RANGE && leaderLogStart > partition.log.logEndOffset) {
      this.#needs.logger.warn('the leader starts beyond this replica: starts again there', {
        topic: partition.topic, partition: partition.index, logEndOffset: partition.log.logEndOffset, leaderLogStart })
      this.#rewrite(following, () => partition.log.truncateFullyAndStartAt(leaderLogStart))
      return
    }
    this.#again(following)
  }

  /** Subscribes again a little later, from this replica's end. */
  #again(following: Following): void {
    this.#unsubscribe(following, true)
    following.pausing = true
    this.#needs.timers.after(this.#needs.backoffMs, () => {
      following.pausing = false
      this.#subscribe(following)
    })
  }

  /** One round of truncation; the next subscription shows whether the logs agree now. */
  #diverged(following: Following, diverging: Divergence): void {
    const { log } = following.partition
    const own = log.endOffsetFor(diverging.epoch)
    const target = own === undefined ? diverging.endOffset
      : own.epoch === diverging.epoch ? Math.min(own.endOffset, diverging.endOffset) : own.endOffset
    const offset = Math.max(Math.min(target, log.logEndOffset), log.logStartOffset)
    this.#needs.logger.info('truncates to where the logs agree', {
      topic: following.partition.topic, partition: following.partition.index, leaderEpoch: following.leaderEpoch,
      divergingEpoch: diverging.epoch, offset, logEndOffset: log.logEndOffset, highWatermark: log.highWatermark })
    if (offset < log.highWatermark) this.#needs.onTruncatedBelowMark(following.partition, offset)
    this.#rewrite(following, () => log.truncateTo(offset))
  }

  #rewrite(following: Following, change: () => Promise<void>): void {
    const { partition } = following
    this.#unsubscribe(following, true)
    following.pausing = true
    void partition.transitions.run(async () => {
      if (!this.#current(following)) return
      try {
        await change()
      } catch (error) {
        if (!(error instanceof DiskError)) throw error
        this.#needs.logger.error('truncation failed', {
          topic: partition.topic, partition: partition.index, code: error.code, path: error.path })
        return
      }
      following.pausing = false
      this.#subscribe(following)
    })
  }
}

function hasNews(following: Following): boolean {
  return following.subscription !== 0 && following.partition.ackableEnd > following.ackedOffset
}

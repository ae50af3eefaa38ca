// One replica of one partition: its role, its epochs, what its followers have, where the high watermark stands.
//
// A partition is offline (no log), follower or leader. Every mutation happens in one turn; the awaited parts of a
// change of role (truncation, the epoch file) run in `transitions`, and look at the epochs again afterwards.

import { assert } from '../../src/base/assert.ts'
import { SerialQueue } from '../../src/base/async.ts'
import { ErrorCode } from '../../src/base/error-code.ts'
import type { TopicConfig } from '../../src/config/keys.ts'
import type { PartitionImage } from '../../src/metadata/image.ts'
import type { Clock, Logger } from '../../src/ports.ts'
import type { AppendResult, PartitionLog } from '../log/partition-log.ts'
import {
  acknowledge, highWatermark, laggards, mayJoin, newFollower, type FollowerState
} from './isr.ts'
import { Purgatory, type Room, type Wake } from './purgatory.ts'

/** Told when a reader may go on. Calls come inside the mutation: do the work in a later turn. */
export interface Watcher {
  /** The log end offset moved: replicas read up to it. */
  appended?(): void
  highWatermarkMoved(): void
  /** Leads no more, or is gone: last call. */
  lost(code: number): void
}

export interface PartitionNeeds {
  readonly brokerId: number
  readonly clock: Clock
  readonly logger: Logger
  readonly room: Room
  readonly parkedMax: number
  readonly lagMaxMs: number
  /** Broker epoch of an unfenced, not draining broker in the image, else undefined. */
  eligibleBrokerEpoch(brokerId: number): number | undefined
  /** Sends an ISR proposal; its end comes back through `isrDecided`, `isrRefused` or a newer image. */
  proposeIsr(partition: Partition, isr: readonly number[]): void
}

export type Role = 'offline' | 'follower' | 'leader'

export class Partition {
  readonly topicId: string
  readonly topic: string
  readonly index: number
  readonly log: PartitionLog
  readonly transitions = new SerialQueue()
  readonly #needs: PartitionNeeds
  readonly #purgatory: Purgatory
  readonly #watchers = new Set<Watcher>()
  #config: TopicConfig
  #image: PartitionImage
  #role: Role = 'offline'
  #epochStartOffset = 0
  #followers = new Map<number, FollowerState>()
  /** The ISR proposed and not yet decided. */
  #proposedIsr: readonly number[] | undefined
  /** Called on a follower when more of its log is durable (or appended, with flush.mode=replicated). */
  onAckable: (() => void) | undefined

  constructor(of: {
    readonly topicId: string; readonly topic: string; readonly index: number
    readonly log: PartitionLog; readonly config: TopicConfig; readonly image: PartitionImage
    readonly needs: PartitionNeeds
  }) {
    this.topicId = of.topicId
    this.topic = of.topic
    this.index = of.index
    this.log = of.log
    this.#config = of.config
    this.#image = of.image
    this.#needs = of.needs
    this.#purgatory = new Purgatory(of.needs.room, of.needs.parkedMax)
    this.log.onFlushed = () => {
      if (this.#role === 'leader') this.#advance()
      else this.onAckable?.()
    }
    this.log.onOffline = () => { this.#drop('offline', ErrorCode.KAFKA_STORAGE_ERROR) }
  }

  get role(): Role { return this.#role }
  get config(): TopicConfig { return this.#config }
  get image(): PartitionImage { return this.#image }
  get leaderEpoch(): number { return this.#image.leaderEpoch }
  get epochStartOffset(): number { return this.#epochStartOffset }
  get followers(): ReadonlyMap<number, FollowerState> { return this.#followers }
  get proposedIsr(): readonly number[] | undefined { return this.#proposedIsr }

  /** The exclusive end that this replica may count as its own: durable, or with flush.mode=replicated appended. */
  get ackableEnd(): number {
    return this.#config['flush.mode'] === 'sync' ? this.log.flushedOffset : this.log.logEndOffset
  }

  get minIsr(): number {
    return Math.min(this.#config['min.insync.replicas'], this.#image.replicas.length)
  }

  setConfig(config: TopicConfig): void {
    this.#config = config
    if (this.#role === 'leader') this.#advance()
  }

  /** 0, or why this replica cannot act as leader for a caller that believes in `leaderEpoch` (-1 = unchecked). */
  checkLeader(leaderEpoch: number): number {
    if (leaderEpoch >= 0 && leaderEpoch < this.#image.leaderEpoch) return ErrorCode.FENCED_LEADER_EPOCH
    if (leaderEpoch > this.#image.leaderEpoch) return ErrorCode.UNKNOWN_LEADER_EPOCH
    if (this.#role === 'leader') return 0
    return this.log.offline ? ErrorCode.KAFKA_STORAGE_ERROR : ErrorCode.NOT_LEADER_OR_FOLLOWER
  }

  // ---- role -----------------------------------------------------------------------------------------------

  /** Starts to lead in the epoch of `image`. Resolves once the epoch's start is on disk and appends are accepted. */
  lead(image: PartitionImage): Promise<void> {
    this.#leave(image, ErrorCode.NOT_LEADER_OR_FOLLOWER)
    return this.transitions.run(async () => {
      if (this.#image !== image || this.log.offline) return
      await this.log.beginEpoch(image.leaderEpoch)
      if (this.#image !== image || this.log.offline) return
      const nowMs = this.#needs.clock.monotonicMs()
      this.#role = 'leader'
      this.#epochStartOffset = this.log.logEndOffset
      this.#followers = new Map(image.replicas.filter((id) => id !== this.#needs.brokerId)
        .map((id) => [id, newFollower(id, image.isr.includes(id) ? nowMs : 0)]))
      this.#needs.logger.info('leads partition', {
        topic: this.topic, partition: this.index, leaderEpoch: image.leaderEpoch,
        epochStartOffset: this.#epochStartOffset, highWatermark: this.log.highWatermark })
      this.#advance()
      this.expandIsr()
    })
  }

  /** Stops leading; the caller starts a fetcher when `follow` resolves. */
  follow(image: PartitionImage): Promise<void> {
    this.#leave(image, ErrorCode.NOT_LEADER_OR_FOLLOWER)
    return this.transitions.run(() => {
      if (this.#image === image && !this.log.offline) this.#role = 'follower'
      return Promise.resolve()
    })
  }

  /** A change within one leader epoch: ISR, replicas. Older or repeated partition epochs are ignored (KAFKA-13790). */
  update(image: PartitionImage): void {
    if (image.partitionEpoch <= this.#image.partitionEpoch) return
    assert(image.leaderEpoch === this.#image.leaderEpoch,
      `update within leader epoch ${this.#image.leaderEpoch}, got ${image.leaderEpoch}`)
    this.#image = image
    this.#proposedIsr = undefined
    if (this.#role !== 'leader') return
    for (const id of image.replicas) {
      if (id !== this.#needs.brokerId && !this.#followers.has(id)) this.#followers.set(id, newFollower(id, 0))
    }
    for (const id of this.#followers.keys()) {
      if (!image.replicas.includes(id)) this.#followers.delete(id)
    }
    this.#advance()
    this.expandIsr()
  }

  /** The replica is stopped or deleted: parked requests and readers are told. */
  retire(code: number): void { this.#drop('offline', code) }

  #leave(image: PartitionImage, code: number): void {
    this.#image = image
    this.#drop('offline', code)
  }

  #drop(role: Role, code: number): void {
    this.#role = role
    this.#proposedIsr = undefined
    this.#followers = new Map()
    this.#purgatory.fail(code)
    const watchers = [...this.#watchers]
    this.#watchers.clear()
    for (const watcher of watchers) watcher.lost(code)
  }

  // ---- leader ---------------------------------------------------------------------------------------------

  /**
   * Appends one validated batch. The caller has checked `checkLeader`. The batch's base offset and leader epoch are
   * patched in place; the bytes are the caller's again on return.
   */
  append(batch: Uint8Array): AppendResult {
    assert(this.#role === 'leader', 'append on a replica that does not lead')
    const endBefore = this.log.logEndOffset
    const result = this.log.append(batch, this.#image.leaderEpoch)
    if (this.log.logEndOffset !== endBefore) {
      const nowMs = this.#needs.clock.monotonicMs()
      for (const follower of this.#followers.values()) {
        if (follower.ackOffset === endBefore) follower.lastCaughtUpMs = nowMs
      }
      for (const watcher of this.#watchers) watcher.appended?.()
      this.#advance()
    }
    return result
  }

  /** True when acks=all can be promised now. */
  get hasMinIsr(): boolean { return this.#image.isr.length >= this.minIsr }

  /** See Purgatory.park. Wakes at once (in this turn) when the mark is already there. */
  awaitHighWatermark(endOffset: number, wake: Wake): (() => void) | undefined {
    if (this.log.highWatermark >= endOffset) {
      wake(0)
      return nothingToCancel
    }
    return this.#purgatory.park(endOffset, wake)
  }

  watch(watcher: Watcher): void { this.#watchers.add(watcher) }
  unwatch(watcher: Watcher): void { this.#watchers.delete(watcher) }

  /**
   * A follower says that everything before `offset` is safe with it. `leaderEpoch` is the epoch its subscription was
   * verified in: an acknowledgement of another epoch says nothing about this log (KAFKA-9338).
   */
  acknowledge(ack: { readonly replicaId: number; readonly brokerEpoch: number; readonly leaderEpoch: number
    readonly offset: number }): void {
    if (this.#role !== 'leader' || ack.leaderEpoch !== this.#image.leaderEpoch) return
    const follower = this.#followers.get(ack.replicaId)
    if (follower === undefined || ack.brokerEpoch < follower.brokerEpoch) return
    if (ack.brokerEpoch > follower.brokerEpoch) {
      // A new incarnation starts from what it has now, not from what its former self had.
      follower.brokerEpoch = ack.brokerEpoch
      follower.ackOffset = -1
      follower.lastCaughtUpMs = this.#image.isr.includes(follower.id) ? this.#needs.clock.monotonicMs() : 0
    }
    const leaderEnd = this.log.logEndOffset
    if (ack.offset > leaderEnd) {
      this.#needs.logger.error('acknowledgement beyond the log end offset ignored', {
        topic: this.topic, partition: this.index, replica: ack.replicaId, offset: ack.offset, leaderEnd })
      return
    }
    acknowledge(follower, { offset: ack.offset, leaderEnd, nowMs: this.#needs.clock.monotonicMs() })
    if (!this.#image.isr.includes(follower.id)) this.expandIsr()
    this.#advance()
  }

  /** Timer: drops members that have been behind for too long, and retries expansions that were refused. */
  checkIsr(): void {
    if (this.#role !== 'leader' || this.#proposedIsr !== undefined) return
    const late = laggards({
      leaderId: this.#needs.brokerId, leaderEnd: this.log.logEndOffset, isr: this.#image.isr,
      followers: this.#followers, nowMs: this.#needs.clock.monotonicMs(), lagMaxMs: this.#needs.lagMaxMs })
    if (late.length > 0) {
      this.#needs.logger.warn('followers lag: asks to shrink the ISR', {
        topic: this.topic, partition: this.index, late: late.join(','), isr: this.#image.isr.join(',') })
      this.#propose(this.#image.isr.filter((id) => !late.includes(id)))
      return
    }
    this.expandIsr()
  }

  /** The controller refused the proposal: back to the committed ISR; timer or next acknowledgement try again. */
  isrRefused(): void {
    this.#proposedIsr = undefined
    if (this.#role === 'leader') this.#advance()
  }

  /**
   * Asks to let in every follower that may join now. Whatever that depends on calls it: an acknowledgement, a decided
   * proposal, a broker unfenced, the timer. A leader elected uncleanly first asks for an ISR of its own.
   */
  expandIsr(): void {
    if (this.#role !== 'leader' || this.#proposedIsr !== undefined) return
    if (this.#image.leaderRecovering) return this.#propose([this.#needs.brokerId])
    const joining = [...this.#followers.values()].filter((follower) => !this.#image.isr.includes(follower.id)
      && mayJoin(follower, {
        highWatermark: this.log.highWatermark, epochStartOffset: this.#epochStartOffset,
        eligibleBrokerEpoch: this.#needs.eligibleBrokerEpoch(follower.id) }))
    if (joining.length > 0) this.#propose([...this.#image.isr, ...joining.map(({ id }) => id)])
  }

  #propose(isr: readonly number[]): void {
    this.#proposedIsr = isr
    this.#needs.proposeIsr(this, isr)
  }

  #advance(): void {
    const mark = highWatermark({
      leaderId: this.#needs.brokerId, ownEnd: this.ackableEnd, isr: this.#image.isr,
      additions: this.#proposedIsr ?? [], minIsr: this.minIsr, followers: this.#followers })
    if (mark === undefined || mark <= this.log.highWatermark) return
    this.log.setHighWatermark(mark)
    this.#purgatory.reach(mark, 0)
    for (const watcher of this.#watchers) watcher.highWatermarkMoved()
  }

  // ---- follower -------------------------------------------------------------------------------------------

  /** Moves the follower's mark to what the leader said, within its own log. */
  followHighWatermark(leaderMark: number): void {
    const mark = Math.min(leaderMark, this.log.logEndOffset)
    if (mark > this.log.highWatermark) this.log.setHighWatermark(mark)
  }
}

function nothingToCancel(): void { /* woken at once */ }

// Sends ISR proposals to the active controller: one in flight for each partition (Partition sees to that), all that
// are ready in one request, one request at a time.

import { sleep } from '../../src/base/async.ts'
import { ErrorCode, errorName, WeirError } from '../../src/base/error-code.ts'
import type { AlterPartition, AlterPartitionResult } from '../../src/rpc/messages.ts'
import { methods } from '../../src/rpc/protos.ts'
import { NetworkError, type Logger, type Timers } from '../../src/ports.ts'
import type { ControllerLink } from '../cluster/controller-link.ts'
import type { Partition } from './partition.ts'

const REQUEST_TIMEOUT_MS = 1_000
const RETRY_MS = 50
/** Partitions in one request; the rest rides the next. */
const BATCH_MAX = 1_000

/** The proposal is dead but its partition stays pending: newer metadata is on its way and decides (KIP-497). */
const WAIT_FOR_METADATA: ReadonlySet<number> = new Set([
  ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.UNKNOWN_TOPIC_ID, ErrorCode.FENCED_LEADER_EPOCH,
  ErrorCode.INVALID_UPDATE_VERSION, ErrorCode.INVALID_REQUEST, ErrorCode.NEW_LEADER_ELECTED])

export interface IsrUpdatesNeeds {
  readonly brokerId: number
  readonly timers: Timers
  readonly logger: Logger
  readonly link: ControllerLink
  /** This broker's registration, -1 before the first. */
  brokerEpoch(): number
  /** Registration of any broker in the image, -1 when unknown. */
  brokerEpochOf(brokerId: number): number
}

interface Proposal {
  readonly partition: Partition
  readonly isr: readonly number[]
  readonly leaderEpoch: number
  readonly partitionEpoch: number
}

export class IsrUpdates {
  readonly #needs: IsrUpdatesNeeds
  readonly #waiting = new Map<Partition, Proposal>()
  #sending = false
  #closed = false

  constructor(needs: IsrUpdatesNeeds) {
    this.#needs = needs
  }

  propose(partition: Partition, isr: readonly number[]): void {
    this.#waiting.set(partition, {
      partition, isr, leaderEpoch: partition.leaderEpoch, partitionEpoch: partition.image.partitionEpoch })
    if (this.#sending || this.#closed) return
    this.#sending = true
    this.#needs.timers.soon(() => { void this.#send() })
  }

  close(): void {
    this.#closed = true
    this.#waiting.clear()
  }

  async #send(): Promise<void> {
    while (this.#waiting.size > 0 && !this.#closed) {
      const batch = [...this.#waiting.values()].filter(isCurrent).slice(0, BATCH_MAX)
      for (const [partition, proposal] of this.#waiting) {
        if (batch.includes(proposal) || !isCurrent(proposal)) this.#waiting.delete(partition)
      }
      const again = batch.length > 0 ? await this.#request(batch) : []
      if (again.length === 0) continue
      await sleep(this.#needs.timers, RETRY_MS)
      for (const proposal of again) {
        if (!isCurrent(proposal) || this.#waiting.has(proposal.partition)) continue
        this.#waiting.set(proposal.partition, proposal)
      }
    }
    this.#sending = false
  }

  /** Returns the proposals to send again: an unknown outcome stays pending, and so stays in the maximal ISR. */
  async #request(batch: readonly Proposal[]): Promise<readonly Proposal[]> {
    try {
      const response = await this.#needs.link.call(methods.brokerLink.alterPartitions, {
        brokerId: this.#needs.brokerId,
        brokerEpoch: this.#needs.brokerEpoch(),
        partitions: batch.map((proposal) => this.#wire(proposal))
      }, REQUEST_TIMEOUT_MS)
      const whole = response.status?.code ?? 0
      if (whole !== 0) return batch
      return batch.filter((proposal, index) => this.#decided(proposal, response.partitions[index]))
    } catch (error) {
      if (!(error instanceof NetworkError) && !(error instanceof WeirError)) throw error
      return batch
    }
  }

  /** Takes one answer in; true when it must be asked again. */
  #decided(proposal: Proposal, result: AlterPartitionResult | undefined): boolean {
    if (!isCurrent(proposal)) return false
    const code = result?.status?.code ?? 0
    if (result !== undefined && code === 0) {
      proposal.partition.update({
        ...proposal.partition.image, isr: result.isr, partitionEpoch: result.partitionEpoch, leaderRecovering: false })
      return false
    }
    this.#needs.logger.info('ISR proposal not taken', {
      topic: proposal.partition.topic, partition: proposal.partition.index,
      isr: proposal.isr.join(','), code: errorName(code) })
    if (code === ErrorCode.INELIGIBLE_REPLICA) {
      proposal.partition.isrRefused()
      return false
    }
    return !WAIT_FOR_METADATA.has(code)
  }

  #wire(proposal: Proposal): AlterPartition {
    return {
      topicId: proposal.partition.topicId,
      partition: proposal.partition.index,
      leaderEpoch: proposal.leaderEpoch,
      partitionEpoch: proposal.partitionEpoch,
      newIsr: proposal.isr.map((brokerId) => ({
        brokerId, brokerEpoch: this.#brokerEpochFor(proposal.partition, brokerId) }))
    }
  }

  /** The epoch the acknowledgements came from: a restarted follower is not added on its former self's strength. */
  #brokerEpochFor(partition: Partition, brokerId: number): number {
    if (brokerId === this.#needs.brokerId) return this.#needs.brokerEpoch()
    const acknowledged = partition.followers.get(brokerId)?.brokerEpoch ?? -1
    return acknowledged >= 0 ? acknowledged : this.#needs.brokerEpochOf(brokerId)
  }
}

/** Nothing changed since the proposal was made: otherwise its answer is about another state, and is dropped. */
function isCurrent(proposal: Proposal): boolean {
  const { partition } = proposal
  return partition.proposedIsr === proposal.isr && partition.leaderEpoch === proposal.leaderEpoch
    && partition.image.partitionEpoch === proposal.partitionEpoch
}

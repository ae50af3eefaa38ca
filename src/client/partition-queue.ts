// The batches of one partition, in order, from the first record to the answer: what may be sent now, and what an
// answer means for those behind it. Order and absence of duplicates are decided here; nothing here sends.
//
// - Sent batches are the first ones of the queue. After a failure nothing is sent until every answer is there or
//   given up; then all go again, in order.
// - With idempotence, one batch goes alone until the leader has acknowledged one of this identity: a leader that knows
//   nothing of a producer accepts any sequence number, so only then a gap would be noticed.
// - A new identity starts at sequence 0. It is taken only when the first batch of the queue cannot be in the log:
//   then none behind it can (the leader refuses a gap). One in doubt keeps its number until the leader knows.

import { assert } from '../base/assert.ts'
import { ErrorCode, isRetriable, type Fault } from '../base/error-code.ts'
import { sequenceAfter, type Batch, type ProducerIdentity } from './batches.ts'

export interface QueueRules {
  readonly idempotent: boolean
  readonly maxInFlight: number
}

export type Verdict =
  | { readonly kind: 'done' }
  /** The batch leaves the queue; its records fail. */
  | { readonly kind: 'failed'; readonly fault: Fault }
  /** It goes again. `leaderDoubt`: ask where the leader is. */
  | { readonly kind: 'again'; readonly leaderDoubt: boolean }

/** The answer says that nothing was written by this attempt. */
const NOT_WRITTEN: ReadonlySet<number> = new Set([
  ErrorCode.NOT_ENOUGH_REPLICAS, ErrorCode.UNKNOWN_LEADER_EPOCH, ErrorCode.CORRUPT_MESSAGE,
  ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, ErrorCode.UNKNOWN_PRODUCER_ID, ErrorCode.INVALID_PRODUCER_EPOCH,
  ErrorCode.INVALID_PRODUCER_ID_MAPPING, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION])
/** The leader and we disagree on the sequence numbers of this producer. */
const SEQUENCE_LOST: ReadonlySet<number> = new Set([
  ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, ErrorCode.UNKNOWN_PRODUCER_ID, ErrorCode.INVALID_PRODUCER_EPOCH,
  ErrorCode.INVALID_PRODUCER_ID_MAPPING])
/** Another node may lead now. */
const LEADER_DOUBT: ReadonlySet<number> = new Set([
  ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.LEADER_NOT_AVAILABLE, ErrorCode.FENCED_LEADER_EPOCH,
  ErrorCode.UNKNOWN_LEADER_EPOCH, ErrorCode.NETWORK_EXCEPTION, ErrorCode.KAFKA_STORAGE_ERROR,
  ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.REQUEST_TIMED_OUT])

export class PartitionQueue {
  readonly topic: string
  readonly partition: number
  /** No attempt before this, monotonic ms. */
  notBeforeMs = 0
  /** Failed attempts since the last success. */
  failures = 0
  leaderDoubt = false
  /** Cancels the timer that ends the backoff. */
  cancelBackoff: (() => void) | undefined
  readonly #rules: QueueRules
  readonly #batches: Batch[] = []
  #sent = 0
  #draining = false
  #identity: ProducerIdentity | undefined
  #nextSequence = 0
  #established = false
  #needsReset = false
  /** Where the latest attempt went, or was about to go. */
  #address = ''
  #leaderEpoch = -1

  constructor(topic: string, partition: number, rules: QueueRules) {
    this.topic = topic
    this.partition = partition
    this.#rules = rules
  }

  get empty(): boolean { return this.#batches.length === 0 }
  get sentCount(): number { return this.#sent }
  get batches(): readonly Batch[] { return this.#batches }
  get identity(): ProducerIdentity | undefined { return this.#identity }

  /** The batch that takes records now. */
  get open(): Batch | undefined {
    const last = this.#batches.at(-1)
    return last?.state === 'open' ? last : undefined
  }

  add(batch: Batch): void { this.#batches.push(batch) }

  /** The batch to send now, if any. It is not sent before `sent` is called. */
  next(nowMs: number): Batch | undefined {
    if (nowMs < this.notBeforeMs) return undefined
    if (this.#draining && this.#sent > 0) return undefined
    this.#draining = false
    if (this.#needsReset && this.#sent === 0) this.#reset()
    if (this.#sent >= this.#limit()) return undefined
    const batch = this.#batches[this.#sent]
    if (batch === undefined || (batch.state === 'open' && !batch.due)) return undefined
    return batch
  }

  /** True when `batch` needs an identity that the queue does not have: give one by `identify`. */
  needsIdentity(batch: Batch): boolean {
    return this.#rules.idempotent && batch.stamp === undefined && this.#identity === undefined
  }

  identify(identity: ProducerIdentity): void {
    this.#identity = identity
    this.#nextSequence = 0
    this.#established = false
  }

  /** The numbers for a batch that is sent for the first time. */
  stampFor(batch: Batch): ProducerIdentity & { readonly baseSequence: number } | undefined {
    const identity = this.#identity
    if (!this.#rules.idempotent || identity === undefined || batch.stamp !== undefined) return undefined
    const baseSequence = this.#nextSequence
    this.#nextSequence = sequenceAfter(baseSequence, batch.count)
    return { ...identity, baseSequence }
  }

  sent(batch: Batch, address: string, leaderEpoch: number): void {
    assert(batch.state !== 'sent' && this.#batches[this.#sent] === batch, 'the sent batches are the first of the queue')
    batch.cancelLinger?.()
    batch.state = 'sent'
    batch.attempt++
    this.#sent++
    this.#address = address
    this.#leaderEpoch = Math.max(this.#leaderEpoch, leaderEpoch)
  }

  /** True when something is in flight to this broker. */
  isAt(address: string): boolean { return this.#sent > 0 && this.#address === address }

  /** True when this is news: another broker leads, or the same one in another leader epoch. */
  movedTo(address: string, leaderEpoch: number): boolean {
    if (address === this.#address && leaderEpoch <= this.#leaderEpoch) return false
    this.#address = address
    this.#leaderEpoch = Math.max(this.#leaderEpoch, leaderEpoch)
    return true
  }

  /** The answer to the latest attempt, or an old one that says done. */
  answered(batch: Batch, fault: Fault | undefined): Verdict {
    if (fault === undefined || fault.code === ErrorCode.DUPLICATE_SEQUENCE_NUMBER) {
      this.#remove(batch)
      this.#established ||= batch.stamp?.producerId === this.#identity?.producerId
      this.failures = 0
      this.leaderDoubt = false
      return { kind: 'done' }
    }
    batch.lastFault = fault
    if (!NOT_WRITTEN.has(fault.code) && isRetriable(fault.code)) batch.inDoubt = true
    if (this.#rules.idempotent && SEQUENCE_LOST.has(fault.code)) return this.#sequenceLost(batch, fault)
    if (isRetriable(fault.code)) return this.#again(batch, LEADER_DOUBT.has(fault.code))
    this.drop(batch)
    return { kind: 'failed', fault }
  }

  /** No answer will come, or none is waited for. What was sent goes again. */
  abandon(batch: Batch, fault: Fault): void {
    batch.lastFault = fault
    batch.inDoubt = true
    this.#again(batch, true)
  }

  /** Takes a batch out that failed for good: its sequence numbers are a gap. */
  drop(batch: Batch): void {
    if (batch.stamp !== undefined && this.#rules.idempotent) this.#needsReset = true
    this.#remove(batch)
  }

  #again(batch: Batch, leaderDoubt: boolean): Verdict {
    if (batch.state === 'sent') this.#sent--
    batch.state = 'waiting'
    this.#draining = true
    this.leaderDoubt ||= leaderDoubt
    return { kind: 'again', leaderDoubt }
  }

  #sequenceLost(batch: Batch, fault: Fault): Verdict {
    // Those before it go again first; then its number may be right.
    if (this.#batches[0] !== batch) return this.#again(batch, false)
    this.#needsReset = true
    if (!batch.inDoubt) return this.#again(batch, false)
    this.#remove(batch)
    return { kind: 'failed', fault: {
      ...fault, message: `${fault.message}: an earlier attempt had no answer, so the records may be in the log`,
      hint: 'look whether they are there before you send them again' } }
  }

  #limit(): number {
    return this.#rules.idempotent && (!this.#established || this.#needsReset) ? 1 : this.#rules.maxInFlight
  }

  #reset(): void {
    if (this.#batches[0]?.inDoubt === true) return
    for (const batch of this.#batches) batch.unstamp()
    this.#needsReset = false
    this.#identity = undefined
  }

  #remove(batch: Batch): void {
    const at = this.#batches.indexOf(batch)
    if (at < 0) return
    this.#batches.splice(at, 1)
    if (batch.state === 'sent') this.#sent--
  }
}

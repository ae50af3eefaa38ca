// The leader's side of replication: which position a follower may be sent from, how far ahead of its acknowledgement,
// and what an acknowledgement counts for.

import { ErrorCode } from '../../src/base/error-code.ts'
import { Fifo } from '../../src/base/fifo.ts'
import type { Partition } from './partition.ts'
import type { Push, PushPolicy, PushSession, Subscription } from './push-session.ts'

/** Pushes not yet acknowledged in one subscription; the byte window closes long before. */
const UNACKED_MAX = 65_536
/** How long news of the high watermark may wait for data to ride with. */
const MARK_DELAY_MS = 10

/** Bytes pushed and not acknowledged, for one subscription. */
class Window {
  readonly #unacked = new Fifo<{ readonly endOffset: number; readonly bytes: number }>(UNACKED_MAX)
  #bytes = 0

  get bytes(): number { return this.#bytes }
  get full(): boolean { return this.#unacked.full }

  sent(endOffset: number, bytes: number): void {
    this.#unacked.push({ endOffset, bytes })
    this.#bytes += bytes
  }

  acknowledged(offset: number): void {
    for (;;) {
      const first = this.#unacked.peek()
      if (first === undefined || first.endOffset > offset) return
      this.#unacked.shift()
      this.#bytes -= first.bytes
    }
  }
}

/** A follower's subscription request, translated. */
export interface FollowRequest {
  readonly subscription: number
  readonly leaderEpoch: number
  readonly fetchOffset: number
  readonly lastFetchedEpoch: number
  readonly ackOffset: number
}

export type Verdict =
  | { readonly kind: 'accepted'; readonly subscription: Subscription }
  | { readonly kind: 'refused'; readonly code: number }
  | { readonly kind: 'diverging'; readonly epoch: number; readonly endOffset: number }

/** Checks epoch, range and the epoch of the follower's last batch against this log (kafka: KIP-320 fetch). */
export function verifyPosition(partition: Partition, replicaId: number, request: FollowRequest): Verdict {
  const code = partition.checkLeader(request.leaderEpoch)
  if (code !== 0) return { kind: 'refused', code }
  // Not assigned in our view: one of us has older metadata; retriable.
  if (!partition.image.replicas.includes(replicaId)) return { kind: 'refused', code: ErrorCode.UNKNOWN_LEADER_EPOCH }
  const { log } = partition
  if (request.fetchOffset < log.logStartOffset) return { kind: 'refused', code: ErrorCode.OFFSET_OUT_OF_RANGE }
  if (request.lastFetchedEpoch >= 0) {
    const end = log.endOffsetFor(request.lastFetchedEpoch)
    if (end === undefined) return { kind: 'refused', code: ErrorCode.OFFSET_OUT_OF_RANGE }
    if (end.epoch < request.lastFetchedEpoch || end.endOffset < request.fetchOffset) {
      return { kind: 'diverging', epoch: end.epoch, endOffset: end.endOffset }
    }
  } else if (request.fetchOffset > log.logEndOffset) {
    return { kind: 'diverging', epoch: -1, endOffset: log.logEndOffset }
  }
  return { kind: 'accepted', subscription: {
    id: request.subscription, partition, leaderEpoch: request.leaderEpoch, offset: request.fetchOffset, toldMark: -1 } }
}

/** One follower's stream: its windows, and the policy by which its session pushes. */
export class FollowerStreamState {
  readonly replicaId: number
  readonly brokerEpoch: number
  readonly #windowBytes: number
  readonly #windows = new Map<number, Window>()

  constructor(of: { readonly replicaId: number; readonly brokerEpoch: number; readonly windowBytes: number }) {
    this.replicaId = of.replicaId
    this.brokerEpoch = of.brokerEpoch
    this.#windowBytes = of.windowBytes
  }

  policy(emit: (pushes: readonly Push[]) => boolean): PushPolicy {
    return {
      bound: (partition) => partition.log.logEndOffset,
      followsAppends: true,
      budget: ({ id }) => {
        const window = this.#windows.get(id)
        return window === undefined || window.full ? 0 : this.#windowBytes - window.bytes
      },
      spent: ({ id, offset }, bytes) => { this.#windows.get(id)?.sent(offset, bytes) },
      markDelayMs: MARK_DELAY_MS,
      emit
    }
  }

  /** Starts pushing, and counts what the request acknowledges: the position has just been verified. */
  accepted(session: PushSession, subscription: Subscription, ackOffset: number): void {
    this.#windows.set(subscription.id, new Window())
    session.add(subscription)
    this.#count(subscription, Math.min(ackOffset, subscription.offset))
  }

  acknowledged(session: PushSession, id: number, offset: number): void {
    const subscription = session.find(id)
    if (subscription === undefined) return
    // More than was sent cannot be ours.
    if (offset > subscription.offset) return
    this.#windows.get(id)?.acknowledged(offset)
    this.#count(subscription, offset)
    session.replenished(id)
  }

  ended(session: PushSession, id: number): void {
    this.#windows.delete(id)
    session.remove(id)
  }

  #count(subscription: Subscription, offset: number): void {
    subscription.partition.acknowledge({
      replicaId: this.replicaId, brokerEpoch: this.brokerEpoch, leaderEpoch: subscription.leaderEpoch, offset })
  }
}

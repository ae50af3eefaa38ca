// Pure: who is in sync, who falls out, who may join, and where the high watermark may stand.
//
// Source: KIP-497 (ISR by compare-and-set), KIP-841 (fenced brokers stay out), KIP-966 (a short ISR freezes the mark).

/** What a partition leader knows of one follower in its own leader epoch. Offsets are exclusive ends. */
export interface FollowerState {
  readonly id: number
  /** Everything before it is the leader's content, durable there (flush.mode=sync) or appended there (replicated). */
  ackOffset: number
  /** Registration the acknowledgements came from; -1 while it has not subscribed in this leader epoch. */
  brokerEpoch: number
  /** Last moment (monotonic ms) at which it had everything the leader had. */
  lastCaughtUpMs: number
  /** Leader's log end offset and time at the previous acknowledgement. */
  leaderEndAtLastAck: number
  lastAckMs: number
}

/** `caughtUpMs`: now for a member of the ISR the new leader inherits (it gets a full lag time), else 0. */
export function newFollower(id: number, caughtUpMs: number): FollowerState {
  return { id, ackOffset: -1, brokerEpoch: -1, lastCaughtUpMs: caughtUpMs, leaderEndAtLastAck: 0, lastAckMs: 0 }
}

/** Takes an acknowledgement in; `leaderEnd` is the leader's log end offset now. */
export function acknowledge(follower: FollowerState, ack: {
  readonly offset: number; readonly leaderEnd: number; readonly nowMs: number }): void {
  follower.ackOffset = Math.max(follower.ackOffset, ack.offset)
  if (follower.ackOffset >= ack.leaderEnd) {
    follower.lastCaughtUpMs = ack.nowMs
  } else if (follower.ackOffset >= follower.leaderEndAtLastAck) {
    follower.lastCaughtUpMs = Math.max(follower.lastCaughtUpMs, follower.lastAckMs)
  }
  follower.leaderEndAtLastAck = ack.leaderEnd
  follower.lastAckMs = ack.nowMs
}

/**
 * The least acknowledged end over the leader and the maximal ISR (committed ISR plus additions under way); undefined
 * while the committed ISR is smaller than `minIsr`, or a member has not subscribed in this epoch: then the mark stays.
 */
export function highWatermark(from: {
  readonly leaderId: number
  /** The leader's own share: its flushed end, or its log end with flush.mode=replicated. */
  readonly ownEnd: number
  readonly isr: readonly number[]
  readonly additions: readonly number[]
  readonly minIsr: number
  readonly followers: ReadonlyMap<number, FollowerState>
}): number | undefined {
  if (from.isr.length < from.minIsr) return undefined
  let least = from.ownEnd
  for (const members of [from.isr, from.additions]) {
    for (const id of members) {
      if (id === from.leaderId) continue
      const follower = from.followers.get(id)
      if (follower === undefined || follower.ackOffset < 0) return undefined
      if (follower.ackOffset < least) least = follower.ackOffset
    }
  }
  return least
}

/** Members of the ISR that have been behind for longer than `lagMaxMs`. */
export function laggards(from: {
  readonly leaderId: number
  readonly leaderEnd: number
  readonly isr: readonly number[]
  readonly followers: ReadonlyMap<number, FollowerState>
  readonly nowMs: number
  readonly lagMaxMs: number
}): readonly number[] {
  return from.isr.filter((id) => {
    if (id === from.leaderId) return false
    const follower = from.followers.get(id)
    if (follower === undefined) return true
    return follower.ackOffset < from.leaderEnd && from.nowMs - follower.lastCaughtUpMs > from.lagMaxMs
  })
}

/**
 * May this follower join? It must have reached the high watermark *and* the start of the leader's epoch (KAFKA-7128),
 * with acknowledgements of its current registration, and be neither fenced nor draining.
 */
export function mayJoin(follower: FollowerState, from: {
  readonly highWatermark: number
  readonly epochStartOffset: number
  /** The broker epoch the image names for it; undefined when it is unregistered, fenced or draining. */
  readonly eligibleBrokerEpoch: number | undefined
}): boolean {
  return follower.ackOffset >= from.highWatermark && follower.ackOffset >= from.epochStartOffset
    && from.eligibleBrokerEpoch !== undefined && follower.brokerEpoch === from.eligibleBrokerEpoch
}

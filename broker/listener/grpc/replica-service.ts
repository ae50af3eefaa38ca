// Replica.FetchStream: a follower subscribes its partitions, this leader pushes what is new and counts what is
// acknowledged. Translates only: positions, epochs and windows are replica/replication.ts.

import { ErrorCode, errorName } from '../../../src/base/error-code.ts'
import { stream, type Handler, type MessageStream, type Timers } from '../../../src/ports.ts'
import type { ReplicaPush, ReplicaRequest, ReplicaResponse, ReplicaSubscribe } from '../../../src/rpc/messages.ts'
import { methods } from '../../../src/rpc/protos.ts'
import type { Partition } from '../../replica/partition.ts'
import { PushSession, type Push } from '../../replica/push-session.ts'
import { FollowerStreamState, verifyPosition } from '../../replica/replication.ts'
import { okStatus, statusOf } from '../../../src/rpc/outcome.ts'

/** Partitions one follower may subscribe on one stream. */
const SUBSCRIPTIONS_MAX = 100_000

const NOTHING = new Uint8Array(0)

export interface ReplicaServiceNeeds {
  readonly brokerId: number
  readonly timers: Timers
  readonly windowBytes: number
  partition(topicId: string, index: number): Partition | undefined
  /** A follower's stream was cut. */
  onFollowerLost(replicaId: number): void
}

type FollowerStream = MessageStream<ReplicaResponse, ReplicaRequest>

interface Follower { readonly state: FollowerStreamState; readonly session: PushSession }

export function replicaService(needs: ReplicaServiceNeeds): readonly Handler[] {
  return [stream(methods.replica.fetchStream, (incoming) => { serve(incoming, needs) })]
}

function serve(incoming: FollowerStream, needs: ReplicaServiceNeeds): void {
  let follower: Follower | undefined
  incoming.handle({
    message: (request) => {
      follower ??= open(request, incoming, needs)
      if (follower !== undefined) take(request, follower, incoming, needs)
    },
    drain: () => { follower?.session.drained() },
    end: () => { incoming.end() },
    close: (error) => {
      if (follower === undefined) return
      follower.session.close()
      if (error?.code === 'UNAVAILABLE') needs.onFollowerLost(follower.state.replicaId)
    }
  })
}

function open(request: ReplicaRequest, incoming: FollowerStream, needs: ReplicaServiceNeeds): Follower | undefined {
  const hello = request.open
  if (hello?.leaderId !== needs.brokerId) {
    incoming.destroy(`the first message must open a stream to broker ${needs.brokerId}`)
    return undefined
  }
  const state = new FollowerStreamState({
    replicaId: hello.replicaId, brokerEpoch: hello.brokerEpoch, windowBytes: needs.windowBytes })
  const session = new PushSession(
    state.policy((pushes) => incoming.send({ partitions: pushes.map(toWire) })), needs.timers)
  return { state, session }
}

function take(
  request: ReplicaRequest, follower: Follower, incoming: FollowerStream, needs: ReplicaServiceNeeds): void {
  const { state, session } = follower
  for (const id of request.unsubscribe) state.ended(session, id)
  for (const ack of request.acks) state.acknowledged(session, ack.subscription, ack.ackOffset)
  const refusals: ReplicaPush[] = []
  for (const wanted of request.subscribe) {
    if (session.size >= SUBSCRIPTIONS_MAX) {
      incoming.destroy(`more than ${SUBSCRIPTIONS_MAX} subscriptions on one stream`)
      return
    }
    const refused = subscribe(wanted, follower, needs)
    if (refused !== undefined) refusals.push(refused)
  }
  if (refusals.length > 0) incoming.send({ partitions: refusals })
}

function subscribe(
  wanted: ReplicaSubscribe, { state, session }: Follower, needs: ReplicaServiceNeeds): ReplicaPush | undefined {
  const partition = needs.partition(wanted.topicId, wanted.partition)
  // Not here yet: metadata reaches brokers at different moments. The follower asks again.
  if (partition === undefined) return refusal(wanted, ErrorCode.UNKNOWN_TOPIC_ID, undefined)
  const verdict = verifyPosition(partition, state.replicaId, wanted)
  switch (verdict.kind) {
    case 'accepted':
      state.accepted(session, verdict.subscription, wanted.ackOffset)
      return undefined
    case 'refused':
      return refusal(wanted, verdict.code, partition)
    case 'diverging':
      return { ...refusal(wanted, 0, partition), diverging: { epoch: verdict.epoch, endOffset: verdict.endOffset } }
  }
}

function refusal(wanted: ReplicaSubscribe, code: number, partition: Partition | undefined): ReplicaPush {
  return {
    subscription: wanted.subscription,
    status: code === 0 ? okStatus : statusOf({ code, message: `replica fetch: ${errorName(code)}` }),
    leaderEpoch: partition?.leaderEpoch ?? -1,
    highWatermark: partition?.log.highWatermark ?? -1,
    logStartOffset: partition?.log.logStartOffset ?? -1,
    batches: NOTHING, diverging: null
  }
}

function toWire({ subscription, code, bytes }: Push): ReplicaPush {
  const { partition } = subscription
  return {
    subscription: subscription.id,
    status: code === 0 ? okStatus : statusOf({ code, message: `replica fetch: ${errorName(code)}` }),
    leaderEpoch: subscription.leaderEpoch,
    highWatermark: partition.log.highWatermark,
    logStartOffset: partition.log.logStartOffset,
    batches: bytes, diverging: null
  }
}

// Data.FetchStream: the client subscribes partitions and gives credit in bytes; the broker pushes what is new below the
// high watermark. A fault ends its subscription; the client subscribes again where the leader is.

import { weirError, type Fault } from '../../../src/base/error-code.ts'
import type { MessageStream } from '../../../src/ports.ts'
import type { FetchPartition, FetchResult, FetchStreamRequest, FetchStreamResponse } from '../../../src/rpc/messages.ts'
import { checkRange, consumerPolicy, type FetchNeeds } from '../../replica/fetch.ts'
import { findLeader, leadershipFault } from '../../replica/lookup.ts'
import { PushSession, type Push, type Subscription } from '../../replica/push-session.ts'
import { recordsFromBatches } from '../../replica/structured.ts'
import { okStatus, statusOf } from '../../../src/rpc/outcome.ts'

const CREDIT_BYTES_MIN = 1024
const CREDIT_BYTES_MAX = 64 * 1024 * 1024
const SUBSCRIPTIONS_MAX = 10_000
const FORM_BATCHES = 1
const NOTHING = new Uint8Array(0)

type ConsumerStream = MessageStream<FetchStreamResponse, FetchStreamRequest>

interface Consumer { readonly session: PushSession; readonly credit: { bytes: number }; readonly raw: boolean }

export function serveFetchStream(needs: FetchNeeds, incoming: ConsumerStream): void {
  let consumer: Consumer | undefined
  incoming.handle({
    message: (message) => {
      if (consumer === undefined) consumer = open(needs, message, incoming)
      else take(needs, message, consumer, incoming)
    },
    drain: () => { consumer?.session.drained() },
    end: () => { incoming.end() },
    close: () => { consumer?.session.close() }
  })
}

function open(needs: FetchNeeds, message: FetchStreamRequest, incoming: ConsumerStream): Consumer | undefined {
  const hello = message.open
  if (hello === null || hello === undefined
    || hello.creditBytes < CREDIT_BYTES_MIN || hello.creditBytes > CREDIT_BYTES_MAX) {
    incoming.destroy(weirError('INVALID_REQUEST',
      `the first message must open the stream with credit_bytes ${CREDIT_BYTES_MIN} to ${CREDIT_BYTES_MAX}`).message)
    return undefined
  }
  const raw = hello.form === FORM_BATCHES
  const credit = { bytes: hello.creditBytes }
  const emit = (pushes: readonly Push[]) => (
    incoming.send({ partitions: pushes.map((push) => pushed(needs, push, raw)) }))
  return { session: new PushSession(consumerPolicy(needs.metrics, credit, emit), needs.timers), credit, raw }
}

function take(needs: FetchNeeds, message: FetchStreamRequest, consumer: Consumer, incoming: ConsumerStream): void {
  if (message.subscribe !== null && message.subscribe !== undefined) {
    const { subscription, partition } = message.subscribe
    if (partition === null || partition === undefined || consumer.session.size >= SUBSCRIPTIONS_MAX) {
      incoming.destroy(`a subscription names a partition; at most ${SUBSCRIPTIONS_MAX} on one stream`)
      return
    }
    const refused = subscribe(needs, subscription, partition, consumer.session)
    if (refused !== undefined) incoming.send({ partitions: [refusal(subscription, partition, refused)] })
  }
  if (typeof message.unsubscribe === 'number') consumer.session.remove(message.unsubscribe)
  if (typeof message.creditBytes === 'number') {
    consumer.credit.bytes = Math.min(consumer.credit.bytes + Math.max(message.creditBytes, 0), CREDIT_BYTES_MAX)
    consumer.session.replenished()
  }
}

function subscribe(
  needs: FetchNeeds, id: number, wanted: FetchPartition, session: PushSession): Fault | undefined {
  const found = findLeader(needs, { ...wanted, leaderEpoch: wanted.leaderEpoch ?? -1 })
  if (!found.ok) return found.fault
  const { partition } = found
  const range = checkRange(partition, wanted.offset)
  if (range !== undefined) return range
  session.add({ id, partition, leaderEpoch: partition.leaderEpoch, offset: wanted.offset, toldMark: -1 })
  return undefined
}

function refusal(id: number, wanted: FetchPartition, refused: Fault): FetchResult {
  return {
    topic: wanted.topic, partition: wanted.partition, subscription: id, status: statusOf(refused),
    highWatermark: -1, logStartOffset: -1, records: [], batches: NOTHING, nextOffset: wanted.offset
  }
}

function pushed(needs: FetchNeeds, push: Push, raw: boolean): FetchResult {
  const { subscription, code, bytes } = push
  const { partition } = subscription
  return {
    topic: partition.topic, partition: partition.index, subscription: subscription.id,
    status: code === 0 ? okStatus : statusOf(endedBy(needs, subscription, code)),
    highWatermark: partition.log.highWatermark, logStartOffset: partition.log.logStartOffset,
    records: raw ? [] : recordsFromBatches(bytes, push.from),
    batches: raw ? bytes : NOTHING,
    nextOffset: subscription.offset
  }
}

function endedBy(needs: FetchNeeds, { partition, offset, leaderEpoch }: Subscription, code: number): Fault {
  return checkRange(partition, offset) ?? leadershipFault(needs.image(), partition.topicId,
    { topic: partition.topic, partition: partition.index, leaderEpoch }, code)
}

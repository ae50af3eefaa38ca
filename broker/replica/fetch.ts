// The read use case, behind every listener: consumers read below the high watermark, wait for more by long poll, and
// ask for offsets by position or time.

import { fault, type Fault, type Result } from '../../src/base/error-code.ts'
import type { Clock, Metrics, Timers } from '../../src/ports.ts'
import { findLeader, leadershipFault, type LookupNeeds } from './lookup.ts'
import type { Partition, Watcher } from './partition.ts'
import type { PushPolicy } from './push-session.ts'

export interface FetchNeeds extends LookupNeeds {
  readonly clock: Clock
  readonly timers: Timers
  readonly metrics: Metrics
}

export interface FetchPartition {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  readonly leaderEpoch: number
  readonly maxBytes: number
}

export interface FetchRequest {
  readonly maxWaitMs: number
  readonly minBytes: number
  readonly maxBytes: number
  readonly partitions: readonly FetchPartition[]
}

export interface FetchOutcome {
  readonly fault: Fault | undefined
  readonly highWatermark: number
  readonly logStartOffset: number
  /** Whole batches; the first may begin before the asked offset. Views of the log's memory: copy what you keep. */
  readonly bytes: Uint8Array
  readonly nextOffset: number
}

const NOTHING = new Uint8Array(0)

/** Why a consumer may not read at `offset`. Between the high watermark and the end it reads nothing, without error. */
export function checkRange(partition: Partition, offset: number): Fault | undefined {
  const { log } = partition
  if (offset >= log.logStartOffset && offset <= log.logEndOffset) return undefined
  return fault('OFFSET_OUT_OF_RANGE',
    `offset ${offset} is outside ${log.logStartOffset} to ${log.highWatermark} of `
      + `${partition.topic}-${partition.index}`,
    'start from `start` or `end`')
}

/** Answers when `minBytes` are there, a partition has a fault, the wait is over or the caller went away. */
export async function fetch(
  needs: FetchNeeds, request: FetchRequest, signal: AbortSignal): Promise<readonly FetchOutcome[]> {
  const deadlineMs = needs.clock.monotonicMs() + request.maxWaitMs
  for (;;) {
    const move = watchForMove(needs, request)
    try {
      const outcomes = await readAll(needs, request)
      const bytes = outcomes.reduce((sum, outcome) => sum + outcome.bytes.length, 0)
      const leftMs = deadlineMs - needs.clock.monotonicMs()
      if (bytes >= Math.max(request.minBytes, 1) || leftMs <= 0 || signal.aborted
        || outcomes.some((outcome) => outcome.fault !== undefined)) {
        needs.metrics.count('weir_fetched_bytes_total', bytes)
        return outcomes
      }
      if (needs.replicas.room.full) {
        const busy = fault('THROTTLING_QUOTA_EXCEEDED', 'too many requests wait (max.parked.requests)', 'retry later')
        return outcomes.map((outcome) => ({ ...outcome, fault: busy }))
      }
      needs.replicas.room.enter()
      await move.happened(leftMs, signal)
      needs.replicas.room.leave()
    } finally {
      move.stop()
    }
  }
}

async function readAll(needs: FetchNeeds, request: FetchRequest): Promise<readonly FetchOutcome[]> {
  const outcomes: FetchOutcome[] = []
  let left = request.maxBytes
  for (const wanted of request.partitions) {
    const outcome = await readOne(needs, wanted, Math.min(left, wanted.maxBytes), outcomes.every(isEmpty))
    left -= outcome.bytes.length
    outcomes.push(outcome)
  }
  return outcomes
}

function isEmpty(outcome: FetchOutcome): boolean {
  return outcome.bytes.length === 0
}

/** The first batch of an answer is returned even if larger than asked for, so that a consumer never stalls (KIP-74). */
async function readOne(
  needs: FetchNeeds, wanted: FetchPartition, maxBytes: number, first: boolean): Promise<FetchOutcome> {
  const found = findLeader(needs, wanted)
  if (!found.ok) {
    return { fault: found.fault, highWatermark: -1, logStartOffset: -1, bytes: NOTHING, nextOffset: wanted.offset }
  }
  const { partition } = found
  const { log } = partition
  const marks = () => ({ highWatermark: log.highWatermark, logStartOffset: log.logStartOffset })
  const range = checkRange(partition, wanted.offset)
  if (range !== undefined) return { fault: range, ...marks(), bytes: NOTHING, nextOffset: wanted.offset }
  const nothing = { fault: undefined, ...marks(), bytes: NOTHING, nextOffset: wanted.offset }
  if (wanted.offset >= log.highWatermark || maxBytes <= 0) return nothing
  const endOffset = log.highWatermark
  const read = await log.read({ offset: wanted.offset, endOffset, maxBytes, atLeastOneBatch: first })
  // The wait may have cost the leadership: what was read may have been cut since.
  const code = partition.checkLeader(wanted.leaderEpoch)
  if (code !== 0) {
    return { ...nothing, fault: leadershipFault(needs.image(), partition.topicId, wanted, code) }
  }
  if (read.bytes.length === 0) return nothing
  return { fault: undefined, ...marks(), bytes: read.bytes, nextOffset: read.nextOffset }
}

/** Watches before the read, so that nothing between read and wait is missed. */
function watchForMove(needs: FetchNeeds, request: FetchRequest): {
  happened(timeoutMs: number, signal: AbortSignal): Promise<void>
  stop(): void
} {
  let moved = false
  let wake: (() => void) | undefined
  const move = () => {
    moved = true
    wake?.()
  }
  const watcher: Watcher = { highWatermarkMoved: move, lost: move }
  const partitions: Partition[] = []
  for (const wanted of request.partitions) {
    const found = findLeader(needs, wanted)
    if (!found.ok) continue
    found.partition.watch(watcher)
    partitions.push(found.partition)
  }
  return {
    happened: (timeoutMs, signal) => new Promise((resolve) => {
      if (moved || signal.aborted) return resolve()
      const timer = needs.timers.after(timeoutMs, move)
      signal.addEventListener('abort', move, { once: true })
      wake = () => {
        needs.timers.cancel(timer)
        signal.removeEventListener('abort', move)
        resolve()
      }
    }),
    stop: () => {
      for (const partition of partitions) partition.unwatch(watcher)
    }
  }
}

/** A consumer stream's policy: below the high watermark, within the credit the client gave. */
export function consumerPolicy(
  metrics: Metrics, credit: { bytes: number }, emit: PushPolicy['emit']): PushPolicy {
  return {
    bound: (partition) => partition.log.highWatermark,
    followsAppends: false,
    budget: () => credit.bytes,
    spent: (_subscription, bytes) => {
      credit.bytes -= bytes
      metrics.count('weir_fetched_bytes_total', bytes)
    },
    markDelayMs: 0,
    emit
  }
}

// ---- offsets ----------------------------------------------------------------------------------------------

export const LATEST = -1
export const EARLIEST = -2
export const MAX_TIMESTAMP = -3

export interface OffsetAnswer { readonly offset: number; readonly timestamp: number; readonly leaderEpoch: number }

/**
 * Kafka's ListOffsets for a consumer. Until a new leader's high watermark has passed the start of its epoch, the end of
 * the readable log is unknown: OFFSET_NOT_AVAILABLE, retriable (KIP-207).
 */
export async function offsetFor(partition: Partition, timestamp: number): Promise<Result<OffsetAnswer>> {
  const { log } = partition
  const answer = (offset: number, at = -1, leaderEpoch = partition.leaderEpoch): Result<OffsetAnswer> => (
    { ok: true, value: { offset, timestamp: at, leaderEpoch } })
  if (timestamp === EARLIEST) return answer(log.logStartOffset)
  const settled = log.highWatermark >= partition.epochStartOffset
  const unsettled: Result<OffsetAnswer> = { ok: false, fault: fault('OFFSET_NOT_AVAILABLE',
    `the new leader of ${partition.topic}-${partition.index} does not know the committed end yet`, 'retry') }
  if (timestamp === LATEST) return settled ? answer(log.highWatermark) : unsettled
  if (timestamp !== MAX_TIMESTAMP && timestamp < 0) {
    return { ok: false, fault: fault('INVALID_REQUEST',
      `timestamp ${timestamp}: expected milliseconds, -1 (end), -2 (start) or -3 (largest timestamp)`) }
  }
  const found = timestamp === MAX_TIMESTAMP ? await log.offsetOfMaxTimestamp() : await log.offsetForTimestamp(timestamp)
  if (found === undefined) return settled ? answer(-1) : unsettled
  if (found.offset >= log.highWatermark) return settled ? answer(-1) : unsettled
  return answer(found.offset, found.timestamp, found.leaderEpoch)
}

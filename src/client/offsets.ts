// Positions made offsets, by asking the partition leaders.

import { weirError } from '../base/error-code.ts'
import type { ListOffsetsResult } from '../rpc/messages.ts'
import { methods } from '../rpc/protos.ts'
import { asWeirError, errorOf, worthRetrying } from './failures.ts'
import type { Router } from './router.ts'
import type { Position, TopicPartition } from './types.ts'

/** As in ListOffsetsPartition.timestamp. */
const END = -1
const START = -2
const CALL_TIMEOUT_MS = 2_000

export interface PlaceWanted extends TopicPartition { readonly position: Position }
export interface Place { readonly offset: number; readonly timestamp: number }

interface Query extends TopicPartition { readonly timestamp: number }

/** One place for each of `wanted`, in order. Throws INVALID_REQUEST on a malformed position. */
export async function resolvePositions(
  router: Router, wanted: readonly PlaceWanted[], deadlineMs: number): Promise<readonly Place[]> {
  for (const { position } of wanted) checkPosition(position)
  const first = await listOffsets(router, wanted.map((place) => ({ ...place, timestamp: timestampOf(place.position) })),
    deadlineMs)
  // A timestamp behind the last record means the end; a distance from the end stops at the start.
  const second = wanted.flatMap((place, index) => {
    const { position } = place
    if (typeof position !== 'object') return []
    const needed = 'fromEnd' in position ? START : first[index]!.offset < 0 ? END : undefined
    return needed === undefined ? [] : [{ ...place, timestamp: needed, index }]
  })
  const more = await listOffsets(router, second, deadlineMs)
  const places = wanted.map(({ position }, index) => (
    typeof position === 'number' ? { offset: position, timestamp: -1 } : first[index]!))
  for (const [at, { index, position }] of second.entries()) {
    const other = more[at]!.offset
    const offset = typeof position === 'object' && 'fromEnd' in position
      ? Math.max(first[index]!.offset - position.fromEnd, other) : other
    places[index] = { offset, timestamp: -1 }
  }
  return places
}

export function checkPosition(position: Position): void {
  if (position === 'start' || position === 'end') return
  const number = typeof position === 'number' ? position
    : 'timestamp' in position ? position.timestamp : position.fromEnd
  if (Number.isSafeInteger(number) && number >= 0) return
  throw weirError('INVALID_REQUEST', `position ${JSON.stringify(position)}`,
    'use \'start\', \'end\', an offset >= 0, { timestamp } or { fromEnd }')
}

function timestampOf(position: Position): number | undefined {
  if (position === 'start') return START
  if (position === 'end') return END
  if (typeof position === 'number') return undefined
  return 'timestamp' in position ? position.timestamp : END
}

/** Answers aligned with the queries; those without a timestamp are not asked. Retries what may pass. */
async function listOffsets(router: Router,
  queries: readonly (TopicPartition & { readonly timestamp: number | undefined })[], deadlineMs: number,
): Promise<readonly Place[]> {
  const places = queries.map((): Place => ({ offset: -1, timestamp: -1 }))
  const open = new Map<number, Query>()
  for (const [index, { topic, partition, timestamp }] of queries.entries()) {
    if (timestamp !== undefined) open.set(index, { topic, partition, timestamp })
  }
  let failure: unknown
  for (let attempt = 0; open.size > 0; attempt++) {
    if (attempt > 0) {
      await router.pause(attempt - 1, deadlineMs, failure)
      await router.refresh().catch((error: unknown) => { failure ??= error })
    }
    for (const topic of new Set([...open.values()].map((query) => query.topic))) await router.follow(topic, deadlineMs)
    const failures = await Promise.all([...byLeader(router, open)].map(([address, indices]) => (
      askLeader(router, address, indices, open, places, deadlineMs))))
    failure = failures.find((failed) => failed !== undefined)
      ?? weirError('LEADER_NOT_AVAILABLE', `no leader for ${describe(open)}`,
        '`weir partition list --unhealthy` shows which replicas are missing')
  }
  return places
}

function byLeader(router: Router, open: ReadonlyMap<number, Query>): Map<string, number[]> {
  const groups = new Map<string, number[]>()
  for (const [index, { topic, partition }] of open) {
    const count = router.topic(topic)?.partitions.length ?? Infinity
    if (partition < 0 || partition >= count) {
      throw weirError('UNKNOWN_TOPIC_OR_PARTITION', `topic ${topic} has partitions 0 to ${count - 1}, not ${partition}`)
    }
    const address = router.partition(topic, partition)?.address ?? ''
    if (address !== '') groups.set(address, [...groups.get(address) ?? [], index])
  }
  return groups
}

/** Settled queries leave `open`. Resolves with a failure that a repetition may cure; rejects with any other. */
async function askLeader(router: Router, address: string, indices: readonly number[], open: Map<number, Query>,
  places: Place[], deadlineMs: number): Promise<unknown> {
  const partitions = indices.map((index) => {
    const query = open.get(index)!
    return { ...query, leaderEpoch: router.partition(query.topic, query.partition)?.leaderEpoch ?? -1 }
  })
  let results: readonly ListOffsetsResult[]
  try {
    const timeoutMs = Math.min(deadlineMs - router.nowMs, CALL_TIMEOUT_MS)
    results = (await router.callAt(address, methods.data.listOffsets, { partitions }, timeoutMs)).partitions
  } catch (error) {
    if (worthRetrying(error)) return error
    throw asWeirError(error)
  }
  let failure: unknown
  for (const [at, result] of results.entries()) {
    const error = errorOf(result.status)
    const index = indices[at]!
    if (error === undefined) {
      places[index] = { offset: result.offset, timestamp: result.timestamp }
      open.delete(index)
      continue
    }
    if (!error.retriable) throw error
    if (error.leader !== undefined) router.hint(result.topic, result.partition, error.leader)
    failure = error
  }
  return failure
}

function describe(open: ReadonlyMap<number, Query>): string {
  const names = [...open.values()].map(({ topic, partition }) => `${topic}-${partition}`)
  return names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ')
}

// The Data service, v1: Produce, ProduceStream, Fetch, FetchStream, ListOffsets, GetMetadata.
//
// Translates between wire messages and the use cases of broker/replica; decides nothing.
// - Produce takes structured records or one raw batch; Fetch answers in the form that was asked for.
// - ProduceStream answers in request order, whatever order replicas confirm in.
// - A fault of one partition is that partition's status; only a malformed request fails the call.

import { fault, weirError, type Fault } from '../../../src/base/error-code.ts'
import { Fifo } from '../../../src/base/fifo.ts'
import { stream, unary, type Handler, type MessageStream } from '../../../src/ports.ts'
import type {
  FetchRequest as WireFetch, FetchResponse, FetchResult, GetMetadataRequest, GetMetadataResponse, ListOffsetsRequest,
  ListOffsetsResponse, ListOffsetsResult, ProducePartition as WirePartition, ProduceRequest as WireProduce,
  ProduceResponse
} from '../../../src/rpc/messages.ts'
import { methods } from '../../../src/rpc/protos.ts'
import { fetch, offsetFor, type FetchNeeds, type FetchOutcome } from '../../replica/fetch.ts'
import { findLeader } from '../../replica/lookup.ts'
import { produce, type ProduceOutcome, type ProducePartition } from '../../replica/produce.ts'
import { batchFromRecords, recordsFromBatches } from '../../replica/structured.ts'
import { serveFetchStream } from './fetch-stream.ts'
import { describeMetadata } from './metadata-view.ts'
import { okStatus, statusOf } from '../../../src/rpc/outcome.ts'

const PRODUCE_TIMEOUT_MS = 30_000
const PRODUCE_TIMEOUT_MS_MAX = 300_000
const PARTITIONS_MAX = 10_000
/** Requests of one stream not yet answered. */
const STREAM_REQUESTS_MAX = 10_000
const PARTITION_FETCH_BYTES = 1024 * 1024
const FORM_BATCHES = 1
const NOTHING = new Uint8Array(0)

export interface DataServiceNeeds extends FetchNeeds {
  readonly fetchBytesMax: number
  readonly fetchWaitMsMax: number
  readonly produceBytesMax: number
  controllerId(): number
}

export function dataService(needs: DataServiceNeeds): readonly Handler[] {
  return [
    unary(methods.data.produce, (request) => new Promise<ProduceResponse>((resolve, reject) => {
      const malformed = checkProduce(request)
      if (malformed !== undefined) reject(malformed)
      else startProduce(needs, request, resolve)
    })),
    stream(methods.data.produceStream, (incoming) => { serveProduceStream(needs, incoming) }),
    unary(methods.data.fetch, (request, caller) => serveFetch(needs, request, caller.signal)),
    stream(methods.data.fetchStream, (incoming) => { serveFetchStream(needs, incoming) }),
    unary(methods.data.listOffsets, (request) => serveListOffsets(needs, request)),
    unary(methods.data.getMetadata, (request) => serveMetadata(needs, request))
  ]
}

// ---- produce ----------------------------------------------------------------------------------------------

function checkProduce(request: WireProduce): Error | undefined {
  if (request.partitions.length === 0 || request.partitions.length > PARTITIONS_MAX) {
    return weirError('INVALID_REQUEST', `${request.partitions.length} partitions: expected 1 to ${PARTITIONS_MAX}`)
  }
  if (request.timeoutMs < 0 || request.timeoutMs > PRODUCE_TIMEOUT_MS_MAX) {
    return weirError('INVALID_REQUEST', `timeout_ms=${request.timeoutMs}: expected 0 to ${PRODUCE_TIMEOUT_MS_MAX}`)
  }
  return undefined
}

function startProduce(
  needs: DataServiceNeeds, request: WireProduce, answer: (response: ProduceResponse) => void): void {
  const nowMs = needs.clock.wallMs()
  const partitions = request.partitions.map((wire) => fromWire(wire, nowMs))
  produce(needs, {
    acks: request.acks, timeoutMs: request.timeoutMs === 0 ? PRODUCE_TIMEOUT_MS : request.timeoutMs, partitions
  }, (outcomes) => {
    answer({ partitions: outcomes.map((outcome, index) => toWire(partitions[index]!, outcome)) })
  })
}

function fromWire(wire: WirePartition, nowMs: number): ProducePartition {
  return {
    topic: wire.topic, partition: wire.partition, leaderEpoch: wire.leaderEpoch ?? -1, batch: batchOf(wire, nowMs) }
}

function batchOf(wire: WirePartition, nowMs: number): Uint8Array | Fault {
  if (wire.batch !== undefined && wire.batch !== null) return wire.batch
  if (wire.records === undefined || wire.records === null) {
    return fault('INVALID_REQUEST', `${wire.topic}-${wire.partition}: neither records nor a batch`, 'set one')
  }
  return batchFromRecords(wire.records.records, wire.records.compression, nowMs)
}

function toWire(wanted: ProducePartition, outcome: ProduceOutcome): ProduceResponse['partitions'][number] {
  return {
    topic: wanted.topic, partition: wanted.partition,
    status: outcome.fault === undefined ? okStatus : statusOf(outcome.fault),
    baseOffset: outcome.baseOffset, logAppendTime: outcome.logAppendTimeMs, logStartOffset: outcome.logStartOffset
  }
}

interface Slot { response: ProduceResponse | undefined; readonly bytes: number }

function serveProduceStream(needs: DataServiceNeeds, incoming: MessageStream<ProduceResponse, WireProduce>): void {
  const slots = new Fifo<Slot>(STREAM_REQUESTS_MAX)
  let bytes = 0
  let paused = false
  let ended = false
  let closed = false
  const flush = () => {
    if (closed) return
    for (let slot = slots.peek(); slot?.response !== undefined; slot = slots.peek()) {
      slots.shift()
      bytes -= slot.bytes
      incoming.send(slot.response)
    }
    if (paused && bytes < needs.produceBytesMax / 2 && !slots.full) {
      paused = false
      incoming.resume()
    }
    if (ended && slots.length === 0) incoming.end()
  }
  incoming.handle({
    message: (request) => {
      const malformed = checkProduce(request)
      if (malformed !== undefined) return incoming.destroy(malformed.message)
      const slot: Slot = { response: undefined, bytes: sizeOf(request) }
      if (!slots.push(slot)) return incoming.destroy(`more than ${STREAM_REQUESTS_MAX} requests without an answer`)
      bytes += slot.bytes
      startProduce(needs, request, (response) => {
        slot.response = response
        if (slots.peek() === slot) flush()
      })
      if (!paused && (bytes > needs.produceBytesMax || slots.length > STREAM_REQUESTS_MAX / 2)) {
        paused = true
        incoming.pause()
      }
    },
    end: () => {
      ended = true
      flush()
    },
    close: () => { closed = true }
  })
}

function sizeOf(request: WireProduce): number {
  let bytes = 64
  for (const { batch, records } of request.partitions) {
    bytes += 64 + (batch?.length ?? 0)
    for (const record of records?.records ?? []) bytes += 64 + (record.key?.length ?? 0) + (record.value?.length ?? 0)
  }
  return bytes
}

// ---- fetch ------------------------------------------------------------------------------------------------

async function serveFetch(needs: DataServiceNeeds, request: WireFetch, signal: AbortSignal): Promise<FetchResponse> {
  const { maxWaitMs, minBytes, maxBytes } = request
  if (maxWaitMs < 0 || maxWaitMs > needs.fetchWaitMsMax) {
    throw weirError('INVALID_REQUEST',
      `max_wait_ms=${maxWaitMs}: expected 0 to ${needs.fetchWaitMsMax} (fetch.max.wait.ms)`)
  }
  if (minBytes < 0 || maxBytes < 0 || request.partitions.length > PARTITIONS_MAX) {
    throw weirError('INVALID_REQUEST', `min_bytes, max_bytes must be >= 0, partitions at most ${PARTITIONS_MAX}`)
  }
  const bytesMax = Math.min(maxBytes === 0 ? needs.fetchBytesMax : maxBytes, needs.fetchBytesMax)
  const outcomes = await fetch(needs, {
    maxWaitMs, minBytes: Math.min(minBytes, bytesMax), maxBytes: bytesMax,
    partitions: request.partitions.map((wanted) => ({
      topic: wanted.topic, partition: wanted.partition, offset: wanted.offset, leaderEpoch: wanted.leaderEpoch ?? -1,
      maxBytes: wanted.maxBytes <= 0 ? PARTITION_FETCH_BYTES : wanted.maxBytes }))
  }, signal)
  return { partitions: outcomes.map((outcome, index) => fetchResult(request, index, outcome)) }
}

function fetchResult(request: WireFetch, index: number, outcome: FetchOutcome): FetchResult {
  const wanted = request.partitions[index]!
  const raw = request.form === FORM_BATCHES
  return {
    topic: wanted.topic, partition: wanted.partition, subscription: 0,
    status: outcome.fault === undefined ? okStatus : statusOf(outcome.fault),
    highWatermark: outcome.highWatermark, logStartOffset: outcome.logStartOffset,
    records: raw ? [] : recordsFromBatches(outcome.bytes, wanted.offset),
    batches: raw ? outcome.bytes : NOTHING,
    nextOffset: outcome.nextOffset
  }
}

// ---- offsets and metadata ---------------------------------------------------------------------------------

async function serveListOffsets(needs: DataServiceNeeds, request: ListOffsetsRequest): Promise<ListOffsetsResponse> {
  if (request.partitions.length > PARTITIONS_MAX) {
    throw weirError('INVALID_REQUEST', `${request.partitions.length} partitions: expected at most ${PARTITIONS_MAX}`)
  }
  const partitions: ListOffsetsResult[] = []
  for (const wanted of request.partitions) {
    const found = findLeader(needs, { ...wanted, leaderEpoch: wanted.leaderEpoch ?? -1 })
    const answer = found.ok ? await offsetFor(found.partition, wanted.timestamp) : found
    partitions.push({
      topic: wanted.topic, partition: wanted.partition,
      status: answer.ok ? okStatus : statusOf(answer.fault),
      offset: answer.ok ? answer.value.offset : -1,
      timestamp: answer.ok ? answer.value.timestamp : -1,
      leaderEpoch: answer.ok ? answer.value.leaderEpoch : -1
    })
  }
  return { partitions }
}

function serveMetadata(needs: DataServiceNeeds, request: GetMetadataRequest): Promise<GetMetadataResponse> {
  const image = needs.image()
  if (image.offset < 0) {
    return Promise.reject(weirError('LEADER_NOT_AVAILABLE', 'this broker has no metadata yet', 'retry'))
  }
  return Promise.resolve(describeMetadata(image, request.topics, needs.controllerId()))
}

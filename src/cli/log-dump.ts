// What a file of a data directory says, entry by entry, each as a JSON-ready object.

import { recordsOf as recordsOfImage } from '../metadata/image.ts'
import { MetadataCodecError } from '../metadata/codec.ts'
import { decodeSnapshot } from '../metadata/snapshot.ts'
import * as batch from '../records/batch.ts'
import { codecById } from '../records/compression.ts'
import { recordsOf } from '../records/record.ts'
import { WeirError } from '../base/error-code.ts'
import {
  batchesOfFile, readCheckpoint, readMetadataSnapshot, readOffsetIndex, readProducers, readProperties, readTimeIndex,
  type Entries, type FileKind, type FoundBatch
} from './log-reader.ts'
import { jsonOfBytes } from './record-json.ts'

/** `kind` first; `problem` where something is wrong. */
export type DumpEntry = Readonly<Record<string, unknown>> & { readonly kind: string }

/** Throws the errors of node:fs. With `withRecords` the records behind each batch, and the metadata in a snapshot. */
export function* dumpFile(path: string, kind: FileKind, withRecords: boolean): Generator<DumpEntry, void, undefined> {
  switch (kind) {
    case 'log': return yield* dumpLog(path, withRecords)
    case 'index': return yield* dumpEntries(kind, readOffsetIndex(path), (entry) => ({ ...entry }))
    case 'timeindex': return yield* dumpEntries(kind, readTimeIndex(path), (entry) => ({ ...entry }))
    case 'producers': return yield* dumpEntries('producer', readProducers(path), (entry) => ({ ...entry }))
    case 'offsets':
      return yield* dumpEntries('offset', readCheckpoint(path, 3), ([topic, partition, offset]) => (
        { topic, partition: Number(partition), offset: Number(offset) }))
    case 'epochs':
      return yield* dumpEntries('epoch', readCheckpoint(path, 2), ([epoch, startOffset]) => (
        { epoch: Number(epoch), startOffset: Number(startOffset) }))
    case 'properties':
      for (const [key, value] of readProperties(path)) yield { kind: 'property', key, value }
      return
    case 'metadata': yield* dumpMetadata(path, withRecords)
  }
}

function* dumpEntries<T>(kind: string, { entries, problem }: Entries<T>, show: (entry: T) => object):
  Generator<DumpEntry, void, undefined> {
  for (const entry of entries) yield { kind, ...show(entry) }
  if (problem !== undefined) yield { kind: 'damage', problem }
}

function* dumpLog(path: string, withRecords: boolean): Generator<DumpEntry, void, undefined> {
  const batches = batchesOfFile(path)
  let step = batches.next()
  for (; step.done !== true; step = batches.next()) {
    yield batchEntry(step.value)
    if (withRecords && step.value.problem === undefined) yield* recordEntries(step.value)
  }
  if (step.value !== undefined) {
    const { position, size, problem } = step.value
    yield { kind: 'damage', position, size, problem }
  }
}

function batchEntry({ bytes, at, position, size, problem }: FoundBatch): DumpEntry {
  const codec = batch.codecOf(bytes, at)
  const numbers = problem === undefined ? {
    baseOffset: batch.baseOffset(bytes, at), lastOffset: batch.lastOffset(bytes, at),
    baseTimestamp: batch.baseTimestamp(bytes, at), maxTimestamp: batch.maxTimestamp(bytes, at),
    producerId: batch.producerId(bytes, at)
  } : {}
  return {
    kind: 'batch', position, size, ...numbers, records: batch.recordCount(bytes, at),
    leaderEpoch: batch.partitionLeaderEpoch(bytes, at), codec: codecById(codec)?.name ?? String(codec),
    timestampType: batch.timestampType(bytes, at), producerEpoch: batch.producerEpoch(bytes, at),
    baseSequence: batch.baseSequence(bytes, at), transactional: batch.isTransactional(bytes, at),
    control: batch.isControl(bytes, at), crc: batch.crcOf(bytes, at).toString(16).padStart(8, '0'),
    ...(problem === undefined ? {} : { problem })
  }
}

function* recordEntries({ bytes, at }: FoundBatch): Generator<DumpEntry, void, undefined> {
  try {
    for (const { offset, timestamp, key, value, headers } of recordsOf(bytes, at)) {
      yield {
        kind: 'record', offset, timestamp, key: jsonOfBytes(key), value: jsonOfBytes(value),
        headers: headers.map((header) => ({ key: header.key, value: jsonOfBytes(header.value) }))
      }
    }
  } catch (error) {
    if (!(error instanceof WeirError)) throw error
    yield { kind: 'damage', problem: error.message }
  }
}

function* dumpMetadata(path: string, withRecords: boolean): Generator<DumpEntry, void, undefined> {
  const { index, term, data, problem } = readMetadataSnapshot(path)
  yield { kind: 'snapshot', index, term, bytes: data.length, ...(problem === undefined ? {} : { problem }) }
  if (!withRecords || problem !== undefined) return
  try {
    for (const record of recordsOfImage(decodeSnapshot(data, index))) yield { kind: 'metadata', record }
  } catch (error) {
    if (!(error instanceof MetadataCodecError)) throw error
    yield { kind: 'damage', problem: error.message }
  }
}

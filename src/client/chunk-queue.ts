// What was fetched and not handed out, in the order it came; records are decoded one by one when they are asked for.

import { weirError, WeirError } from '../base/error-code.ts'
import { checkFrame, batchBytes, isControl } from '../records/batch.ts'
import { batchesIn, recordsOf, type StoredRecord } from '../records/record.ts'
import type { FetchedPartition } from './fetched-partition.ts'
import type { Source } from './fetcher.ts'

/** The result of one push: whole batches of one partition. */
export interface Chunk {
  readonly partition: FetchedPartition
  readonly generation: number
  readonly bytes: Uint8Array
  readonly nextOffset: number
  readonly source: Source
}

export interface Taken { readonly partition: FetchedPartition; readonly record: StoredRecord }

export interface ChunkEvents {
  /** The bytes of a chunk are handed out, or dropped. */
  released(chunk: Chunk): void
  /** `until` is reached. */
  finished(partition: FetchedPartition): void
  failed(partition: FetchedPartition, error: WeirError): void
}

const COMPACT_ABOVE = 1_000

export class ChunkQueue {
  readonly #raw: boolean
  readonly #events: ChunkEvents
  #chunks: Chunk[] = []
  #head = 0
  #records: Iterator<StoredRecord> | undefined

  constructor(raw: boolean, events: ChunkEvents) {
    this.#raw = raw
    this.#events = events
  }

  push(chunk: Chunk): void { this.#chunks.push(chunk) }

  /** The next record, and its partition moved past it. */
  take(): Taken | undefined {
    for (let chunk = this.#chunks[this.#head]; chunk !== undefined; chunk = this.#chunks[this.#head]) {
      const { partition } = chunk
      const record = chunk.generation === partition.generation ? this.#decode(chunk) : undefined
      if (record === undefined) {
        this.#drop(chunk)
        continue
      }
      if (record.offset < partition.position) continue
      if (record.offset >= partition.until) {
        this.#end(partition)
        continue
      }
      partition.position = record.offset + 1
      if (partition.finished) this.#end(partition)
      return { partition, record }
    }
    return undefined
  }

  /** Drops what belongs to an earlier generation of its partition. */
  purge(): void {
    const kept: Chunk[] = []
    const head = this.#chunks[this.#head]
    for (const chunk of this.#chunks.slice(this.#head)) {
      if (chunk.generation === chunk.partition.generation) kept.push(chunk)
      else this.#events.released(chunk)
    }
    if (kept[0] !== head) this.#records = undefined
    this.#chunks = kept
    this.#head = 0
  }

  #decode(chunk: Chunk): StoredRecord | undefined {
    const { partition } = chunk
    try {
      this.#records ??= decoded(chunk.bytes, this.#raw)
      const next = this.#records.next()
      if (next.done !== true) return next.value
    } catch (error) {
      const why = error instanceof WeirError ? error : weirError('CORRUPT_MESSAGE', String(error))
      partition.generation++
      this.#events.failed(partition, why)
      return undefined
    }
    if (chunk.nextOffset > partition.position) partition.position = chunk.nextOffset
    if (partition.finished) this.#end(partition)
    return undefined
  }

  /** Nothing more of this partition is handed out. */
  #end(partition: FetchedPartition): void {
    partition.position = Math.max(partition.position, partition.until)
    partition.generation++
    this.#events.finished(partition)
  }

  #drop(chunk: Chunk): void {
    this.#records = undefined
    this.#head++
    if (this.#head > COMPACT_ABOVE) {
      this.#chunks = this.#chunks.slice(this.#head)
      this.#head = 0
    }
    this.#events.released(chunk)
  }
}

function* decoded(bytes: Uint8Array, raw: boolean): Generator<StoredRecord, void, undefined> {
  for (const at of batchesIn(bytes)) {
    const wrong = checkFrame(bytes, at, at + batchBytes(bytes, at))
    if (wrong !== undefined) throw weirError('CORRUPT_MESSAGE', `a fetched batch is corrupt: ${wrong}`)
    if (raw || !isControl(bytes, at)) yield* recordsOf(bytes, at)
  }
}

// Records on their way to a topic: a bounded number at one time, in order, counted by partition when they arrive.

import { deferred, type Deferred } from '../base/async.ts'
import type { Delivery, Producer } from '../client/types.ts'
import type { RecordLine } from './record-json.ts'

const BYTES_MAX = 8 * 1024 * 1024
const RECORDS_MAX = 50_000

export interface PartitionSummary { baseOffset: number; lastOffset: number; records: number }

export interface SendSummary {
  readonly records: number
  /** Of keys, values and headers. */
  readonly bytes: number
  readonly partitions: Readonly<Record<string, PartitionSummary>>
}

export class Sending {
  readonly #producer: Producer
  readonly #topic: string
  readonly #partitions = new Map<number, PartitionSummary>()
  #bytesUnderWay = 0
  #recordsUnderWay = 0
  #records = 0
  #bytes = 0
  #failure: unknown
  #room: Deferred<void> | undefined

  constructor(producer: Producer, topic: string) {
    this.#producer = producer
    this.#topic = topic
  }

  /** What the first record to fail failed with; undefined while all is well. */
  get failure(): unknown { return this.#failure }
  get acknowledged(): number { return this.#records }

  /** True when the next `send` should wait for `room`. */
  get full(): boolean { return this.#bytesUnderWay >= BYTES_MAX || this.#recordsUnderWay >= RECORDS_MAX }

  send(record: RecordLine): void {
    const bytes = bytesOf(record)
    this.#bytesUnderWay += bytes
    this.#recordsUnderWay++
    const settled = () => {
      this.#bytesUnderWay -= bytes
      this.#recordsUnderWay--
      if (this.#room !== undefined && !this.full) {
        this.#room.resolve()
        this.#room = undefined
      }
    }
    this.#producer.send({ ...record, topic: this.#topic }).then((delivery) => {
      this.#arrived(delivery, bytes)
      settled()
    }, (error: unknown) => {
      this.#failure ??= error
      settled()
    })
  }

  /** Resolves when there is room for more. */
  room(): Promise<void> {
    if (!this.full) return Promise.resolve()
    this.#room ??= deferred<void>()
    return this.#room.promise
  }

  /** Resolves when every record has arrived or failed. */
  flush(): Promise<void> { return this.#producer.flush() }

  #arrived({ partition, offset }: Delivery, bytes: number): void {
    this.#records++
    this.#bytes += bytes
    const known = this.#partitions.get(partition)
    if (known === undefined) {
      this.#partitions.set(partition, { baseOffset: offset, lastOffset: offset, records: 1 })
      return
    }
    known.records++
    // -1: nobody knows the offset (acks 0).
    if (offset >= 0 && (known.baseOffset < 0 || offset < known.baseOffset)) known.baseOffset = offset
    if (offset > known.lastOffset) known.lastOffset = offset
  }

  summary(): SendSummary {
    const byPartition = [...this.#partitions].sort(([a], [b]) => a - b)
    return { records: this.#records, bytes: this.#bytes, partitions: Object.fromEntries(byPartition) }
  }
}

function bytesOf({ key, value, headers }: RecordLine): number {
  const inHeaders = headers.reduce((sum, header) => sum + header.key.length + (header.value?.length ?? 0), 0)
  return (key?.length ?? 0) + (value?.length ?? 0) + inHeaders
}

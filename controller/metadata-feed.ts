// Feeds committed metadata to brokers: one reader each, gapless, from a ring of recent entries, or an image first when
// the ring no longer reaches back to where a broker is.
//
// Standbys keep the ring too, so that after a failover brokers go on where they were.

import { assert } from '../src/base/assert.ts'
import { encodeRecord, splitRecords } from '../src/metadata/codec.ts'
import { recordsOf, type MetadataImage } from '../src/metadata/image.ts'

/** Records of the metadata offsets (fromOffset, toOffset]; with `image` all there is at toOffset, fromOffset is -1. */
export interface FeedBatch {
  readonly fromOffset: number
  readonly toOffset: number
  readonly image: boolean
  readonly records: readonly Uint8Array[]
}

export interface FeedLimits {
  /** Entries and bytes kept for brokers that lag; a broker further behind gets an image. */
  readonly ringEntriesMax: number
  readonly ringBytesMax: number
  /** Bytes after which a batch is closed. */
  readonly batchBytes: number
}

export const FEED_LIMITS: FeedLimits = {
  ringEntriesMax: 10_000, ringBytesMax: 8 * 1024 * 1024, batchBytes: 1024 * 1024
}

interface Entry {
  readonly offset: number
  readonly records: readonly Uint8Array[]
  readonly bytes: number
}

/** Takes the place of an entry that is dropped, so that its bytes go at once. */
const DROPPED: Entry = { offset: -1, records: [], bytes: 0 }

export class MetadataFeed {
  readonly #limits: FeedLimits
  /** Consecutive offsets; those before `#from` are dropped at the next compaction. */
  #entries: Entry[] = []
  #from = 0
  #bytes = 0
  #end: number
  #image: MetadataImage
  /** The records of `#image`, when somebody asked for them. */
  #encoded: readonly Uint8Array[] | undefined
  readonly #readers = new Set<FeedReader>()

  constructor(image: MetadataImage, limits: FeedLimits = FEED_LIMITS) {
    this.#image = image
    this.#end = image.offset
    this.#limits = limits
  }

  get endOffset(): number { return this.#end }

  /** One committed entry, and the image after it. Readers are told by `flush`. */
  append(data: Uint8Array, image: MetadataImage): void {
    assert(image.offset === this.#end + 1, () => `feed entry ${image.offset} follows ${this.#end}`)
    this.#entries.push({ offset: image.offset, records: splitRecords(data), bytes: data.length })
    this.#bytes += data.length
    this.#end = image.offset
    this.#image = image
    this.#encoded = undefined
    while (this.#entries.length - this.#from > this.#limits.ringEntriesMax || this.#bytes > this.#limits.ringBytesMax) {
      this.#bytes -= this.#entries[this.#from]!.bytes
      this.#entries[this.#from] = DROPPED
      this.#from++
    }
    if (this.#from > 1024 && this.#from * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#from)
      this.#from = 0
    }
  }

  /** The state was replaced by a snapshot: what came between is unknown here. */
  restart(image: MetadataImage): void {
    this.#entries = []
    this.#from = 0
    this.#bytes = 0
    this.#end = image.offset
    this.#image = image
    this.#encoded = undefined
  }

  /** Gives every reader what is new. Called once after a run of `append`. */
  flush(): void {
    for (const reader of this.#readers) reader.pump()
  }

  /**
   * A reader that has everything up to `offset` (-1 = nothing). `send` takes one batch, false = full: no more before
   * `resume`.
   */
  open(offset: number, send: (batch: FeedBatch) => boolean): FeedReader {
    assert(offset <= this.#end, () => `reader at ${offset} is not ahead of ${this.#end}`)
    const reader = new FeedReader(offset, send, (after) => this.#next(after), () => { this.#readers.delete(reader) })
    this.#readers.add(reader)
    return reader
  }

  #next(after: number): FeedBatch | undefined {
    if (after >= this.#end) return undefined
    const first = this.#end - (this.#entries.length - this.#from) + 1
    if (after < 0 || after + 1 < first) {
      return { fromOffset: -1, toOffset: this.#end, image: true, records: this.#imageRecords() }
    }
    const records: Uint8Array[] = []
    let bytes = 0
    let to = after
    while (to < this.#end && bytes < this.#limits.batchBytes) {
      const entry = this.#entries[this.#from + (to + 1 - first)]!
      for (const record of entry.records) records.push(record)
      bytes += entry.bytes
      to = entry.offset
    }
    return { fromOffset: after, toOffset: to, image: false, records }
  }

  /** Encoded once for all brokers that come at the same time. */
  #imageRecords(): readonly Uint8Array[] {
    this.#encoded ??= recordsOf(this.#image).map(encodeRecord)
    return this.#encoded
  }
}

export class FeedReader {
  readonly #send: (batch: FeedBatch) => boolean
  readonly #next: (after: number) => FeedBatch | undefined
  readonly #leave: () => void
  #cursor: number
  #blocked = false

  constructor(
    cursor: number, send: (batch: FeedBatch) => boolean, next: (after: number) => FeedBatch | undefined,
    leave: () => void
  ) {
    this.#cursor = cursor
    this.#send = send
    this.#next = next
    this.#leave = leave
  }

  /** What was sent is still on its way. */
  get blocked(): boolean { return this.#blocked }

  /** Last metadata offset sent. */
  get cursor(): number { return this.#cursor }

  /** Sends what there is; true when at least one batch went out. */
  pump(): boolean {
    let sent = false
    while (!this.#blocked) {
      const batch = this.#next(this.#cursor)
      if (batch === undefined) return sent
      this.#cursor = batch.toOffset
      sent = true
      this.#blocked = !this.#send(batch)
    }
    return sent
  }

  resume(): void {
    this.#blocked = false
    this.pump()
  }

  close(): void {
    this.#blocked = true
    this.#leave()
  }
}

// The feed of committed metadata: every reader sees every record once, in order, or begins with an image.

import { expect } from 'chai'

import { MetadataFeed, type FeedBatch, type FeedLimits, type FeedReader } from '../../controller/metadata-feed.ts'
import { decodeRecord, encodeRecord, joinRecords } from '../../src/metadata/codec.ts'
import { MetadataDelta } from '../../src/metadata/delta.ts'
import { EMPTY_IMAGE, recordsOf, type MetadataImage } from '../../src/metadata/image.ts'
import type { MetadataRecord } from '../../src/metadata/records.ts'

const topic = (name: string): MetadataRecord => ({ kind: 'topic', topicId: name.padEnd(32, '-'), name })

/** A feed fed by commands, and what each offset looks like. */
class Source {
  image: MetadataImage = { ...EMPTY_IMAGE, offset: 0 }
  readonly feed: MetadataFeed

  constructor(limits: Partial<FeedLimits> = {}) {
    this.feed = new MetadataFeed(this.image, { ringEntriesMax: 100, ringBytesMax: 1e6, batchBytes: 1e6, ...limits })
  }

  commit(...records: MetadataRecord[]): void {
    const delta = new MetadataDelta(this.image)
    for (const record of records) delta.replay(record)
    this.image = delta.apply(this.image.offset + 1)
    this.feed.append(joinRecords(records.map(encodeRecord)), this.image)
  }

  /** `count` topics, one an entry. */
  topics(count: number): void {
    for (let at = 0; at < count; at++) this.commit(topic(`t${this.image.offset + 1}`))
  }
}

/** A broker: replays what it gets, and insists on no gap. */
class Reader {
  image: MetadataImage
  readonly batches: FeedBatch[] = []
  readonly reader: FeedReader
  full = false

  constructor(source: Source, from: MetadataImage = EMPTY_IMAGE) {
    this.image = from
    this.reader = source.feed.open(from.offset, (batch) => {
      if (batch.image) this.image = EMPTY_IMAGE
      expect(batch.fromOffset).to.equal(this.image.offset)
      const delta = new MetadataDelta(this.image)
      for (const record of batch.records) delta.replay(decodeRecord(record))
      this.image = delta.apply(batch.toOffset)
      this.batches.push(batch)
      return !this.full
    })
  }

  get ranges(): string[] {
    return this.batches.map(({ fromOffset, toOffset, image }) => `${fromOffset}..${toOffset}${image ? ' image' : ''}`)
  }
}

const same = (a: MetadataImage, b: MetadataImage) => {
  expect(a.offset).to.equal(b.offset)
  expect(recordsOf(a)).to.deep.equal(recordsOf(b))
}

describe('metadata feed', () => {
  it('gives a new reader an image, then what follows', () => {
    const source = new Source()
    source.topics(3)
    const reader = new Reader(source)
    expect(reader.reader.pump()).to.equal(true)
    expect(reader.reader.pump()).to.equal(false)
    source.topics(2)
    source.feed.flush()
    expect(reader.ranges).to.deep.equal(['-1..3 image', '3..5'])
    same(reader.image, source.image)
  })

  it('gives a reader within the ring the rest only', () => {
    const source = new Source()
    source.topics(2)
    const then = source.image
    source.topics(3)
    const reader = new Reader(source, then)
    reader.reader.pump()
    expect(reader.ranges).to.deep.equal(['2..5'])
    same(reader.image, source.image)
  })

  for (const [what, limits] of [
    ['entries', { ringEntriesMax: 4 }], ['bytes', { ringBytesMax: 4 * 45 }]] as const) {
    it(`gives an image to who is behind the ring, bounded by ${what}`, () => {
      const source = new Source(limits)
      const images = [source.image]
      for (let at = 0; at < 10; at++) {
        source.topics(1)
        images.push(source.image)
      }
      const kinds = images.slice(0, -1).map((image) => {
        const reader = new Reader(source, image)
        reader.reader.pump()
        same(reader.image, source.image)
        return reader.batches[0]!.image
      })
      const firstInRing = kinds.indexOf(false)
      expect(firstInRing).to.be.within(5, 7)
      expect(kinds).to.deep.equal(kinds.map((_, at) => at < firstInRing))
    })
  }

  it('keeps the ring in order over thousands of entries', () => {
    const source = new Source({ ringEntriesMax: 10 })
    const reader = new Reader(source)
    for (let at = 0; at < 3_000; at++) {
      source.commit({ kind: 'producerIds', nextProducerId: 1000 * (at + 1) })
      if (at % 7 === 0) source.feed.flush()
    }
    source.feed.flush()
    expect(reader.batches.filter(({ image }) => image).length).to.equal(1)
    same(reader.image, source.image)
  })

  it('closes a batch at its size, never inside an entry', () => {
    const source = new Source({ batchBytes: 1 })
    source.commit(topic('a'), topic('b'))
    source.commit(topic('c'), topic('d'))
    const reader = new Reader(source, { ...EMPTY_IMAGE, offset: 0 })
    reader.reader.pump()
    expect(reader.batches.map(({ records }) => records.length)).to.deep.equal([2, 2])
    same(reader.image, source.image)
  })

  it('passes on an entry without records: offsets have no gap', () => {
    const source = new Source()
    const reader = new Reader(source, source.image)
    source.commit()
    source.feed.flush()
    expect(reader.ranges).to.deep.equal(['0..1'])
    expect(reader.image.offset).to.equal(1)
  })

  it('stops at a full reader and goes on without a gap', () => {
    const source = new Source()
    const slow = new Reader(source, source.image)
    const quick = new Reader(source, source.image)
    slow.full = true
    for (let at = 0; at < 5; at++) {
      source.topics(1)
      source.feed.flush()
    }
    expect(slow.ranges).to.deep.equal(['0..1'])
    expect(slow.reader.blocked).to.equal(true)
    expect(slow.reader.pump()).to.equal(false)
    expect(quick.ranges.length).to.equal(5)
    slow.full = false
    slow.reader.resume()
    expect(slow.ranges).to.deep.equal(['0..1', '1..5'])
    same(slow.image, source.image)
  })

  it('gives a reader that was full for too long an image', () => {
    const source = new Source({ ringEntriesMax: 3 })
    const reader = new Reader(source, source.image)
    reader.full = true
    for (let at = 0; at < 9; at++) {
      source.topics(1)
      source.feed.flush()
    }
    reader.full = false
    reader.reader.resume()
    expect(reader.ranges).to.deep.equal(['0..1', '-1..9 image'])
    same(reader.image, source.image)
  })

  it('encodes the image once for all who come at the same offset, and anew after a change', () => {
    const source = new Source()
    source.topics(5)
    const [first, second] = [new Reader(source), new Reader(source)]
    first.reader.pump()
    second.reader.pump()
    expect(first.batches[0]!.records).to.equal(second.batches[0]!.records)
    source.topics(1)
    const third = new Reader(source)
    third.reader.pump()
    expect(third.batches[0]!.records.length).to.equal(6)
  })

  it('after a snapshot gives everybody an image, also who would be within the old ring', () => {
    const source = new Source()
    source.topics(5)
    const then = source.image
    const restored = { ...then, offset: 9 }
    source.feed.restart(restored)
    source.image = restored
    source.topics(1)
    const reader = new Reader(source, then)
    reader.reader.pump()
    expect(reader.ranges).to.deep.equal(['-1..10 image'])
    same(reader.image, source.image)
  })

  it('gives a closed reader nothing more', () => {
    const source = new Source()
    const reader = new Reader(source, source.image)
    reader.reader.close()
    source.topics(1)
    source.feed.flush()
    expect(reader.batches).to.deep.equal([])
  })

  it('refuses a gap, and a reader from the future', () => {
    const source = new Source()
    expect(() => source.feed.append(new Uint8Array(0), { ...source.image, offset: 5 })).to.throw('feed entry 5')
    expect(() => source.feed.open(3, () => true)).to.throw('reader at 3')
  })
})

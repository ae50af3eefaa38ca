// A segment under every cut and flipped byte, and what reads, look-ups and truncations see of it.

import { expect } from 'chai'

import { Segment } from '../../broker/log/segment.ts'
import type { SegmentRead, SegmentReadRequest } from '../../broker/log/segment-reader.ts'
import { AssertionError } from '../../src/base/assert.ts'
import { DiskError } from '../../src/ports.ts'
import { setLogAppendTime } from '../../src/records/batch.ts'
import { codecByName } from '../../src/records/compression.ts'
import type { MemoryDisk } from '../../src/testing/memory-disk.ts'
import { batch, concat, DIR, diskWithDir, place, segmentOf, type BatchShape } from './samples.ts'

const LOG = `${DIR}/00000000000000000100.log`
const INDEX = `${DIR}/00000000000000000100.index`
const TIME_INDEX = `${DIR}/00000000000000000100.timeindex`

/** Batches back to back from offset 100 on. */
function chain(...shapes: readonly BatchShape[]): Uint8Array[] {
  let offset = 100
  return shapes.map((shape) => {
    const bytes = batch(offset, shape)
    offset += shape.records ?? 1
    return bytes
  })
}

const THREE = chain({ records: 3, timestamp: 1000 }, { records: 2, timestamp: 900 }, { records: 1, timestamp: 2000 })
const ALL = { endOffset: Infinity, maxBytes: 1e9, atLeastOneBatch: true }

/** What a read gives when it must answer in the caller's turn. */
function readNow(segment: Segment, wanted: Partial<SegmentReadRequest> & { readonly offset: number }): SegmentRead {
  const read = segment.read({ ...ALL, ...wanted })
  if (read instanceof Promise) throw new Error('the read was not answered at once')
  return { bytes: Uint8Array.from(read.bytes), nextOffset: read.nextOffset }
}

async function faultOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  return undefined
}

/** Everything a reader could ask, to compare two segments. */
async function seen(segment: Segment): Promise<unknown> {
  const { sizeBytes, nextOffset, largestTimestamp, offsetOfLargestTimestamp, firstTimestamp } = segment
  const reads: unknown[] = []
  for (let offset = 99; offset <= nextOffset + 1; offset++) {
    reads.push(segment.positionOf(offset), Buffer.from((await segment.read({ ...ALL, offset })).bytes).toString('hex'))
  }
  const times: unknown[] = []
  for (let time = 890; time <= 2010; time += 5) times.push(await segment.offsetForTimestamp(time, 0) ?? 'none')
  return { sizeBytes, nextOffset, largestTimestamp, offsetOfLargestTimestamp, firstTimestamp, reads, times }
}

describe('segment, append', () => {
  it('begins empty', async () => {
    const segment = await Segment.create(place(await diskWithDir()))
    expect(segment).to.include({ baseOffset: 100, nextOffset: 100, sizeBytes: 0, largestTimestamp: -1,
      offsetOfLargestTimestamp: 100, firstTimestamp: undefined, needsRecovery: undefined })
    expect(readNow(segment, { offset: 100 })).to.deep.equal({ bytes: new Uint8Array(0), nextOffset: 100 })
    expect(await segment.offsetForTimestamp(0, 0)).to.equal(undefined)
    expect(segment.files()).to.deep.equal([LOG, INDEX, TIME_INDEX])
  })

  it('refuses to begin where one is', async () => {
    const disk = await diskWithDir()
    await segmentOf(disk, THREE)
    expect(() => Segment.createNow(place(disk))).to.throw(DiskError).with.property('code', 'EEXIST')
    expect(disk.copyOf(LOG)).to.deep.equal(concat(...THREE))
  })

  it('keeps the bytes as they are and counts offsets and times', async () => {
    const disk = await diskWithDir()
    const { segment } = await segmentOf(disk, THREE)
    expect(disk.copyOf(LOG)).to.deep.equal(concat(...THREE))
    expect(segment).to.include({ nextOffset: 106, sizeBytes: concat(...THREE).length, largestTimestamp: 2000,
      offsetOfLargestTimestamp: 105, firstTimestamp: 1002 })
  })

  it('takes one batch out of a larger buffer', async () => {
    const disk = await diskWithDir()
    const segment = await Segment.create(place(disk))
    segment.append(concat(THREE[0]!, THREE[1]!), 0, THREE[0]!.length)
    segment.append(concat(THREE[0]!, THREE[1]!), THREE[0]!.length, THREE[1]!.length)
    expect(disk.copyOf(LOG)).to.deep.equal(concat(THREE[0]!, THREE[1]!))
  })

  it('does the same with several batches in one write', async () => {
    const [one, other] = [await diskWithDir(), await diskWithDir()]
    const { segment } = await segmentOf(one, THREE, { indexIntervalBytes: 80 })
    const together = await Segment.create(place(other, { indexIntervalBytes: 80 }))
    together.appendBatches(concat(...THREE))
    for (const path of [LOG, INDEX, TIME_INDEX]) expect(other.copyOf(path), path).to.deep.equal(one.copyOf(path))
    expect(await seen(together)).to.deep.equal(await seen(segment))
  })

  it('refuses offsets that do not follow, and less than a batch', async () => {
    const { segment } = await segmentOf(await diskWithDir(), THREE)
    const wrong = [batch(105), batch(100 + 2 ** 31)]
    for (const bytes of wrong) expect(() => { segment.append(bytes, 0, bytes.length) }).to.throw(AssertionError)
    expect(() => { segment.append(batch(106), 0, 70) }).to.throw(AssertionError)
    expect(() => { segment.appendBatches(concat(batch(106), batch(106))) }).to.throw(AssertionError)
    expect(segment.nextOffset).to.equal(106)
    const gap = batch(500)
    segment.append(gap, 0, gap.length)
    expect(segment.nextOffset).to.equal(501)
  })

  it('indexes a batch when more than the interval went before it, never the first', async () => {
    const disk = await diskWithDir()
    const size = THREE[0]!.length
    await segmentOf(disk, chain({ records: 3 }, { records: 3 }, { records: 3 }, { records: 3 }, { records: 3 }),
      { indexIntervalBytes: size })
    // Two batches are more than one interval: the third and the fifth get an entry with their last offsets.
    expect(Buffer.from(disk.copyOf(INDEX)).toString('hex')).to.equal(
      [8, size * 2, 14, size * 4].map((value) => value.toString(16).padStart(8, '0')).join(''))
    // The time rose with the first batch only.
    expect(Buffer.from(disk.copyOf(TIME_INDEX)).toString('hex')).to.equal('00000000000003ea00000002')
  })

  it('ends the time index with the largest time once, on sealing', async () => {
    const disk = await diskWithDir()
    const { segment } = await segmentOf(disk, THREE, { indexIntervalBytes: 1e6 })
    segment.sealIndexes()
    segment.sealIndexes()
    expect(Buffer.from(disk.copyOf(TIME_INDEX)).toString('hex')).to.equal('00000000000007d000000005')
    const more = batch(106, { timestamp: 2001 })
    segment.append(more, 0, more.length)
    segment.sealIndexes()
    expect(disk.copyOf(TIME_INDEX)).to.have.length(24)
  })

  it('says when an index is full', async () => {
    const { segment } = await segmentOf(await diskWithDir(), THREE)
    // Two entries in the offset index, two in the time index, and one more that sealing may add.
    expect(segment.isIndexFull(47)).to.equal(true)
    expect(segment.isIndexFull(48)).to.equal(false)
  })

  it('survives a loss of power once synced, the indexes, too', async () => {
    const disk = await diskWithDir()
    const { segment } = await segmentOf(disk, THREE)
    await disk.syncDir('/data')
    await disk.syncDir('/')
    await segment.sync()
    await segment.syncIndexes()
    const late = batch(106)
    segment.append(late, 0, late.length)
    disk.losePower()
    const again = await Segment.open(place(disk))
    expect(again).to.include({ needsRecovery: undefined, nextOffset: 106 })
  })
})

describe('segment, open', () => {
  for (const indexIntervalBytes of [0, 100, 1e6]) {
    it(`finds what was left, with an index entry every ${indexIntervalBytes} bytes`, async () => {
      const disk = await diskWithDir()
      const batches = chain({ records: 3 }, { timestamp: 1500 }, { records: 2, timestamp: 950 },
        { timestamp: 1400, records: 4 }, { timestamp: -1 })
      const { segment } = await segmentOf(disk, batches, { indexIntervalBytes })
      const before = await seen(segment)
      const again = await Segment.open(place(disk, { indexIntervalBytes }))
      expect(again.needsRecovery).to.equal(undefined)
      expect(await seen(again)).to.deep.equal(before)
      const more = batch(111, { timestamp: 1600 })
      for (const each of [segment, again]) each.append(more, 0, more.length)
      expect(await seen(again)).to.deep.equal(await seen(segment))
    })
  }

  it('indexes on as if it had not been closed', async () => {
    const [one, other] = [await diskWithDir(), await diskWithDir()]
    const batches = chain(...Array.from({ length: 12 }, (_, index) => ({ timestamp: 1000 + index })))
    await segmentOf(one, batches, { indexIntervalBytes: 200 })
    const first = await segmentOf(other, batches.slice(0, 5), { indexIntervalBytes: 200 })
    await first.segment.close()
    const again = await Segment.open(place(other, { indexIntervalBytes: 200 }))
    for (const bytes of batches.slice(5)) again.append(bytes, 0, bytes.length)
    for (const path of [LOG, INDEX, TIME_INDEX]) expect(other.copyOf(path), path).to.deep.equal(one.copyOf(path))
  })

  it('knows no first timestamp where there is none', async () => {
    const { segment } = await segmentOf(await diskWithDir(), chain({ timestamp: -1 }))
    expect(segment).to.include({ firstTimestamp: undefined, largestTimestamp: -1 })
  })

  it('is refused without a .log file', async () => {
    expect(await faultOf(Segment.open(place(await diskWithDir())))).to.be.instanceOf(DiskError)
  })

  const damages: readonly (readonly [string, (disk: MemoryDisk) => Promise<void> | void])[] = [
    ['no offset index', (disk) => disk.remove(INDEX)],
    ['no time index', (disk) => disk.remove(TIME_INDEX)],
    ['a torn offset index', (disk) => { disk.put(INDEX, disk.copyOf(INDEX).subarray(1)) }],
    ['an offset index of zeros', (disk) => { disk.put(INDEX, new Uint8Array(80)) }],
    ['an offset index of ones', (disk) => { disk.put(INDEX, new Uint8Array(80).fill(255)) }],
    ['an offset index that is off by one offset', (disk) => {
      const bytes = disk.copyOf(INDEX)
      bytes[bytes.length - 5]!++
      disk.put(INDEX, bytes)
    }],
    ['an offset index that is off by one byte', (disk) => {
      const bytes = disk.copyOf(INDEX)
      bytes[bytes.length - 1]!++
      disk.put(INDEX, bytes)
    }],
    ['a time index of ones', (disk) => { disk.put(TIME_INDEX, new Uint8Array(24).fill(255)) }],
    ['a time index that points behind the end', (disk) => {
      disk.put(TIME_INDEX, Uint8Array.from([0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 200]))
    }],
    ['an index of a longer log', (disk) => { disk.put(LOG, concat(THREE[0]!)) }]
  ]
  for (const [what, damage] of damages) {
    it(`asks for recovery with ${what}, and recovery repairs it`, async () => {
      const [disk, sound] = [await diskWithDir(), await diskWithDir()]
      await segmentOf(disk, THREE)
      await damage(disk)
      const segment = await Segment.open(place(disk))
      expect(segment.needsRecovery).to.be.a('string')
      expect(() => { segment.append(batch(106), 0, batch(106).length) }).to.throw(AssertionError)
      expect(await segment.recover()).to.deep.equal({ truncatedBytes: 0, reason: undefined })
      expect(segment.needsRecovery).to.equal(undefined)
      const rest = await segmentOf(sound, what.includes('longer') ? [THREE[0]!] : THREE)
      expect(await seen(segment)).to.deep.equal(await seen(rest.segment))
      expect((await Segment.open(place(disk))).needsRecovery).to.equal(undefined)
    })
  }
})

describe('segment, recover', () => {
  it('keeps whole batches wherever the last two are cut', async () => {
    const whole = concat(...THREE)
    const ends = [THREE[0]!.length, THREE[0]!.length + THREE[1]!.length, whole.length]
    for (let cut = ends[0]!; cut <= whole.length; cut++) {
      const disk = await diskWithDir()
      await segmentOf(disk, THREE, { indexIntervalBytes: 80 })
      disk.put(LOG, whole.subarray(0, cut))
      const segment = await Segment.open(place(disk, { indexIntervalBytes: 80 }))
      const kept = ends.findLast((end) => end <= cut)!
      if (cut !== kept) expect(segment.needsRecovery, `cut at ${cut}`).to.be.a('string')
      const bases: number[] = []
      const recovered = await segment.recover((bytes, at) => { bases.push(bytes[at + 7]!) })
      expect(recovered.truncatedBytes, `cut at ${cut}`).to.equal(cut - kept)
      expect(recovered.reason === undefined, `cut at ${cut}`).to.equal(cut === kept)
      expect(bases).to.deep.equal([100, 103, 105].slice(0, ends.indexOf(kept) + 1))
      expect(disk.copyOf(LOG)).to.deep.equal(whole.subarray(0, kept))
      expect(segment.nextOffset).to.equal([103, 105, 106][ends.indexOf(kept)])
      expect(disk.view().every(({ path, durable }) => durable || path !== LOG)).to.equal(true)
    }
  })

  it('ends before the batch in which any byte is flipped that can be told from a sound one', async () => {
    const whole = concat(...THREE)
    const starts = [0, THREE[0]!.length, THREE[0]!.length + THREE[1]!.length]
    for (let at = 0; at < whole.length; at++) {
      const disk = await diskWithDir()
      await segmentOf(disk, THREE)
      const damaged = whole.slice()
      damaged[at]! ^= 0xff
      disk.put(LOG, damaged)
      const segment = await Segment.open(place(disk))
      const start = starts.findLast((each) => each <= at)!
      const field = at - start
      const { reason } = await segment.recover()
      // Outside the checksum: the leader epoch, and the base offset. It shows in the next batch, which the last lacks.
      const isHidden = (field >= 12 && field < 16) || (start === starts[2] && field >= 5 && field < 8)
      if (isHidden) expect(reason, `byte ${at}`).to.equal(undefined)
      else expect(reason, `byte ${at}`).to.be.a('string')
      if (reason !== undefined && field >= 8) expect(disk.copyOf(LOG), `byte ${at}`).to.have.length(start)
      const sound = await Segment.open(place(disk))
      expect(sound.needsRecovery, `byte ${at}`).to.equal(undefined)
      expect(sound.nextOffset).to.equal(segment.nextOffset)
    }
  })

  it('cuts a batch whose offsets repeat, fall, or leave the segment', async () => {
    for (const wrong of [batch(105), batch(50), batch(100 + 2 ** 31)]) {
      const disk = await diskWithDir()
      await segmentOf(disk, THREE)
      disk.put(LOG, concat(...THREE, wrong, batch(107)))
      const segment = await Segment.open(place(disk))
      expect(segment.needsRecovery).to.contain('offset')
      const { truncatedBytes, reason } = await segment.recover()
      expect(truncatedBytes).to.equal(wrong.length + batch(107).length)
      expect(reason).to.contain(`position ${concat(...THREE).length}`)
      expect(segment.nextOffset).to.equal(106)
    }
  })

  it('cuts a first batch from before the base, and garbage of any length', async () => {
    for (const wrong of [batch(99), new Uint8Array(1), new Uint8Array(61), new Uint8Array(5000).fill(255)]) {
      const disk = await diskWithDir()
      await segmentOf(disk, [])
      disk.put(LOG, wrong)
      const segment = await Segment.open(place(disk))
      expect(segment.needsRecovery).to.be.a('string')
      expect((await segment.recover()).truncatedBytes).to.equal(wrong.length)
      expect(segment).to.include({ sizeBytes: 0, nextOffset: 100, needsRecovery: undefined })
    }
  })

  it('reads batches larger than its chunks, and yields between chunks', async () => {
    const disk = await diskWithDir()
    const batches = chain({ valueBytes: 700_000 }, { valueBytes: 700_000 }, { valueBytes: 2_500_000 }, {}, {})
    await segmentOf(disk, batches)
    const segment = await Segment.open(place(disk))
    let yields = 0
    let count = 0
    const recovered = await segment.recover(() => { count++ }, () => {
      yields++
      return Promise.resolve()
    })
    expect(recovered).to.deep.equal({ truncatedBytes: 0, reason: undefined })
    expect(count).to.equal(5)
    expect(yields).to.be.at.least(3)
    expect(disk.copyOf(LOG)).to.have.length(concat(...batches).length)
  })

  it('ends the time index with the largest time, and leaves everything durable', async () => {
    const disk = await diskWithDir()
    const late = batch(106, { timestamp: 3000 })
    // The third batch has an entry in both indexes, the last one has none.
    const interval = THREE[0]!.length
    const { segment } = await segmentOf(disk, [...THREE, late], { indexIntervalBytes: interval })
    await disk.syncDir('/')
    await disk.syncDir('/data')
    segment.sealIndexes()
    const [index, timeIndex] = [disk.copyOf(INDEX), disk.copyOf(TIME_INDEX)]
    await segment.recover()
    disk.losePower()
    expect(disk.copyOf(LOG)).to.deep.equal(concat(...THREE, late))
    expect(disk.copyOf(INDEX)).to.deep.equal(index)
    expect(disk.copyOf(TIME_INDEX)).to.deep.equal(timeIndex)
  })

  it('takes appends again, and is as if nothing had happened', async () => {
    const [disk, sound] = [await diskWithDir(), await diskWithDir()]
    await segmentOf(disk, THREE.slice(0, 2))
    disk.put(LOG, concat(THREE[0]!, THREE[1]!, THREE[2]!.subarray(0, 40)))
    const segment = await Segment.open(place(disk))
    await segment.recover()
    segment.append(THREE[2]!, 0, THREE[2]!.length)
    expect(await seen(segment)).to.deep.equal(await seen((await segmentOf(sound, THREE)).segment))
  })
})

describe('segment, read', () => {
  for (const indexIntervalBytes of [0, 100, 1e6]) {
    it(`returns whole batches within every bound, with an index entry every ${indexIntervalBytes} bytes`, async () => {
      const batches = chain({ records: 3 }, { records: 2 }, { records: 1 }, { records: 4 })
      const ends = [103, 105, 106, 110]
      const { segment, positions } = await segmentOf(await diskWithDir(), batches, { indexIntervalBytes })
      for (let offset = 100; offset < 110; offset++) {
        const first = ends.findIndex((end) => end > offset)
        expect(segment.positionOf(offset)).to.equal(positions[first])
        for (let endOffset = 100; endOffset <= 111; endOffset++) {
          for (const maxBytes of [0, 70, 90, 91, 160, 200, 300, 1e6]) {
            for (const atLeastOneBatch of [true, false]) {
              const fits = (upTo: number) => ends[upTo]! <= endOffset && ((atLeastOneBatch && upTo === first)
                || concat(...batches.slice(first, upTo + 1)).length <= maxBytes)
              let last = first
              while (last < 4 && fits(last)) last++
              const read = readNow(segment, { offset, endOffset, maxBytes, atLeastOneBatch })
              const asked = `${offset} to ${endOffset}, ${maxBytes} bytes, ${atLeastOneBatch}`
              expect(read.bytes, asked).to.deep.equal(concat(...batches.slice(first, last)))
              expect(read.nextOffset, asked).to.equal(last === first ? offset : ends[last - 1])
            }
          }
        }
      }
    })
  }

  it('goes to the batch behind a gap, and to nothing behind the end', async () => {
    const { segment } = await segmentOf(await diskWithDir(), [batch(110), batch(200)])
    expect(readNow(segment, { offset: 100, maxBytes: 1 })).to.deep.equal({ bytes: batch(110), nextOffset: 111 })
    expect(readNow(segment, { offset: 111 })).to.deep.equal({ bytes: batch(200), nextOffset: 201 })
    expect(readNow(segment, { offset: 201 })).to.deep.equal({ bytes: new Uint8Array(0), nextOffset: 201 })
    expect(segment.positionOf(201)).to.equal(segment.sizeBytes)
  })

  it('answers later when it is more than 64 KiB, with a buffer of the caller\'s', async () => {
    const batches = chain({ valueBytes: 50_000 }, { valueBytes: 50_000 })
    const { segment } = await segmentOf(await diskWithDir(), batches)
    expect(readNow(segment, { offset: 100, maxBytes: 60_000 }).bytes).to.deep.equal(batches[0])
    const read = segment.read({ ...ALL, offset: 100 })
    expect(read).to.be.instanceOf(Promise)
    const { bytes, nextOffset } = await read
    expect(nextOffset).to.equal(102)
    expect(Uint8Array.from(bytes)).to.deep.equal(concat(...batches))
    bytes.fill(0)
    expect(Uint8Array.from((await segment.read({ ...ALL, offset: 100 })).bytes)).to.deep.equal(concat(...batches))
  })

  it('does not return what was cut or closed while it read', async () => {
    const batches = chain({ valueBytes: 50_000 }, { valueBytes: 50_000 })
    const { segment } = await segmentOf(await diskWithDir(), batches)
    const underWay = segment.read({ ...ALL, offset: 100 })
    const cut = segment.truncateTo(101)
    expect((await underWay).nextOffset).to.equal(101)
    await cut
    const large = batch(101, { valueBytes: 90_000 })
    segment.append(large, 0, large.length)
    const last = segment.read({ ...ALL, offset: 100 })
    await segment.close()
    expect((await last).bytes).to.have.length(0)
    expect(readNow(segment, { offset: 100 }).bytes).to.have.length(0)
  })

  it('rejects with DiskError, and never throws, when the disk fails or the file is damaged', async () => {
    const disk = await diskWithDir()
    const { segment } = await segmentOf(disk, chain({ valueBytes: 50_000 }, { valueBytes: 50_000 }, {}))
    for (const maxBytes of [1000, 1e6]) {
      disk.failNext('read', /log$/, 'EIO')
      const error = await faultOf(Promise.resolve(segment.read({ ...ALL, maxBytes, offset: 100 })))
      expect(error).to.be.instanceOf(DiskError).with.property('code', 'EIO')
    }
    const file = await disk.open(LOG, { create: false })
    file.writeNow([new Uint8Array(20).fill(255)], segment.positionOf(101))
    for (const offset of [100, 101]) {
      const error = await faultOf(Promise.resolve(segment.read({ ...ALL, offset })))
      expect(error).to.be.instanceOf(DiskError).with.property('code', 'EBADMSG')
    }
  })

  it('rejects when the file is shorter than it was left', async () => {
    const disk = await diskWithDir()
    const { segment, positions } = await segmentOf(disk, chain({ valueBytes: 100_000 }, {}))
    const file = await disk.open(LOG, { create: false })
    await file.truncate(positions[1]! + 70)
    for (const offset of [100, 101]) {
      const error = await faultOf(Promise.resolve(segment.read({ ...ALL, offset })))
      expect(error).to.be.instanceOf(DiskError).with.property('code', 'EBADMSG')
    }
  })
})

describe('segment, look up by time', () => {
  for (const indexIntervalBytes of [0, 100, 1e6]) {
    it(`finds the first record as late, with an index entry every ${indexIntervalBytes} bytes`, async () => {
      const gzip = codecByName('gzip')
      const shapes = [{ records: 3, timestamp: 1000 }, { records: 3, timestamp: 900 },
        { records: 2, timestamp: 1500, codec: gzip }, { records: 3, timestamp: 1400 }, { records: 1, timestamp: -1 },
        { records: 3, timestamp: 1501 }]
      const { segment } = await segmentOf(await diskWithDir(), chain(...shapes), { indexIntervalBytes })
      const records = shapes.flatMap(({ records: count, timestamp }) =>
        Array.from({ length: count }, (_, index) => timestamp < 0 ? -1 : timestamp + index))
        .map((timestamp, index) => ({ offset: 100 + index, timestamp }))
      expect(segment).to.include({ largestTimestamp: 1503, offsetOfLargestTimestamp: 114 })
      for (let fromOffset = 99; fromOffset <= 116; fromOffset++) {
        for (const timestamp of records.flatMap((each) => [each.timestamp, each.timestamp + 1])) {
          const expected = records.find((each) => each.offset >= fromOffset && each.timestamp >= timestamp)
          expect(await segment.offsetForTimestamp(timestamp, fromOffset), `${timestamp} from ${fromOffset}`)
            .to.deep.equal(expected)
        }
      }
    })
  }

  it('does not find what was cut while it looked', async () => {
    const { segment } = await segmentOf(await diskWithDir(), THREE)
    const underWay = segment.offsetForTimestamp(2000, 0)
    await segment.truncateTo(105)
    expect(await underWay).to.equal(undefined)
  })

  it('takes the time of the append where the batch has it', async () => {
    const stamped = batch(100, { records: 3, timestamp: 50 })
    setLogAppendTime(stamped, 0, 7000)
    const { segment } = await segmentOf(await diskWithDir(), [stamped])
    expect(await segment.offsetForTimestamp(6000, 101)).to.deep.equal({ offset: 101, timestamp: 7000 })
  })
})

describe('segment, truncate', () => {
  for (const indexIntervalBytes of [0, 100, 1e6]) {
    it(`is as if the rest had never been, with an index entry every ${indexIntervalBytes} bytes`, async () => {
      const batches = chain({ records: 3, timestamp: 1000 }, { records: 2, timestamp: 1900 },
        { records: 1, timestamp: 950 }, { records: 4, timestamp: 2000 })
      const ends = [103, 105, 106, 110]
      for (let offset = 99; offset <= 111; offset++) {
        const [disk, sound] = [await diskWithDir(), await diskWithDir()]
        const { segment } = await segmentOf(disk, batches, { indexIntervalBytes })
        segment.sealIndexes()
        const kept = batches.filter((_, index) => ends[index]! <= offset)
        const expected = await segmentOf(sound, kept, { indexIntervalBytes })
        const removed = segment.sizeBytes - expected.segment.sizeBytes
        expect(await segment.truncateTo(offset)).to.equal(removed)
        expect(await seen(segment), `to ${offset}`).to.deep.equal(await seen(expected.segment))
        expect(disk.copyOf(LOG)).to.deep.equal(concat(...kept))
        const more = batch(200, { timestamp: 2010 })
        for (const each of [segment, expected.segment]) each.append(more, 0, more.length)
        expect(disk.copyOf(INDEX)).to.deep.equal(sound.copyOf(INDEX))
        expect(await seen(await Segment.open(place(disk)))).to.deep.equal(await seen(expected.segment))
      }
    })
  }

  it('takes no append while it runs', async () => {
    const { segment } = await segmentOf(await diskWithDir(), THREE)
    const cut = segment.truncateTo(103)
    expect(() => { segment.append(batch(103), 0, batch(103).length) }).to.throw(AssertionError)
    await cut
    segment.append(batch(103), 0, batch(103).length)
    expect(segment.nextOffset).to.equal(104)
  })
})

describe('segment, end', () => {
  it('reads on under its new names until it is removed', async () => {
    const disk = await diskWithDir()
    const { segment } = await segmentOf(disk, THREE)
    await segment.markDeleted()
    expect(await disk.list(DIR)).to.deep.equal([LOG, INDEX, TIME_INDEX].sort()
      .map((path) => `${path.slice(DIR.length + 1)}.deleted`))
    expect(segment.files().every((path) => path.endsWith('.deleted'))).to.equal(true)
    expect(readNow(segment, { offset: 100 }).nextOffset).to.equal(106)
    await segment.remove()
    await segment.remove()
    expect(await disk.list(DIR)).to.deep.equal([])
  })

  it('syncs its log and its indexes apart', async () => {
    const disk = await diskWithDir()
    await disk.syncDir('/')
    await disk.syncDir('/data')
    const { segment } = await segmentOf(disk, THREE)
    const durable = () => disk.view().filter((file) => file.durable).map(({ path }) => path)
    expect(durable()).to.deep.equal([])
    await segment.sync()
    expect(durable()).to.deep.equal([LOG])
    await segment.syncIndexes()
    expect(durable()).to.deep.equal([INDEX, LOG, TIME_INDEX])
  })
})

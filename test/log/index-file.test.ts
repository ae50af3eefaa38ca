// The two indexes of a segment: what is appended is found, survives, and what is garbage is named.

import { expect } from 'chai'

import { OffsetIndex, TimeIndex } from '../../broker/log/index-file.ts'
import { AssertionError } from '../../src/base/assert.ts'
import { writeInt32, writeInt64 } from '../../src/base/int64.ts'
import { DIR, diskWithDir } from './samples.ts'

const PATH = `${DIR}/x`
const BASE = 1000

function offsetEntries(...entries: readonly (readonly [number, number])[]): Uint8Array {
  const bytes = new Uint8Array(entries.length * 8)
  for (const [index, [relative, position]] of entries.entries()) {
    writeInt32(bytes, relative, index * 8)
    writeInt32(bytes, position, index * 8 + 4)
  }
  return bytes
}

function timeEntries(...entries: readonly (readonly [number, number])[]): Uint8Array {
  const bytes = new Uint8Array(entries.length * 12)
  for (const [index, [timestamp, relative]] of entries.entries()) {
    writeInt64(bytes, timestamp, index * 12)
    writeInt32(bytes, relative, index * 12 + 8)
  }
  return bytes
}

describe('offset index', () => {
  it('finds the last entry not above an offset, whatever the number of entries', async () => {
    const index = OffsetIndex.createNow(await diskWithDir(), PATH, BASE)
    expect(index.lookup(5000)).to.deep.equal({ offset: BASE, position: 0 })
    expect(index.positionAtOrAfter(BASE)).to.equal(undefined)
    for (let entry = 0; entry < 100; entry++) {
      index.append(BASE + 10 + entry * 10, 500 + entry * 100)
      const last = BASE + 10 + entry * 10
      expect(index.last).to.deep.equal({ offset: last, position: 500 + entry * 100 })
      expect(index.lookup(last)).to.deep.equal(index.last)
      expect(index.lookup(last + 1e6)).to.deep.equal(index.last)
      expect(index.lookup(last - 1).position).to.equal(entry === 0 ? 0 : 400 + entry * 100)
      expect(index.positionAtOrAfter(last)).to.equal(500 + entry * 100)
      expect(index.positionAtOrAfter(last + 1)).to.equal(undefined)
    }
    expect(index.positionAtOrAfter(BASE)).to.equal(500)
    expect(index.positionAtOrAfter(BASE + 11)).to.equal(600)
    expect(index.lookup(BASE + 9)).to.deep.equal({ offset: BASE, position: 0 })
    expect(index.sizeBytes).to.equal(800)
  })

  it('writes what Kafka reads, and reads it back', async () => {
    const disk = await diskWithDir()
    const index = OffsetIndex.createNow(disk, PATH, BASE)
    index.append(BASE + 3, 61)
    index.append(BASE + 0x7fffffff, 0xfffffff0)
    expect(disk.copyOf(PATH)).to.deep.equal(offsetEntries([3, 61], [0x7fffffff, -16]))
    const again = await OffsetIndex.open(disk, PATH, BASE)
    expect(again.sanity()).to.equal(undefined)
    expect(again.last).to.deep.equal({ offset: BASE + 0x7fffffff, position: 0xfffffff0 })
    expect(again.entries).to.equal(2)
  })

  it('refuses an entry that does not rise, or passes 31 bits', async () => {
    const index = OffsetIndex.createNow(await diskWithDir(), PATH, BASE)
    index.append(BASE + 5, 100)
    for (const [offset, position] of [[BASE + 5, 200], [BASE + 6, 100], [BASE + 2 ** 31, 200], [BASE + 6, 2 ** 32]]) {
      expect(() => { index.append(offset!, position!) }).to.throw(AssertionError)
    }
    expect(index.entries).to.equal(1)
  })

  it('drops entries from an offset on, also in the file', async () => {
    const disk = await diskWithDir()
    const index = OffsetIndex.createNow(disk, PATH, BASE)
    for (const relative of [10, 20, 30]) index.append(BASE + relative, relative * 10)
    await index.truncateTo(BASE + 20)
    expect(index.last.offset).to.equal(BASE + 10)
    expect(disk.copyOf(PATH)).to.deep.equal(offsetEntries([10, 100]))
    index.append(BASE + 25, 250)
    expect(disk.copyOf(PATH)).to.deep.equal(offsetEntries([10, 100], [25, 250]))
  })

  it('names what is wrong with a file, until it is cleared', async () => {
    const disk = await diskWithDir()
    const cases: readonly (readonly [Uint8Array, string])[] = [
      [new Uint8Array(13), 'no multiple of 8'],
      [offsetEntries([5, 10], [5, 20]), 'entry 1'],
      [offsetEntries([5, 10], [6, 10]), 'entry 1'],
      [offsetEntries([5, 10], [0, 0]), 'entry 1'],
      [offsetEntries([5, 10], [6, 990]), 'beyond the segment'],
      [offsetEntries([-1, 10]), 'beyond the segment']
    ]
    for (const [bytes, words] of cases) {
      disk.put(PATH, bytes)
      const index = await OffsetIndex.open(disk, PATH, BASE)
      expect(index.sanity(990)).to.contain(words)
      await index.clear()
      expect(index.sanity(990)).to.equal(undefined)
      expect(disk.copyOf(PATH)).to.have.length(0)
    }
  })
})

describe('time index', () => {
  it('finds the last entry not above a timestamp', async () => {
    const index = TimeIndex.createNow(await diskWithDir(), PATH, BASE)
    expect(index.lookup(5)).to.deep.equal({ timestamp: -1, offset: BASE })
    for (let entry = 0; entry < 50; entry++) index.append(100 + entry * 10, BASE + 1 + entry)
    expect(index.lookup(99)).to.deep.equal({ timestamp: -1, offset: BASE })
    expect(index.lookup(100)).to.deep.equal({ timestamp: 100, offset: BASE + 1 })
    expect(index.lookup(119)).to.deep.equal({ timestamp: 110, offset: BASE + 2 })
    expect(index.lookup(1e15)).to.deep.equal(index.last)
    expect(index.last).to.deep.equal({ timestamp: 590, offset: BASE + 50 })
    expect(index.sizeBytes).to.equal(600)
  })

  it('adds nothing when the time did not rise', async () => {
    const disk = await diskWithDir()
    const index = TimeIndex.createNow(disk, PATH, BASE)
    index.append(100, BASE + 1)
    index.append(100, BASE + 2)
    index.append(-1, BASE + 3)
    expect(disk.copyOf(PATH)).to.deep.equal(timeEntries([100, 1]))
    const again = await TimeIndex.open(disk, PATH, BASE)
    expect(again.last).to.deep.equal({ timestamp: 100, offset: BASE + 1 })
  })

  it('drops entries from an offset on, also in the file', async () => {
    const disk = await diskWithDir()
    const index = TimeIndex.createNow(disk, PATH, BASE)
    for (const relative of [10, 20, 30]) index.append(relative, BASE + relative)
    await index.truncateTo(BASE + 21)
    expect(index.entries).to.equal(2)
    index.append(25, BASE + 22)
    expect(disk.copyOf(PATH)).to.deep.equal(timeEntries([10, 10], [20, 20], [25, 22]))
  })

  it('names what is wrong with a file, until it is cleared', async () => {
    const disk = await diskWithDir()
    const cases: readonly (readonly [Uint8Array, string])[] = [
      [new Uint8Array(8), 'no multiple of 12'],
      [timeEntries([5, 10], [5, 20]), 'entry 1'],
      [timeEntries([5, 10], [6, 10]), 'entry 1'],
      [timeEntries([-5, 10]), 'entry 0'],
      [timeEntries([5, 50]), 'the segment ends at 1050'],
      [new Uint8Array(12).fill(0x7f), '2^53']
    ]
    for (const [bytes, words] of cases) {
      disk.put(PATH, bytes)
      const index = await TimeIndex.open(disk, PATH, BASE)
      expect(index.sanity(BASE + 50)).to.contain(words)
      await index.clear()
      expect(index.sanity(BASE + 50)).to.equal(undefined)
    }
  })
})

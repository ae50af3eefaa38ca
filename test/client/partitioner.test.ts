// Partitioner: the values of Kafka's own tests, and how records without a key spread.

import { expect } from 'chai'

import { murmur2, partitionForKey, StickyPartition } from '../../src/client/partitioner.ts'
import { fixedRandom } from './fake-world.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

describe('murmur2', () => {
  // org.apache.kafka.common.utils.UtilsTest.testMurmur2
  const GOLDENS: readonly (readonly [string, number])[] = [
    ['21', -973932308],
    ['foobar', -790332482],
    ['a-little-bit-long-string', -985981536],
    ['a-little-bit-longer-string', -1486304829],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
    ['abc', 479470107]
  ]

  for (const [text, hash] of GOLDENS) {
    it(`of ${text} is ${hash}`, () => {
      expect(murmur2(bytes(text))).to.equal(hash)
    })
  }

  it('chooses a partition with the sign bit cleared, not with the absolute value', () => {
    expect(partitionForKey(bytes('foobar'), 100)).to.equal((-790332482 & 0x7fffffff) % 100)
    expect(partitionForKey(bytes('abc'), 6)).to.equal(479470107 % 6)
  })

  it('takes an empty key', () => {
    expect(murmur2(new Uint8Array(0))).to.equal(275646681)
  })
})

describe('StickyPartition', () => {
  it('stays until the batch is closed, then takes another partition that has a leader', () => {
    const sticky = new StickyPartition(fixedRandom(1))
    const first = sticky.choose(() => [0, 2], 3)
    expect(first).to.be.oneOf([0, 2])
    for (let times = 0; times < 5; times++) expect(sticky.choose(() => [0, 2], 3)).to.equal(first)
    sticky.batchClosed(first, () => [0, 2], 3)
    expect(sticky.choose(() => [0, 2], 3)).to.equal(2 - first)
  })

  it('ignores the end of a batch of another partition', () => {
    const sticky = new StickyPartition(fixedRandom(1))
    const first = sticky.choose(() => [0, 1, 2], 3)
    sticky.batchClosed((first + 1) % 3, () => [0, 1, 2], 3)
    expect(sticky.choose(() => [0, 1, 2], 3)).to.equal(first)
  })

  it('takes any partition when none has a leader, and the only one when there is one', () => {
    const sticky = new StickyPartition(fixedRandom(1))
    expect(sticky.choose(() => [], 4)).to.be.within(0, 3)
    const only = new StickyPartition(fixedRandom(1))
    expect(only.choose(() => [3], 4)).to.equal(3)
    only.batchClosed(3, () => [3], 4)
    expect(only.choose(() => [3], 4)).to.equal(3)
  })
})

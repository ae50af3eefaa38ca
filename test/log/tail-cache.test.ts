// The cache of newest batches: whole batches, one budget for all logs, and never a hole.

import { expect } from 'chai'

import { TailBudget, TailCache } from '../../broker/log/tail-cache.ts'

const BATCH_BYTES = 6_000

/** One batch per offset; its bytes say which. */
function append(cache: TailCache, offset: number): void {
  cache.append(new Uint8Array(BATCH_BYTES).fill(offset), 0, BATCH_BYTES, offset, offset + 1)
}

function firstRead(cache: TailCache, offset: number): number | undefined {
  return cache.read({ offset, endOffset: 1_000, maxBytes: 1, atLeastOneBatch: true })?.bytes[0]
}

describe('tail cache', () => {
  it('reads any offset it holds, across chunks', () => {
    const cache = new TailCache(new TailBudget(10 * 2 ** 20))
    for (let offset = 0; offset < 50; offset++) append(cache, offset)
    for (let offset = 0; offset < 50; offset++) expect(firstRead(cache, offset)).to.equal(offset)
    expect(firstRead(cache, 50)).to.equal(undefined)
  })

  it('has no hole after a truncation and more appends', () => {
    for (let cut = 1; cut < 50; cut++) {
      const cache = new TailCache(new TailBudget(10 * 2 ** 20))
      for (let offset = 0; offset < 50; offset++) append(cache, offset)
      cache.truncateTo(cut)
      for (let offset = cut; offset < 60; offset++) append(cache, offset)
      for (let offset = 0; offset < 60; offset++) expect(firstRead(cache, offset)).to.be.oneOf([offset, undefined])
      expect(firstRead(cache, 59)).to.equal(59)
    }
  })

  it('keeps all logs together within the budget', () => {
    const budget = new TailBudget(200_000)
    const caches = [new TailCache(budget), new TailCache(budget), new TailCache(budget)]
    for (let offset = 0; offset < 100; offset++) {
      append(caches[offset % 3]!, offset)
      expect(budget.bytes).to.be.at.most(200_000)
    }
    expect(firstRead(caches[99 % 3]!, 99)).to.equal(99)
    for (const cache of caches) cache.clear()
    expect(budget.bytes).to.equal(0)
  })

  it('stops at the end offset and at the bytes asked for', () => {
    const cache = new TailCache(new TailBudget(10 * 2 ** 20))
    for (let offset = 0; offset < 3; offset++) append(cache, offset)
    const whole = { offset: 0, maxBytes: 10 * BATCH_BYTES, atLeastOneBatch: true }
    expect(cache.read({ ...whole, endOffset: 1 })).to.deep.include({ nextOffset: 1 })
    expect(cache.read({ ...whole, endOffset: 3, maxBytes: BATCH_BYTES - 1 })).to.deep.include({ nextOffset: 1 })
    const none = cache.read({ offset: 0, endOffset: 3, maxBytes: BATCH_BYTES - 1, atLeastOneBatch: false })
    expect(none?.bytes.length).to.equal(0)
  })
})

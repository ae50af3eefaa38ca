// Retention: which leading segments go, for each reason, and what holds them.

import { expect } from 'chai'

import { segmentsToDelete, type RetentionQuestion } from '../../broker/log/retention.ts'

/** Offsets 0-9, 10-19, 20-29 and, active, 30-39; 100 bytes each; largest timestamps 1000, 2000, 3000, 4000. */
const SEGMENTS = [0, 1, 2, 3].map((index) => ({
  baseOffset: index * 10, nextOffset: index * 10 + 10, sizeBytes: 100, largestTimestamp: (index + 1) * 1000 }))

function gone(more: Partial<RetentionQuestion>): number {
  return segmentsToDelete({ segments: SEGMENTS, retentionMs: -1, retentionBytes: -1, highWatermark: 40,
    logStartOffset: 0, nowMs: 5000, ...more })
}

describe('retention', () => {
  it('lets nothing go without a limit', () => {
    expect(gone({})).to.equal(0)
    expect(gone({ segments: [] })).to.equal(0)
  })

  it('lets go by age, to the millisecond, the active segment, too', () => {
    expect([4000, 3999, 3000, 2999, 1000, 999, 0].map((retentionMs) => gone({ retentionMs })))
      .to.deep.equal([0, 1, 1, 2, 3, 4, 4])
  })

  it('stops at the first that is young enough, and at clocks ahead', () => {
    const segments = SEGMENTS.map((segment, index) => index === 1 ? { ...segment, largestTimestamp: 1e15 } : segment)
    expect(gone({ segments, retentionMs: 0 })).to.equal(1)
  })

  it('keeps what has no timestamp from going by age', () => {
    const segments = SEGMENTS.map((segment) => ({ ...segment, largestTimestamp: -1 }))
    expect(gone({ segments, retentionMs: 0 })).to.equal(0)
    expect(gone({ segments, retentionMs: 0, retentionBytes: 0 })).to.equal(4)
  })

  it('lets go by size as long as the limit is still there', () => {
    expect([400, 399, 301, 300, 299, 200, 1, 0].map((retentionBytes) => gone({ retentionBytes })))
      .to.deep.equal([0, 0, 0, 1, 1, 2, 3, 4])
  })

  it('lets go what lies before the log start, but not the active segment', () => {
    expect([0, 9, 10, 19, 20, 30, 39, 40].map((logStartOffset) => gone({ logStartOffset })))
      .to.deep.equal([0, 0, 1, 1, 2, 3, 3, 3])
  })

  it('takes the reasons together', () => {
    expect(gone({ logStartOffset: 10, retentionBytes: 200 })).to.equal(2)
    expect(gone({ logStartOffset: 10, retentionBytes: 300, retentionMs: 2500 })).to.equal(2)
  })

  it('keeps every record at or behind the high watermark', () => {
    const all = { retentionMs: 0, retentionBytes: 0, logStartOffset: 40 }
    expect([0, 9, 10, 29, 30, 39, 40].map((highWatermark) => gone({ ...all, highWatermark })))
      .to.deep.equal([0, 0, 1, 2, 3, 3, 4])
  })

  it('keeps an empty active segment', () => {
    const empty = { baseOffset: 40, nextOffset: 40, sizeBytes: 0, largestTimestamp: -1 }
    expect(gone({ segments: [...SEGMENTS, empty], retentionMs: 0, retentionBytes: 0 })).to.equal(4)
    expect(gone({ segments: [empty], retentionMs: 0, retentionBytes: 0 })).to.equal(0)
  })
})

// Retention at work on a log: what goes, when its files go, and who may still read them.

import { expect } from 'chai'

import { Flusher } from '../../broker/log/flusher.ts'
import type { LogConfig } from '../../broker/log/log-config.ts'
import type { PartitionLog } from '../../broker/log/partition-log.ts'
import { TailBudget } from '../../broker/log/tail-cache.ts'
import { logBench, outline, readAll, type Bench } from './bench.ts'
import { batch, DIR } from './samples.ts'

const BATCH_BYTES = batch(0).length
const DELAY_MS = 5_000

/** Two batches in each segment; batch n has the time `n` s before now less its place. All committed. */
async function filled(
  config: Partial<LogConfig>, count = 9): Promise<{ readonly bench: Bench; readonly log: PartitionLog }> {
  const bench = await logBench({ tailBudget: new TailBudget(0) })
  const log = await bench.open({}, { segmentBytes: 2 * BATCH_BYTES, fileDeleteDelayMs: DELAY_MS, ...config })
  for (let index = 0; index < count; index++) {
    log.append(batch(0, { timestamp: bench.time.wallMs() - (count - index) * 1_000 }), index)
  }
  log.setHighWatermark(log.logEndOffset)
  return { bench, log }
}

function names(bench: Bench, suffix: string): number[] {
  return bench.disk.view().map(({ path }) => path.slice(DIR.length + 1)).filter((name) => name.endsWith(suffix))
    .map((name) => Number(name.slice(0, 20)))
}

describe('retention of a partition log', () => {
  it('by time, by size, by log start', async () => {
    const cases: readonly (readonly [string, Partial<LogConfig>, number, number])[] = [
      ['nothing', {}, 0, 0],
      ['time', { retentionMs: 4_500 }, 0, 4],
      ['size', { retentionBytes: 3 * BATCH_BYTES }, 0, 6],
      ['size, to the byte', { retentionBytes: 5 * BATCH_BYTES }, 0, 4],
      ['log start', {}, 5, 5],
      ['log start at a segment', {}, 4, 4],
      ['the one that takes more', { retentionMs: 4_500, retentionBytes: 3 * BATCH_BYTES }, 1, 6]
    ]
    for (const [what, config, start, expected] of cases) {
      const { bench, log } = await filled(config)
      log.deleteRecordsBefore(start)
      await log.applyRetention()
      expect([log.logStartOffset, log.logEndOffset], what).to.deep.equal([expected, 9])
      const base = 2 * Math.floor(expected / 2)
      expect(names(bench, '.log')[0], what).to.equal(base)
      expect(names(bench, '.log.deleted'), what).to.deep.equal([0, 2, 4, 6].filter((one) => one < base))
      expect(log.endOffsetFor(expected)?.endOffset, what).to.equal(expected + 1)
      expect(outline(await readAll(log, base)).startsWith(`${base}-${base}@${base}`), what).to.equal(true)
    }
  })

  it('keeps what is not committed', async () => {
    const { bench, log } = await filled({ retentionMs: 0 })
    const again = await (await log.close(), bench.open({ highWatermark: 5, recoveryPoint: 9 }, {
      segmentBytes: 2 * BATCH_BYTES, retentionMs: 0 }))
    await again.applyRetention()
    expect([again.logStartOffset, again.highWatermark]).to.deep.equal([4, 5])
  })

  it('lets everything go, and keeps an empty segment for what comes', async () => {
    const { bench, log } = await filled({ retentionMs: 0 })
    await bench.time.advance(10)
    await log.applyRetention()
    expect([log.logStartOffset, log.logEndOffset, log.sizeBytes]).to.deep.equal([9, 9, 0])
    expect(names(bench, '.log')).to.deep.equal([9])
    for (let round = 0; round < 3; round++) {
      await bench.time.advance(DELAY_MS)
      await log.applyRetention()
    }
    expect(names(bench, '.log'), 'an empty active segment stays').to.deep.equal([9])
    expect(names(bench, '.deleted')).to.deep.equal([])
    expect(log.append(batch(0), 9)).to.deep.include({ ok: true })
    await log.close()
    const again = await bench.open({ recoveryPoint: 10, logStartOffset: 9 })
    expect([again.logStartOffset, outline(await readAll(again))]).to.deep.equal([9, '9-9@9'])
  })

  it('removes the files after the delay, the newest old snapshot stays', async () => {
    const { bench, log } = await filled({ retentionBytes: 3 * BATCH_BYTES })
    await log.applyRetention()
    expect(names(bench, '.deleted').length).to.equal(9)
    await bench.time.advance(DELAY_MS - 1)
    expect(names(bench, '.deleted').length).to.equal(9)
    await bench.time.advance(1)
    expect(names(bench, '.deleted')).to.deep.equal([])
    expect(names(bench, '.log')).to.deep.equal([6, 8])
    expect(names(bench, '.snapshot')).to.deep.equal([4, 6, 8])
    expect(bench.time.pending).to.equal(0)
  })

  it('a read under way finishes, before and after the files are gone', async () => {
    const bench = await logBench({ tailBudget: new TailBudget(0) })
    const large = { valueBytes: 100_000 }
    const log = await bench.open({}, { segmentBytes: 150_000, fileDeleteDelayMs: DELAY_MS, retentionBytes: 0 })
    for (let count = 0; count < 3; count++) log.append(batch(0, large), 0)
    log.setHighWatermark(2)
    const wanted = { offset: 0, endOffset: 3, maxBytes: 200_000, atLeastOneBatch: true }
    const before = log.read(wanted)
    expect(before).to.be.instanceOf(Promise)
    const retained = log.applyRetention()
    expect((await before).nextOffset).to.equal(1)
    await retained
    expect(log.logStartOffset).to.equal(2)
    expect(outline((await log.read({ ...wanted, offset: 2 })).bytes)).to.equal('2-2@0')
    await bench.time.advance(DELAY_MS)
    expect(log.offline).to.equal(false)
  })

  it('nobody syncs a segment that is gone', async () => {
    const bench = await logBench({ flusher: new Flusher(0) })
    const log = await bench.open({}, { segmentBytes: 2 * BATCH_BYTES, fileDeleteDelayMs: 0, retentionBytes: 0 })
    for (let count = 0; count < 5; count++) log.append(batch(0), 0)
    log.setHighWatermark(3)
    await log.applyRetention()
    await bench.time.advance(0)
    expect(names(bench, '.log')).to.deep.equal([2, 4])
    await log.flushNow()
    expect([log.offline, log.flushedOffset]).to.deep.equal([false, 5])
    for (let count = 0; count < 5; count++) log.append(batch(0), 0)
    await log.truncateTo(5)
    await log.flushNow()
    expect([log.offline, log.flushedOffset]).to.deep.equal([false, 5])
  })

  it('goes on after a kill between renaming and removing', async () => {
    const { bench, log } = await filled({ retentionBytes: 3 * BATCH_BYTES })
    await log.applyRetention()
    const again = await bench.open({ recoveryPoint: 0 }, { segmentBytes: 2 * BATCH_BYTES })
    expect([again.logStartOffset, again.logEndOffset]).to.deep.equal([6, 9])
    expect(names(bench, '.deleted')).to.deep.equal([])
    expect(bench.metrics.lost).to.equal(0)
  })

  it('removes at a close what waits, and starts no timers after it', async () => {
    const { bench, log } = await filled({ retentionBytes: 3 * BATCH_BYTES })
    await log.applyRetention()
    await log.close()
    expect(names(bench, '.deleted')).to.deep.equal([])
    expect(bench.time.pending).to.equal(0)
  })

  it('a file that cannot be removed is told, and left to the next start', async () => {
    const { bench, log } = await filled({ retentionBytes: 3 * BATCH_BYTES })
    await log.applyRetention()
    bench.disk.failNext('remove', /00\.log\.deleted$/, 'EIO')
    await bench.time.advance(DELAY_MS)
    expect(bench.logger.texts('warn')).to.deep.equal(['a deleted segment could not be removed'])
    expect(log.offline).to.equal(false)
    await bench.open()
    expect(names(bench, '.deleted')).to.deep.equal([])
  })
})

// One partition's log in its normal life: append, roll, read, close, open.

import { expect } from 'chai'

import type { PartitionLog } from '../../broker/log/partition-log.ts'
import { TailBudget } from '../../broker/log/tail-cache.ts'
import { errorName } from '../../src/base/error-code.ts'
import { baseOffset, partitionLeaderEpoch } from '../../src/records/batch.ts'
import { buildControlBatch } from '../../src/records/builder.ts'
import { seeded } from '../support/numbers.ts'
import { CLEAN, endsOf, logBench, outline, rawLog, readAll, split, UNCLEAN, type Bench } from './bench.ts'
import { batch, concat, DIR, type BatchShape } from './samples.ts'

const BATCH_BYTES = batch(0).length

function logFiles({ disk }: Bench): string[] {
  return disk.view().map(({ path }) => path).filter((path) => path.endsWith('.log'))
    .map((path) => String(Number(path.slice(DIR.length + 1, -4))))
}

/** Appends as leader; what was answered, or the name of the refusal. */
function append(log: PartitionLog, shape: BatchShape = {}, epoch = 0): string {
  const result = log.append(batch(0, shape), epoch)
  return result.ok ? `${result.value.baseOffset}-${result.value.lastOffset}` : errorName(result.fault.code)
}

function sequence(first: number, records = 1, more: BatchShape = {}): BatchShape {
  return { producerId: 9, producerEpoch: 0, baseSequence: first, records, ...more }
}

describe('partition log, append', () => {
  it('gives offsets and the leader epoch, and moves the end', async () => {
    const bench = await logBench()
    const log = await bench.open()
    expect([log.logStartOffset, log.logEndOffset, log.lastLeaderEpoch]).to.deep.equal([0, 0, -1])
    expect(append(log, { records: 3 }, 4)).to.equal('0-2')
    expect(append(log, {}, 5)).to.equal('3-3')
    expect([log.logEndOffset, log.lastLeaderEpoch, log.flushedOffset]).to.deep.equal([4, 5, 0])
    expect(outline(rawLog(bench.disk))).to.equal('0-2@4 3-3@5')
    expect(log.endOffsetFor(4)).to.deep.equal({ epoch: 4, endOffset: 3 })
  })

  it('stamps the time of the append when the topic says so, and repeats it for a duplicate', async () => {
    const bench = await logBench()
    const log = await bench.open({}, { messageTimestampType: 'LogAppendTime' })
    const firstMs = bench.time.wallMs()
    const once = log.append(batch(0, sequence(0)), 0)
    await bench.time.advance(5)
    expect(log.append(batch(0, sequence(0)), 0)).to.deep.equal(once)
    expect(once).to.deep.equal({ ok: true, value: { baseOffset: 0, lastOffset: 0, logAppendTimeMs: firstMs } })
    expect(await log.offsetForTimestamp(firstMs)).to.deep.equal({ offset: 0, timestamp: firstMs, leaderEpoch: 0 })
  })

  it('refuses a batch larger than a segment', async () => {
    const bench = await logBench()
    const log = await bench.open({}, { segmentBytes: BATCH_BYTES - 1 })
    const result = log.append(batch(0), 0)
    expect(result.ok ? '' : result.fault.message).to.contain(`segment.bytes=${BATCH_BYTES - 1}`)
    expect(log.logEndOffset).to.equal(0)
  })

  it('takes a leader\'s batches as they are, all or none', async () => {
    const bench = await logBench()
    const log = await bench.open()
    expect(log.appendReplicated(concat(batch(0, { records: 2, leaderEpoch: 3 }), batch(2, { leaderEpoch: 7 }))).ok)
      .to.equal(true)
    const damaged = batch(5)
    damaged[damaged.length - 1]! ^= 1
    const refused: readonly (readonly [string, Uint8Array])[] = [
      ['CORRUPT_MESSAGE', concat(batch(3), batch(4), damaged)],
      ['CORRUPT_MESSAGE', concat(batch(3), batch(4).subarray(0, 70))],
      ['CORRUPT_MESSAGE', concat(batch(3), batch(4).subarray(0, 20))],
      ['OFFSET_OUT_OF_RANGE', batch(2)],
      ['OFFSET_OUT_OF_RANGE', concat(batch(3), batch(3))],
      ['OFFSET_OUT_OF_RANGE', batch(3 + 2 ** 31)]
    ]
    for (const [name, bytes] of refused) {
      const result = log.appendReplicated(bytes)
      expect(result.ok ? 'taken' : errorName(result.fault.code)).to.equal(name)
    }
    const beyond = batch(3)
    beyond.fill(0xff, 0, 8)
    expect(log.appendReplicated(beyond).ok).to.equal(false)
    expect(log.appendReplicated(new Uint8Array(0)).ok).to.equal(true)
    expect(outline(rawLog(bench.disk))).to.equal('0-1@3 2-2@7')
    expect([log.logEndOffset, log.lastLeaderEpoch, log.offline]).to.deep.equal([3, 7, false])
  })

  it('takes nothing once it is closed', async () => {
    const bench = await logBench()
    const log = await bench.open()
    append(log)
    const closing = log.close()
    expect(append(log)).to.equal('KAFKA_STORAGE_ERROR')
    expect(log.appendReplicated(batch(1)).ok).to.equal(false)
    expect(await closing).to.equal(true)
    expect(append(log)).to.equal('KAFKA_STORAGE_ERROR')
    await log.truncateTo(0)
    await log.beginEpoch(9)
    await log.applyRetention()
    expect(outline(rawLog(bench.disk))).to.equal('0-0@0')
    expect(bench.metrics.offline).to.equal(0)
    expect(bench.disk.view().every(({ durable }) => durable)).to.equal(true)
  })
})

describe('partition log, roll', () => {
  it('by bytes: a segment is never larger than segment.bytes', async () => {
    const bench = await logBench()
    const log = await bench.open({}, { segmentBytes: 3 * BATCH_BYTES })
    for (let count = 0; count < 7; count++) append(log)
    expect(logFiles(bench)).to.deep.equal(['0', '3', '6'])
    expect(log.sizeBytes).to.equal(7 * BATCH_BYTES)
  })

  it('by time: the span of a segment is at most segment.ms, by the timestamps in it', async () => {
    const bench = await logBench()
    const log = await bench.open({}, { segmentMs: 100 })
    for (const timestamp of [1000, 1100, 1101, 900, 1201, 1202, -1]) append(log, { timestamp })
    expect(logFiles(bench)).to.deep.equal(['0', '2', '5'])
  })

  it('by index: when an index could not take one more entry', async () => {
    const bench = await logBench()
    const log = await bench.open({}, { segmentIndexBytes: 3 * 12 })
    for (let count = 0; count < 7; count++) append(log, { timestamp: 1000 + count })
    for (const { path, size } of bench.disk.view()) if (path.endsWith('index')) expect(size, path).to.be.at.most(36)
    expect(logFiles(bench)).to.deep.equal(['0', '3', '6'])
  })

  it('by offset: when a relative offset would not fit 31 bits', async () => {
    const bench = await logBench()
    const log = await bench.open()
    for (const offset of [0, 2 ** 31 - 1, 2 ** 31]) expect(log.appendReplicated(batch(offset)).ok).to.equal(true)
    expect(logFiles(bench)).to.deep.equal(['0', String(2 ** 31)])
    expect(outline(await readAll(log))).to.equal(`0-0@0 ${2 ** 31 - 1}-${2 ** 31 - 1}@0 ${2 ** 31}-${2 ** 31}@0`)
  })

  it('begins the next segment where the log ends, so that a hole between segments is always damage', async () => {
    const bench = await logBench()
    const log = await bench.open({}, { segmentBytes: BATCH_BYTES })
    log.appendReplicated(batch(0))
    log.appendReplicated(batch(10))
    expect(logFiles(bench)).to.deep.equal(['0', '1'])
    await log.close()
    const again = await bench.open()
    expect(outline(await readAll(again))).to.equal('0-0@0 10-10@0')
    expect(bench.logger.texts('warn')).to.deep.equal([])
  })

  it('goes on in the last segment after a clean stop', async () => {
    const bench = await logBench()
    const log = await bench.open({}, { segmentBytes: 3 * BATCH_BYTES })
    for (let count = 0; count < 4; count++) append(log)
    await log.close()
    const again = await bench.open(CLEAN, { segmentBytes: 3 * BATCH_BYTES })
    for (let count = 0; count < 3; count++) append(again)
    expect(logFiles(bench)).to.deep.equal(['0', '3', '6'])
  })
})

describe('partition log, read', () => {
  it('gives the same bytes from memory and from files, whole batches, from any offset', async () => {
    const random = seeded(3)
    const bench = await logBench()
    let log = await bench.open({}, { segmentBytes: 2_000, indexIntervalBytes: 300 })
    for (let count = 0; count < 60; count++) {
      append(log, { records: 1 + Math.floor(random() * 4), valueBytes: Math.floor(random() * 200) }, count >> 4)
    }
    const raw = split(rawLog(bench.disk))
    expect(logFiles(bench).length).to.be.above(5)
    for (const where of ['memory', 'files']) {
      for (let offset = 0; offset < log.logEndOffset; offset++) {
        const expected = raw.slice(raw.findLastIndex((bytes) => baseOffset(bytes) <= offset))
        const got = await readAll(log, offset, 1 + offset * 7)
        expect(Buffer.compare(got, concat(...expected)), `from ${offset}, ${where}`).to.equal(0)
      }
      if (where === 'files') break
      await log.close()
      log = await bench.open(CLEAN)
    }
  })

  it('ends before the end offset, and at the bytes asked for', async () => {
    for (const cacheBytes of [2 ** 20, 0]) {
      const bench = await logBench({ tailBudget: new TailBudget(cacheBytes) })
      const log = await bench.open({}, { segmentBytes: 4 * BATCH_BYTES })
      for (let count = 0; count < 6; count++) append(log)
      const read = async (offset: number, endOffset: number, maxBytes: number, atLeastOneBatch = true) => {
        const { bytes, nextOffset } = await log.read({ offset, endOffset, maxBytes, atLeastOneBatch })
        return [outline(bytes), nextOffset]
      }
      expect(await read(1, 3, 10_000)).to.deep.equal(['1-1@0 2-2@0', 3])
      expect(await read(1, 6, 2 * BATCH_BYTES + 1)).to.deep.equal(['1-1@0 2-2@0', 3])
      expect(await read(1, 6, 1)).to.deep.equal(['1-1@0', 2])
      expect(await read(1, 6, 1, false)).to.deep.equal(['', 1])
      expect(await read(6, 9, 10_000)).to.deep.equal(['', 6])
      expect(await read(3, 3, 10_000)).to.deep.equal(['', 3])
      expect(await read(4, 100, 10_000)).to.deep.equal(['4-4@0 5-5@0', 6])
    }
  })

  it('finds the first record of a time, in whatever segment, and the first with the largest time', async () => {
    const bench = await logBench()
    const log = await bench.open({}, { segmentBytes: 2 * BATCH_BYTES })
    expect(await log.offsetOfMaxTimestamp()).to.equal(undefined)
    for (const timestamp of [100, 300, 200, 500, 500]) append(log, { timestamp }, timestamp < 500 ? 1 : 2)
    const at = async (timestamp: number) => (await log.offsetForTimestamp(timestamp))?.offset
    expect([await at(0), await at(101), await at(300), await at(301), await at(501)])
      .to.deep.equal([0, 1, 1, 3, undefined])
    expect(await log.offsetOfMaxTimestamp()).to.deep.equal({ offset: 3, timestamp: 500, leaderEpoch: 2 })
    log.deleteRecordsBefore(2)
    expect(await at(0)).to.equal(2)
  })
})

describe('partition log, idempotence', () => {
  const SENT = [0, 1, 2, 3, 4, 5, 6].map((first) => sequence(2 * first, 2))

  /** Appends all of it, then expects five duplicates, two gaps, and the one before the window refused. */
  function expectKnown(log: PartitionLog, why: string): void {
    const end = log.logEndOffset
    for (const [index, shape] of SENT.entries()) {
      const expected = index < 2 ? 'OUT_OF_ORDER_SEQUENCE_NUMBER' : `${2 * index}-${2 * index + 1}`
      expect(append(log, shape), `${why}, batch ${index}`).to.equal(expected)
    }
    expect(append(log, sequence(15)), why).to.equal('OUT_OF_ORDER_SEQUENCE_NUMBER')
    expect(append(log, { ...sequence(1), producerId: 10 }), why).to.equal('UNKNOWN_PRODUCER_ID')
    expect(log.logEndOffset, why).to.equal(end)
  }

  const segmentBytes = 2 * batch(0, SENT[0]).length

  it('answers duplicates with the old offsets and refuses gaps, across rolls', async () => {
    const bench = await logBench()
    const log = await bench.open({}, { segmentBytes })
    for (const [index, shape] of SENT.entries()) {
      expect(append(log, shape)).to.equal(`${2 * index}-${2 * index + 1}`)
      expect(append(log, shape)).to.equal(`${2 * index}-${2 * index + 1}`)
    }
    expectKnown(log, 'live')
    expect(logFiles(bench)).to.deep.equal(['0', '4', '8', '12'])
  })

  for (const [why, hints] of [['clean', { ...CLEAN, recoveryPoint: 14 }], ['unclean', UNCLEAN],
    ['unclean, half of it durable', { ...UNCLEAN, recoveryPoint: 9 }]] as const) {
    it(`knows as much after a ${why} open`, async () => {
      const bench = await logBench()
      const log = await bench.open({}, { segmentBytes })
      for (const shape of SENT) append(log, shape)
      await log.close()
      expectKnown(await bench.open(hints, { segmentBytes }), why)
    })
  }

  it('forgets with a truncation what was cut, and that only', async () => {
    const bench = await logBench()
    const log = await bench.open({}, { segmentBytes })
    for (const shape of SENT) append(log, shape)
    for (const [cut, index] of [[13, 6], [8, 4], [6, 3]] as const) {
      await log.truncateTo(cut)
      expect(log.logEndOffset).to.equal(2 * index)
      const known = SENT.slice(Math.max(0, index - 5), index)
      expect(known.map((shape) => append(log, shape))).to.deep.equal(
        known.map(({ baseSequence }) => `${baseSequence}-${baseSequence! + 1}`))
      expect(append(log, sequence(2 * index + 2, 2))).to.equal('OUT_OF_ORDER_SEQUENCE_NUMBER')
    }
    for (const shape of SENT.slice(3)) append(log, shape)
    expectKnown(log, 'again')
  })

  it('does not take a snapshot of what was cut for the state of what came instead', async () => {
    const bench = await logBench()
    const log = await bench.open({}, { segmentBytes })
    for (const shape of SENT) append(log, shape)
    await log.truncateTo(4)
    for (let count = 0; count < 8; count++) append(log, { ...sequence(2 * count, 2), producerId: 11 })
    await log.close()
    const again = await bench.open({ ...CLEAN, recoveryPoint: 20 }, { segmentBytes })
    expect(append(again, SENT[2])).to.equal('20-21')
  })

  it('knows nothing of a log that was begun anew elsewhere, also after the next start', async () => {
    const bench = await logBench()
    const log = await bench.open({}, { segmentBytes })
    for (const shape of SENT) append(log, shape)
    await log.truncateFullyAndStartAt(100)
    expect(append(log, SENT[6])).to.equal('UNKNOWN_PRODUCER_ID')
    await log.close()
    const again = await bench.open({ ...CLEAN, recoveryPoint: 100 }, { segmentBytes })
    expect([again.logStartOffset, again.logEndOffset]).to.deep.equal([100, 100])
    expect(append(again, SENT[6])).to.equal('UNKNOWN_PRODUCER_ID')
  })

  it('expires silent producers with retention', async () => {
    const bench = await logBench()
    const log = await bench.open({}, { producerIdExpirationMs: 1_000 })
    append(log, SENT[0])
    await bench.time.advance(900)
    await log.applyRetention()
    expect(append(log, SENT[0])).to.equal('0-1')
    await bench.time.advance(200)
    await log.applyRetention()
    expect(append(log, SENT[1])).to.equal('UNKNOWN_PRODUCER_ID')
  })

  it('lets control batches by', async () => {
    const bench = await logBench()
    const log = await bench.open()
    append(log, SENT[0])
    const marker = buildControlBatch({
      type: 'COMMIT', producerId: 9, producerEpoch: 1, coordinatorEpoch: 0, timestamp: 5 })
    expect(log.append(marker, 3).ok).to.equal(true)
    expect(partitionLeaderEpoch(marker)).to.equal(3)
    expect(append(log, SENT[1])).to.equal('INVALID_PRODUCER_EPOCH')
  })
})

describe('partition log, truncation and epochs', () => {
  it('drops every batch with a record at or behind the offset', async () => {
    for (let cut = 0; cut <= 16; cut++) {
      const bench = await logBench()
      const log = await bench.open({}, { segmentBytes: 2 * batch(0, { records: 3 }).length })
      for (let count = 0; count < 5; count++) append(log, { records: 3 }, count)
      const before = rawLog(bench.disk)
      log.setHighWatermark(9)
      await log.truncateTo(cut)
      const end = Math.min(3 * Math.floor(cut / 3), 15)
      expect([log.logEndOffset, log.highWatermark, log.lastLeaderEpoch], `cut ${cut}`)
        .to.deep.equal([end, Math.min(9, end), Math.ceil(end / 3) - 1])
      expect(await readAll(log)).to.deep.equal(concat(...split(before).slice(0, end / 3)))
      expect(rawLog(bench.disk)).to.deep.equal(await readAll(log))
      expect(append(log, { records: 3 }, 9)).to.equal(`${end}-${end + 2}`)
      expect(await readAll(log)).to.deep.equal(rawLog(bench.disk))
    }
  })

  it('an epoch begins where the log ends, on disk before it counts, and goes when nothing came of it', async () => {
    const bench = await logBench()
    const log = await bench.open()
    append(log, {}, 1)
    await log.beginEpoch(5)
    expect(endsOf((epoch) => log.endOffsetFor(epoch), 6))
      .to.deep.equal(['0 ends at 0', '1 ends at 1', '1 ends at 1', '1 ends at 1', '1 ends at 1', '5 ends at 1', 'none'])
    bench.disk.losePower()
    expect(Buffer.from(bench.disk.copyOf(`${DIR}/leader-epoch-checkpoint`)).toString()).to.equal('0\n2\n1 0\n5 1\n')
    const again = await bench.open()
    expect([again.logEndOffset, again.lastLeaderEpoch]).to.deep.equal([0, -1])
    await again.beginEpoch(6)
    expect(again.lastLeaderEpoch).to.equal(6)
    await again.truncateTo(0)
    expect(again.lastLeaderEpoch).to.equal(-1)
  })

  it('writes down that an epoch was cut, also when what comes instead is of an older one', async () => {
    const bench = await logBench()
    const log = await bench.open()
    for (const epoch of [1, 1, 2, 2]) append(log, {}, epoch)
    await log.flushNow()
    await log.truncateTo(2)
    for (const offset of [2, 3, 4]) log.appendReplicated(batch(offset, { leaderEpoch: 1 }))
    await log.close()
    const again = await bench.open({ ...CLEAN, recoveryPoint: 5 })
    expect([again.lastLeaderEpoch, again.endOffsetFor(1)]).to.deep.equal([1, { epoch: 1, endOffset: 5 }])
  })

  it('gives its memory back when it is cut, begun anew, offline or closed', async () => {
    const ends: readonly ((log: PartitionLog, bench: Bench) => Promise<unknown>)[] = [
      (log) => log.truncateTo(1), (log) => log.truncateFullyAndStartAt(90), (log) => log.close(),
      (log) => log.abandon(), (log, { disk }) => { disk.failNext('sync', /./, 'EIO'); return log.flushNow() }]
    for (const end of ends) {
      const bench = await logBench()
      const log = await bench.open()
      append(log)
      append(log)
      expect(bench.needs.tailBudget.bytes).to.be.above(0)
      await end(log, bench)
      expect(bench.needs.tailBudget.bytes).to.equal(0)
    }
  })

  it('begins anew behind its end', async () => {
    const bench = await logBench()
    const log = await bench.open({}, { segmentBytes: BATCH_BYTES })
    for (let count = 0; count < 4; count++) append(log, {}, 2)
    await log.truncateFullyAndStartAt(50)
    expect([log.logStartOffset, log.logEndOffset, log.flushedOffset, log.highWatermark, log.lastLeaderEpoch])
      .to.deep.equal([50, 50, 50, 50, -1])
    expect(logFiles(bench)).to.deep.equal(['50'])
    log.appendReplicated(batch(50, { leaderEpoch: 3 }))
    await log.close()
    const again = await bench.open({ clean: false, recoveryPoint: 4 })
    expect([again.logStartOffset, outline(await readAll(again))]).to.deep.equal([50, '50-50@3'])
    expect(bench.metrics.lost).to.equal(0)
  })

  it('a batch that goes whole may have begun before the log start', async () => {
    const bench = await logBench()
    const log = await bench.open()
    for (let count = 0; count < 3; count++) append(log, { records: 4 })
    log.setHighWatermark(12)
    log.deleteRecordsBefore(6)
    await log.truncateTo(6)
    expect([log.logStartOffset, log.logEndOffset, log.highWatermark]).to.deep.equal([4, 4, 4])
    await log.truncateFullyAndStartAt(6)
    expect(append(log)).to.equal('6-6')
  })
})

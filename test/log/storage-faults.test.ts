// A disk that fails takes the log offline, that log only, and says so once.

import { expect } from 'chai'

import type { PartitionLog } from '../../broker/log/partition-log.ts'
import { Flusher } from '../../broker/log/flusher.ts'
import { TailBudget } from '../../broker/log/tail-cache.ts'
import { errorName } from '../../src/base/error-code.ts'
import { DiskError } from '../../src/ports.ts'
import type { DiskOperation } from '../../src/testing/memory-disk.ts'
import { failureOf } from '../support/failures.ts'
import { logBench, orders, outline, rawLog, readAll, split, dirBench } from './bench.ts'
import { batch, type BatchShape } from './samples.ts'

const BATCH_BYTES = batch(0).length
const LOGGED = 'partition log is offline until the next start'

function append(log: PartitionLog, shape: BatchShape = {}, epoch = 0): string {
  const result = log.append(batch(0, shape), epoch)
  return result.ok ? String(result.value.baseOffset) : errorName(result.fault.code)
}

function roll(log: PartitionLog): void {
  append(log)
  append(log)
}

/** A log with three batches, two of them flushed, that counts how often it says it went offline. */
async function offlineBench(more: { readonly cacheBytes?: number } = {}) {
  const bench = await logBench({
    tailBudget: new TailBudget(more.cacheBytes ?? 2 ** 20), flusher: new Flusher(1) })
  const log = await bench.open({}, { segmentBytes: 4 * BATCH_BYTES, fileDeleteDelayMs: 10, retentionBytes: 0 })
  const seen = { offline: 0 }
  log.onOffline = () => { seen.offline++ }
  append(log)
  append(log)
  await log.flushNow()
  append(log)
  return { bench, log, seen }
}

async function expectOffline(
  { bench, log, seen }: Awaited<ReturnType<typeof offlineBench>>, why: string, code = 'EIO'): Promise<void> {
  expect([log.offline, seen.offline, bench.metrics.offline], why).to.deep.equal([true, 1, 1])
  const told = bench.logger.lines.filter(({ text }) => text === LOGGED)
  expect(told.map(({ level, fields }) => [level, fields.topic, fields.partition, fields.code]), why)
    .to.deep.equal([['error', 'orders', 0, code]])
  const before = { files: bench.disk.view(), flushedOffset: log.flushedOffset }
  expect(append(log), why).to.equal('KAFKA_STORAGE_ERROR')
  const refused = log.appendReplicated(batch(log.logEndOffset))
  expect(refused.ok ? '' : errorName(refused.fault.code), why).to.equal('KAFKA_STORAGE_ERROR')
  expect(refused.ok ? '' : refused.fault.message, why).to.contain('orders-0 is offline')
  const all = { offset: 0, endOffset: 100, maxBytes: 10_000, atLeastOneBatch: true }
  expect(await log.read(all), why).to.deep.equal({ bytes: new Uint8Array(0), nextOffset: 0 })
  expect(await failureOf(log.offsetForTimestamp(0)), why).to.be.instanceOf(DiskError)
  await log.flushNow()
  await log.truncateTo(0)
  await log.truncateFullyAndStartAt(100)
  await log.beginEpoch(50)
  await log.applyRetention()
  expect({ files: bench.disk.view(), flushedOffset: log.flushedOffset }, why).to.deep.equal(before)
  expect(await log.close(), why).to.equal(false)
  expect([seen.offline, bench.metrics.offline], why).to.deep.equal([1, 1])
}

describe('partition log, storage faults', () => {
  const FAULTS: readonly (readonly [string, DiskOperation, RegExp, (log: PartitionLog) => unknown])[] = [
    ['append', 'write', /00\.log$/, (log) => append(log)],
    ['append, index', 'write', /00\.index$/, (log) => append(log)],
    ['append, time index', 'write', /00\.timeindex$/, (log) => append(log, { timestamp: 5000 })],
    ['append of a follower', 'write', /00\.log$/, (log) => log.appendReplicated(batch(3))],
    ['roll', 'create', /04\.log$/, roll],
    ['roll, index', 'create', /04\.timeindex$/, roll],
    ['flush', 'sync', /00\.log$/, (log) => log.flushNow()],
    ['flush, directory', 'syncDir', /./, async (log) => { roll(log); await log.flushNow() }],
    ['flush, epochs', 'sync', /epoch/, async (log) => { append(log, {}, 7); await log.flushNow() }],
    ['flush of a sealed segment', 'sync', /00\.log$/, async (log) => { roll(log); await log.flushNow() }],
    ['flush of its index', 'sync', /00\.index$/, async (log) => { roll(log); await log.flushNow() }],
    ['snapshot', 'rename', /snapshot/, async (log) => { roll(log); await log.truncateTo(5) }],
    ['epoch', 'open', /epoch/, (log) => log.beginEpoch(9)],
    ['truncation', 'truncate', /00\.log$/, (log) => log.truncateTo(1)],
    ['truncation, index', 'truncate', /00\.index$/, (log) => log.truncateTo(1)],
    ['truncation, removal', 'remove', /04\.log$/, async (log) => { roll(log); await log.truncateTo(1) }],
    ['truncation, producers', 'list', /./, (log) => log.truncateTo(1)],
    ['new start', 'create', /50\.log$/, (log) => log.truncateFullyAndStartAt(50)],
    ['new start, removal', 'remove', /00\.log$/, (log) => log.truncateFullyAndStartAt(50)],
    ['retention', 'rename', /00\.log$/, (log) => { log.setHighWatermark(3); return log.applyRetention() }],
    ['retention, roll', 'create', /03\.log$/, (log) => { log.setHighWatermark(3); return log.applyRetention() }]
  ]

  for (const [what, op, path, act] of FAULTS) {
    it(`${what}: offline, once`, async () => {
      for (const code of ['EIO', 'ENOSPC']) {
        const made = await offlineBench()
        made.bench.disk.failNext(op, path, code)
        await act(made.log)
        await made.bench.time.settle()
        await expectOffline(made, `${what} ${code}`, code)
        if (/flush/.test(what)) expect(made.log.flushedOffset, 'a failed sync proves nothing').to.equal(2)
        // What was durable is there at the next start.
        made.bench.disk.losePower()
        const again = await (await logBench({}, made.bench.disk)).open({}, { segmentBytes: 4 * BATCH_BYTES })
        const kept = /truncation/.test(what) ? 1 : /new start|retention/.test(what) ? 0 : made.log.flushedOffset
        expect(split(await readAll(again)).length, `${what} ${code}`).to.be.at.least(kept)
      }
    })
  }

  it('a failed sync does not move the flushed offset, and no later one does', async () => {
    const made = await offlineBench()
    made.bench.disk.failNext('sync', /00\.log$/, 'EIO')
    await made.log.flushNow()
    expect(made.log.flushedOffset).to.equal(2)
    await made.log.flushNow()
    expect(made.log.flushedOffset).to.equal(2)
  })

  it('a full disk: offline, what fitted is cut at the next start', async () => {
    const made = await offlineBench()
    const used = made.bench.disk.view().reduce((sum, { size }) => sum + size, 0)
    made.bench.disk.setCapacity(used + 60)
    expect(append(made.log, { valueBytes: 100 })).to.equal('KAFKA_STORAGE_ERROR')
    await expectOffline(made, 'full', 'ENOSPC')
    made.bench.disk.setCapacity(2 ** 30)
    const again = await made.bench.open()
    expect(outline(await readAll(again))).to.equal('0-0@0 1-1@0 2-2@0')
  })

  it('a read of a file that fails, at once or later, or that contradicts itself', async () => {
    const all = { offset: 0, endOffset: 100, maxBytes: 200_000, atLeastOneBatch: true }
    const nothing = { bytes: new Uint8Array(0), nextOffset: 0 }
    const now = await offlineBench({ cacheBytes: 0 })
    now.bench.disk.failNext('read', /00\.log$/, 'EIO')
    expect(await now.log.read(all)).to.deep.equal(nothing)
    await expectOffline(now, 'read at once')

    const later = await offlineBench({ cacheBytes: 0 })
    later.log.setConfig({ ...orders().config, segmentBytes: 2 ** 20 })
    append(later.log, { valueBytes: 70_000 })
    const reading = later.log.read({ ...all, offset: 3 })
    expect(reading).to.be.instanceOf(Promise)
    expect((await reading).bytes.length).to.be.above(70_000)
    // The header can be read, the batch cannot.
    later.bench.disk.failNext('read', /00\.log$/, 'EIO')
    expect(await later.log.read({ ...all, offset: 3 })).to.deep.equal({ ...nothing, nextOffset: 3 })
    await expectOffline(later, 'read later')

    const timestamps = await offlineBench({ cacheBytes: 0 })
    timestamps.bench.disk.failNext('read', /00\.log$/, 'EIO')
    expect(await failureOf(timestamps.log.offsetForTimestamp(1))).to.be.instanceOf(DiskError)
    await expectOffline(timestamps, 'timestamps')

    const damaged = await offlineBench({ cacheBytes: 0 })
    const path = damaged.bench.disk.view().find(({ path: one }) => one.endsWith('00.log'))!.path
    const file = await damaged.bench.disk.open(path, { create: false })
    file.writeNow([new Uint8Array(20)], BATCH_BYTES)
    expect(await damaged.log.read(all)).to.deep.equal(nothing)
    await expectOffline(damaged, 'damaged', 'EBADMSG')
  })

  it('leaves other logs alone, and the clean mark unwritten', async () => {
    const bench = dirBench()
    const manager = await bench.open()
    const [bad, good] = [await manager.open(orders({ flushMode: 'sync' }, undefined, 0)),
      await manager.open(orders({ flushMode: 'sync' }, undefined, 1))]
    bench.disk.failNext('sync', /orders-0\/.*\.log$/, 'EIO')
    append(bad)
    append(good)
    await bench.time.settle()
    expect([bad.offline, bad.flushedOffset, good.offline, good.flushedOffset]).to.deep.equal([true, 0, false, 1])
    expect(append(good)).to.equal('1')
    await bench.time.settle()
    expect(good.flushedOffset).to.equal(2)
    await manager.close(5)
    bench.disk.losePower()
    const next = await bench.open()
    expect(next.previousBrokerEpoch).to.equal(-1)
    expect((await next.open(orders({}, undefined, 1))).logEndOffset).to.equal(2)
    expect(outline(rawLog(bench.disk, '/data/orders-1'))).to.equal('0-0@0 1-1@0')
  })
})

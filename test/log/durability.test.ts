// What counts as durable, and that it is: the power goes, or the process dies, before every single effect of a log's
// life.

import { expect } from 'chai'

import type { LogManager } from '../../broker/log/log-manager.ts'
import type { PartitionLog } from '../../broker/log/partition-log.ts'
import { DiskError } from '../../src/ports.ts'
import { baseOffset, lastOffset } from '../../src/records/batch.ts'
import { MemoryDisk } from '../../src/testing/memory-disk.ts'
import { MortalDisk, NEVER, type Death } from '../support/mortal-disk.ts'
import {
  dirBench, endsOf, epochEnds, logBench, orders, outline, rawLog, readAll, split, type DirBench
} from './bench.ts'
import { batch, concat, type BatchShape } from './samples.ts'

function append(log: PartitionLog, count: number, shape: BatchShape = {}, epoch = 0): void {
  for (let done = 0; done < count; done++) expect(log.append(batch(0, shape), epoch).ok).to.equal(true)
}

/** Syncs end when the test says so. */
function heldDisk(): {
  readonly disk: MemoryDisk; readonly held: (() => void)[]; readonly release: () => Promise<void>
} {
  const held: (() => void)[] = []
  let hold = false
  const disk = new MemoryDisk({ defer: (done) => { if (hold) held.push(done); else queueMicrotask(done) } })
  return {
    disk, held,
    release: async () => {
      hold = !hold
      for (let turn = 0; turn < 50; turn++) {
        for (const done of held.splice(0)) done()
        await Promise.resolve()
      }
    }
  }
}

describe('partition log, durability', () => {
  it('counts what a completed sync covers, not what came during it', async () => {
    const { disk, held, release } = heldDisk()
    const bench = await logBench({}, disk)
    const log = await bench.open()
    const told: number[] = []
    log.onFlushed = () => { told.push(log.flushedOffset) }
    append(log, 2)
    await release()
    const flushing = log.flushNow()
    await new Promise(setImmediate)
    expect(held.length).to.equal(1)
    append(log, 3)
    expect(log.flushedOffset).to.equal(0)
    await release()
    await flushing
    expect([log.flushedOffset, log.logEndOffset, told]).to.deep.equal([2, 5, [2]])
    disk.losePower()
    expect(outline(rawLog(disk))).to.equal('0-0@0 1-1@0')
  })

  it('a truncation during the sync waits for it, and the offset falls with the log', async () => {
    for (const cut of [0, 1, 3, 4]) {
      const { disk, release } = heldDisk()
      const bench = await logBench({}, disk)
      const log = await bench.open()
      append(log, 2)
      await log.flushNow()
      append(log, 2)
      await release()
      const flushing = log.flushNow()
      const truncating = log.truncateTo(cut)
      await new Promise(setImmediate)
      expect(log.flushedOffset).to.equal(2)
      await release()
      await Promise.all([flushing, truncating])
      expect([log.logEndOffset, log.flushedOffset]).to.deep.equal([cut, cut])
      append(log, 2, {}, 1)
      expect(log.flushedOffset, 'what came instead is not durable').to.equal(cut)
      await log.flushNow()
      disk.losePower()
      expect(outline(rawLog(disk))).to.equal(
        [...[0, 1, 2, 3].slice(0, cut).map((at) => `${at}-${at}@0`), `${cut}-${cut}@1`, `${cut + 1}-${cut + 1}@1`]
          .join(' '))
      expect(log.flushedOffset).to.equal(cut + 2)
    }
  })

  it('segments that a truncation dropped do not come back', async () => {
    const bench = await logBench()
    const log = await bench.open({}, { segmentBytes: 2 * batch(0).length })
    append(log, 6)
    await log.flushNow()
    await log.truncateTo(1)
    append(log, 1, { timestamp: 7 })
    await log.flushNow()
    expect(log.flushedOffset).to.equal(2)
    bench.disk.losePower()
    expect(outline(rawLog(bench.disk))).to.equal('0-0@0 1-1@0')
  })

  it('a close waits for the flush under way, and for one of all the rest', async () => {
    const { disk, release } = heldDisk()
    const bench = await logBench({}, disk)
    const log = await bench.open({}, { segmentBytes: 2 * batch(0).length })
    await release()
    append(log, 3)
    const flushing = log.flushNow()
    await new Promise(setImmediate)
    append(log, 4)
    let closed = false
    const closing = log.close().then((clean) => { closed = true; return clean })
    await new Promise(setImmediate)
    expect([closed, log.flushedOffset]).to.deep.equal([false, 0])
    await release()
    await flushing
    expect([await closing, log.flushedOffset]).to.deep.equal([true, 7])
    disk.losePower()
    expect(split(rawLog(disk)).length).to.equal(7)
  })

  it('flush.mode=sync asks for a flush with each append, replicated with each roll', async () => {
    const bench = await logBench()
    const log = await bench.open({}, { segmentBytes: 2 * batch(0).length })
    append(log, 2)
    await bench.time.settle()
    expect(log.flushedOffset).to.equal(0)
    append(log, 1)
    await bench.time.settle()
    expect(log.flushedOffset).to.equal(3)
    append(log, 1)
    await bench.time.settle()
    expect(log.flushedOffset).to.equal(3)
    log.setConfig({ ...orders().config, flushMode: 'sync' })
    await bench.time.settle()
    expect(log.flushedOffset).to.equal(4)
    append(log, 1)
    await bench.time.settle()
    expect(log.flushedOffset).to.equal(5)
  })
})

// ---- deaths -----------------------------------------------------------------------------------------------

const BATCH_BYTES = batch(0, { producerId: 5, producerEpoch: 0, baseSequence: 0 }).length

/** A log of idempotent producers, one for each time it leads. */
class Life {
  readonly log: PartitionLog
  readonly manager: LogManager
  #producerId = 5

  constructor(log: PartitionLog, manager: LogManager) {
    this.log = log
    this.manager = manager
  }

  lead(count: number, epoch: number): void {
    this.#producerId++
    for (let baseSequence = 0; baseSequence < count; baseSequence++) {
      const bytes = batch(0, { producerId: this.#producerId, producerEpoch: 0, baseSequence })
      if (!this.log.append(bytes, epoch).ok) throw new DiskError('EIO', '', 'append refused')
    }
  }

  follow(count: number, epoch: number): void {
    const pushed = Array.from({ length: count }, (_unset, index) => batch(this.log.logEndOffset + index, {
      leaderEpoch: epoch, producerId: 5, producerEpoch: epoch, baseSequence: index }))
    if (!this.log.appendReplicated(concat(...pushed)).ok) throw new DiskError('EIO', '', 'append refused')
  }
}

const CONFIG = {
  segmentBytes: 3 * BATCH_BYTES, indexIntervalBytes: BATCH_BYTES, retentionBytes: 20 * BATCH_BYTES, fileDeleteDelayMs: 0
}

const STEPS: readonly ((life: Life) => Promise<void> | void)[] = [
  ({ log }) => log.beginEpoch(1),
  (life) => { life.lead(2, 1) },
  ({ log }) => log.flushNow(),
  (life) => { life.lead(5, 1) },
  ({ manager }) => manager.checkpoint(),
  ({ log }) => log.flushNow(),
  ({ log }) => log.beginEpoch(2),
  (life) => { life.lead(4, 2) },
  ({ log }) => log.flushNow(),
  ({ manager }) => manager.checkpoint(),
  // A follower now: below what was durable and checkpointed, then other batches, rolled and not flushed.
  ({ log }) => log.truncateTo(5),
  (life) => { life.follow(5, 3) },
  (life) => { life.follow(2, 4) },
  ({ log }) => log.flushNow(),
  (life) => { life.follow(6, 5) },
  ({ log }) => log.truncateTo(13),
  ({ manager }) => manager.checkpoint(),
  (life) => { life.lead(4, 7) },
  ({ log }) => log.flushNow(),
  ({ log }) => { log.setHighWatermark(log.logEndOffset) },
  ({ log }) => { log.deleteRecordsBefore(7) },
  ({ log }) => log.applyRetention(),
  ({ log, manager }) => { log.setConfig({ ...orders(CONFIG).config, retentionMs: 0 }); return manager.checkpoint() },
  (life) => { life.lead(3, 7) },
  ({ log }) => { log.setHighWatermark(log.logEndOffset); return log.applyRetention() },
  (life) => { life.follow(2, 8) },
  ({ log }) => log.truncateFullyAndStartAt(100),
  (life) => { life.follow(4, 8) },
  ({ log }) => log.flushNow(),
  ({ manager }) => manager.close(17)
]

const NEW_START = STEPS.length - 4

interface Grave {
  readonly bench: DirBench
  readonly effects: number
  /** The step it died in. */
  readonly step: number
  readonly flushedOffset: number
  readonly logStartOffset: number
}

/** `before` is told of each step. */
async function live(death: Death, before: (bench: DirBench) => void = () => {}): Promise<Grave> {
  const bench = dirBench()
  let log: PartitionLog | undefined
  let flushedOffset = 0
  const mortal = new MortalDisk(bench.disk, death, () => { flushedOffset = log?.flushedOffset ?? 0 })
  let step = 0
  try {
    const manager = await bench.open({ disk: mortal })
    log = await manager.open(orders(CONFIG))
    const life = new Life(log, manager)
    for (; step < STEPS.length && !mortal.isDead; step++) {
      before(bench)
      await STEPS[step]!(life)
      // What a step left to the flusher, and to the timers.
      await log.truncateTo(log.logEndOffset)
      if (bench.time.pending > 2) await bench.time.advance(0)
      if (mortal.isDead) break
    }
  } catch (error) {
    if (!(error instanceof DiskError) || !mortal.isDead) throw error
  }
  await mortal.bury()
  return { bench, effects: mortal.effects, step, flushedOffset, logStartOffset: log?.logStartOffset ?? 0 }
}

/** The batches of `found` follow each other in `whole`. */
function isPartOf(found: readonly Uint8Array[], whole: readonly Uint8Array[]): boolean {
  if (found.length === 0) return true
  const from = whole.findIndex((bytes) => baseOffset(bytes) === baseOffset(found[0]!))
  return from >= 0 && found.every((bytes, index) => isEqual(bytes, whole[from + index]))
}

function isEqual(one: Uint8Array, other: Uint8Array | undefined): boolean {
  return other !== undefined && Buffer.compare(one, other) === 0
}

/** What was durable is there; what is there was appended once, in that order; what is derived from it fits. */
async function check(grave: Grave, histories: readonly (readonly Uint8Array[])[], why: string): Promise<void> {
  const { bench, step, flushedOffset, logStartOffset } = grave
  const manager = await bench.open()
  const log = await manager.open(orders(CONFIG))
  const bytes = await readAll(log, 0)
  const found = split(bytes)
  expect([bench.metrics.lost, log.flushedOffset], `${why}: nothing durable is lost`)
    .to.deep.equal([0, log.logEndOffset])
  // A truncation that was not durable yet may be undone, whole.
  const isPart = histories.slice(0, step + 2).some((history) => isPartOf(found, history))
  expect(isPart, `${why}: ${outline(bytes)} was there once`).to.equal(true)
  if (step !== NEW_START || log.logStartOffset === 100) {
    expect(log.logEndOffset, `${why}: the durable part`).to.be.at.least(flushedOffset)
    const before = new Map(histories[step]!.map((one) => [baseOffset(one), one]))
    for (const one of histories[step + 1] ?? histories[step]!) {
      if (lastOffset(one) >= flushedOffset || baseOffset(one) < Math.max(logStartOffset, log.logStartOffset)) continue
      const same = found.find((other) => baseOffset(other) === baseOffset(one))
      expect(same !== undefined && (isEqual(same, one) || isEqual(same, before.get(baseOffset(one)))),
        `${why}: durable ${outline(one)}`).to.equal(true)
    }
  }
  const raw = rawLog(bench.disk)
  expect(Buffer.compare(raw, bytes), why).to.equal(0)
  if (found.length > 0) {
    expect(endsOf((epoch) => log.endOffsetFor(epoch), 9).join(), why).to.equal(epochEnds(raw, log, 9).join())
  }
  for (const one of found.slice(-5)) {
    const again = log.append(Uint8Array.from(one), 9)
    if (again.ok) expect(again.value.baseOffset, why).to.equal(baseOffset(one))
  }
  // It goes on from there.
  const end = log.logEndOffset
  log.append(batch(0), 9)
  await log.flushNow()
  bench.disk.losePower()
  const later = await (await bench.open()).open(orders(CONFIG))
  expect([later.logEndOffset, later.endOffsetFor(9)], why).to.deep.equal([end + 1, { epoch: 9, endOffset: end + 1 }])
}

describe('partition log and deaths', () => {
  /** The batches in the files before each step, and in the end. */
  const histories: (readonly Uint8Array[])[] = []
  let effects = 0
  before(async () => {
    const grave = await live(NEVER, ({ disk }) => { histories.push(split(rawLog(disk))) })
    histories.push(split(rawLog(grave.bench.disk)))
    effects = grave.effects
  })

  it('has many effects', () => {
    expect(effects).to.be.above(200)
    expect(histories.length).to.equal(STEPS.length + 1)
  })

  // To die after one effect is to die before the next.
  it('keeps what is durable: power loss before each effect', async () => {
    for (let at = 1; at <= effects; at++) {
      const grave = await live({ at, when: 'before' })
      grave.bench.disk.losePower()
      await check(grave, histories, `effect ${at} of ${effects}`)
    }
  }).timeout(60_000)

  it('keeps what is durable: kill before every other effect', async () => {
    for (let at = 1; at <= effects; at += 2) {
      await check(await live({ at, when: 'before' }), histories, `effect ${at} of ${effects}`)
    }
  }).timeout(60_000)
})

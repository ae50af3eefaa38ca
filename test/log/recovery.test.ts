// What a start finds after anything but a clean stop: a torn tail, files that are garbage or gone, a disk that lost
// what it had promised to keep.

import { expect } from 'chai'

import type { LogManager } from '../../broker/log/log-manager.ts'
import type { LoadHints } from '../../broker/log/recovery.ts'
import { lastOffset } from '../../src/records/batch.ts'
import { DiskError } from '../../src/ports.ts'
import { failureOf } from '../support/failures.ts'
import { MortalDisk, NEVER } from '../support/mortal-disk.ts'
import { seeded } from '../support/numbers.ts'
import {
  CLEAN, endsOf, epochEnds, logBench, orders, outline, quickDisk, rawLog, readAll, split, dirBench, type Bench,
  type DirBench
} from './bench.ts'
import { batch, concat, DIR } from './samples.ts'

const COUNT = 8
const PRODUCED = (index: number) => ({ records: 2, producerId: 9, producerEpoch: 0, baseSequence: 2 * index })
const BATCH_BYTES = batch(0, PRODUCED(0)).length
/** Segments at 0, 6 and 12, the last with two batches of epochs 3 and 4. */
const SEGMENTS = { segmentBytes: 3 * BATCH_BYTES }
const LAST = `${DIR}/00000000000000000012`

interface Files extends Bench { readonly whole: readonly Uint8Array[]; readonly files: ReadonlyMap<string, Uint8Array> }

/** The files of a log that was stopped cleanly. */
async function written(): Promise<Files> {
  const bench = await logBench()
  const log = await bench.open({}, SEGMENTS)
  for (let index = 0; index < COUNT; index++) log.append(batch(0, PRODUCED(index)), Math.ceil(index / 2))
  await log.close()
  return { ...bench, whole: split(rawLog(bench.disk)), files: filesOf(bench) }
}

function filesOf({ disk }: Pick<Bench, 'disk'>): ReadonlyMap<string, Uint8Array> {
  return new Map(disk.view().map(({ path }) => [path, disk.copyOf(path)]))
}

/** Another log with the same files. */
async function withFiles(files: ReadonlyMap<string, Uint8Array>): Promise<Bench> {
  const bench = await logBench()
  for (const [path, bytes] of files) bench.disk.put(path, bytes)
  return bench
}

/** Opens, and expects the first `kept` batches and everything that is derived from them. */
async function expectRecovered(
  bench: Bench, whole: readonly Uint8Array[], kept: number, why: string, hints: Partial<LoadHints> = {},
): Promise<void> {
  const log = await bench.open(hints, SEGMENTS)
  const bytes = await readAll(log)
  expect(outline(bytes), why).to.equal(outline(concat(...whole.slice(0, kept))))
  expect(Buffer.compare(bytes, concat(...whole.slice(0, kept))), why).to.equal(0)
  expect(log.flushedOffset, why).to.equal(2 * kept)
  const raw = rawLog(bench.disk)
  expect(Buffer.compare(raw, bytes), why).to.equal(0)
  expect(endsOf((epoch) => log.endOffsetFor(epoch), 6), why).to.deep.equal(epochEnds(raw, log, 6))
  for (let index = Math.max(0, kept - 5); index < kept; index++) {
    const again = log.append(batch(0, PRODUCED(index)), 4)
    expect(again.ok && again.value.baseOffset, `${why}, duplicate of batch ${index}`).to.equal(2 * index)
  }
  expect(log.append(batch(0, PRODUCED(kept + 1)), 4).ok, why).to.equal(false)
  expect(log.logEndOffset, why).to.equal(2 * kept)
  const time = await log.offsetForTimestamp(1001)
  expect(time?.offset, why).to.equal(kept === 0 ? undefined : 1)
  // All of it durable, and so is what comes then.
  const next = log.append(batch(0, PRODUCED(kept)), 5)
  expect(next.ok && next.value.baseOffset, why).to.equal(2 * kept)
  expect(await log.close(), why).to.equal(true)
  bench.disk.losePower()
  const later = await bench.open({ ...CLEAN, recoveryPoint: 2 * kept + 2 }, SEGMENTS)
  expect([later.logEndOffset, later.endOffsetFor(5)], why)
    .to.deep.equal([2 * kept + 2, { epoch: 5, endOffset: 2 * kept + 2 }])
}

function lines({ logger }: Bench): readonly string[] {
  return logger.lines.filter(({ level }) => level !== 'info').map(({ level, text }) => `${level}: ${text}`)
}

describe('log recovery, torn tails', () => {
  it('keeps whole batches for every cut of the last two', async () => {
    const { whole, files } = await written()
    const log = files.get(`${LAST}.log`)!
    for (let size = 0; size < log.length; size++) {
      const bench = await withFiles(new Map([...files, [`${LAST}.log`, log.subarray(0, size)]]))
      const kept = 6 + Math.floor(size / BATCH_BYTES)
      await expectRecovered(bench, whole, kept, `cut at ${size}`, { recoveryPoint: 12 })
      expect(lines(bench), `cut at ${size}`)
        .to.deep.equal(size % BATCH_BYTES === 0 ? [] : ['warn: torn tail cut'])
    }
  })

  it('keeps whole batches before zeros and before noise, from every byte of the last two on', async () => {
    const random = seeded(5)
    const { whole, files } = await written()
    const log = files.get(`${LAST}.log`)!
    for (let size = 0; size < log.length; size++) {
      for (const kind of ['zeros', 'noise']) {
        const damaged = log.slice()
        for (let at = size; at < log.length; at++) {
          damaged[at] = kind === 'zeros' ? 0 : (damaged[at]! + 1 + Math.floor(random() * 255)) & 0xff
        }
        const bench = await withFiles(new Map([...files, [`${LAST}.log`, damaged]]))
        // Base offset and leader epoch are outside the checksum; an offset below the log end is seen all the same.
        const unchanged = damaged.findIndex((byte, at) => byte !== log[at])
        await expectRecovered(bench, whole, 6 + Math.floor((unchanged < 0 ? log.length : unchanged) / BATCH_BYTES),
          `${kind} from ${size}`, { recoveryPoint: 12 })
        if (unchanged >= 0) expect(lines(bench), `${kind} from ${size}`).to.deep.equal(['warn: torn tail cut'])
      }
    }
  })

  it('keeps everything before appended garbage', async () => {
    const { whole, files } = await written()
    const tails = [new Uint8Array(1), new Uint8Array(4096), new Uint8Array(70).fill(0xff),
      batch(2 * COUNT).subarray(0, 65), batch(3)]
    for (const [index, tail] of tails.entries()) {
      const log = concat(files.get(`${LAST}.log`)!, tail)
      const bench = await withFiles(new Map([...files, [`${LAST}.log`, log]]))
      await expectRecovered(bench, whole, COUNT, `tail ${index}`, { recoveryPoint: 16 })
      const line = bench.logger.lines.find(({ level }) => level === 'warn')
      expect(line?.fields).to.deep.include({
        topic: 'orders', partition: 0, logEndOffset: 16, truncatedBytes: tail.length, segmentsDropped: 0 })
      expect(bench.metrics.lost).to.equal(0)
    }
  })

  it('ends at a hole between segments: what comes then was never durable', async () => {
    const { whole, files } = await written()
    const log = files.get(`${DIR}/00000000000000000006.log`)!
    for (const batches of [0, 1, 2]) {
      const bench = await withFiles(new Map([
        ...files, [`${DIR}/00000000000000000006.log`, log.subarray(0, batches * BATCH_BYTES)]]))
      await expectRecovered(bench, whole, 3 + batches, `${batches} batches`, { recoveryPoint: 6 })
      expect(lines(bench)).to.deep.equal(['warn: torn tail cut'])
    }
  })
})

describe('log recovery, files beside the log', () => {
  const SIDE_FILES = ['index', 'timeindex', 'snapshot']

  it('does without any of them, or with garbage in their place, clean or not', async () => {
    const { whole, files } = await written()
    const paths = [...files.keys()].filter((path) => SIDE_FILES.some((kind) => path.endsWith(`.${kind}`))
      || path.endsWith('leader-epoch-checkpoint'))
    expect(paths.length).to.be.above(9)
    const random = seeded(11)
    const noise = (size: number) => Uint8Array.from({ length: size }, () => Math.floor(random() * 256))
    for (const path of paths) {
      const sound = files.get(path)!
      for (const [what, bytes] of [['gone', undefined], ['empty', new Uint8Array(0)], ['torn', sound.slice(0, -1)],
        ['zeros', new Uint8Array(sound.length)], ['noise', noise(sound.length)], ['long noise', noise(5_000)],
      ] as const) {
        for (const hints of [{ clean: true }, { clean: false }, { clean: false, recoveryPoint: 0 }]) {
          const rest = new Map(files)
          rest.delete(path)
          const bench = await withFiles(bytes === undefined ? rest : rest.set(path, bytes))
          const why = `${path} ${what}, ${JSON.stringify(hints)}`
          await expectRecovered(bench, whole, COUNT, why, { recoveryPoint: 16, ...hints })
          expect(bench.metrics.lost, why).to.equal(0)
          if (path.endsWith('checkpoint') && bytes !== undefined && what !== 'torn') {
            expect(lines(bench), why)
              .to.deep.equal(['error: garbled leader epoch file: epochs are read from the batches'])
          }
        }
      }
    }
  })

  it('does without all of them', async () => {
    const { whole, files } = await written()
    const bench = await withFiles(new Map([...files].filter(([path]) => path.endsWith('.log'))))
    await expectRecovered(bench, whole, COUNT, 'logs only', { recoveryPoint: 16 })
  })

  it('sweeps what an unfinished deletion or write left', async () => {
    const { whole, files } = await written()
    const left = ['00000000000000000000.log.deleted', '00000000000000000099.index', '00000000000000000099.timeindex',
      'leader-epoch-checkpoint.tmp', '00000000000000000006.index.deleted', '00000000000000000000.log.cleaned']
    const bench = await withFiles(new Map([...files, ...left.map((name) => [`${DIR}/${name}`, batch(0)] as const)]))
    await expectRecovered(bench, whole, COUNT, 'leftovers', { recoveryPoint: 16 })
    const names = bench.disk.view().map(({ path }) => path.slice(DIR.length + 1))
    for (const name of left) expect(names).not.to.include(name)
  })

  it('reads epochs from the batches where the file contradicts them', async () => {
    const { whole, files } = await written()
    const text = (entries: readonly string[]) =>
      new TextEncoder().encode(['0', entries.length, ...entries, ''].join('\n'))
    for (const wrong of [['0 0', '1 2', '2 6', '5 13'], ['0 0', '1 2', '2 6', '3 10', '4 12', '6 16'], ['3 9'],
      ['0 0', '9 14']]) {
      const bench = await withFiles(new Map([...files, [`${DIR}/leader-epoch-checkpoint`, text(wrong)]]))
      await expectRecovered(bench, whole, COUNT, wrong.join(', '), { recoveryPoint: 0 })
    }
  })

  it('writes what it found of epochs: the next start scans less', async () => {
    const { files } = await written()
    const bench = await withFiles(new Map([...files].filter(([path]) => !path.endsWith('checkpoint'))))
    const log = await bench.open({}, SEGMENTS)
    const ends = endsOf((epoch) => log.endOffsetFor(epoch), 6)
    bench.disk.losePower()
    expect(Buffer.from(bench.disk.copyOf(`${DIR}/leader-epoch-checkpoint`)).toString())
      .to.equal('0\n5\n0 0\n1 2\n2 6\n3 10\n4 14\n')
    const again = await bench.open({ recoveryPoint: 16 }, SEGMENTS)
    expect(endsOf((epoch) => again.endOffsetFor(epoch), 6)).to.deep.equal(ends)
  })
})

describe('log recovery, lost durable records', () => {
  async function expectLoss(
    bench: Bench, whole: readonly Uint8Array[], kept: number, recoveryPoint: number, clean = false): Promise<void> {
    await expectRecovered(bench, whole, kept, `${kept} of ${recoveryPoint}`, { clean, recoveryPoint })
    expect(lines(bench)).to.deep.equal(['error: durable records are lost on this disk'])
    const line = bench.logger.lines.find(({ level }) => level === 'error')
    expect(line?.fields).to.deep.include({ topic: 'orders', partition: 0, logEndOffset: 2 * kept, recoveryPoint })
    expect(bench.metrics.lost).to.equal(1)
  }

  it('are counted and told: a damaged batch, a file cut between batches, a file gone, all gone', async () => {
    const { whole, files } = await written()
    const damaged = files.get(`${LAST}.log`)!.slice()
    damaged[BATCH_BYTES + 65]! ^= 1
    await expectLoss(await withFiles(new Map([...files, [`${LAST}.log`, damaged]])), whole, 7, 15)
    const short = files.get(`${LAST}.log`)!.subarray(0, BATCH_BYTES)
    await expectLoss(await withFiles(new Map([...files, [`${LAST}.log`, short]])), whole, 7, 16)
    await expectLoss(await withFiles(new Map([...files, [`${LAST}.log`, short]])), whole, 7, 16, true)
    const without = (...gone: readonly string[]) => new Map([...files].filter(([path]) => !gone.includes(path)))
    await expectLoss(await withFiles(without(`${LAST}.log`)), whole, 6, 16)
    await expectLoss(await withFiles(without(`${DIR}/00000000000000000006.log`)), whole, 3, 16)
    await expectLoss(await withFiles(without(...files.keys())), whole, 0, 1)
  })

  it('are no loss when they were never durable, or before the log start', async () => {
    const { whole, files } = await written()
    const damaged = files.get(`${LAST}.log`)!.slice()
    damaged[BATCH_BYTES + 65]! ^= 1
    const bench = await withFiles(new Map([...files, [`${LAST}.log`, damaged]]))
    await expectRecovered(bench, whole, 7, 'not durable', { recoveryPoint: 14 })
    expect(bench.metrics.lost).to.equal(0)
    const gone = await logBench()
    const log = await gone.open({ recoveryPoint: 16, logStartOffset: 20, highWatermark: 20 })
    expect([log.logStartOffset, log.logEndOffset, log.highWatermark]).to.deep.equal([20, 20, 20])
    expect(gone.metrics.lost).to.equal(0)
  })

  it('a log that ends before its start begins anew there', async () => {
    const { files } = await written()
    const bench = await withFiles(files)
    const log = await bench.open({ recoveryPoint: 16, logStartOffset: 40 }, SEGMENTS)
    expect([log.logStartOffset, log.logEndOffset, log.lastLeaderEpoch]).to.deep.equal([40, 40, -1])
    expect(log.append(batch(0, PRODUCED(8)), 9).ok, 'producers are forgotten').to.equal(false)
    bench.disk.losePower()
    const again = await bench.open({ recoveryPoint: 16, logStartOffset: 40 }, SEGMENTS)
    expect([again.logStartOffset, again.logEndOffset]).to.deep.equal([40, 40])
  })

  it('lower the recovery point before anything is appended', async () => {
    const bench = dirBench()
    const log = await (await bench.open()).open(orders(SEGMENTS))
    for (let index = 0; index < COUNT; index++) log.append(batch(0, PRODUCED(index)), 0)
    await log.flushNow()
    const manager = await reopen(bench, async (first) => { await first.checkpoint() })
    const dir = '/data/orders-0'
    bench.disk.put(`${dir}/00000000000000000006.log`, new Uint8Array(0))
    const short = await manager.open(orders(SEGMENTS))
    expect([short.logEndOffset, bench.metrics.lost]).to.deep.equal([6, 1])
    expect(Buffer.from(bench.disk.copyOf('/data/recovery-point-offset-checkpoint')).toString())
      .to.equal('0\n1\norders 0 6\n')
  })
})

/** Kills the process; the next one has the directory. */
async function reopen(bench: DirBench, last: (manager: LogManager) => Promise<void>): Promise<LogManager> {
  bench.disk.losePower()
  const manager = await bench.open()
  await manager.open(orders(SEGMENTS))
  await last(manager)
  bench.disk.losePower()
  return bench.open()
}

describe('log recovery, trouble on the way', () => {
  it('may die at any effect, and be done again', async () => {
    const { whole, files } = await written()
    const torn = new Map([...files, [`${DIR}/00000000000000000006.log`,
      files.get(`${DIR}/00000000000000000006.log`)!.subarray(0, 2 * BATCH_BYTES + 9)]])
    const startOn = async (at: number) => {
      const disk = quickDisk()
      const mortal = new MortalDisk(disk, { ...NEVER, at })
      for (const [path, bytes] of torn) disk.put(path, bytes)
      const bench = await logBench({ disk: mortal }, disk)
      const opened = await bench.open({}, SEGMENTS).catch((error: unknown) => error)
      if (mortal.isDead) expect(opened).to.be.instanceOf(DiskError)
      return { disk, effects: mortal.effects }
    }
    const { effects } = await startOn(-1)
    expect(effects).to.be.above(30)
    for (let at = 1; at <= effects; at++) {
      for (const death of ['kill', 'power loss']) {
        const { disk } = await startOn(at)
        if (death === 'power loss') disk.losePower()
        await expectRecovered(await logBench({}, disk), whole, 5, `${death} before effect ${at}`)
      }
    }
  })

  it('rejects with the disk\'s error, closes what it opened, and may be tried again', async () => {
    const { whole, files } = await written()
    for (const [op, path] of [['open', /12\.log$/], ['open', /06\.index$/], ['read', /12\.log$/], ['list', /./],
      ['read', /snapshot$/], ['read', /epoch/], ['sync', /12\.log$/], ['syncDir', /./]] as const) {
      const bench = await withFiles(files)
      bench.disk.failNext(op, path, 'EIO')
      const error = await failureOf(bench.open({ recoveryPoint: 12 }, SEGMENTS))
      expect(error, `${op} ${path.source}`).to.be.instanceOf(DiskError)
      await expectRecovered(bench, whole, COUNT, `${op} ${path.source}`, { recoveryPoint: 12 })
    }
  })

  it('scans from the segment with the recovery point on, and only that', async () => {
    const { files } = await written()
    const first = files.get(`${DIR}/00000000000000000000.log`)!.slice()
    first[BATCH_BYTES + 65]! ^= 1
    for (const [recoveryPoint, end] of [[6, 16], [5, 2]] as const) {
      const bench = await withFiles(new Map([...files, [`${DIR}/00000000000000000000.log`, first]]))
      const log = await bench.open({ recoveryPoint }, SEGMENTS)
      expect(log.logEndOffset).to.equal(end)
    }
    expect(lastOffset(first)).to.equal(1)
  })
})

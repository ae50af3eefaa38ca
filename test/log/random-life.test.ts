// Random lives of a log: whatever is appended, cut, deleted, flushed, stopped and lost, what is derived from the log is
// what its raw files say, and what was durable stays.

import { expect } from 'chai'

import { LeaderEpochs } from '../../broker/log/leader-epochs.ts'
import type { LogManager } from '../../broker/log/log-manager.ts'
import type { PartitionLog } from '../../broker/log/partition-log.ts'
import { ProducerState } from '../../broker/log/producer-state.ts'
import { baseOffset, baseSequence, lastOffset, partitionLeaderEpoch, producerId } from '../../src/records/batch.ts'
import { seeded } from '../support/numbers.ts'
import { dirBench, endsOf, orders, outline, rawLog, readAll, split, type DirBench } from './bench.ts'
import { batch, concat } from './samples.ts'

const DATA = '/data/orders-0'

/** The batches of `part` follow each other in `whole`. */
function isWithin(part: readonly Uint8Array[], whole: readonly Uint8Array[]): boolean {
  const from = whole.findIndex((one) => baseOffset(one) === baseOffset(part[0]!))
  return from >= 0
    && part.every((one, index) => whole[from + index] !== undefined && Buffer.compare(one, whole[from + index]!) === 0)
}

class Life {
  readonly #random: () => number
  readonly #bench: DirBench = dirBench()
  readonly #config = { segmentBytes: 700, indexIntervalBytes: 150, fileDeleteDelayMs: 3, retentionBytes: 4_000 }
  readonly #done: string[] = []
  #manager!: LogManager
  #log!: PartitionLog
  /** The whole history that should be there, also what retention took. */
  #model: readonly Uint8Array[] = []
  /** Histories that ended with a truncation: one that is not durable yet may be undone by a power loss. */
  readonly #cut: (readonly Uint8Array[])[] = []
  #epoch = 1
  /** Next sequence of each producer. */
  #sequences = new Map<number, number>()
  /** Epoch that began at the end and has no records. */
  #begun: number | undefined

  constructor(seed: number) { this.#random = seeded(seed) }

  get #why(): string { return this.#done.slice(-8).join(', ') }
  #below(bound: number): number { return Math.floor(this.#random() * bound) }

  async run(steps: number): Promise<void> {
    await this.#start()
    for (let step = 0; step < steps; step++) {
      await this.#step()
      await this.#check()
    }
  }

  async #start(): Promise<void> {
    this.#manager = await this.#bench.open({ tailCacheBytes: this.#below(2) * 3_000 })
    this.#log = await this.#manager.open(orders(this.#config))
  }

  async #step(): Promise<void> {
    const dice = this.#below(100)
    if (dice < 40) this.#lead()
    else if (dice < 52) this.#follow()
    else if (dice < 60) await this.#do('flush', () => this.#log.flushNow())
    else if (dice < 63) await this.#do('checkpoint', () => this.#manager.checkpoint())
    else if (dice < 71) await this.#truncate()
    else if (dice < 76) await this.#begin()
    else if (dice < 81) this.#commit()
    else if (dice < 86) await this.#do('retention', () => this.#log.applyRetention())
    else if (dice < 88) this.#deleteRecords()
    else if (dice < 89) await this.#startAnew()
    else if (dice < 92) await this.#do('time', () => this.#bench.time.advance(5))
    else if (dice < 96) await this.#stop()
    else await this.#losePower()
  }

  async #do(what: string, act: () => Promise<void>): Promise<void> {
    this.#done.push(what)
    await act()
  }

  #batch(offset: number, epoch: number): Uint8Array {
    const id = this.#below(4)
    const records = 1 + this.#below(3)
    const sequence = this.#sequences.get(id) ?? 0
    this.#sequences.set(id, sequence + records)
    return batch(offset, {
      records, leaderEpoch: epoch, timestamp: 1000 + this.#below(500), valueBytes: this.#below(80),
      ...(id === 0 ? {} : { producerId: id, producerEpoch: 0, baseSequence: sequence }) })
  }

  #lead(): void {
    const bytes = this.#batch(0, 0)
    const result = this.#log.append(bytes, this.#epoch)
    this.#done.push(`append ${outline(bytes)}`)
    expect(result.ok, result.ok ? '' : `${this.#why}: ${result.fault.message}`).to.equal(true)
    this.#model = [...this.#model, bytes]
    this.#begun = undefined
  }

  #follow(): void {
    const pushed: Uint8Array[] = []
    for (let count = this.#below(5); count >= 0; count--) {
      const next = pushed.length === 0 ? this.#log.logEndOffset : lastOffset(pushed.at(-1)!) + 1
      pushed.push(this.#batch(next, this.#epoch))
      if (this.#below(4) === 0) this.#epoch++
    }
    this.#done.push(`follow ${outline(concat(...pushed))}`)
    expect(this.#log.appendReplicated(concat(...pushed)).ok, this.#why).to.equal(true)
    this.#model = [...this.#model, ...pushed]
    this.#begun = undefined
  }

  async #truncate(): Promise<void> {
    const { logStartOffset, logEndOffset } = this.#log
    const offset = Math.max(logStartOffset, logEndOffset - this.#below(12))
    await this.#do(`truncate to ${offset} of ${logEndOffset}`, () => this.#log.truncateTo(offset))
    this.#cut.push(this.#model)
    this.#model = this.#model.filter((one) => lastOffset(one) < offset)
    this.#resume()
  }

  /** Goes on as what is there demands: producers from their last sequence, leaders in a new epoch. */
  #resume(): void {
    this.#begun = undefined
    this.#epoch++
    this.#sequences = new Map()
    for (const one of this.#model) {
      if (producerId(one) >= 0) {
        this.#sequences.set(producerId(one), baseSequence(one) + lastOffset(one) - baseOffset(one) + 1)
      }
    }
  }

  async #begin(): Promise<void> {
    this.#epoch++
    await this.#do(`begin ${this.#epoch}`, () => this.#log.beginEpoch(this.#epoch))
    this.#begun = this.#epoch
  }

  #commit(): void {
    const { highWatermark, logEndOffset } = this.#log
    this.#log.setHighWatermark(highWatermark + this.#below(logEndOffset - highWatermark + 1))
    this.#done.push(`commit ${this.#log.highWatermark}`)
  }

  #deleteRecords(): void {
    const { logStartOffset, highWatermark } = this.#log
    this.#log.deleteRecordsBefore(logStartOffset + this.#below(highWatermark - logStartOffset + 1))
    this.#done.push(`log start ${this.#log.logStartOffset}`)
  }

  async #startAnew(): Promise<void> {
    const offset = this.#log.logEndOffset + 1 + this.#below(5)
    await this.#do(`anew at ${offset}`, () => this.#log.truncateFullyAndStartAt(offset))
    this.#model = []
    this.#resume()
  }

  async #stop(): Promise<void> {
    const { logStartOffset, logEndOffset, highWatermark } = this.#log
    await this.#do('stop', () => this.#manager.close(7))
    this.#bench.disk.losePower()
    await this.#start()
    expect(this.#manager.previousBrokerEpoch, this.#why).to.equal(7)
    expect([this.#log.logStartOffset, this.#log.logEndOffset, this.#log.highWatermark], this.#why)
      .to.deep.equal([logStartOffset, logEndOffset, highWatermark])
    this.#begun = undefined
  }

  async #losePower(): Promise<void> {
    const { flushedOffset } = this.#log
    this.#done.push(`power loss, ${flushedOffset} of ${this.#log.logEndOffset} durable`)
    this.#bench.disk.losePower()
    await this.#start()
    expect(this.#log.logEndOffset, this.#why).to.be.at.least(flushedOffset)
    expect(this.#bench.metrics.lost, this.#why).to.equal(0)
    const found = split(rawLog(this.#bench.disk, DATA))
    const history = [...this.#cut, this.#model].findLast((one) => found.length === 0 || isWithin(found, one))
    expect(history === undefined, `${this.#why}: ${outline(concat(...found))} was there once`).to.equal(false)
    for (const one of this.#model) {
      const isDurable = lastOffset(one) < flushedOffset && baseOffset(one) >= this.#log.logStartOffset
      if (isDurable) expect(isWithin([one], found), `${this.#why}: durable ${outline(one)}`).to.equal(true)
    }
    this.#model = history!.filter((one) => lastOffset(one) < this.#log.logEndOffset)
    this.#resume()
  }

  async #check(): Promise<void> {
    const log = this.#log
    const raw = split(rawLog(this.#bench.disk, DATA))
    const first = raw.length === 0 ? Infinity : baseOffset(raw[0]!)
    const expected = this.#model.filter((one) => baseOffset(one) >= first)
    expect(outline(concat(...raw)), this.#why).to.equal(outline(concat(...expected)))
    expect(Buffer.compare(concat(...raw), concat(...expected)), this.#why).to.equal(0)
    const read = await readAll(log, Math.min(first, log.logEndOffset), 1 + this.#below(900))
    expect(Buffer.compare(read, concat(...raw)), this.#why).to.equal(0)
    if (raw.length > 0) expect(log.logEndOffset, this.#why).to.equal(lastOffset(raw.at(-1)!) + 1)
    expect(log.offline, this.#why).to.equal(false)
    const marks = [0, log.logStartOffset, log.highWatermark, log.logEndOffset]
    expect(marks, this.#why).to.deep.equal(marks.toSorted((a, b) => a - b))
    expect(log.flushedOffset, this.#why).to.be.within(0, log.logEndOffset)
    this.#checkDerived(raw)
  }

  #checkDerived(raw: readonly Uint8Array[]): void {
    const epochs = new LeaderEpochs()
    const producers = new ProducerState()
    for (const one of raw) {
      epochs.assign(partitionLeaderEpoch(one), baseOffset(one))
      producers.update(one, 0)
    }
    if (this.#begun !== undefined) epochs.assign(this.#begun, this.#log.logEndOffset)
    epochs.truncateFromStart(this.#log.logStartOffset)
    // A log that was emptied may still know the epoch it ended with.
    if (this.#log.logStartOffset < this.#log.logEndOffset) {
      expect(endsOf((epoch) => this.#log.endOffsetFor(epoch), this.#epoch + 1).join(), this.#why)
        .to.equal(endsOf((epoch) => epochs.endOffsetFor(epoch, this.#log.logEndOffset), this.#epoch + 1).join())
    }
    for (const one of raw.slice(-12)) {
      if (producerId(one) < 0) continue
      const check = producers.check(one, 0)
      const answer = check.kind === 'append' ? undefined : this.#log.append(Uint8Array.from(one), this.#epoch)
      if (check.kind === 'duplicate') {
        expect(answer?.ok && answer.value, this.#why).to.deep.equal({
          baseOffset: baseOffset(one), lastOffset: lastOffset(one), logAppendTimeMs: -1 })
      }
    }
    for (const [id, sequence] of this.#sequences) {
      const gap = batch(0, { producerId: id, producerEpoch: 0, baseSequence: sequence + 1 })
      if (id > 0) expect(this.#log.append(gap, this.#epoch).ok, this.#why).to.equal(false)
    }
  }
}

describe('partition log, random lives', () => {
  const SEEDS = 15
  it(`derived state is what the raw log says (${SEEDS} lives)`, async () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      try {
        await new Life(seed).run(60)
      } catch (error) {
        (error as Error).message = `seed ${seed}: ${(error as Error).message}`
        throw error
      }
    }
  })
})

// Whether the partitions of a data directory are whole: every checksum, offsets without a gap, indexes that say what
// the batches say. Offline; nothing is changed.

import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

import * as batch from '../records/batch.ts'
import {
  batchesOfFile, fileKind, offsetInName, readCheckpoint, readOffsetIndex, readProducers, readTimeIndex,
  type Entries, type FoundBatch, type OffsetEntry, type TimeEntry
} from './log-reader.ts'

export interface PartitionVerdict {
  readonly dir: string
  readonly segments: number
  readonly batches: number
  readonly records: number
  readonly bytes: number
  /** Of the first record, and behind the last one. */
  readonly startOffset: number
  readonly endOffset: number
  /** What must not be. */
  readonly problems: readonly string[]
  /** What a crash leaves and the next start of the broker mends. */
  readonly warnings: readonly string[]
}

/** Directories at or below `dir` that hold segments, sorted. Those that wait for their removal are left out. */
export function partitionDirs(dir: string): readonly string[] {
  const found: string[] = []
  const walk = (at: string) => {
    const entries = readdirSync(at, { withFileTypes: true })
    if (entries.some((entry) => entry.isFile() && /^\d{20}\.log$/.test(entry.name))) found.push(at)
    for (const entry of entries) {
      if (entry.isDirectory() && !/\.[0-9a-f]{32}-delete$/.test(entry.name)) walk(join(at, entry.name))
    }
  }
  walk(dir)
  return found.sort()
}

export function verifyPartition(dir: string): PartitionVerdict {
  return new Verification(dir).run()
}

class Verification {
  readonly #dir: string
  readonly #problems: string[] = []
  readonly #warnings: string[] = []
  /** The broker stopped cleanly: nothing is excused. */
  readonly #clean: boolean
  /** Everything before it was durable once; undefined when no checkpoint says so. */
  readonly #recoveryPoint: number | undefined
  #batches = 0
  #records = 0
  #bytes = 0
  #startOffset = -1
  /** Offset that must come next. */
  #nextOffset = -1
  /** What lies between is damaged: whatever offset comes next. */
  #gap = true
  #leaderEpoch = -1

  constructor(dir: string) {
    this.#dir = dir
    this.#clean = existsSync(join(dirname(dir), '.kafka_cleanshutdown'))
    this.#recoveryPoint = checkpointed(dir, 'recovery-point-offset-checkpoint')
  }

  run(): PartitionVerdict {
    const names = readdirSync(this.#dir).filter((name) => /^\d{20}\.log$/.test(name)).sort()
    for (const [index, name] of names.entries()) this.#segment(name, index === names.length - 1)
    this.#ends()
    this.#smallFiles()
    return {
      dir: this.#dir, segments: names.length, batches: this.#batches, records: this.#records, bytes: this.#bytes,
      startOffset: Math.max(this.#startOffset, 0), endOffset: Math.max(this.#nextOffset, 0),
      problems: this.#problems, warnings: this.#warnings
    }
  }

  #segment(name: string, isLast: boolean): void {
    const path = join(this.#dir, name)
    const base = offsetInName(path)
    if (!this.#gap && base !== this.#nextOffset) {
      this.#problems.push(`${name}: begins at offset ${base}, the segment before it ends at ${this.#nextOffset}`)
    }
    this.#nextOffset = base
    this.#gap = false
    if (this.#startOffset < 0) this.#startOffset = base
    const indexes = new IndexCheck(path)
    const batches = batchesOfFile(path)
    let step = batches.next()
    for (; step.done !== true; step = batches.next()) this.#batch(name, isLast, step.value, indexes)
    const rest = step.value
    if (rest !== undefined) {
      this.#bytes += rest.size
      this.#gap = true
      indexes.giveUp()
      this.#damage(`${name} at byte ${rest.position}: ${rest.problem}`, isLast, rest.cutShort)
    }
    for (const fault of indexes.faults()) {
      // Indexes are not made durable with every batch; after a crash they are built anew.
      const rebuilt = !this.#clean && this.#nextOffset > (this.#recoveryPoint ?? 0)
      ;(rebuilt ? this.#warnings : this.#problems).push(rebuilt ? `${fault} (built anew at the next start)` : fault)
    }
  }

  #batch(name: string, isLast: boolean, found: FoundBatch, indexes: IndexCheck): void {
    const { bytes, at, position, size, problem } = found
    this.#bytes += size
    if (problem !== undefined) {
      this.#damage(`${name} at byte ${position}: ${problem}`, isLast, false)
      this.#gap = true
      indexes.giveUp()
      return
    }
    const where = `${name} at byte ${position}`
    const first = batch.baseOffset(bytes, at)
    if (!this.#gap && first !== this.#nextOffset) {
      this.#problems.push(`${where}: base offset ${first} where ${this.#nextOffset} must follow`)
    }
    const epoch = batch.partitionLeaderEpoch(bytes, at)
    if (epoch < this.#leaderEpoch) {
      this.#problems.push(`${where}: leader epoch ${epoch} behind leader epoch ${this.#leaderEpoch}`)
    }
    this.#leaderEpoch = Math.max(epoch, this.#leaderEpoch)
    this.#gap = false
    this.#batches++
    this.#records += batch.recordCount(bytes, at)
    this.#nextOffset = batch.lastOffset(bytes, at) + 1
    indexes.batch(bytes, at, position)
  }

  /** A crash may tear what was not yet durable, at the end of the log only. */
  #damage(what: string, isLast: boolean, cutShort: boolean): void {
    const unproven = this.#recoveryPoint !== undefined && this.#nextOffset >= this.#recoveryPoint
    if (isLast && !this.#clean && (cutShort || unproven)) {
      this.#warnings.push(`${what} (not yet durable; cut off at the next start)`)
    } else this.#problems.push(what)
  }

  /** Whole segments may be gone at either end. Checkpoints lag behind unless the broker stopped cleanly. */
  #ends(): void {
    const logStart = checkpointed(this.#dir, 'log-start-offset-checkpoint')
    const found: string[] = []
    if (!this.#gap && this.#recoveryPoint !== undefined && this.#nextOffset < this.#recoveryPoint) {
      found.push(`ends at offset ${this.#nextOffset}, everything before ${this.#recoveryPoint} was durable`)
    }
    if (logStart !== undefined && this.#startOffset > logStart) {
      found.push(`begins at offset ${this.#startOffset}, the log starts at ${logStart}`)
    }
    ;(this.#clean ? this.#problems : this.#warnings).push(...found)
  }

  #smallFiles(): void {
    for (const name of readdirSync(this.#dir)) {
      const path = join(this.#dir, name)
      const kind = fileKind(name)
      const problem = kind === 'epochs' ? readCheckpoint(path, 2).problem
        : kind === 'producers' ? readProducers(path).problem : undefined
      if (problem !== undefined) this.#problems.push(`${name}: ${problem}`)
    }
  }
}

/** What a checkpoint beside the partition's directory says of it. */
function checkpointed(dir: string, name: string): number | undefined {
  const path = join(dirname(dir), name)
  if (!existsSync(path)) return undefined
  const { entries } = readCheckpoint(path, 3)
  const entry = entries.find(([topic, partition]) => `${topic}-${partition}` === basename(dir))
  return entry === undefined ? undefined : Number(entry[2])
}

/** Both indexes of a segment against its batches, in one walk over all three. */
class IndexCheck {
  readonly #paths: { readonly offset: string; readonly time: string }
  readonly #offsets: Entries<OffsetEntry>
  readonly #times: Entries<TimeEntry>
  readonly #faults: string[] = []
  #offsetAt = 0
  #timeAt = 0
  #largestTimestamp = -1
  #givenUp = false

  constructor(logPath: string) {
    this.#paths = { offset: logPath.replace(/\.log$/, '.index'), time: logPath.replace(/\.log$/, '.timeindex') }
    this.#offsets = this.#read(this.#paths.offset, readOffsetIndex)
    this.#times = this.#read(this.#paths.time, readTimeIndex)
  }

  #read<T>(path: string, read: (path: string) => Entries<T>): Entries<T> {
    if (!existsSync(path)) {
      this.#faults.push(`${basename(path)} is missing`)
      return { entries: [], problem: undefined }
    }
    const found = read(path)
    if (found.problem !== undefined) this.#faults.push(`${basename(path)}: ${found.problem}`)
    return found
  }

  batch(bytes: Uint8Array, at: number, position: number): void {
    if (this.#givenUp) return
    const last = batch.lastOffset(bytes, at)
    this.#largestTimestamp = Math.max(this.#largestTimestamp, batch.maxTimestamp(bytes, at))
    if (this.#offsets.entries[this.#offsetAt]?.position === position) {
      const { offset } = this.#offsets.entries[this.#offsetAt]!
      if (offset !== last) {
        this.#fault(this.#paths.offset, `entry ${this.#offsetAt} says offset ${offset}, the batch ends with ${last}`)
      }
      this.#offsetAt++
    }
    if (this.#times.entries[this.#timeAt]?.offset === last) {
      const { timestamp } = this.#times.entries[this.#timeAt]!
      if (timestamp !== this.#largestTimestamp) {
        this.#fault(this.#paths.time,
          `entry ${this.#timeAt} says ${timestamp} up to offset ${last}, the batches say ${this.#largestTimestamp}`)
      }
      this.#timeAt++
    }
  }

  #fault(path: string, what: string): void { this.#faults.push(`${basename(path)}: ${what}`) }

  /** Behind a damaged batch nobody knows what the entries should say. */
  giveUp(): void { this.#givenUp = true }

  /** Complete once every batch was seen. An entry that no batch matched stops its index: one fault for all of them. */
  faults(): readonly string[] {
    if (this.#givenUp) return this.#faults
    const offset = this.#offsets.entries[this.#offsetAt]
    if (offset !== undefined) {
      this.#fault(this.#paths.offset,
        `entry ${this.#offsetAt} points at byte ${offset.position}, where no batch begins`)
    }
    const time = this.#times.entries[this.#timeAt]
    if (time !== undefined) {
      this.#fault(this.#paths.time, `entry ${this.#timeAt} points at offset ${time.offset}, where no batch ends`)
    }
    return this.#faults
  }
}

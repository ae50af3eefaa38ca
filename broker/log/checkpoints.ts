// The checkpoint files of a data directory: up to where each log is known to be durable, where it begins, how far it
// was committed. Kafka keeps one file for each of the three; here they are read, noted and written together.
//
// A recovery point on the disk must never be above what is durable: recovery would believe unsynced segments. So it is
// known here how high the files may stand, and a log that loses its tail waits until they stand lower.

import type { Disk, Logger } from '../../src/ports.ts'
import {
  decodeOffsets, encodeOffsets, readSmallFile, writeSmallFile, type OffsetCheckpoint
} from './checkpoint-file.ts'
import { partitionDirName } from './file-names.ts'

const RECOVERY_POINTS = 'recovery-point-offset-checkpoint'
const LOG_STARTS = 'log-start-offset-checkpoint'
const HIGH_WATERMARKS = 'replication-offset-checkpoint'

export interface LogMarks {
  readonly recoveryPoint: number
  readonly logStartOffset: number
  readonly highWatermark: number
}

export interface PartitionMarks extends LogMarks { readonly topic: string; readonly partition: number }

export const NO_MARKS: LogMarks = { recoveryPoint: 0, logStartOffset: 0, highWatermark: 0 }

export class Checkpoints {
  readonly #disk: Disk
  readonly #dir: string
  /** By directory name: what the last process said of partitions whose log this one has not opened. */
  readonly #noted: Map<string, PartitionMarks>
  /** Every partition that a file on the disk may name, and the highest recovery point that may stand there. */
  #recoveryPointMax: Map<string, number>
  /** What each file says; absent = unknown. */
  readonly #written = new Map<string, string>()

  private constructor(disk: Disk, dir: string, noted: Map<string, PartitionMarks>) {
    this.#disk = disk
    this.#dir = dir
    this.#noted = noted
    this.#recoveryPointMax = new Map([...noted].map(([name, { recoveryPoint }]) => [name, recoveryPoint]))
  }

  /** A garbled file is as good as none: logs are scanned from their start. Rejects with DiskError. */
  static async load(disk: Disk, dir: string, logger: Logger): Promise<Checkpoints> {
    const noted = new Map<string, PartitionMarks>()
    const take = async (file: string, key: keyof LogMarks) => {
      for (const [topic, byIndex] of await readOffsets(disk, dir, file, logger)) {
        for (const [partition, offset] of byIndex) {
          const name = partitionDirName(topic, partition)
          noted.set(name, { ...NO_MARKS, ...noted.get(name), topic, partition, [key]: offset })
        }
      }
    }
    await take(RECOVERY_POINTS, 'recoveryPoint')
    await take(LOG_STARTS, 'logStartOffset')
    await take(HIGH_WATERMARKS, 'highWatermark')
    return new Checkpoints(disk, dir, noted)
  }

  /** What the last process said of a partition, zeros when nothing. */
  noted(name: string): LogMarks { return this.#noted.get(name) ?? NO_MARKS }

  /** The partition is open now, or what was noted is void: the next `write` no longer repeats it. */
  forget(name: string): void { this.#noted.delete(name) }

  /** Forgets what was noted of every partition that is not `wanted`. */
  forgetAllBut(wanted: (topic: string, partition: number) => boolean): void {
    for (const [name, { topic, partition }] of this.#noted) if (!wanted(topic, partition)) this.#noted.delete(name)
  }

  /** False: the files on the disk say nothing of the partition. */
  mayName(name: string): boolean { return this.#recoveryPointMax.has(name) }

  /** Higher than this no recovery point of the partition stands on the disk. */
  recoveryPointMax(name: string): number { return this.#recoveryPointMax.get(name) ?? 0 }

  /**
   * Writes the marks of the open logs and what is noted of the others, but no file that says them already. Durable when
   * it resolves. One call at a time. Rejects with DiskError.
   */
  async write(open: readonly PartitionMarks[]): Promise<void> {
    const entries = [...open, ...this.#noted.values()]
    const text = (key: keyof LogMarks) => encodeOffsets(
      entries.map((marks) => ({ topic: marks.topic, partition: marks.partition, offset: marks[key] })))
    const after = new Map<string, number>()
    for (const { topic, partition, recoveryPoint } of entries) {
      const name = partitionDirName(topic, partition)
      after.set(name, recoveryPoint)
      this.#recoveryPointMax.set(name, Math.max(this.recoveryPointMax(name), recoveryPoint))
    }
    await this.#replace(LOG_STARTS, text('logStartOffset'))
    await this.#replace(RECOVERY_POINTS, text('recoveryPoint'))
    await this.#replace(HIGH_WATERMARKS, text('highWatermark'))
    this.#recoveryPointMax = after
  }

  async #replace(file: string, text: string): Promise<void> {
    if (this.#written.get(file) === text) return
    this.#written.delete(file)
    await writeSmallFile(this.#disk, `${this.#dir}/${file}`, text)
    this.#written.set(file, text)
  }
}

async function readOffsets(disk: Disk, dir: string, file: string, logger: Logger): Promise<OffsetCheckpoint> {
  const text = await readSmallFile(disk, `${dir}/${file}`)
  if (text === undefined) return new Map()
  const decoded = decodeOffsets(text)
  if (decoded.ok) return decoded.value
  logger.error('garbled checkpoint file ignored: logs are scanned from the start', {
    file, reason: decoded.fault.message })
  return new Map()
}

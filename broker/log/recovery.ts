// Opens the files of one partition log. After a clean stop they are trusted; after any other end every segment from the
// recovery point on is scanned: the torn tail is cut, indexes, leader epochs and producer state are built again, and
// what was found is made durable before the log counts it.

import type { Disk, Logger, Metrics } from '../../src/ports.ts'
import { baseOffset, batchBytes, lastOffset, partitionLeaderEpoch } from '../../src/records/batch.ts'
import { readSmallFile, readSmallBytes } from './checkpoint-file.ts'
import {
  INDEX_SUFFIX, isLeftover, LOG_SUFFIX, offsetFileName, parseOffsetFileName, SNAPSHOT_SUFFIX, TIME_INDEX_SUFFIX
} from './file-names.ts'
import { decodeEpochs, EPOCH_FILE, LeaderEpochs } from './leader-epochs.ts'
import type { LogConfig } from './log-config.ts'
import { ProducerState } from './producer-state.ts'
import { Segment, type SegmentPlace } from './segment.ts'

const REPLAY_BYTES = 1024 * 1024

export interface LoadNeeds {
  readonly topic: string
  readonly partition: number
  readonly dir: string
  readonly disk: Disk
  readonly logger: Logger
  readonly metrics: Metrics
}

export interface LoadHints {
  /** The last process stopped cleanly: no scan. */
  readonly clean: boolean
  /** From the checkpoints of the data directory; 0 when they do not name this log. */
  readonly recoveryPoint: number
  readonly logStartOffset: number
  readonly highWatermark: number
}

export interface LoadedLog {
  /** At least one; the last is the active one. */
  readonly segments: readonly Segment[]
  readonly epochs: LeaderEpochs
  readonly producers: ProducerState
  readonly logStartOffset: number
  readonly highWatermark: number
}

/** Rejects with DiskError only. */
export async function loadLog(needs: LoadNeeds, config: LogConfig, hints: LoadHints): Promise<LoadedLog> {
  const bases = await tidyDirectory(needs)
  const place = (offset: number): SegmentPlace => ({
    disk: needs.disk, dir: needs.dir, baseOffset: offset, indexIntervalBytes: config.indexIntervalBytes })
  const epochs = await loadEpochs(needs)
  let segments: Segment[] = []
  for (const base of bases) segments.push(await Segment.open(place(base)))
  segments = await recoverSegments(needs, segments, epochs, hints)
  const end = segments.at(-1)?.nextOffset ?? 0
  if (segments.length === 0 || end < hints.logStartOffset) {
    for (const segment of segments) await segment.remove()
    segments = [Segment.createNow(place(Math.max(hints.logStartOffset, 0)))]
    epochs.clear()
    await needs.disk.syncDir(needs.dir)
  }
  const logStartOffset = Math.max(hints.logStartOffset, segments[0]!.baseOffset)
  epochs.truncateFromEnd(segments.at(-1)!.nextOffset)
  epochs.truncateFromStart(logStartOffset)
  const producers = new ProducerState()
  await reloadProducers(needs, segments, producers, segments.at(-1)!.nextOffset)
  return { segments, epochs, producers, logStartOffset, highWatermark: hints.highWatermark }
}

/** Removes what an unfinished deletion left and indexes without a log; returns the base offsets of the segments. */
async function tidyDirectory(needs: LoadNeeds): Promise<readonly number[]> {
  const names = await needs.disk.list(needs.dir)
  const files = names.map(parseOffsetFileName).filter((file) => file !== undefined)
  const bases = new Set(files.filter(({ suffix }) => suffix === LOG_SUFFIX).map(({ offset }) => offset))
  for (const name of names) {
    if (isLeftover(name)) await needs.disk.remove(`${needs.dir}/${name}`)
  }
  for (const { offset, suffix } of files) {
    if ((suffix === INDEX_SUFFIX || suffix === TIME_INDEX_SUFFIX) && !bases.has(offset)) {
      await needs.disk.remove(`${needs.dir}/${offsetFileName(offset, suffix)}`)
    }
  }
  return [...bases].sort((a, b) => a - b)
}

async function loadEpochs(needs: LoadNeeds): Promise<LeaderEpochs> {
  const text = await readSmallFile(needs.disk, `${needs.dir}/${EPOCH_FILE}`)
  if (text === undefined) return new LeaderEpochs()
  const entries = decodeEpochs(text)
  if (entries.ok) return new LeaderEpochs(entries.value)
  needs.logger.error('garbled leader epoch file: epochs are read from the batches', {
    topic: needs.topic, partition: needs.partition, reason: entries.fault.message })
  return new LeaderEpochs()
}

/** Scans what is not known to be sound; the first bad batch ends the log. */
async function recoverSegments(
  needs: LoadNeeds, segments: readonly Segment[], epochs: LeaderEpochs, hints: LoadHints): Promise<Segment[]> {
  const sound: Segment[] = []
  const allEpochs = epochs.entries.length === 0
  for (const [index, segment] of segments.entries()) {
    const isTail = !hints.clean && (segments[index + 1]?.baseOffset ?? Infinity) > hints.recoveryPoint
    if (segment.needsRecovery === undefined && !isTail) {
      if (allEpochs) await replay(segment, segment.baseOffset, segment.nextOffset, (bytes, at) => {
        epochs.assign(partitionLeaderEpoch(bytes, at), baseOffset(bytes, at))
      })
      sound.push(segment)
      continue
    }
    const { truncatedBytes, reason } = await segment.recover((bytes, at) => {
      epochs.assign(partitionLeaderEpoch(bytes, at), baseOffset(bytes, at))
    })
    await segment.sync()
    sound.push(segment)
    if (reason === undefined) continue
    const dropped = segments.slice(index + 1)
    for (const later of dropped.toReversed()) await later.remove()
    reportCut(needs, segment, { truncatedBytes, reason, dropped: dropped.length, hints })
    break
  }
  if (!hints.clean) await needs.disk.syncDir(needs.dir)
  return sound
}

function reportCut(needs: LoadNeeds, segment: Segment, cut: {
  readonly truncatedBytes: number; readonly reason: string; readonly dropped: number; readonly hints: LoadHints
}): void {
  const fields = {
    topic: needs.topic, partition: needs.partition, logEndOffset: segment.nextOffset, reason: cut.reason,
    truncatedBytes: cut.truncatedBytes, segmentsDropped: cut.dropped }
  if (segment.nextOffset >= cut.hints.recoveryPoint) {
    needs.logger.warn('torn tail cut', fields)
    return
  }
  // Bytes that were durable once are gone: the disk lost them, not the crash.
  needs.metrics.count('weir_log_lost_durable_total')
  needs.logger.error('durable records are lost on this disk', { ...fields, recoveryPoint: cut.hints.recoveryPoint })
}

/** Builds producer state up to `end`: the newest snapshot that can be read, then the batches behind it. */
export async function reloadProducers(
  needs: Pick<LoadNeeds, 'disk' | 'dir' | 'logger' | 'topic' | 'partition'>, segments: readonly Segment[],
  producers: ProducerState, end: number): Promise<void> {
  producers.clear()
  let from = await loadSnapshot(needs, producers, end)
  for (const segment of segments) {
    if (segment.nextOffset <= from) continue
    await replay(segment, Math.max(from, segment.baseOffset), Math.min(end, segment.nextOffset), (bytes, at) => {
      producers.update(bytes, at)
    })
    from = segment.nextOffset
  }
}

/** Loads the newest readable snapshot at or before `end`; later or unreadable ones are removed. Returns its offset. */
async function loadSnapshot(
  needs: Pick<LoadNeeds, 'disk' | 'dir' | 'logger' | 'topic' | 'partition'>, producers: ProducerState, end: number,
): Promise<number> {
  const offsets = (await needs.disk.list(needs.dir)).map(parseOffsetFileName)
    .filter((file) => file !== undefined && file.suffix === SNAPSHOT_SUFFIX)
    .map((file) => file!.offset).sort((a, b) => b - a)
  for (const offset of offsets) {
    const path = `${needs.dir}/${offsetFileName(offset, SNAPSHOT_SUFFIX)}`
    if (offset <= end) {
      const bytes = await readSmallBytes(needs.disk, path)
      const wrong = bytes === undefined ? 'missing' : producers.load(bytes)
      if (wrong === undefined) return offset
      needs.logger.warn('producer snapshot cannot be read: an older one is used', {
        topic: needs.topic, partition: needs.partition, path, reason: wrong })
    }
    await needs.disk.remove(path)
  }
  return 0
}

/** Each batch of [from, end) in one segment, headers and all. */
async function replay(
  segment: Segment, from: number, end: number, each: (bytes: Uint8Array, at: number) => void): Promise<void> {
  let offset = from
  while (offset < end) {
    const { bytes, nextOffset } = await segment.read({
      offset, endOffset: end, maxBytes: REPLAY_BYTES, atLeastOneBatch: true })
    if (bytes.length === 0) return
    for (let at = 0; at < bytes.length; at += batchBytes(bytes, at)) {
      if (lastOffset(bytes, at) >= from) each(bytes, at)
    }
    offset = nextOffset
  }
}


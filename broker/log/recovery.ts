// Opens the files of one partition log. After a clean stop they are trusted; after any other end every segment from the
// recovery point on is scanned: the torn tail is cut, indexes, leader epochs and producer state are built again, and
// what was found is made durable before the log counts it.

import type { Clock, Disk, Logger, Metrics } from '../../src/ports.ts'
import { baseOffset, batchBytes, lastOffset, partitionLeaderEpoch } from '../../src/records/batch.ts'
import { readSmallFile, writeSmallFile } from './checkpoint-file.ts'
import {
  INDEX_SUFFIX, isLeftover, LOG_SUFFIX, offsetFileName, parseOffsetFileName, TIME_INDEX_SUFFIX
} from './file-names.ts'
import { decodeEpochs, encodeEpochs, EPOCH_FILE, LeaderEpochs } from './leader-epochs.ts'
import type { LogConfig } from './log-config.ts'
import { ProducerState } from './producer-state.ts'
import { loadSnapshot, removeSnapshots } from './producer-snapshots.ts'
import { Segment, type SegmentPlace } from './segment.ts'

const REPLAY_BYTES = 1024 * 1024

export interface LoadNeeds {
  readonly topic: string
  readonly partition: number
  readonly dir: string
  readonly disk: Disk
  readonly clock: Clock
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

/** All of it is durable when it resolves. Rejects with DiskError only; nothing stays open then. */
export async function loadLog(needs: LoadNeeds, config: LogConfig, hints: LoadHints): Promise<LoadedLog> {
  const opened: Segment[] = []
  try {
    return await load(needs, config, hints, opened)
  } catch (error) {
    await Promise.allSettled(opened.map((segment) => segment.close()))
    throw error
  }
}

async function load(
  needs: LoadNeeds, config: LogConfig, hints: LoadHints, opened: Segment[]): Promise<LoadedLog> {
  const bases = await tidyDirectory(needs)
  const place = (offset: number): SegmentPlace => ({
    disk: needs.disk, dir: needs.dir, baseOffset: offset, indexIntervalBytes: config.indexIntervalBytes })
  const { epochs, onDisk } = await loadEpochs(needs)
  for (const base of bases) opened.push(await Segment.open(place(base)))
  let segments = await recoverSegments(needs, opened, epochs, hints)
  const end = segments.at(-1)?.nextOffset ?? 0
  // Of batches that never reached the disk.
  await removeSnapshots(needs, (offset) => offset > end)
  if (!hints.clean || segments.length < opened.length) await needs.disk.syncDir(needs.dir)
  if (segments.length === 0 || end < hints.logStartOffset) {
    for (const segment of segments) await segment.remove()
    await removeSnapshots(needs, () => true)
    segments = [Segment.createNow(place(hints.logStartOffset))]
    opened.push(...segments)
    epochs.clear()
    await needs.disk.syncDir(needs.dir)
  }
  const logEndOffset = segments.at(-1)!.nextOffset
  const logStartOffset = Math.max(hints.logStartOffset, segments[0]!.baseOffset)
  epochs.truncateFromEnd(logEndOffset)
  epochs.truncateFromStart(logStartOffset)
  const epochText = encodeEpochs(epochs.entries)
  if (onDisk === undefined ? epochs.entries.length > 0 : onDisk !== epochText) {
    await writeSmallFile(needs.disk, `${needs.dir}/${EPOCH_FILE}`, epochText)
  }
  const producers = new ProducerState()
  await reloadProducers(needs, segments, producers, logEndOffset)
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

async function loadEpochs(
  needs: LoadNeeds): Promise<{ readonly epochs: LeaderEpochs; readonly onDisk: string | undefined }> {
  const onDisk = await readSmallFile(needs.disk, `${needs.dir}/${EPOCH_FILE}`)
  if (onDisk === undefined) return { epochs: new LeaderEpochs(), onDisk }
  const entries = decodeEpochs(onDisk)
  if (entries.ok) return { epochs: new LeaderEpochs(entries.value), onDisk }
  needs.logger.error('garbled leader epoch file: epochs are read from the batches', {
    topic: needs.topic, partition: needs.partition, reason: entries.fault.message })
  return { epochs: new LeaderEpochs(), onDisk }
}

interface Cut { readonly truncatedBytes: number; readonly reason: string }

/** Scans what is not known to be sound; the first bad batch, or a hole between two segments, ends the log. */
async function recoverSegments(
  needs: LoadNeeds, segments: readonly Segment[], epochs: LeaderEpochs, hints: LoadHints): Promise<Segment[]> {
  const sound: Segment[] = []
  // The file may have been cut at a log start that no checkpoint tells of.
  const start = Math.max(hints.logStartOffset, segments[0]?.baseOffset ?? 0)
  let readsEpochs = (epochs.entries[0]?.startOffset ?? Infinity) > start
  if (readsEpochs) epochs.clear()
  const assign = (bytes: Uint8Array, at: number) => {
    epochs.assign(partitionLeaderEpoch(bytes, at), baseOffset(bytes, at))
  }
  let cut: Cut | undefined
  for (const [index, segment] of segments.entries()) {
    const previousEnd = sound.at(-1)?.nextOffset ?? segment.baseOffset
    if (segment.baseOffset !== previousEnd) {
      cut = { truncatedBytes: 0, reason: `offsets ${previousEnd} to ${segment.baseOffset - 1} are missing` }
      break
    }
    const isTail = !hints.clean && (segments[index + 1]?.baseOffset ?? Infinity) > hints.recoveryPoint
    sound.push(segment)
    if (segment.needsRecovery === undefined && !isTail) {
      if (readsEpochs) await replay(segment, segment.baseOffset, segment.nextOffset, assign)
      continue
    }
    // From here on the batches say it all.
    if (!readsEpochs) epochs.truncateFromEnd(segment.baseOffset)
    readsEpochs = true
    const { truncatedBytes, reason } = await segment.recover(assign)
    if (reason === undefined) continue
    cut = { truncatedBytes, reason }
    break
  }
  const dropped = segments.slice(sound.length)
  // The last one first: at every moment what is left is a prefix.
  for (const later of dropped.toReversed()) await later.remove()
  report(needs, hints, { end: sound.at(-1)?.nextOffset, cut, dropped: dropped.length })
  return sound
}

function report(needs: LoadNeeds, hints: LoadHints, found: {
  readonly end: number | undefined; readonly cut: Cut | undefined; readonly dropped: number }): void {
  // What lay before the log start is no loss.
  const end = Math.max(found.end ?? 0, hints.logStartOffset)
  const isLoss = end < hints.recoveryPoint
  if (found.cut === undefined && !isLoss) return
  const fields = {
    topic: needs.topic, partition: needs.partition, logEndOffset: end, recoveryPoint: hints.recoveryPoint,
    reason: found.cut?.reason ?? 'the files end before it', truncatedBytes: found.cut?.truncatedBytes ?? 0,
    segmentsDropped: found.dropped }
  if (!isLoss) {
    needs.logger.warn('torn tail cut', fields)
    return
  }
  // Bytes that were durable once are gone: the disk lost them, not the crash.
  needs.metrics.count('weir_log_lost_durable_total')
  needs.logger.error('durable records are lost on this disk', fields)
}

/**
 * Builds producer state up to `end`, with which the log ends and behind which there is no snapshot: the newest one that
 * can be read, then the batches behind it. The producers count as seen now: their timestamps are the clients' and may
 * be of any time.
 */
export async function reloadProducers(
  needs: Omit<LoadNeeds, 'metrics'>, segments: readonly Segment[],
  producers: ProducerState, end: number): Promise<void> {
  let from = await loadSnapshot(needs, producers)
  const nowMs = needs.clock.wallMs()
  for (const segment of segments) {
    if (segment.nextOffset <= from) continue
    await replay(segment, Math.max(from, segment.baseOffset), Math.min(end, segment.nextOffset), (bytes, at) => {
      producers.update(bytes, at, nowMs)
    })
    from = segment.nextOffset
  }
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

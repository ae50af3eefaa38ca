// Which segments a log may let go: pure arithmetic over what the log knows of them.

export interface RetainedSegment {
  readonly baseOffset: number
  readonly nextOffset: number
  readonly sizeBytes: number
  /** -1 when no record has a timestamp: such a segment goes by size or log start only. */
  readonly largestTimestamp: number
}

export interface RetentionQuestion {
  /** By offset, the active one last. */
  readonly segments: readonly RetainedSegment[]
  /** -1 = no limit, and so for bytes. */
  readonly retentionMs: number
  readonly retentionBytes: number
  readonly highWatermark: number
  readonly logStartOffset: number
  /** Wall clock. */
  readonly nowMs: number
}

/**
 * How many leading segments go. One goes when it is whole before the log start, when without it the log still has
 * `retentionBytes`, or when all its records are older than `retentionMs`; never with a record at or behind the high
 * watermark. The active segment may be among them when it has records: roll first.
 */
export function segmentsToDelete(question: RetentionQuestion): number {
  const { segments, retentionMs, retentionBytes, highWatermark, logStartOffset, nowMs } = question
  let bytesLeft = 0
  for (const segment of segments) bytesLeft += segment.sizeBytes
  let count = 0
  for (const segment of segments) {
    const isActive = count === segments.length - 1
    const end = segments[count + 1]?.baseOffset ?? segment.nextOffset
    if (end > highWatermark || (isActive && segment.sizeBytes === 0)) break
    const isBeforeStart = !isActive && end <= logStartOffset
    const isTooMuch = retentionBytes >= 0 && bytesLeft - segment.sizeBytes >= retentionBytes
    const isTooOld = retentionMs >= 0 && segment.largestTimestamp >= 0
      && nowMs - segment.largestTimestamp > retentionMs
    if (!isBeforeStart && !isTooMuch && !isTooOld) break
    bytesLeft -= segment.sizeBytes
    count++
  }
  return count
}

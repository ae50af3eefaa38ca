// Batches and a segment that several tests of this room use.

import { Segment, type SegmentPlace } from '../../broker/log/segment.ts'
import { buildBatch, type BatchOptions } from '../../src/records/builder.ts'
import { MemoryDisk } from '../../src/testing/memory-disk.ts'

export const DIR = '/data/orders-0'

export interface BatchShape extends BatchOptions {
  /** Default 1. */
  readonly records?: number
  /** Of the first record; each further one is 1 ms later. Default 1000. */
  readonly timestamp?: number
  /** Of each value, bytes. Default 10. */
  readonly valueBytes?: number
}

export function batch(baseOffset: number, shape: BatchShape = {}): Uint8Array {
  const { records = 1, timestamp = 1000, valueBytes = 10, ...options } = shape
  const value = new Uint8Array(valueBytes).fill(0x61)
  return buildBatch(Array.from({ length: records }, (_, index) => ({
    key: null, value, headers: [], timestamp: timestamp < 0 ? -1 : timestamp + index })),
  { leaderEpoch: 0, ...options, baseOffset })
}

export function concat(...parts: readonly Uint8Array[]): Uint8Array { return Uint8Array.from(Buffer.concat(parts)) }

export async function diskWithDir(): Promise<MemoryDisk> {
  const disk = new MemoryDisk()
  await disk.makeDir(DIR)
  return disk
}

export function place(disk: MemoryDisk, more: Partial<SegmentPlace> = {}): SegmentPlace {
  return { disk, dir: DIR, baseOffset: 100, indexIntervalBytes: 0, ...more }
}

/** A segment of these batches, and where each of them begins in the file. */
export async function segmentOf(
  disk: MemoryDisk, batches: readonly Uint8Array[], more: Partial<SegmentPlace> = {},
): Promise<{ readonly segment: Segment; readonly positions: readonly number[] }> {
  const segment = await Segment.create(place(disk, more))
  const positions = batches.map((bytes) => {
    const position = segment.sizeBytes
    segment.append(bytes, 0, bytes.length)
    return position
  })
  return { segment, positions }
}

// The snapshot files of producer state beside the segments of a log: each holds the state before the offset in its
// name.

import type { Clock, Disk, Logger } from '../../src/ports.ts'
import { readSmallBytes, writeSmallFile } from './checkpoint-file.ts'
import { offsetFileName, parseOffsetFileName, SNAPSHOT_SUFFIX } from './file-names.ts'
import type { ProducerState } from './producer-state.ts'

interface SnapshotPlace { readonly disk: Disk; readonly dir: string }

export interface SnapshotNeeds extends SnapshotPlace {
  readonly clock: Clock
  readonly logger: Logger
  readonly topic: string
  readonly partition: number
}

function pathOf({ dir }: SnapshotPlace, offset: number): string {
  return `${dir}/${offsetFileName(offset, SNAPSHOT_SUFFIX)}`
}

/** Durable when it resolves. Rejects with DiskError. */
export function writeSnapshot(place: SnapshotPlace, offset: number, bytes: Uint8Array): Promise<void> {
  return writeSmallFile(place.disk, pathOf(place, offset), bytes)
}

/** Offsets of the snapshots there are, rising. Rejects with DiskError. */
async function snapshotOffsets({ disk, dir }: SnapshotPlace): Promise<readonly number[]> {
  return (await disk.list(dir)).map(parseOffsetFileName).filter((file) => file?.suffix === SNAPSHOT_SUFFIX)
    .map((file) => file!.offset).sort((a, b) => a - b)
}

/** Rejects with DiskError. */
export async function removeSnapshots(place: SnapshotPlace, goes: (offset: number) => boolean): Promise<void> {
  for (const offset of await snapshotOffsets(place)) if (goes(offset)) await place.disk.remove(pathOf(place, offset))
}

/** Removes those before `offset`, but for the newest of them: the state of producers that write no more. */
export async function removeOldSnapshots(place: SnapshotPlace, offset: number): Promise<void> {
  const newest = (await snapshotOffsets(place)).findLast((one) => one < offset)
  if (newest !== undefined) await removeSnapshots(place, (one) => one < newest)
}

/**
 * Replaces `producers` by the newest readable snapshot, or by nothing; unreadable ones are removed. Returns the
 * snapshot's offset, 0 without one. Rejects with DiskError.
 */
export async function loadSnapshot(needs: SnapshotNeeds, producers: ProducerState): Promise<number> {
  producers.clear()
  for (const offset of (await snapshotOffsets(needs)).toReversed()) {
    const path = pathOf(needs, offset)
    const bytes = await readSmallBytes(needs.disk, path)
    const wrong = bytes === undefined ? 'it is gone' : producers.load(bytes, needs.clock.wallMs())
    if (wrong === undefined) return offset
    needs.logger.warn('producer snapshot cannot be read: an older one is used', {
      topic: needs.topic, partition: needs.partition, path, reason: wrong })
    await needs.disk.remove(path)
  }
  return 0
}

// Small files beside the segments, replaced whole or not at all, and Kafka's text formats for them: a version, a count,
// one entry per line.

import { refuse, ok, type Refused, type Result } from '../../src/base/error-code.ts'
import { DiskError, type Disk } from '../../src/ports.ts'
import { TEMPORARY_SUFFIX } from './file-names.ts'

const VERSION = '0'
const FILE_BYTES_MAX = 256 * 1024 * 1024
const encoder = new TextEncoder()
// What is no UTF-8 becomes a line that no parser takes.
const decoder = new TextDecoder()

/**
 * Replaces `path`: a reader, and the next start after a crash, sees the old content or all of the new one. Durable when
 * it resolves. One writer of a path at a time. Rejects with DiskError.
 */
export async function writeSmallFile(disk: Disk, path: string, content: string | Uint8Array): Promise<void> {
  const bytes = typeof content === 'string' ? encoder.encode(content) : content
  const temporary = path + TEMPORARY_SUFFIX
  const file = await disk.open(temporary, { create: true })
  try {
    if (file.size() > 0) await file.truncate(0)
    file.writeNow([bytes], 0)
    await file.sync()
  } finally {
    await file.close()
  }
  await disk.rename(temporary, path)
  await disk.syncDir(path.slice(0, path.lastIndexOf('/')) || '/')
}

/** The whole file, undefined when there is none. Rejects with DiskError, EFBIG for what was never a small file. */
export async function readSmallBytes(disk: Disk, path: string): Promise<Uint8Array | undefined> {
  if (!await disk.exists(path)) return undefined
  const file = await disk.open(path, { create: false })
  try {
    const size = file.size()
    if (size > FILE_BYTES_MAX) {
      throw new DiskError('EFBIG', path, `${path} has ${size} bytes, more than ${FILE_BYTES_MAX}`)
    }
    const bytes = new Uint8Array(size)
    return bytes.subarray(0, await file.read(bytes, 0))
  } finally {
    await file.close()
  }
}

/** As `readSmallBytes`, as text. */
export async function readSmallFile(disk: Disk, path: string): Promise<string | undefined> {
  const bytes = await readSmallBytes(disk, path)
  return bytes === undefined ? undefined : decoder.decode(bytes)
}

// ---- lines ----------------------------------------------------------------------------------------------

export function encodeLines(lines: readonly string[]): string {
  return [VERSION, lines.length, ...lines, ''].join('\n')
}

/**
 * The entry lines of a file of version 0, split at blanks into `fields` parts each; line numbers in refusals count from
 * 1. Refused with KAFKA_STORAGE_ERROR.
 */
export function decodeLines(text: string, fields: number): Result<readonly (readonly string[])[]> {
  const [version, count, ...rest] = text.split('\n')
  if (version !== VERSION) return garbled(1, version ?? '', `version ${VERSION}`)
  if (count === undefined || !/^\d{1,9}$/.test(count)) return garbled(2, count ?? '', 'the number of entries')
  const lines = rest.at(-1) === '' ? rest.slice(0, -1) : rest
  if (lines.length !== Number(count)) {
    return refuse('KAFKA_STORAGE_ERROR', `line 2 announces ${count} entries, ${lines.length} follow`)
  }
  const entries = lines.map((line) => line.split(' '))
  const wrong = entries.findIndex((parts) => parts.length !== fields)
  return wrong < 0 ? ok(entries) : garbled(wrong + 3, lines[wrong]!, `${fields} fields`)
}

export function garbled(line: number, found: string, expected: string): Refused {
  return refuse('KAFKA_STORAGE_ERROR', `line ${line} is ${JSON.stringify(found.slice(0, 100))}, expected ${expected}`)
}

/** A whole number from 0 to `max` in plain digits; undefined for every other text. */
export function decodeNumber(text: string | undefined, max: number): number | undefined {
  if (text === undefined || !/^(0|[1-9]\d{0,15})$/.test(text)) return undefined
  const value = Number(text)
  return value <= max ? value : undefined
}

// ---- recovery-point-offset-checkpoint, log-start-offset-checkpoint, replication-offset-checkpoint -------

/** Offset by topic and partition. */
export type OffsetCheckpoint = Map<string, Map<number, number>>

export interface OffsetEntry { readonly topic: string; readonly partition: number; readonly offset: number }

export function encodeOffsets(entries: Iterable<OffsetEntry>): string {
  return encodeLines(Array.from(entries, ({ topic, partition, offset }) => `${topic} ${partition} ${offset}`))
}

/** Of a partition named twice the smaller offset counts: no one is hurt by a scan or a mark that starts too early. */
export function decodeOffsets(text: string): Result<OffsetCheckpoint> {
  const lines = decodeLines(text, 3)
  if (!lines.ok) return lines
  const byTopic: OffsetCheckpoint = new Map()
  for (const [index, [topic, partitionText, offsetText]] of lines.value.entries()) {
    const partition = decodeNumber(partitionText, 0x7fffffff)
    const offset = decodeNumber(offsetText, Number.MAX_SAFE_INTEGER)
    if (topic === undefined || topic === '' || partition === undefined || offset === undefined) {
      return garbled(index + 3, lines.value[index]!.join(' '), '"topic partition offset"')
    }
    let byPartition = byTopic.get(topic)
    if (byPartition === undefined) byTopic.set(topic, byPartition = new Map<number, number>())
    byPartition.set(partition, Math.min(byPartition.get(partition) ?? offset, offset))
  }
  return ok(byTopic)
}

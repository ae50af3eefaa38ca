// Snapshots of the metadata image, a file each: snapshots/<index>-<term>.snapshot. A file under that name is whole and
// durable; what a crash leaves half-written has another name.

import { readInt32, readInt64, readUint32, writeInt32, writeInt64 } from '../../src/base/int64.ts'
import { refuse, ok, type Result } from '../../src/base/error-code.ts'
import { crc32c } from '../../src/records/crc32c.ts'
import { DiskError, type Disk, type DiskFile } from '../../src/ports.ts'
import type { Snapshot, SnapshotMeta } from '../raft/types.ts'

const MAGIC = 0x57534e50
const VERSION = 1
const HEADER_BYTES = 40
const HEADER_CRC_AT = HEADER_BYTES - 4
/** Written and synced piece by piece: a piece is all that holds up the event loop. */
const PIECE_BYTES = 4 * 1024 * 1024
const TEMPORARY = '.tmp'

export class SnapshotFiles {
  readonly #disk: Disk
  readonly #dir: string

  private constructor(disk: Disk, dir: string) {
    this.#disk = disk
    this.#dir = dir
  }

  /** Makes `dir` when missing and removes half-written files. */
  static async open(disk: Disk, dir: string): Promise<SnapshotFiles> {
    await disk.makeDir(dir)
    for (const name of await disk.list(dir)) {
      if (name.endsWith(TEMPORARY)) await disk.remove(`${dir}/${name}`)
    }
    return new SnapshotFiles(disk, dir)
  }

  pathOf(meta: SnapshotMeta): string { return `${this.#dir}/${meta.index}-${meta.term}.snapshot` }

  /** Resolves when the file is durable under its name. */
  async write(snapshot: Snapshot): Promise<void> {
    const path = this.pathOf(snapshot)
    const file = await this.#disk.open(path + TEMPORARY, { create: true })
    try {
      await file.truncate(0)
      file.writeNow([encodeHeader(snapshot)], 0)
      for (let at = 0; at < snapshot.data.length; at += PIECE_BYTES) {
        file.writeNow([snapshot.data.subarray(at, at + PIECE_BYTES)], HEADER_BYTES + at)
        await file.sync()
      }
      await file.sync()
    } finally {
      await file.close()
    }
    await this.#disk.rename(path + TEMPORARY, path)
    await this.#disk.syncDir(this.#dir)
  }

  /** A missing or damaged file is a fault that names it. Rejects with DiskError when reading fails. */
  async read(meta: SnapshotMeta): Promise<Result<Snapshot>> {
    const path = this.pathOf(meta)
    let file: DiskFile
    try {
      file = await this.#disk.open(path, { create: false })
    } catch (error) {
      if (error instanceof DiskError && error.code === 'ENOENT') {
        return refuse('KAFKA_STORAGE_ERROR', `snapshot ${path} is missing`)
      }
      throw error
    }
    try {
      const bytes = new Uint8Array(file.size())
      const read = await file.read(bytes, 0)
      const wrong = fileFault(bytes.subarray(0, read), meta)
      if (wrong !== undefined) return refuse('KAFKA_STORAGE_ERROR', `snapshot ${path} ${wrong}`)
      return ok({ index: meta.index, term: meta.term, data: bytes.subarray(HEADER_BYTES) })
    } finally {
      await file.close()
    }
  }

  /** Newest first. */
  async list(): Promise<readonly SnapshotMeta[]> {
    const metas = (await this.#disk.list(this.#dir)).flatMap((name): SnapshotMeta[] => {
      const match = /^(\d{1,16})-(\d{1,16})\.snapshot$/.exec(name)
      return match === null ? [] : [{ index: Number(match[1]), term: Number(match[2]) }]
    })
    return metas.sort((left, right) => right.index - left.index || right.term - left.term)
  }

  async remove(meta: SnapshotMeta): Promise<void> { await this.#disk.remove(this.pathOf(meta)) }
}

function encodeHeader(snapshot: Snapshot): Uint8Array {
  const header = new Uint8Array(HEADER_BYTES)
  writeInt32(header, MAGIC, 0)
  writeInt32(header, VERSION, 4)
  writeInt64(header, snapshot.index, 8)
  writeInt64(header, snapshot.term, 16)
  writeInt64(header, snapshot.data.length, 24)
  writeInt32(header, crc32c(snapshot.data), 32)
  writeInt32(header, crc32c(header.subarray(0, HEADER_CRC_AT)), HEADER_CRC_AT)
  return header
}

function fileFault(bytes: Uint8Array, meta: SnapshotMeta): string | undefined {
  if (bytes.length < HEADER_BYTES) return `has ${bytes.length} bytes, less than its header`
  if (readUint32(bytes, HEADER_CRC_AT) !== crc32c(bytes.subarray(0, HEADER_CRC_AT))) return 'has a damaged header'
  if (readInt32(bytes, 0) !== MAGIC || readInt32(bytes, 4) !== VERSION) return `is not of version ${VERSION}`
  const found = { index: readInt64(bytes, 8), term: readInt64(bytes, 16) }
  if (found.index !== meta.index || found.term !== meta.term) return `holds snapshot ${found.index}-${found.term}`
  const dataBytes = readInt64(bytes, 24)
  if (bytes.length - HEADER_BYTES !== dataBytes) {
    return `holds ${bytes.length - HEADER_BYTES} of ${dataBytes} data bytes`
  }
  return readUint32(bytes, 32) === crc32c(bytes.subarray(HEADER_BYTES)) ? undefined : 'has damaged data'
}

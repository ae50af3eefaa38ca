// The codecs of record batches. All are synchronous, and none allocates beyond the cap it is given.

import { createRequire } from 'node:module'
import { gunzipSync, gzipSync } from 'node:zlib'

import type * as Lz4 from 'lz4-napi'
import type * as Snappy from 'snappy'
import { compress as compressZstd, decompress as decompressZstd, init as initZstd } from '@bokuweb/zstd-wasm'

import { tooLarge } from './decompression-limit.ts'
import { lz4ContentSize } from './lz4-frame.ts'
import { frameSnappy, snappyBlocks, snappyContentSize } from './snappy-framing.ts'
import { zstdFrames } from './zstd-frame.ts'

// Instantiates 300 KB of WebAssembly: about 3 ms, once.
await initZstd()

// Native libraries are loaded with the first batch that needs them: every start would pay for them.
const require = createRequire(import.meta.url)
let lz4Library: typeof Lz4 | undefined
let snappyLibrary: typeof Snappy | undefined
function lz4Of(): typeof Lz4 {
  lz4Library ??= require('lz4-napi') as typeof Lz4
  return lz4Library
}
function snappyOf(): typeof Snappy {
  snappyLibrary ??= require('snappy') as typeof Snappy
  return snappyLibrary
}

export type CodecName = 'none' | 'gzip' | 'snappy' | 'lz4' | 'zstd'

export interface Codec {
  readonly name: CodecName
  /** As in the attributes of a batch. */
  readonly id: number
  /** The result is the caller's; `none` returns `bytes` itself. */
  compress(bytes: Uint8Array): Uint8Array
  /**
   * The result is the caller's; `none` returns `bytes` itself. Throws RangeError, before it allocates more, when the
   * result has more than `maxBytes`; Error when `bytes` is corrupt.
   */
  decompress(bytes: Uint8Array, maxBytes: number): Uint8Array
}

const ZSTD_LEVEL = 3
/** Negated number of zstd's error "destination buffer is too small", as the library words it. */
const ZSTD_TOO_SMALL = 'code -70'

const none: Codec = {
  name: 'none',
  id: 0,
  compress: (bytes) => bytes,
  decompress(bytes, maxBytes) {
    if (bytes.length > maxBytes) throw tooLarge('none', maxBytes)
    return bytes
  }
}

const gzip: Codec = {
  name: 'gzip',
  id: 1,
  compress: (bytes) => plain(gzipSync(bytes)),
  decompress(bytes, maxBytes) {
    try {
      // zlib takes no limit of 0.
      const content = gunzipSync(bytes, { maxOutputLength: Math.max(1, maxBytes) })
      if (content.length <= maxBytes) return plain(content)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
    }
    throw tooLarge('gzip', maxBytes)
  }
}

/** Writes the framing of Kafka's Java clients; reads it and raw snappy. */
const snappy: Codec = {
  name: 'snappy',
  id: 2,
  compress: (bytes) => frameSnappy(bytes, (block) => snappyOf().compressSync(block)),
  decompress(bytes, maxBytes) {
    const blocks = snappyBlocks(bytes)
    let size = 0
    for (const block of blocks) size += snappyContentSize(block)
    if (size > maxBytes) throw tooLarge('snappy', maxBytes)
    return joined(blocks.map((block) => snappyOf().uncompressSync(block) as Uint8Array))
  }
}

/** LZ4 frames with independent blocks, the only ones that Kafka's Java clients read; reads linked ones, too. */
const lz4: Codec = {
  name: 'lz4',
  id: 3,
  compress: (bytes) => plain(lz4Of().compressFrameSync(buffer(bytes))),
  decompress(bytes, maxBytes) {
    lz4ContentSize(bytes, maxBytes)
    return plain(lz4Of().decompressFrameSync(buffer(bytes)))
  }
}

const zstd: Codec = {
  name: 'zstd',
  id: 4,
  compress: (bytes) => compressZstd(buffer(bytes), ZSTD_LEVEL),
  decompress(bytes, maxBytes) {
    const parts: Uint8Array[] = []
    let room = maxBytes
    for (const { from, to, mostBytes, exact } of zstdFrames(bytes)) {
      if (exact && mostBytes > room) throw tooLarge('zstd', maxBytes)
      const part = zstdFrame(bytes.subarray(from, to), Math.min(mostBytes, room))
      if (part === undefined) {
        throw exact ? new Error('a zstd frame that claims too little') : tooLarge('zstd', maxBytes)
      }
      parts.push(part)
      room -= part.length
    }
    return joined(parts)
  }
}

/** Undefined when `capacity` bytes are too few. */
function zstdFrame(frame: Uint8Array, capacity: number): Uint8Array | undefined {
  try {
    return decompressZstd(buffer(frame), { defaultHeapSize: capacity })
  } catch (error) {
    if (error instanceof Error && error.message.endsWith(ZSTD_TOO_SMALL)) return undefined
    throw new Error('corrupt zstd frame', { cause: error })
  }
}

/** By number. */
export const CODECS: readonly Codec[] = [none, gzip, snappy, lz4, zstd]

/** Undefined for a name that is none of ours. */
export function codecByName(name: string): Codec | undefined {
  return CODECS.find((codec) => codec.name === name)
}

/** Undefined for a number that is none of ours. */
export function codecById(id: number): Codec | undefined { return CODECS[id] }

/** A Buffer's `slice` does not copy, that of a Uint8Array does: callers get the latter. */
function plain(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function buffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return parts.length === 1 ? plain(parts[0]!) : plain(Buffer.concat(parts))
}

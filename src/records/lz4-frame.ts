// The size that an LZ4 frame expands to, found without expanding it: frames need not tell, and a decoder that does
// not know it beforehand cannot be kept from allocating.

import { readInt32 } from '../base/int64.ts'
import { tooLarge } from './decompression-limit.ts'

const MAGIC = 0x04224d18
const VERSION = 1
const BLOCK_CHECKSUM_BIT = 0x10
const CONTENT_SIZE_BIT = 0x08
const CONTENT_CHECKSUM_BIT = 0x04
const DICTIONARY_BIT = 0x01
const MIN_MATCH = 4

/**
 * Exact size of the content of the one frame in `bytes`. Walks the sequences of every block without copying.
 * Throws RangeError above `maxBytes`, Error when the structure is broken or bytes follow the frame.
 */
export function lz4ContentSize(bytes: Uint8Array, maxBytes: number): number {
  if (bytes.length < 11 || readInt32(bytes, 0) !== MAGIC) throw new Error('no LZ4 frame')
  const flags = bytes[4]!
  if (flags >> 6 !== VERSION) throw new Error(`version ${flags >> 6} of the LZ4 frame, expected ${VERSION}`)
  if ((flags & DICTIONARY_BIT) !== 0) throw new Error('an LZ4 frame that needs a dictionary')
  const sizeCode = (bytes[5]! >> 4) & 7
  if (sizeCode < 4) throw new Error(`block size code ${sizeCode} of an LZ4 frame`)
  const maxBlock = 2 ** (8 + 2 * sizeCode)
  const blockTrailer = (flags & BLOCK_CHECKSUM_BIT) === 0 ? 0 : 4
  let at = (flags & CONTENT_SIZE_BIT) === 0 ? 7 : 15
  let total = 0
  for (;;) {
    if (at + 4 > bytes.length) throw new Error('an LZ4 frame without its end')
    const header = littleEndian32(bytes, at)
    at += 4
    if (header === 0) break
    const end = at + (header & 0x7fffffff)
    if (end + blockTrailer > bytes.length) throw new Error('an LZ4 block that passes the end')
    const size = header >= 0x80000000 ? end - at : blockContentSize(bytes, at, end)
    if (size > maxBlock) throw new Error(`an LZ4 block of ${size} bytes in a frame of blocks up to ${maxBlock}`)
    total += size
    if (total > maxBytes) throw tooLarge('lz4', maxBytes)
    at = end + blockTrailer
  }
  if ((flags & CONTENT_CHECKSUM_BIT) !== 0) at += 4
  if (at !== bytes.length) throw new Error(`an LZ4 frame of ${at} bytes in ${bytes.length}`)
  return total
}

/** The last sequence has literals only and ends the block. */
function blockContentSize(bytes: Uint8Array, from: number, end: number): number {
  let at = from
  let size = 0
  while (at < end) {
    const token = bytes[at++]!
    let literals = token >> 4
    if (literals === 15) {
      let more = 255
      while (more === 255 && at < end) {
        more = bytes[at++]!
        literals += more
      }
    }
    at += literals
    size += literals
    if (at >= end) break
    at += 2
    let match = token & 15
    if (match === 15) {
      let more = 255
      while (more === 255 && at < end) {
        more = bytes[at++]!
        match += more
      }
    }
    size += match + MIN_MATCH
  }
  if (at !== end) throw new Error('an LZ4 sequence that passes its block')
  return size
}

function littleEndian32(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0
}

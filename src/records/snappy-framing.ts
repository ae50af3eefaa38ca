// The two forms of snappy in record batches: one raw block, and blocks in the framing of xerial's snappy-java, which
// Kafka's Java clients write.

import { readInt32, writeInt32 } from '../base/int64.ts'

const SIGNATURE = Uint8Array.of(0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0)
/** Signature, version, lowest compatible version. */
const HEADER_BYTES = SIGNATURE.length + 8
const VERSION = 1
/** What snappy-java puts in one block. */
const BLOCK_BYTES = 32 * 1024

/** Raw blocks of `bytes` as views: one of all of it when there is no framing. Throws Error when it is broken. */
export function snappyBlocks(bytes: Uint8Array): Uint8Array[] {
  if (!isFramed(bytes)) return [bytes]
  if (readInt32(bytes, SIGNATURE.length + 4) > VERSION) {
    throw new Error(`snappy framing for readers of version ${readInt32(bytes, SIGNATURE.length + 4)}`)
  }
  const blocks: Uint8Array[] = []
  let at = HEADER_BYTES
  while (at < bytes.length) {
    if (at + 4 > bytes.length) throw new Error('snappy framing cut short')
    const size = readInt32(bytes, at)
    at += 4
    if (size <= 0 || at + size > bytes.length) throw new Error(`a snappy block of ${size} bytes passes the end`)
    blocks.push(bytes.subarray(at, at + size))
    at += size
  }
  return blocks
}

/** `bytes` in the framing, each block compressed by `compressBlock`. */
export function frameSnappy(bytes: Uint8Array, compressBlock: (block: Uint8Array) => Uint8Array): Uint8Array {
  const blocks: Uint8Array[] = []
  let size = HEADER_BYTES
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
    const block = compressBlock(bytes.subarray(at, at + BLOCK_BYTES))
    blocks.push(block)
    size += 4 + block.length
  }
  const framed = new Uint8Array(size)
  framed.set(SIGNATURE)
  writeInt32(framed, VERSION, SIGNATURE.length)
  writeInt32(framed, VERSION, SIGNATURE.length + 4)
  let at = HEADER_BYTES
  for (const block of blocks) {
    writeInt32(framed, block.length, at)
    framed.set(block, at + 4)
    at += 4 + block.length
  }
  return framed
}

/** The size that a raw block claims to expand to: its leading varint. */
export function snappyContentSize(block: Uint8Array): number {
  let value = 0
  for (let index = 0; index < 5 && index < block.length; index++) {
    const byte = block[index]!
    value += (byte & 0x7f) * 2 ** (7 * index)
    if (byte < 0x80) return value
  }
  throw new Error('a snappy block without its size')
}

function isFramed(bytes: Uint8Array): boolean {
  return bytes.length >= HEADER_BYTES && SIGNATURE.every((byte, index) => bytes[index] === byte)
}

// The frames of zstd data and how far each can expand, read from frame and block headers only.

const MAGIC = 0xfd2fb528
const SKIPPABLE_MAGIC = 0x184d2a50
const MAX_BLOCK_BYTES = 128 * 1024
const SINGLE_SEGMENT_BIT = 0x20
const CHECKSUM_BIT = 0x04
const RAW_BLOCK = 0
const RUN_BLOCK = 1
const COMPRESSED_BLOCK = 2

/** One frame, bytes [from, to) of its buffer. */
export interface ZstdFrame {
  readonly from: number
  readonly to: number
  /** The frame does not expand to more. */
  readonly mostBytes: number
  /** True when the frame claims to expand to exactly `mostBytes`. */
  readonly exact: boolean
}

/** The frames of `bytes`, without skippable ones. Throws Error when their structure is broken. */
export function zstdFrames(bytes: Uint8Array): ZstdFrame[] {
  const frames: ZstdFrame[] = []
  let at = 0
  while (at < bytes.length) {
    const magic = littleEndian(bytes, at, 4)
    if (magic === MAGIC) {
      const frame = frameAt(bytes, at)
      frames.push(frame)
      at = frame.to
    } else if ((magic & 0xfffffff0) === SKIPPABLE_MAGIC) {
      at += 8 + littleEndian(bytes, at + 4, 4)
      if (at > bytes.length) throw new Error('a skippable zstd frame that passes the end')
    } else {
      throw new Error('no zstd frame')
    }
  }
  if (frames.length === 0) throw new Error('no zstd frame')
  return frames
}

function frameAt(bytes: Uint8Array, from: number): ZstdFrame {
  const descriptor = littleEndian(bytes, from + 4, 1)
  if ((descriptor & 0x03) !== 0) throw new Error('a zstd frame that needs a dictionary')
  const singleSegment = (descriptor & SINGLE_SEGMENT_BIT) !== 0
  let at = from + 5
  let maxBlock = MAX_BLOCK_BYTES
  if (!singleSegment) {
    maxBlock = Math.min(maxBlock, windowSize(littleEndian(bytes, at, 1)))
    at++
  }
  const sizeBytes = [singleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6]!
  const claimed = littleEndian(bytes, at, sizeBytes) + (sizeBytes === 2 ? 256 : 0)
  at += sizeBytes
  if (singleSegment) maxBlock = Math.min(maxBlock, claimed)
  const blocks = blocksFrom(bytes, at, maxBlock)
  const to = blocks.to + ((descriptor & CHECKSUM_BIT) === 0 ? 0 : 4)
  if (to > bytes.length) throw new Error('a zstd frame that passes the end')
  if (sizeBytes === 0) return { from, to, mostBytes: blocks.mostBytes, exact: false }
  if (claimed > blocks.mostBytes) {
    throw new Error(`a zstd frame that claims ${claimed} bytes, its blocks have at most ${blocks.mostBytes}`)
  }
  return { from, to, mostBytes: claimed, exact: true }
}

function windowSize(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3))
  return base + (base / 8) * (descriptor & 7)
}

function blocksFrom(bytes: Uint8Array, from: number, maxBlock: number): { to: number; mostBytes: number } {
  let at = from
  let mostBytes = 0
  for (;;) {
    const header = littleEndian(bytes, at, 3)
    const type = (header >> 1) & 3
    const size = header >> 3
    at += 3
    if (type === RAW_BLOCK || type === RUN_BLOCK) mostBytes += size
    else if (type === COMPRESSED_BLOCK) mostBytes += maxBlock
    else throw new Error('a zstd block of reserved type')
    at += type === RUN_BLOCK ? 1 : size
    if (at > bytes.length) throw new Error('a zstd block that passes the end')
    if ((header & 1) === 1) return { to: at, mostBytes }
  }
}

/** An unsigned integer of 0 to 8 bytes; imprecise, never too small by more than its last digits, beyond 2^53. */
function littleEndian(bytes: Uint8Array, at: number, length: number): number {
  if (at + length > bytes.length) throw new Error('a zstd frame cut short')
  let value = 0
  for (let index = length - 1; index >= 0; index--) value = value * 256 + bytes[at + index]!
  return value
}

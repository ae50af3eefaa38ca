// Checked int64 <-> number at byte positions: the only place where 64-bit integers of a wire or a file become
// numbers. Everything beyond ±(2^53−1) is refused with RangeError.

const TWO_32 = 2 ** 32

/** Big-endian int64 at `at`. Throws RangeError beyond ±(2^53−1) or past the end. */
export function readInt64(bytes: Uint8Array, at: number): number {
  if (at < 0 || at + 8 > bytes.length) throw outside(bytes, at)
  const high = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!
  const low = ((bytes[at + 4]! << 24) | (bytes[at + 5]! << 16) | (bytes[at + 6]! << 8) | bytes[at + 7]!) >>> 0
  const value = high * TWO_32 + low
  if (!Number.isSafeInteger(value)) throw new RangeError(`int64 at ${at} is beyond ±(2^53−1)`)
  return value
}

/** Big-endian int64 at `at`. Throws RangeError when `value` is not a safe integer or the end is passed. */
export function writeInt64(bytes: Uint8Array, value: number, at: number): void {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is not an integer within ±(2^53−1)`)
  if (at < 0 || at + 8 > bytes.length) throw outside(bytes, at)
  const high = Math.floor(value / TWO_32)
  const low = value - high * TWO_32
  bytes[at] = high >> 24
  bytes[at + 1] = high >> 16
  bytes[at + 2] = high >> 8
  bytes[at + 3] = high
  bytes[at + 4] = low >>> 24
  bytes[at + 5] = low >>> 16
  bytes[at + 6] = low >>> 8
  bytes[at + 7] = low
}

function outside(bytes: Uint8Array, at: number): RangeError {
  return new RangeError(`int64 at ${at} is past the end (${bytes.length} bytes)`)
}

export function readInt32(bytes: Uint8Array, at: number): number {
  return (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!
}

export function readUint32(bytes: Uint8Array, at: number): number {
  return readInt32(bytes, at) >>> 0
}

export function writeInt32(bytes: Uint8Array, value: number, at: number): void {
  bytes[at] = value >>> 24
  bytes[at + 1] = value >>> 16
  bytes[at + 2] = value >>> 8
  bytes[at + 3] = value
}

export function readInt16(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) >> 16) | bytes[at + 1]!
}

export function writeInt16(bytes: Uint8Array, value: number, at: number): void {
  bytes[at] = value >>> 8
  bytes[at + 1] = value
}

// CRC-32C (Castagnoli), the checksum of record batches and of our own files.

import { crc32c as native } from '@node-rs/crc32'

/** The checksum as a uint32. */
export function crc32c(bytes: Uint8Array): number { return native(bytes) }

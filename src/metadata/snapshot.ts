// An image as one byte string and back: what Raft snapshots hold.
//
// Version (1 byte), hash of the image (16 hex digits), then the canonical records. The hash is that of the image which
// was encoded: an image decoded to something else is refused instead of lived with.

import { ByteReader, ByteWriter } from '../base/bytes.ts'
import { MetadataCodecError, decodeRecord, encodeRecord, joinRecords, splitRecords } from './codec.ts'
import { MetadataDelta } from './delta.ts'
import { EMPTY_IMAGE, imageHash, recordsOf, type MetadataImage } from './image.ts'

const VERSION = 0
const HASH_LENGTH = 16

export function encodeSnapshot(image: MetadataImage): Uint8Array {
  const to = new ByteWriter(4096)
  to.int8(VERSION)
  to.utf8(imageHash(image))
  to.bytes(joinRecords(recordsOf(image).map(encodeRecord)))
  return to.finish()
}

/** `offset`: the metadata offset at which the snapshot was taken. Throws MetadataCodecError. */
export function decodeSnapshot(bytes: Uint8Array, offset: number): MetadataImage {
  const from = new ByteReader(bytes)
  const version = from.uint8()
  const hash = from.utf8(HASH_LENGTH)
  if (from.fault !== undefined) throw new MetadataCodecError('MALFORMED', `metadata snapshot: ${from.fault}`)
  if (version !== VERSION) {
    throw new MetadataCodecError('UNKNOWN_VERSION',
      `metadata snapshot of version ${version}, this release reads ${VERSION}`)
  }
  const delta = new MetadataDelta(EMPTY_IMAGE)
  for (const record of splitRecords(bytes.subarray(from.position))) delta.replay(decodeRecord(record))
  const image = delta.apply(offset)
  if (imageHash(image) !== hash) {
    throw new MetadataCodecError('MALFORMED', `metadata snapshot at ${offset}: hash ${imageHash(image)}, not ${hash}`)
  }
  return image
}

// Raft messages ⇄ protocol messages. A snapshot travels as chunks, in order, on one stream.

import type { RaftMessage, RaftSnapshotChunk } from '../src/rpc/messages.ts'
import { isMessageKind, type Message, type MessageFields, type Snapshot } from './raft/types.ts'

const CHUNK_BYTES = 256 * 1024
const SNAPSHOT_BYTES_MAX = 1024 * 1024 * 1024

/** More than one only for a snapshot. Entry data is not copied. */
export function encodeMessage(message: Message): RaftMessage[] {
  if (message.kind !== 'snapshot') return [encodeFields(message.kind, message, null)]
  const { index, term, data } = message.snapshot
  const encoded: RaftMessage[] = []
  for (let position = 0; position === 0 || position < data.length; position += CHUNK_BYTES) {
    const end = Math.min(position + CHUNK_BYTES, data.length)
    encoded.push(encodeFields('snapshot', message, {
      index, term, position, totalBytes: data.length, data: data.subarray(position, end), done: end === data.length }))
  }
  return encoded
}

function encodeFields(kind: string, message: MessageFields, snapshot: RaftSnapshotChunk | null): RaftMessage {
  const { from, to, term, index, logTerm, commit, reject, rejectHint, hintTerm, context, entries } = message
  const { mark, voiceless } = message
  return {
    kind, from, to, term, index, logTerm, commit, reject, rejectHint, hintTerm, context, entries, snapshot, mark,
    voiceless }
}

/** Chunks of the snapshot that is under way on one stream. */
export class SnapshotAssembly {
  #parts: Uint8Array[] = []
  #bytes = 0
  #first: RaftSnapshotChunk | undefined

  /** The snapshot once its last chunk is here. A chunk that does not follow the one before drops what there is. */
  add(chunk: RaftSnapshotChunk): Snapshot | undefined {
    if (chunk.position === 0) this.#begin(chunk)
    if (!this.#follows(chunk)) {
      this.#begin(undefined)
      return undefined
    }
    // A view would keep the whole received buffer.
    this.#parts.push(new Uint8Array(chunk.data))
    this.#bytes += chunk.data.length
    if (!chunk.done) return undefined
    const data = this.#bytes === chunk.totalBytes ? joined(this.#parts, this.#bytes) : undefined
    this.#begin(undefined)
    return data && { index: chunk.index, term: chunk.term, data }
  }

  #follows({ index, term, position, totalBytes, data }: RaftSnapshotChunk): boolean {
    const first = this.#first
    return first !== undefined && first.index === index && first.term === term && first.totalBytes === totalBytes
      && totalBytes <= SNAPSHOT_BYTES_MAX && position === this.#bytes && position + data.length <= totalBytes
  }

  #begin(first: RaftSnapshotChunk | undefined): void {
    this.#first = first
    this.#parts = []
    this.#bytes = 0
  }
}

function joined(parts: readonly Uint8Array[], bytes: number): Uint8Array {
  const data = new Uint8Array(bytes)
  let at = 0
  for (const part of parts) {
    data.set(part, at)
    at += part.length
  }
  return data
}

/** Undefined: a chunk that is not the last, or a kind this release does not know. Entry data is copied. */
export function decodeMessage(encoded: RaftMessage, assembly: SnapshotAssembly): Message | undefined {
  const { kind, from, to, term, index, logTerm, commit, reject, rejectHint, hintTerm, context } = encoded
  const { mark, voiceless } = encoded
  if (!isMessageKind(kind)) return undefined
  // Entries live on in the Raft log: a view would keep the whole received buffer.
  const entries = encoded.entries.map((entry) => ({ ...entry, data: new Uint8Array(entry.data) }))
  const fields = {
    from, to, term, index, logTerm, commit, reject, rejectHint, hintTerm, context, entries, mark, voiceless }
  if (kind !== 'snapshot') return { ...fields, kind, snapshot: undefined }
  const snapshot = encoded.snapshot === null ? undefined : assembly.add(encoded.snapshot)
  return snapshot === undefined ? undefined : { ...fields, kind, snapshot }
}

// Which leader epoch begins at which offset of a log: where a follower's log and its leader's part (KIP-101, KIP-279).

import { ok, type Result } from '../../src/base/error-code.ts'
import { decodeLines, decodeNumber, encodeLines, garbled } from './checkpoint-file.ts'

export const EPOCH_FILE = 'leader-epoch-checkpoint'

export interface EpochStart { readonly epoch: number; readonly startOffset: number }

export class LeaderEpochs {
  /** Epochs and start offsets both rise strictly. */
  #entries: EpochStart[]

  /** `entries` as `decodeEpochs` gives them. */
  constructor(entries: readonly EpochStart[] = []) {
    this.#entries = [...entries]
  }

  get entries(): readonly EpochStart[] { return this.#entries }
  get latest(): EpochStart | undefined { return this.#entries.at(-1) }

  /**
   * Notes that records from `startOffset` on are of `epoch`; true when the list changed. An epoch that is known to
   * begin there or earlier changes nothing, and so does one below the latest that lies before it (a replay). Where the
   * list contradicts the record, the record counts: an epoch that began at or behind it left no records.
   */
  assign(epoch: number, startOffset: number): boolean {
    if (epoch < 0) return false
    const { latest } = this
    if (latest !== undefined && epoch === latest.epoch && startOffset >= latest.startOffset) return false
    if (latest !== undefined && epoch < latest.epoch) {
      if (startOffset < latest.startOffset) return false
      while (this.latest !== undefined && this.latest.epoch > epoch) this.#entries.pop()
      if (this.latest?.epoch === epoch) return true
    }
    this.#dropFrom(startOffset)
    this.#entries.push({ epoch, startOffset })
    return true
  }

  #dropFrom(offset: number): boolean {
    const before = this.#entries.length
    while (this.latest !== undefined && this.latest.startOffset >= offset) this.#entries.pop()
    return this.#entries.length !== before
  }

  /**
   * Where `requestedEpoch`, or the largest known epoch below it, ends in this log. Undefined when nothing can be said:
   * -1, an epoch above the latest, an empty list.
   */
  endOffsetFor(requestedEpoch: number, logEndOffset: number):
    { readonly epoch: number; readonly endOffset: number } | undefined {
    const { latest } = this
    if (latest === undefined || requestedEpoch < 0 || requestedEpoch > latest.epoch) return undefined
    if (requestedEpoch === latest.epoch) return { epoch: requestedEpoch, endOffset: logEndOffset }
    const higher = this.#entries.findIndex(({ epoch }) => epoch > requestedEpoch)
    const floor = this.#entries[higher - 1]
    return { epoch: floor?.epoch ?? requestedEpoch, endOffset: this.#entries[higher]!.startOffset }
  }

  /** The epoch of the record at `offset`; -1 when it is before all that is known. */
  epochAt(offset: number): number {
    return this.#entries.findLast(({ startOffset }) => startOffset <= offset)?.epoch ?? -1
  }

  /** The log ends at `offset` now. True when the list changed. */
  truncateFromEnd(offset: number): boolean { return this.#dropFrom(offset) }

  /** The log begins at `offset` now: the epoch that holds it begins there. True when the list changed. */
  truncateFromStart(offset: number): boolean {
    const holder = this.#entries.findLastIndex(({ startOffset }) => startOffset <= offset)
    const found = this.#entries[holder]
    if (found === undefined || (holder === 0 && found.startOffset === offset)) return false
    this.#entries.splice(0, holder + 1, { epoch: found.epoch, startOffset: offset })
    return true
  }

  clear(): void { this.#entries = [] }
}

export function encodeEpochs(entries: readonly EpochStart[]): string {
  return encodeLines(entries.map(({ epoch, startOffset }) => `${epoch} ${startOffset}`))
}

/** Refused with KAFKA_STORAGE_ERROR, the line named, unless epochs and offsets rise strictly. */
export function decodeEpochs(text: string): Result<readonly EpochStart[]> {
  const lines = decodeLines(text, 2)
  if (!lines.ok) return lines
  const entries: EpochStart[] = []
  for (const [index, [epochText, offsetText]] of lines.value.entries()) {
    const epoch = decodeNumber(epochText, 0x7fffffff)
    const startOffset = decodeNumber(offsetText, Number.MAX_SAFE_INTEGER)
    const last = entries.at(-1)
    const rises = epoch !== undefined && startOffset !== undefined
      && (last === undefined || (epoch > last.epoch && startOffset > last.startOffset))
    if (!rises) return garbled(index + 3, lines.value[index]!.join(' '), '"epoch offset", both above the line before')
    entries.push({ epoch, startOffset })
  }
  return ok(entries)
}

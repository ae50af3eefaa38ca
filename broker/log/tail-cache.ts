// The newest batches of each partition log, kept in memory so that replication and tailing consumers read no files.
// All logs of a broker share one budget; the oldest chunk anywhere goes first.

import { assert } from '../../src/base/assert.ts'

const CHUNK_BYTES_MIN = 16 * 1024
const CHUNK_BYTES_MAX = 256 * 1024

/** Whole batches back to back. Bytes once written never change, so views of it stay valid for as long as they live. */
interface Chunk {
  readonly owner: TailCache
  readonly bytes: Uint8Array
  used: number
  /** Of each batch: offset after its last record, and where it begins in `bytes`. Parallel, rising. */
  readonly nextOffsets: number[]
  readonly positions: number[]
  readonly baseOffset: number
}

/** The budget that all tail caches of a broker share. */
export class TailBudget {
  readonly #bytesMax: number
  #bytes = 0
  /** In order of creation; a Set so that a truncation can take chunks out of the middle. */
  readonly #chunks = new Set<Chunk>()

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get bytes(): number { return this.#bytes }
  get bytesMax(): number { return this.#bytesMax }

  add(chunk: Chunk): void {
    this.#chunks.add(chunk)
    this.#bytes += chunk.bytes.length
    for (const oldest of this.#chunks) {
      if (this.#bytes <= this.#bytesMax || oldest === chunk) return
      oldest.owner.dropOldest()
    }
  }

  forget(chunk: Chunk): void {
    if (this.#chunks.delete(chunk)) this.#bytes -= chunk.bytes.length
  }
}

export class TailCache {
  readonly #budget: TailBudget
  #chunks: Chunk[] = []

  constructor(budget: TailBudget) {
    this.#budget = budget
  }

  /** Copies one whole batch whose records lie in [baseOffset, nextOffset). */
  append(bytes: Uint8Array, at: number, length: number, baseOffset: number, nextOffset: number): void {
    if (length > this.#budget.bytesMax) {
      this.clear()
      return
    }
    let chunk = this.#chunks.at(-1)
    if (chunk === undefined || chunk.used + length > chunk.bytes.length) chunk = this.#grow(chunk, length, baseOffset)
    chunk.bytes.set(length === bytes.length ? bytes : bytes.subarray(at, at + length), chunk.used)
    chunk.nextOffsets.push(nextOffset)
    chunk.positions.push(chunk.used)
    chunk.used += length
  }

  #grow(last: Chunk | undefined, length: number, baseOffset: number): Chunk {
    const wanted = Math.min(CHUNK_BYTES_MAX, (last?.bytes.length ?? CHUNK_BYTES_MIN / 2) * 2)
    const chunk: Chunk = {
      owner: this, bytes: unfilled(Math.max(wanted, length)), used: 0, nextOffsets: [], positions: [],
      baseOffset }
    this.#chunks.push(chunk)
    this.#budget.add(chunk)
    return chunk
  }

  /**
   * Whole batches from the one that contains `offset`, all before `endOffset`, of one chunk: as many as fit `maxBytes`,
   * the first even if larger when `atLeastOneBatch`. A view of the cache. Undefined: not (or no longer) here.
   */
  read(wanted: { readonly offset: number; readonly endOffset: number; readonly maxBytes: number
    readonly atLeastOneBatch: boolean }): { bytes: Uint8Array; nextOffset: number } | undefined {
    const first = this.#chunks[0]
    if (first === undefined || wanted.offset < first.baseOffset) return undefined
    let index = this.#chunks.length - 1
    while (index > 0 && this.#chunks[index]!.baseOffset > wanted.offset) index--
    let chunk = this.#chunks[index]!
    if (chunk.nextOffsets.at(-1)! <= wanted.offset) {
      if (index + 1 === this.#chunks.length) return undefined
      chunk = this.#chunks[index + 1]!
    }
    return cut(chunk, wanted)
  }

  /**
   * The log was cut at `offset`. Anything cached behind it takes all with it: a chunk that went in the middle would
   * leave a hole which the next append hides.
   */
  truncateTo(offset: number): void {
    if ((this.#chunks.at(-1)?.nextOffsets.at(-1) ?? -1) > offset) this.clear()
  }

  clear(): void {
    for (const chunk of this.#chunks) this.#budget.forget(chunk)
    this.#chunks = []
  }

  dropOldest(): void {
    const chunk = this.#chunks.shift()
    assert(chunk !== undefined, 'the budget drops chunks that are there')
    this.#budget.forget(chunk)
  }
}

function cut(chunk: Chunk, wanted: { readonly offset: number; readonly endOffset: number; readonly maxBytes: number
  readonly atLeastOneBatch: boolean }): { bytes: Uint8Array; nextOffset: number } {
  const { nextOffsets, positions } = chunk
  const from = firstAbove(nextOffsets, wanted.offset)
  const start = positions[from]!
  let end = start
  let nextOffset = wanted.offset
  for (let index = from; index < nextOffsets.length && nextOffsets[index]! <= wanted.endOffset; index++) {
    const batchEnd = positions[index + 1] ?? chunk.used
    if (batchEnd - start > wanted.maxBytes && !(index === from && wanted.atLeastOneBatch)) break
    end = batchEnd
    nextOffset = nextOffsets[index]!
  }
  return { bytes: chunk.bytes.subarray(start, end), nextOffset }
}

/** Index of the first element > `value` in a rising list. */
function firstAbove(rising: readonly number[], value: number): number {
  let low = 0
  let high = rising.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (rising[middle]! > value) high = middle
    else low = middle + 1
  }
  return low
}

/** Not zeroed, and not of the shared pool: nothing behind `used` is ever read. */
function unfilled(bytes: number): Uint8Array {
  return Buffer.allocUnsafeSlow(bytes)
}

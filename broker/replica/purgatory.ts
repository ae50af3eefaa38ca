// Where produces wait until the high watermark passes their last record, or their partition stops leading.
//
// Offsets are parked in rising order (appends are), so a move of the mark pops from the front.

import { Fifo } from '../../src/base/fifo.ts'

/** `fault` undefined: the mark passed. */
export type Wake = (code: number) => void

interface Parked { readonly endOffset: number; wake: Wake | undefined }

/** The bound that all partitions of a broker share. */
export class Room {
  #used = 0
  readonly #bound: number

  constructor(bound: number) {
    this.#bound = bound
  }

  get used(): number { return this.#used }
  get full(): boolean { return this.#used >= this.#bound }
  enter(): void { this.#used++ }
  leave(): void { this.#used-- }
}

export class Purgatory {
  readonly #room: Room
  readonly #parked: Fifo<Parked>

  constructor(room: Room, bound: number) {
    this.#room = room
    this.#parked = new Fifo(bound)
  }

  /**
   * Calls `wake(0)` once the mark is at or past `endOffset` (exclusive end of the batch), or `wake(code)` at `fail`.
   * Returns the way to give up waiting (deadline passed), or undefined when there is no room.
   */
  park(endOffset: number, wake: Wake): (() => void) | undefined {
    if (this.#room.full) return undefined
    const parked: Parked = { endOffset, wake }
    if (!this.#parked.push(parked)) return undefined
    this.#room.enter()
    return () => {
      if (parked.wake === undefined) return
      parked.wake = undefined
      this.#room.leave()
    }
  }

  /** The high watermark is at `offset` now. */
  reach(offset: number, code: number): void {
    for (;;) {
      const first = this.#parked.peek()
      if (first === undefined || first.endOffset > offset) return
      this.#parked.shift()
      this.#release(first, code)
    }
  }

  /** Everyone waiting gets `code`. */
  fail(code: number): void {
    for (let first = this.#parked.shift(); first !== undefined; first = this.#parked.shift()) this.#release(first, code)
  }

  #release(parked: Parked, code: number): void {
    const wake = parked.wake
    if (wake === undefined) return
    parked.wake = undefined
    this.#room.leave()
    wake(code)
  }
}

// A ring-buffer queue with a hard bound.

import { assert } from './assert.ts'

export class Fifo<T> {
  #ring: (T | undefined)[]
  #head = 0
  #length = 0
  readonly #bound: number

  /** `bound`: the most items it ever holds (>= 1). */
  constructor(bound: number) {
    assert(bound >= 1, `bound ${bound} >= 1`)
    this.#bound = bound
    this.#ring = new Array<T | undefined>(Math.min(16, bound))
  }

  get length(): number { return this.#length }
  get full(): boolean { return this.#length >= this.#bound }

  /** False, and nothing added, when full. */
  push(item: T): boolean {
    if (this.full) return false
    if (this.#length === this.#ring.length) this.#grow()
    this.#ring[(this.#head + this.#length) % this.#ring.length] = item
    this.#length++
    return true
  }

  peek(): T | undefined { return this.#length === 0 ? undefined : this.#ring[this.#head] }

  shift(): T | undefined {
    if (this.#length === 0) return undefined
    const item = this.#ring[this.#head]
    this.#ring[this.#head] = undefined
    this.#head = (this.#head + 1) % this.#ring.length
    this.#length--
    return item
  }

  #grow(): void {
    const grown = new Array<T | undefined>(Math.min(this.#ring.length * 2, this.#bound))
    for (let index = 0; index < this.#length; index++) {
      grown[index] = this.#ring[(this.#head + index) % this.#ring.length]
    }
    this.#ring = grown
    this.#head = 0
  }
}

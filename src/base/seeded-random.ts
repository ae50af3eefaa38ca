// A seeded random generator (xoshiro128**): same seed, same numbers, on every machine. Not for secrets.

import { assert } from './assert.ts'

/** 128 bits of seed. */
export type Seed = readonly [number, number, number, number]

/** As the Random port; repeated here because this room knows no ports. */
export interface SeededRandom {
  /** Uniform in [0, 2^32). */
  uint32(): number
  /** Uniform integer in [0, bound), 1 <= bound <= 2^32. */
  below(bound: number): number
  /** 32 lower-case hex digits. */
  id(): string
  /** A generator of its own: depends on the seed and `name`, not on what was drawn before. */
  fork(name: string): SeededRandom
}

/** `seed` is any finite number; its integer part is taken modulo 2^32. */
export function seededRandom(seed: number): SeededRandom {
  assert(Number.isFinite(seed), `seed ${seed} is finite`)
  return fromSeed(stretch([seed >>> 0, 0, 0, 0]))
}

/** A generator over 128 bits, for instance from the system's source of secrets. */
export function fromSeed(seed: Seed): SeededRandom { return new Xoshiro128(seed) }

class Xoshiro128 implements SeededRandom {
  readonly #seed: Seed
  #a: number
  #b: number
  #c: number
  #d: number

  constructor(seed: Seed) {
    this.#seed = seed
    // All zeros is the one state it never leaves.
    const zero = seed.every((word) => word >>> 0 === 0)
    this.#a = zero ? 1 : seed[0]
    this.#b = seed[1]
    this.#c = seed[2]
    this.#d = seed[3]
  }

  uint32(): number {
    const result = Math.imul(rotate(Math.imul(this.#b, 5), 7), 9) >>> 0
    const shifted = this.#b << 9
    this.#c ^= this.#a
    this.#d ^= this.#b
    this.#b ^= this.#c
    this.#a ^= this.#d
    this.#c ^= shifted
    this.#d = rotate(this.#d, 11)
    return result
  }

  below(bound: number): number {
    assert(Number.isInteger(bound) && bound >= 1 && bound <= 2 ** 32, `bound ${bound} is an integer in [1, 2^32]`)
    // The last, incomplete copy of [0, bound) is drawn again: every value is equally likely.
    const end = 2 ** 32 - (2 ** 32 % bound)
    let drawn = this.uint32()
    while (drawn >= end) drawn = this.uint32()
    return drawn % bound
  }

  id(): string {
    let digits = ''
    for (let word = 0; word < 4; word++) digits += this.uint32().toString(16).padStart(8, '0')
    return digits
  }

  fork(name: string): SeededRandom {
    const state: [number, number, number, number] = [...this.#seed]
    for (let index = 0; index < name.length; index++) {
      const word = index % 4
      state[word] = mix(state[word]! ^ Math.imul(name.charCodeAt(index) + 1, 0x9e3779b1))
      state[(word + 1) % 4] = mix(state[(word + 1) % 4]! + state[word])
    }
    state[0] ^= mix(name.length + 1)
    return fromSeed(stretch(state))
  }
}

/** Spreads every bit of the seed over all four words (twice round, so that the last reaches the first). */
function stretch(seed: Seed): Seed {
  const words: [number, number, number, number] = [...seed]
  let carry = 0x6a09e667
  for (let step = 0; step < 8; step++) {
    carry = mix((words[step % 4]! ^ carry) + 0x9e3779b9)
    words[step % 4] = carry
  }
  return words
}

/** Bijective finalizer of murmur3. */
function mix(word: number): number {
  let mixed = word | 0
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}

function rotate(word: number, bits: number): number { return (word << bits) | (word >>> (32 - bits)) }

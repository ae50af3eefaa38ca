// The wires between hosts: how long a packet takes, and which ways are cut. One-way cuts are possible.

import type { Random } from '../../src/ports.ts'
import type { World } from './world.ts'

interface Way {
  /** Typical time one way, ms. */
  readonly baseMs: number
  slowMs: number
  cuts: number
}

export class Links {
  readonly #random: Random
  readonly #ways = new Map<string, Way>()
  /** Told when a way opens again, with how long it was cut. */
  readonly onHealed = new Set<(from: string, to: string) => void>()
  readonly onCut = new Set<(from: string, to: string) => void>()
  /** One packet in so many takes much longer; 0 = none. */
  tailOneIn = 300
  /** Typical latency is drawn for each way between these, ms. */
  baseMs: readonly [number, number] = [0.05, 0.8]

  constructor(world: World) {
    this.#random = world.random.fork('links')
  }

  isCut(from: string, to: string): boolean { return this.#way(from, to).cuts > 0 }

  /** Milliseconds one packet takes. */
  latency(from: string, to: string): number {
    const way = this.#way(from, to)
    let ms = way.baseMs * (0.8 + unit(this.#random) * 0.8)
    if (way.slowMs > 0) ms += way.slowMs * unit(this.#random)
    if (this.tailOneIn > 0 && this.#random.below(this.tailOneIn) === 0) ms += 40 * unit(this.#random) ** 3
    return ms
  }

  cut(from: string, to: string): void {
    const way = this.#way(from, to)
    if (way.cuts++ > 0) return
    for (const tell of this.onCut) tell(from, to)
  }

  /** Takes back one `cut`. */
  mend(from: string, to: string): void {
    const way = this.#way(from, to)
    if (way.cuts === 0 || --way.cuts > 0) return
    for (const tell of this.onHealed) tell(from, to)
  }

  /** Each packet takes up to `ms` more; 0 = as usual. */
  slow(from: string, to: string, ms: number): void { this.#way(from, to).slowMs = ms }

  healAll(): void {
    for (const [key, way] of this.#ways) {
      way.slowMs = 0
      if (way.cuts === 0) continue
      way.cuts = 0
      const [from, to] = key.split('>') as [string, string]
      for (const tell of this.onHealed) tell(from, to)
    }
  }

  /** Until a sender whose packets were lost tries again, ms. */
  retransmitMs(): number { return 5 + 400 * unit(this.#random) ** 2 }

  #way(from: string, to: string): Way {
    const key = `${from}>${to}`
    let way = this.#ways.get(key)
    if (way === undefined) {
      const [low, high] = this.baseMs
      way = { baseMs: low + (high - low) * unit(this.#random), slowMs: 0, cuts: 0 }
      this.#ways.set(key, way)
    }
    return way
  }
}

/** Uniform in [0, 1). */
export function unit(random: Random): number { return random.uint32() / 2 ** 32 }

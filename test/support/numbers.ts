// Numbers for property tests: a small seeded generator, so that a failure names what to run again.

/** Uniform in [0, 1); the same `seed` gives the same sequence (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A signed integer of a random length of at most `bits` (<= 53) bits: small and large ones equally often. */
export function integer(random: () => number, bits: number): number {
  const size = Math.floor(random() * (bits + 1))
  const value = Math.floor(random() * 2 ** size)
  return random() < 0.5 ? value : 0 - value
}

/** Every edge at which an encoding of integers changes its length or its sign, within ±`max`. */
export function edges(max: number): number[] {
  const found = new Set<number>([0, max, max - 1])
  for (let bit = 0; bit <= 53; bit++) for (const by of [-1, 0, 1]) found.add(2 ** bit + by)
  return [...found].flatMap((value) => value <= max ? [value, 0 - value] : [])
}

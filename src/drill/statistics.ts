// Percentiles of what a handful of trials measured.

export interface Spread { readonly p50: number; readonly p99: number; readonly max: number }

/** Nearest rank; whole milliseconds. All 0 without values. */
export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b)
  return { p50: rank(sorted, 0.5), p99: rank(sorted, 0.99), max: rank(sorted, 1) }
}

function rank(sorted: readonly number[], quantile: number): number {
  return Math.round(sorted[Math.max(0, Math.ceil(quantile * sorted.length) - 1)] ?? 0)
}

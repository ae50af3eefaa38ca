// The real data of the demo: US flights of early 2001, from the npm package `vega-datasets`.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

export interface Flight {
  readonly origin: string
  /** Milliseconds since the Unix epoch (the dates of the file taken as UTC). */
  readonly departedMs: number
  /** The row of the file, as JSON. */
  readonly json: string
}

function rows(name: string): readonly Readonly<Record<string, unknown>>[] {
  const file = new URL(`../../../node_modules/vega-datasets/data/${name}`, import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>[]
}

/** 20,000 flights in order of departure. */
export function flights(): readonly Flight[] {
  return rows('flights-20k.json').map((row) => ({
    origin: String(row['origin']), departedMs: dateMs(String(row['date'])), json: JSON.stringify(row)
  })).sort((a, b) => a.departedMs - b.departedMs)
}

/** 200,000 rows of delay, distance and time of day. */
export function delays(): readonly string[] {
  return rows('flights-200k.json').map((row) => JSON.stringify(row))
}

/** `2001/01/31 23:59` */
export function dateMs(text: string): number {
  const [, year, month, day, hour, minute] = /^(\d{4})\/(\d\d)\/(\d\d) (\d\d):(\d\d)$/.exec(text)!.map(Number)
  return Date.UTC(year!, month! - 1, day, hour, minute)
}

/** Of the lines in sorted order: the same for the same multiset. */
export function hashOf(lines: readonly string[]): string {
  const hash = createHash('sha256')
  for (const line of [...lines].sort()) hash.update(line).update('\n')
  return hash.digest('hex')
}

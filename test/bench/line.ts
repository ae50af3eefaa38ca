// One figure of the bench, with what it is held against, and all of them as a table.

import { table } from '../../src/cli/table.ts'

export interface Line {
  readonly figure: string
  /** Undefined: could not be measured here, `note` says why. */
  readonly value: number | undefined
  readonly unit: string
  /** What we want: at most or at least so much. */
  readonly aim?: { readonly most: number } | { readonly least: number }
  /** Kafka's figure of the same thing on this machine, in the same unit. */
  readonly peer?: number
  /** What the machine itself can do, in the same unit, taken in the same run. */
  readonly limit?: number | undefined
  /** CPU used by others meanwhile, percent of all cores. */
  readonly otherLoad?: number
  readonly note?: string
}

export interface RowLine extends Line { readonly row: string }

/** Undefined when there is nothing to meet, or nothing measured. */
export function isMet({ value, aim }: Line): boolean | undefined {
  if (value === undefined || aim === undefined) return undefined
  return 'most' in aim ? value <= aim.most : value >= aim.least
}

const OTHER_LOAD_NOTED = 5

export function linesText(lines: readonly RowLine[]): string {
  return table(['row', 'figure', 'measured', 'unit', 'aim', 'met', 'Kafka', 'machine', 'note'], lines.map((line) => [
    line.row, line.figure, numberText(line.value), line.unit, aimText(line), metText(line), numberText(line.peer),
    numberText(line.limit), noteText(line)]))
}

function numberText(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return ''
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  return value.toLocaleString('en-US', { maximumFractionDigits: digits })
}

function aimText({ aim }: Line): string {
  if (aim === undefined) return ''
  return 'most' in aim ? `≤ ${numberText(aim.most)}` : `≥ ${numberText(aim.least)}`
}

function metText(line: Line): string {
  const met = isMet(line)
  return met === undefined ? '' : met ? 'yes' : 'NO'
}

function noteText({ note, otherLoad }: Line): string {
  const load = otherLoad !== undefined && otherLoad >= OTHER_LOAD_NOTED ? `others took ${Math.round(otherLoad)} %` : ''
  return [note ?? '', load].filter((text) => text !== '').join('; ')
}

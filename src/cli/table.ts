// Tables for people: columns as wide as their widest cell, numbers to the right.

export type Cell = string | number | boolean | null | undefined

/** `heads` and rows of as many cells; ends with a newline. Control characters of cells are shown as escapes. */
export function table(heads: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const texts = rows.map((row) => heads.map((_, column) => textOf(row[column])))
  const widths = heads.map((head, column) =>
    texts.reduce((widest, row) => Math.max(widest, width(row[column]!)), width(head)))
  const numeric = heads.map((_, column) =>
    rows.length > 0 && rows.every((row) => typeof row[column] === 'number' || isNothing(row[column])))
  const line = (cells: readonly string[]) => cells.map((cell, column) => {
    const fill = ' '.repeat(widths[column]! - width(cell))
    return numeric[column] === true ? fill + cell : cell + fill
  }).join('  ').trimEnd()
  return [line(heads.map((head) => head.toUpperCase())), ...texts.map(line), ''].join('\n')
}

/** One `name  value` per line, names aligned. */
export function facts(pairs: readonly (readonly [string, Cell])[]): string {
  const widest = Math.max(0, ...pairs.map(([name]) => width(name)))
  return pairs.map(([name, value]) => `${name}${' '.repeat(widest - width(name))}  ${textOf(value)}\n`).join('')
}

function isNothing(cell: Cell): boolean { return cell === undefined || cell === null || cell === '' }

function textOf(cell: Cell): string {
  return isNothing(cell) ? '-' : printable(String(cell))
}

/** No cell may move the cursor or break a line. */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (control) => {
    const short = JSON.stringify(control).slice(1, -1)
    return short.length > 1 ? short : String.raw`\u` + control.charCodeAt(0).toString(16).padStart(4, '0')
  })
}

/** Columns on a terminal, near enough: code points, not code units. */
function width(text: string): number { return Array.from(text).length }

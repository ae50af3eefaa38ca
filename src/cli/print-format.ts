// The text form of a record: `%v` and the like, made into a function once.

import type { ConsumedRecord } from '../client/types.ts'
import { quoted, unescaped, UsageError } from './parse.ts'

export type RecordText = (record: ConsumedRecord) => string

// Text is for people: what is no UTF-8 shows as replacement characters. `--format json` loses nothing.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

const PARTS: Readonly<Record<string, RecordText>> = {
  t: ({ topic }) => topic,
  p: ({ partition }) => String(partition),
  o: ({ offset }) => String(offset),
  T: ({ timestamp }) => String(timestamp),
  k: ({ key }) => textOf(key),
  v: ({ value }) => textOf(value),
  h: ({ headers }) => headers.map(({ key, value }) => `${key}=${textOf(value)}`).join(','),
  '%': () => '%'
}

/** Throws UsageError for a `%` that means nothing. */
export function parsePrintFormat(format: string): RecordText {
  const parts: RecordText[] = []
  for (const [, letter, plain] of unescaped(format).matchAll(/%(.?)|([^%]+)/gsu)) {
    if (plain !== undefined) parts.push(() => plain)
    else if (letter !== undefined && Object.hasOwn(PARTS, letter)) parts.push(PARTS[letter]!)
    else throw new UsageError(`${quoted(`%${letter ?? ''}`)} means nothing`, '%t %p %o %T %k %v %h or %%')
  }
  return (record) => parts.map((part) => part(record)).join('')
}

function textOf(bytes: Uint8Array | null): string {
  return bytes === null ? 'null' : decoder.decode(bytes)
}

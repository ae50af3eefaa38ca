// What people type, made into values: durations, addresses, positions, pairs, counts. Everything refused here is wrong
// usage: the message says what was expected.

import type { Position } from '../client/types.ts'

/** Wrong usage: exit code 2. */
export class UsageError extends Error {
  readonly hint: string | undefined
  constructor(message: string, hint?: string) {
    super(message)
    this.name = 'UsageError'
    this.hint = hint
  }
}

/** What the file system refuses is wrong usage, too: a path that is not there. Any other error comes back as it is. */
export function fileError(path: string, error: unknown): unknown {
  if (!(error instanceof Error && 'syscall' in error)) return error
  return new UsageError(`${path} cannot be used: ${error.message}`)
}

const UNIT_MS: ReadonlyMap<string, number> = new Map([['ms', 1], ['s', 1000], ['m', 60_000], ['h', 3_600_000]])
const DAY_MS = 24 * 3_600_000

/** Whole milliseconds, 1 to one day: `500ms`, `5s`, `1.5m`, `2h`. */
export function parseDuration(text: string): number {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)$/.exec(text)
  const ms = Math.round(Number(match?.[1]) * (UNIT_MS.get(match?.[2] ?? '') ?? NaN))
  if (ms >= 1 && ms <= DAY_MS) return ms
  throw new UsageError(`${quoted(text)} is no duration`, 'like 500ms, 5s or 2m, up to 24h')
}

/** `host:port,…`; IPv6 hosts in brackets. */
export function parseAddresses(text: string): readonly string[] {
  const addresses = text.split(',').map((part) => part.trim()).filter((part) => part !== '')
  const wrong = addresses.find((address) => {
    const match = /^(?:\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+):(\d{1,5})$/.exec(address)
    return match === null || Number(match[1]) < 1 || Number(match[1]) > 65_535
  })
  if (wrong === undefined && addresses.length > 0) return addresses
  throw new UsageError(`${quoted(wrong ?? text)} is no address`, 'like 127.0.0.1:7201, several separated by commas')
}

export function parseFormat(text: string): 'text' | 'json' {
  return oneOf(['text', 'json'], text)
}

/** The value itself when it is one of `values`. */
export function oneOf<T extends string>(values: readonly T[], text: string): T {
  const value = values.find((one) => one === text)
  if (value !== undefined) return value
  throw new UsageError(`${quoted(text)} is not allowed`, `one of ${values.join(', ')}`)
}

/** An integer in plain digits from `min` to `max`. */
export function parseInteger(text: string, min: number, max: number): number {
  const value = /^-?\d{1,16}$/.test(text) ? Number(text) : NaN
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value
  throw new UsageError(`${quoted(text)} is not allowed`, `an integer from ${min} to ${max}`)
}

/** As `parseInteger`, as a function of the text alone. */
export function integer(min: number, max: number): (text: string) => number {
  return (text) => parseInteger(text, min, max)
}

/** `start`, `end`, OFFSET, `@TIME` (milliseconds since 1970, or ISO 8601), or `-N`: N records before the end. */
export function parsePosition(text: string): Position {
  if (text === 'start' || text === 'end') return text
  if (/^\d{1,16}$/.test(text)) return parseInteger(text, 0, Number.MAX_SAFE_INTEGER)
  if (/^-\d{1,16}$/.test(text)) return { fromEnd: parseInteger(text.slice(1), 0, Number.MAX_SAFE_INTEGER) }
  if (text.startsWith('@')) return { timestamp: parseTime(text.slice(1)) }
  throw new UsageError(`${quoted(text)} is no position`, 'start, end, an offset, @TIME, or -N for N before the end')
}

/** `end`, OFFSET or `@TIME`. */
export function parseEndPosition(text: string): Position {
  const position = parsePosition(text)
  if (position !== 'start' && !(typeof position === 'object' && 'fromEnd' in position)) return position
  throw new UsageError(`${quoted(text)} is no place to stop at`, 'end, an offset, or @TIME')
}

/** Milliseconds since 1970 from digits or from ISO 8601: `2026-01-31`, `2026-01-31T08:00Z`. Without a zone: UTC. */
export function parseTime(text: string): number {
  if (/^\d{1,16}$/.test(text)) return parseInteger(text, 0, Number.MAX_SAFE_INTEGER)
  const match = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(text)
  const ms = match === null ? NaN : Date.parse(`${match[1]}T${match[2] ?? '00:00'}${match[3] ?? 'Z'}`)
  if (ms >= 0) return ms
  throw new UsageError(`${quoted(text)} is no time`, 'milliseconds since 1970, or like 2026-01-31T08:00:00Z')
}

/** Splits at the first `=`; the value may be empty. */
export function parsePair(text: string): readonly [string, string] {
  const at = text.indexOf('=')
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)]
  throw new UsageError(`${quoted(text)} is no K=V`, 'like retention.ms=86400000')
}

/** For an option given several times: K=V pairs into a map. A key given twice with two values is refused. */
export function collectPair(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const [key, value] = parsePair(text)
  if (Object.hasOwn(before, key) && before[key] !== value) {
    throw new UsageError(`${key} is given twice, as ${quoted(before[key] ?? '')} and as ${quoted(value)}`)
  }
  // Not a literal: `__proto__=1` must arrive at the server, which refuses it by name.
  return Object.fromEntries([...Object.entries(before), [key, value]])
}

/** For an option given several times: its values in order. */
export function collectText(text: string, before: readonly string[] = []): string[] {
  return [...before, text]
}

/** `TOPIC:P`, what names one partition. */
export function parseTopicPartition(text: string): { readonly topic: string; readonly partition: number } {
  const match = /^([^:]+):(\d{1,10})$/.exec(text)
  if (match !== null) return { topic: match[1]!, partition: parseInteger(match[2]!, 0, 2 ** 31 - 1) }
  throw new UsageError(`${quoted(text)} names no partition`, 'TOPIC:P, like flights:3')
}

/** Replaces `\n`, `\t`, `\r`, `\0` and `\\`: what a shell makes hard to type. */
export function unescaped(text: string): string {
  const plain: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', 0: '\0', '\\': '\\' }
  return text.replaceAll(/\\(.)/gs, (whole, letter: string) => plain[letter] ?? whole)
}

export function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
}

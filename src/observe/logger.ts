// The Logger port over pino: one JSON object a line, written at once.

import { destination as openDestination, pino, stdTimeFunctions, type Logger as Pino } from 'pino'

import type { LogFields, Logger } from '../ports.ts'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export interface LoggerOptions {
  /** The least severe level that is written. */
  readonly level: LogLevel
  /** Written to each line as `name`: which program this is. */
  readonly name?: string
  /** Takes whole lines, newline included. Default: stderr. */
  readonly destination?: { write(line: string): void }
}

/** Lines are `{"level":"info","time":"2026-01-31T12:00:00.000Z","name":…,…fields,"msg":"text"}`. */
export function createLogger(options: LoggerOptions): Logger {
  // Synchronous: the line before a crash is the one that matters.
  const to = options.destination ?? openDestination({ fd: 2, sync: true })
  const lines = pino({
    level: options.level,
    base: options.name === undefined ? null : { name: options.name },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) }
  }, to)
  return new PinoLogger(lines)
}

class PinoLogger implements Logger {
  readonly #pino: Pino

  constructor(lines: Pino) { this.#pino = lines }

  debug(text: string, fields?: LogFields): void { this.#pino.debug(fields, text) }
  info(text: string, fields?: LogFields): void { this.#pino.info(fields, text) }
  warn(text: string, fields?: LogFields): void { this.#pino.warn(fields, text) }
  error(text: string, fields?: LogFields): void { this.#pino.error(fields, text) }
  with(fields: LogFields): Logger { return new PinoLogger(this.#pino.child(fields)) }
}

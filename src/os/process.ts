// This process as the roots see it: its signals, exit codes, crash policy, environment and standard streams.

import { writeSync } from 'node:fs'
import { isatty } from 'node:tty'

import type { Logger, Ports } from '../ports.ts'
import { errnoOf } from './disk-error.ts'

export const EXIT = {
  ok: 0,
  /** What was asked for failed, or a second signal cut the drain short. */
  failed: 1,
  /** Wrong arguments or configuration; nothing was started. */
  usage: 2,
  /** An error this process must not survive; the supervisor should restart it. */
  crashed: 70
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

export function exit(code: ExitCode): never { process.exit(code) }

/** The code to exit with once nothing keeps the process alive. */
export function setExitCode(code: ExitCode): void { process.exitCode = code }

/**
 * SIGTERM and SIGINT: the first calls `drain` and exits 0 when it resolves (a rejection is left to the crash policy).
 * The second calls `now`, if given, and exits 1 at once. Returns a function that stops listening.
 */
export function onSignals(actions: {
  readonly drain: (signal: string) => Promise<void>
  readonly now?: (signal: string) => void
}): () => void {
  let draining = false
  const received = (signal: NodeJS.Signals) => {
    if (draining) {
      actions.now?.(signal)
      exit(EXIT.failed)
    }
    draining = true
    void actions.drain(signal).then(() => exit(EXIT.ok))
  }
  process.on('SIGTERM', received)
  process.on('SIGINT', received)
  return () => {
    process.off('SIGTERM', received)
    process.off('SIGINT', received)
  }
}

/** What nobody caught is logged, and the process exits 70: state that a bug touched is not to be trusted. */
export function installCrashPolicy(logger: Logger): void {
  process.on('uncaughtException', (error: unknown) => { crash(logger, 'uncaught exception', error) })
  process.on('unhandledRejection', (error: unknown) => { crash(logger, 'unhandled rejection', error) })
}

/** For servers: logs and exits 70. The logger writes at once, so that nothing is left to flush. */
export function dieWith(logger: Logger): Ports['die'] {
  return (reason, cause) => { crash(logger, reason, cause) }
}

function crash(logger: Logger, reason: string, cause: unknown): never {
  try {
    logger.error('this process must not go on', { reason, ...describe(cause) })
  } finally {
    exit(EXIT.crashed)
  }
}

function describe(cause: unknown): Readonly<Record<string, string>> {
  if (cause === undefined) return {}
  if (!(cause instanceof Error)) return { error: String(cause) }
  const because = cause.cause instanceof Error ? { because: cause.cause.stack ?? cause.cause.message } : {}
  return { error: cause.message, stack: cause.stack ?? '', ...because }
}

export function readEnv(): Readonly<Record<string, string | undefined>> { return { ...process.env } }

/** Arguments behind the name of the program. */
export function readArguments(): readonly string[] { return process.argv.slice(2) }

/** Whether stdout is one. */
export function isTerminal(): boolean { return isatty(1) }

/** Resolves when stdout took `text`. When the reader went away (`| head`) the process ends quietly. */
export function writeOut(text: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error) => {
      if (errnoOf(error) === 'EPIPE') exit(EXIT.ok)
      reject(error)
    }
    process.stdout.once('error', failed)
    process.stdout.write(text, (error) => {
      // The error event comes after this callback.
      if (error !== null && error !== undefined) return
      process.stdout.off('error', failed)
      resolve()
    })
  })
}

/** Writes to stderr at once. A reader that went away is none to tell. */
export function writeError(text: string): void {
  try {
    writeSync(2, text)
  } catch (error) {
    if (errnoOf(error) === undefined) throw error
  }
}

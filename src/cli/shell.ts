// What every verb shares: output in two forms, the connection, the deadline, questions, and the way from an error to an
// exit code.

import { InvalidArgumentError, type Command } from 'commander'

import { weirError, WeirError, type ErrorName } from '../base/error-code.ts'
import type { Weir } from '../client/types.ts'
import { DiskError, NetworkError } from '../ports.ts'
import { UsageError } from './parse.ts'

export const EXIT = {
  done: 0,
  /** The cluster refused. */
  refused: 1,
  usage: 2,
  /** No answer before the deadline. */
  late: 3,
  /** A verdict is red. */
  red: 4
} as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** The process around the command line. Tests pass their own. */
export interface Surroundings {
  /** Resolves when stdout took it. */
  readonly out: (text: string) => Promise<void>
  /** To stderr, at once. */
  readonly note: (text: string) => void
  /** Whether a person can be asked: stdin and stderr are terminals. */
  readonly canAsk: boolean
  /** Whether stderr is a terminal: bars make sense. */
  readonly bars: boolean
  /** The answer to a question, without its newline. */
  readonly ask: (question: string) => Promise<string>
  readonly input: AsyncIterable<Uint8Array>
  readonly connect: (options: { readonly bootstrap: readonly string[]; readonly timeoutMs: number }) => Promise<Weir>
  /** Calls `stop` once at SIGINT or SIGTERM; the second signal ends the process. Returns what takes it back. */
  readonly onInterrupt: (stop: (signal: string) => void) => () => void
  readonly nowMs: () => number
  readonly sleep: (ms: number) => Promise<void>
}

export type Format = 'text' | 'json'

interface Globals {
  readonly bootstrap: readonly string[]
  readonly timeout: number
  readonly format: Format
}

export class Shell {
  readonly around: Surroundings
  /** Of the verb that ran; undefined while none has, and for a node, which goes on after its verb. */
  exitCode: ExitCode | undefined

  constructor(around: Surroundings) {
    this.around = around
  }

  /**
   * The action of a command: `run` gets a session, then the arguments and options of the command. Its error becomes the
   * exit code, what it resolves with is the exit code otherwise (default: done).
   */
  verb(run: (session: Session, ...args: never[]) => Promise<ExitCode | void>): (...args: unknown[]) => Promise<void> {
    return async (...args) => {
      const command = args.at(-1) as Command
      const session = new Session(this.around, command.optsWithGlobals<Globals>())
      try {
        this.exitCode = await run(session, ...args.slice(0, -1) as never[]) ?? EXIT.done
      } catch (error) {
        this.exitCode = await session.fail(error)
      } finally {
        await session.close()
      }
    }
  }
}

/** One run of one verb. */
export class Session {
  readonly around: Surroundings
  readonly format: Format
  readonly timeoutMs: number
  readonly bootstrap: readonly string[]
  #weir: Promise<Weir> | undefined

  constructor(around: Surroundings, globals: Globals) {
    this.around = around
    this.format = globals.format
    this.timeoutMs = globals.timeout
    this.bootstrap = globals.bootstrap
  }

  get json(): boolean { return this.format === 'json' }

  /** The one connection of this run; closed at its end. Rejects with WeirError when nobody answers in time. */
  connect(): Promise<Weir> {
    this.#weir ??= this.within(
      this.around.connect({ bootstrap: this.bootstrap, timeoutMs: this.timeoutMs }),
      () => `none of ${this.bootstrap.join(', ')} answered`)
    return this.#weir
  }

  async close(): Promise<void> {
    // Whether a connection that never came about failed has been told already.
    const weir = await this.#weir?.catch(() => undefined)
    await weir?.close()
  }

  /** Settles as `promise`, or rejects with REQUEST_TIMED_OUT at the deadline of `--timeout`; the promise goes on. */
  within<T>(promise: Promise<T>, what: () => string): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(weirError('REQUEST_TIMED_OUT', `${what()} within ${this.timeoutMs} ms`,
          'check --bootstrap, or allow more time with --timeout'))
      }, this.timeoutMs)
      promise.then(resolve, reject).finally(() => { clearTimeout(timer) })
    })
  }

  /** The one document of this verb under json; `text` for people. */
  print(document: unknown, text: () => string): Promise<void> {
    return this.around.out(this.json ? `${JSON.stringify(document)}\n` : text())
  }

  /** To stderr, in both forms: what happens, not what was asked for. */
  note(text: string): void { this.around.note(`${text}\n`) }

  /**
   * Before something that cannot be taken back: says what will happen and asks. True to go on. Throws UsageError when
   * nobody can be asked.
   */
  async confirm(what: string, yes: boolean | undefined): Promise<boolean> {
    if (yes === true) return true
    if (!this.around.canAsk) throw new UsageError(what, 'repeat with --yes when that is what you want')
    const answer = await this.around.ask(`${what}\nGo on? [y/N] `)
    if (/^y(es)?$/i.test(answer.trim())) return true
    this.note('nothing was done')
    return false
  }

  /** Reports an error as the format wants it; answers the exit code. Rethrows what no one expected. */
  async fail(error: unknown, extra: Readonly<Record<string, unknown>> = {}): Promise<ExitCode> {
    const failure = failureOf(error)
    this.note(failure.hint === undefined ? `error: ${failure.message}` : `error: ${failure.message}\n  ${failure.hint}`)
    if (this.json) await this.around.out(`${JSON.stringify({ error: errorDocument(failure), ...extra })}\n`)
    return failure.exitCode
  }
}

interface Failure {
  readonly code: string
  readonly message: string
  readonly hint: string | undefined
  readonly exitCode: ExitCode
}

export function errorDocument({ code, message, hint }: Omit<Failure, 'exitCode'>): Readonly<Record<string, string>> {
  return hint === undefined ? { code, message } : { code, message, hint }
}

const LATE: ReadonlySet<string> = new Set<ErrorName>(['REQUEST_TIMED_OUT', 'NETWORK_EXCEPTION'])

/** Rethrows what is none of the expected kinds: a bug of ours, which shows its stack. */
export function failureOf(error: unknown): Failure {
  if (error instanceof WeirError) {
    const exitCode = LATE.has(error.name) ? EXIT.late : EXIT.refused
    return { code: error.name, message: error.message, hint: error.hint, exitCode }
  }
  if (error instanceof UsageError) {
    return { code: 'USAGE', message: error.message, hint: error.hint, exitCode: EXIT.usage }
  }
  if (error instanceof NetworkError) {
    return { code: 'NETWORK_EXCEPTION', message: error.message, hint: undefined, exitCode: EXIT.late }
  }
  if (error instanceof DiskError) {
    return { code: 'KAFKA_STORAGE_ERROR', message: error.message, hint: undefined, exitCode: EXIT.refused }
  }
  throw error
}

/** A parser of ours as commander takes them: wrong usage is reported with the name of the option. */
export function option<T>(parse: (text: string, before: T | undefined) => T): (text: string, before?: T) => T {
  return (text, before) => {
    try {
      return parse(text, before)
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      throw new InvalidArgumentError(error.hint === undefined ? error.message : `${error.message} (${error.hint})`)
    }
  }
}

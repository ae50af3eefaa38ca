// What tests need of programs from elsewhere: to find out whether they are there, to run them, and to skip in words.

import { spawn, spawnSync } from 'node:child_process'

export interface Ended {
  /** -1 when a signal ended it, or it could not be started. */
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs a program to its end, for `timeoutMs` at most, with nothing on its standard input. */
export function run(
  command: string, args: readonly string[], options: { readonly timeoutMs: number }
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'], timeout: options.timeoutMs, killSignal: 'SIGKILL' })
    let out = ''
    let err = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => { out += text })
    child.stderr.setEncoding('utf8').on('data', (text: string) => { err += text })
    child.on('error', (error) => { resolve({ code: -1, out, err: `${err}${error.message}` }) })
    child.on('close', (code, signal) => {
      resolve({ code: code ?? -1, out, err: signal === null ? err : `${err}ended by ${signal}` })
    })
  })
}

/** What the program prints when asked for its version, on either stream; undefined when it cannot be run. */
export function versionOf(command: string, ...args: readonly string[]): string | undefined {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', timeout: 30_000 })
  return status === 0 ? `${stdout}${stderr}` : undefined
}

/** The last lines of what a failed program said, for a message. */
export function tailOf({ out, err }: Ended): string {
  return `${out}\n${err}`.trim().split('\n').slice(-5).join('\n')
}

/** Skips the tests of the calling `before` hook, and tells why: Mocha itself prints no reason. */
export function skip(context: Mocha.Context, reason: string): never {
  console.log(`    skipped: ${reason}`)
  return context.skip()
}

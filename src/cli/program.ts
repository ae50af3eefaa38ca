// The command tree: global options before or after the verb, and one way out for wrong usage.

import { readFileSync } from 'node:fs'

import { Command, CommanderError, Option } from 'commander'

import { parseAddresses, parseDuration, parseFormat } from './parse.ts'
import { errorDocument, EXIT, option, type Shell } from './shell.ts'

/** Adds one noun to the program. */
export type AddVerb = (program: Command, shell: Shell) => void

const BOOTSTRAP = '127.0.0.1:7201,127.0.0.1:7202,127.0.0.1:7203'

/**
 * Runs `args` (without node and script). Resolves with the exit code, or with undefined when a node is left running.
 * Rejects on a bug only.
 */
export async function runCli(verbs: readonly AddVerb[], args: readonly string[], shell: Shell):
  Promise<number | undefined> {
  let written = Promise.resolve()
  const program = rootCommand({
    writeOut: (text) => { written = written.then(() => shell.around.out(text)) }, writeErr: shell.around.note })
  for (const add of verbs) add(program, shell)
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    await written
    if (!(error instanceof CommanderError)) throw error
    if (HELPFUL.has(error.code)) return EXIT.done
    if (wantsJson(args)) {
      const message = error.code === 'commander.help' ? 'a verb is missing' : error.message.replace(/^error: /, '')
      await shell.around.out(`${JSON.stringify({
        error: errorDocument({ code: 'USAGE', message, hint: '`weir --help` shows every verb' }) })}\n`)
    }
    return EXIT.usage
  }
  return shell.exitCode
}

/** Help and version that somebody asked for. */
const HELPFUL = new Set(['commander.helpDisplayed', 'commander.version'])

function rootCommand(output: { writeOut(text: string): void; writeErr(text: string): void }): Command {
  return new Command('weir')
    .description('A distributed log: topics, records, nodes.')
    .version(packageVersion(), '-V, --version', 'print the version')
    .exitOverride()
    .configureOutput(output)
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
    .showHelpAfterError(false)
    .showSuggestionAfterError(true)
    .addOption(new Option('--bootstrap <host:port,…>', 'any brokers or controllers')
      .env('WEIR_BOOTSTRAP').argParser(option(parseAddresses)).default(parseAddresses(BOOTSTRAP), BOOTSTRAP))
    .addOption(new Option('--timeout <duration>', 'how long to wait for an answer: 500ms, 5s, 2m')
      .argParser(option(parseDuration)).default(5_000, '5s'))
    .addOption(new Option('--format <form>', 'text for people, json for programs')
      .argParser(option(parseFormat)).default('text'))
}

function wantsJson(args: readonly string[]): boolean {
  return args.some((arg, index) => arg === '--format=json' || (arg === '--format' && args[index + 1] === 'json'))
}

/** Of the package this file was compiled in. */
function packageVersion(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { readonly version: string }).version
}

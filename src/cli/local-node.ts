// One node of a local cluster as a child process: started, killed and started again with the same configuration.

import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { deferred, type Deferred } from '../base/async.ts'
import { weirError } from '../base/error-code.ts'
import { NODE_FLAGS } from '../node/flags.ts'
import { PARENT_PIPE_VARIABLE } from '../os/parent-pipe.ts'

const POLL_MS = 15
const PROBE_TIMEOUT_MS = 1_000
const READY_TIMEOUT_MS = 30_000
const TAIL_LINES = 8

export interface NodePlace {
  readonly kind: 'controller' | 'broker'
  readonly id: number
  /** host:port each. */
  readonly grpc: string
  readonly http: string
  /** Data, config.json and log. */
  readonly dir: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** It ended; `code` is its exit code or the signal. Not called after `expectEnd`. */
  readonly onDeath: (node: LocalNode, code: number | NodeJS.Signals) => void
}

export class LocalNode {
  readonly kind: 'controller' | 'broker'
  readonly id: number
  readonly grpc: string
  readonly http: string
  readonly dir: string
  readonly configFile: string
  readonly logFile: string
  readonly #place: NodePlace
  #child: ChildProcess | undefined
  #exited: Deferred<number | NodeJS.Signals> | undefined
  #endExpected = false

  constructor(place: NodePlace) {
    this.kind = place.kind
    this.id = place.id
    this.grpc = place.grpc
    this.http = place.http
    this.dir = place.dir
    this.configFile = join(place.dir, 'config.json')
    this.logFile = join(place.dir, 'log')
    this.#place = place
  }

  get name(): string { return `${this.kind} ${this.id}` }
  get alive(): boolean { return this.#child !== undefined }
  /** Of the latest process, also when it has ended; -1 before the first start. */
  #pid = -1
  get pid(): number { return this.#pid }

  /** Exit code or signal of the process that runs now or, when none does, of the last one. */
  get exited(): Promise<number | NodeJS.Signals> {
    return this.#exited?.promise ?? Promise.reject(new Error(`${this.name} was never started`))
  }

  /** Resolves when its process runs; does nothing when one does. It serves when `ready` says so. */
  start(): Promise<void> {
    if (this.#child !== undefined) return Promise.resolve()
    const log = openSync(this.logFile, 'a')
    // A group of its own: Ctrl-C on the terminal goes to the parent only, which stops nodes in order. Stdin is a pipe
    // that nobody writes to: it ends with the parent, and the node with it.
    const child = spawn(process.execPath, [...NODE_FLAGS, entryOf(this.kind), '--config', this.configFile], {
      stdio: ['pipe', log, log], detached: true, env: { ...this.#place.env, [PARENT_PIPE_VARIABLE]: '1' }
    })
    closeSync(log)
    // The end of the process is seen below.
    child.stdin?.on('error', () => { /* a pipe to a dead process */ })
    const exited = deferred<number | NodeJS.Signals>()
    this.#child = child
    this.#exited = exited
    this.#pid = child.pid ?? -1
    this.#endExpected = false
    return new Promise((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', (error) => {
        this.#child = undefined
        exited.resolve(-1)
        reject(weirError('UNKNOWN_SERVER_ERROR', `${this.name} cannot be started: ${error.message}`))
      })
      child.once('exit', (code, signal) => {
        this.#child = undefined
        const how = code ?? signal ?? -1
        exited.resolve(how)
        if (!this.#endExpected) this.#place.onDeath(this, how)
      })
    })
  }

  /** Does nothing when it is dead. A stopped process ends at SIGKILL, at SIGTERM only after SIGCONT. */
  kill(signal: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP' | 'SIGCONT'): void { this.#child?.kill(signal) }

  /** From now on its end is no news. */
  expectEnd(): void { this.#endExpected = true }

  /** Resolves when it serves: a broker is active, a controller knows a leader. Rejects when its process ends before. */
  async ready(timeoutMs = READY_TIMEOUT_MS): Promise<void> {
    const deadlineMs = performance.now() + timeoutMs
    while (!await isHealthy(this.http)) {
      if (!this.alive) {
        throw weirError('BROKER_NOT_AVAILABLE', `${this.name} ended (${String(await this.exited)}) before it was ready`,
          this.tail())
      }
      if (performance.now() > deadlineMs) {
        throw weirError('REQUEST_TIMED_OUT', `${this.name} is not ready after ${timeoutMs} ms`, this.tail())
      }
      await new Promise((resolve) => { setTimeout(resolve, POLL_MS) })
    }
  }

  /** The last lines of its log, for people. */
  tail(): string {
    const lines = readFileSync(this.logFile, 'utf8').trimEnd().split('\n').slice(-TAIL_LINES)
    return [`the end of ${this.logFile}:`, ...lines.map((line) => `  ${line}`)].join('\n')
  }
}

/** The compiled entry point beside this very file. */
function entryOf(kind: 'controller' | 'broker'): string {
  return fileURLToPath(new URL(`../../${kind}/main.js`, import.meta.url))
}

function isHealthy(http: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(`http://${http}/health`, { timeout: PROBE_TIMEOUT_MS }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.once('timeout', () => { request.destroy() })
    // Refused or cut: it does not serve (yet).
    request.once('error', () => { resolve(false) })
  })
}

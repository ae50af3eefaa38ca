// One node as a process of its own: configuration, real ports, signals, HTTP endpoint, exit codes. What is special to a
// controller or a broker comes in as `NodeProgram`.

import { ConfigError, loadConfig } from '../config/config.ts'
import type { ConfigOf, KeyTable } from '../config/keys.ts'
import { WeirError } from '../base/error-code.ts'
import { startEndpoint, type Endpoint, type Health } from '../observe/endpoint.ts'
import { createLogger, type LogLevel } from '../observe/logger.ts'
import { createMetrics } from '../observe/metrics.ts'
import { nodeDisk } from '../os/node-disk.ts'
import { onParentGone, PARENT_PIPE_VARIABLE } from '../os/parent-pipe.ts'
import {
  dieWith, EXIT, exit, installCrashPolicy, onSignals, readEnv, setExitCode, writeError
} from '../os/process.ts'
import { systemClock, systemRandom, systemTimers } from '../os/system.ts'
import { DiskError, NetworkError, type Ports } from '../ports.ts'
import { grpcNetwork } from '../rpc/grpc-network.ts'

/** The keys that every node has. */
interface CommonConfig {
  readonly 'node.id': number
  readonly 'http': string
  readonly 'log.level': LogLevel
  readonly 'max.request.bytes': number
}

export interface RunningNode {
  readonly address: string
  health(): Health
  /** Hands over, flushes, closes. */
  close(): Promise<void>
}

export interface NodeProgram<T extends KeyTable> {
  readonly kind: 'controller' | 'broker'
  readonly table: T
  /** `httpAddress`: where /metrics and /health are served, empty = nowhere. */
  start(config: ConfigOf<T>, ports: Ports, httpAddress: string): Promise<RunningNode>
}

/**
 * Runs until SIGTERM or SIGINT; a second signal cuts the drain short. Exits 2 on faulty configuration, 1 when the node
 * cannot start, 70 on an error it must not survive. A log line says when it listens. With WEIR_PARENT_PIPE in the
 * environment it also ends, as if killed, when its stdin does: nodes that a test or `weir up` started never outlive it.
 */
export async function runNode<T extends KeyTable>(
  program: NodeProgram<T>, configFile: string, flags: Readonly<Record<string, string>> = {}): Promise<void> {
  const config = readConfig(program, configFile, flags)
  if (config === undefined) return setExitCode(EXIT.usage)
  const common = config as unknown as CommonConfig
  const logger = createLogger({ level: common['log.level'], name: `${program.kind}-${common['node.id']}` })
  installCrashPolicy(logger)
  const metrics = createMetrics()
  let node: RunningNode | undefined
  let endpoint: Endpoint | undefined
  try {
    const health = () => node?.health() ?? { ok: false, detail: 'starting' }
    if (common.http !== '') endpoint = await startEndpoint({ address: common.http, metrics, health })
    node = await program.start(config, {
      clock: systemClock(), timers: systemTimers(), random: systemRandom(), disk: nodeDisk(),
      openKeyValueStore: async (path) => (await import('../os/level-kv.ts')).levelStore(path), network: grpcNetwork({
        maxRequestBytes: common['max.request.bytes'],
        onUnexpected: (error, path) => {
          logger.error('a call failed in a way nobody expected', { path, ...textOf(error) })
        }
      }),
      logger, metrics, die: dieWith(logger) }, endpoint?.address ?? '')
  } catch (error) {
    await endpoint?.close()
    refuseToStart(program.kind, error)
    return setExitCode(EXIT.failed)
  }
  const running = node
  logger.info('listens', { address: running.address, http: endpoint?.address ?? '' })
  onSignals({
    drain: async (signal) => {
      logger.info('stops', { signal })
      await running.close()
      await endpoint?.close()
      logger.info('stopped')
    },
    now: () => { logger.warn('second signal: stops at once') }
  })
  if (readEnv()[PARENT_PIPE_VARIABLE] === undefined) return
  onParentGone(() => {
    logger.error('the process that started this node is gone: stops at once')
    exit(EXIT.failed)
  })
}

function readConfig<T extends KeyTable>(
  program: NodeProgram<T>, file: string, flags: Readonly<Record<string, string>>): ConfigOf<T> | undefined {
  try {
    return loadConfig(program.table, program.kind, { file, env: readEnv(), flags })
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const fault of error.faults) writeError(`${fault}\n`)
    return undefined
  }
}

function textOf(error: unknown): { readonly error: string } {
  return { error: error instanceof Error ? error.stack ?? error.message : String(error) }
}

/** Expected reasons take one or two lines; anything else is a bug and shows its stack. */
function refuseToStart(kind: string, error: unknown): void {
  const expected = error instanceof WeirError || error instanceof DiskError || error instanceof NetworkError
  if (!expected) throw error
  writeError(`${kind} cannot start: ${error.message}\n`)
  if (error instanceof WeirError && error.hint !== undefined) writeError(`  ${error.hint}\n`)
}

/** `--config FILE` out of the arguments of a node's own entry point; exits 2 when it is missing. */
export function configFileOf(args: readonly string[], program: string): string {
  const [flag, file] = args
  if (flag === '--config' && file !== undefined && args.length === 2) return file
  writeError(`usage: ${program} --config FILE\n`)
  return exit(EXIT.usage)
}

// A cluster on this machine, every node a process of its own: for `weir up`, drills, the demo and benches.

import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import { deferred, noop } from '../base/async.ts'
import { weirError } from '../base/error-code.ts'
import { LocalNode } from './local-node.ts'
import { fixedPorts, freePorts, type NodePorts, type PortPlan } from './local-ports.ts'
import { fileError, UsageError } from './parse.ts'

export type { LocalNode } from './local-node.ts'

const HOST = '127.0.0.1'
const BASE_PORT = 7100
const CLUSTER_FILE = 'cluster.json'
const STOP_TIMEOUT_MS = 15_000
/** When all brokers go at once the last leaders have nowhere to move to. */
const DRAIN_TIMEOUT_MS = '1000'
/** What must differ from node to node may not come from the environment of all. */
const OWN_VARIABLES = ['WEIR_NODE_ID', 'WEIR_CLUSTER_ID', 'WEIR_LISTEN', 'WEIR_ADVERTISED', 'WEIR_HTTP',
  'WEIR_DATA_DIR', 'WEIR_CONTROLLERS']
const REVIVE_MS = 250
const REVIVE_MS_MAX = 10_000

export interface LocalClusterOptions {
  readonly controllers: number
  readonly brokers: number
  /** Where everything is kept; else a temporary directory, which goes when the cluster is closed. */
  readonly data?: string
  /** Base of all ports (default 7100), or 'free': any that are. */
  readonly port?: number | 'free'
  /** Starts again what died without being asked to. */
  readonly restart?: boolean
  /** More configuration for each broker or controller, as in a configuration file. */
  readonly brokerConfig?: Readonly<Record<string, string>>
  readonly controllerConfig?: Readonly<Record<string, string>>
  /** Gives up starting: `start` rejects. */
  readonly signal?: AbortSignal
  readonly logLevel?: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  /** What happens while it runs, for people: a node died, a node was started again. */
  readonly onNote?: (text: string) => void
}

export class LocalCluster {
  /** From the call of `start` to the last node that was ready. */
  readonly readyMs: number
  /** Absolute. */
  readonly data: string
  readonly controllers: readonly LocalNode[]
  readonly brokers: readonly LocalNode[]
  readonly #nodes: Nodes
  #closing: Promise<void> | undefined

  private constructor(nodes: Nodes, readyMs: number) {
    this.#nodes = nodes
    this.readyMs = readyMs
    this.data = nodes.data
    this.controllers = nodes.controllers
    this.brokers = nodes.brokers
  }

  /**
   * Resolves when every broker is active. Rejects with UsageError when a port is taken or `data` holds another cluster,
   * and with WeirError when a node fails or none of them is ready in 30 s; nothing runs then.
   */
  static async start(options: LocalClusterOptions): Promise<LocalCluster> {
    const startedMs = performance.now()
    const port = options.port ?? BASE_PORT
    const ports = port === 'free' ? await freePorts(options) : await fixedPorts(port, options)
    const nodes = prepared(options, ports)
    try {
      await nodes.start()
      return new LocalCluster(nodes, performance.now() - startedMs)
    } catch (error) {
      nodes.killAll()
      await nodes.close()
      throw error
    }
  }

  /** Addresses of the brokers. */
  get bootstrap(): string[] { return this.brokers.map(({ grpc }) => grpc) }

  /** Drains and ends all nodes, brokers first; then a temporary directory goes. */
  close(): Promise<void> {
    this.#closing ??= this.#nodes.close()
    return this.#closing
  }

  /** SIGKILL to all, at once. `close` still tidies up. */
  killAll(): void { this.#nodes.killAll() }
}

class Nodes {
  readonly data: string
  readonly controllers: readonly LocalNode[]
  readonly brokers: readonly LocalNode[]
  readonly #options: LocalClusterOptions
  readonly #temporary: boolean
  readonly #onExit = () => { this.killAll() }
  readonly #revivals = new Map<LocalNode, { waitMs: number; startedMs: number }>()
  readonly #failed = deferred<never>()
  #state: 'starting' | 'running' | 'ending' = 'starting'

  constructor(options: LocalClusterOptions, ports: PortPlan) {
    this.#options = options
    this.#temporary = options.data === undefined
    this.data = options.data === undefined ? mkdtempSync(join(tmpdir(), 'weir-')) : resolve(options.data)
    mkdirSync(this.data, { recursive: true })
    const clusterId = claim(this.data, options)
    const env = this.#environment()
    const controllers = ports.controllers.map(({ grpc }, index) => `${index + 1}@${HOST}:${grpc}`).join(',')
    const node = (kind: 'controller' | 'broker', { grpc, http }: NodePorts, index: number) => {
      const id = index + 1
      const place = {
        kind, id, env, grpc: `${HOST}:${grpc}`, http: `${HOST}:${http}`, dir: join(this.data, `${kind}-${id}`),
        onDeath: (dead: LocalNode, code: number | NodeJS.Signals) => { this.#died(dead, code) } }
      const made = new LocalNode(place)
      writeConfig(made, { clusterId, controllers, options })
      return made
    }
    this.controllers = ports.controllers.map((one, index) => node('controller', one, index))
    this.brokers = ports.brokers.map((one, index) => node('broker', one, index))
    process.once('exit', this.#onExit)
    // Whoever waits for `start` hears of it; after that nobody does.
    this.#failed.promise.catch(noop)
  }

  /** Compiled code is kept beside the data: the next start is faster (on Node 22 and later). */
  #environment(): Readonly<Record<string, string | undefined>> {
    const env: Record<string, string | undefined> = { ...process.env }
    for (const name of OWN_VARIABLES) env[name] = undefined
    if (!this.#temporary) env['NODE_COMPILE_CACHE'] ??= join(this.data, 'compile-cache')
    return env
  }

  get #all(): readonly LocalNode[] { return [...this.controllers, ...this.brokers] }

  async start(): Promise<void> {
    await Promise.all(this.#all.map((node) => node.start()))
    await Promise.race([this.#ready(), this.#failed.promise, aborted(this.#options.signal)])
    this.#state = 'running'
  }

  /** One at a time: whoever asks six booting processes at once slows them down. */
  async #ready(): Promise<void> {
    for (const node of [...this.brokers, ...this.controllers]) await node.ready()
  }

  #died(node: LocalNode, code: number | NodeJS.Signals): void {
    const how = typeof code === 'number' ? `exit code ${code}` : code
    if (this.#state === 'starting') {
      this.#failed.reject(
        weirError('BROKER_NOT_AVAILABLE', `${node.name} ended (${how}) before it was ready`, node.tail()))
    }
    if (this.#state !== 'running') return
    const revive = this.#options.restart === true
    this.#options.onNote?.(revive ? `${node.name} died (${how}); it is started again`
      : `${node.name} died (${how}); log: ${node.logFile}`)
    if (revive) this.#revive(node)
  }

  #revive(node: LocalNode): void {
    const last = this.#revivals.get(node)
    const quick = last !== undefined && performance.now() - last.startedMs < REVIVE_MS_MAX
    const waitMs = quick ? Math.min(last.waitMs * 2, REVIVE_MS_MAX) : REVIVE_MS
    setTimeout(() => {
      if (this.#state !== 'running' || node.alive) return
      this.#revivals.set(node, { waitMs, startedMs: performance.now() })
      node.start().then(() => node.ready()).then(
        () => { this.#options.onNote?.(`${node.name} is ready again, process ${node.pid}`) },
        (error: unknown) => { this.#options.onNote?.(error instanceof Error ? error.message : String(error)) })
    }, waitMs).unref()
  }

  killAll(): void {
    this.#state = 'ending'
    for (const node of this.#all) {
      node.expectEnd()
      node.kill('SIGKILL')
    }
  }

  async close(): Promise<void> {
    this.#state = 'ending'
    await Promise.all(this.brokers.map(stop))
    await Promise.all(this.controllers.map(stop))
    process.off('exit', this.#onExit)
    if (this.#temporary) rmSync(this.data, { recursive: true, force: true })
  }
}

/** Directories and configuration files, written. */
function prepared(options: LocalClusterOptions, ports: PortPlan): Nodes {
  try {
    return new Nodes(options, ports)
  } catch (error) {
    throw fileError(`--data ${options.data ?? tmpdir()}`, error)
  }
}

/** Never resolves. */
function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const give = () => { reject(weirError('REQUEST_TIMED_OUT', 'the start was interrupted', 'start it again')) }
    if (signal?.aborted === true) give()
    else signal?.addEventListener('abort', give, { once: true })
  })
}

async function stop(node: LocalNode): Promise<void> {
  if (!node.alive) return
  node.expectEnd()
  node.kill('SIGTERM')
  node.kill('SIGCONT')
  const late = setTimeout(() => { node.kill('SIGKILL') }, STOP_TIMEOUT_MS)
  await node.exited
  clearTimeout(late)
}

/** The id of the cluster that `data` holds, made when it is new. The set of controllers is fixed for its life. */
function claim(data: string, { controllers, brokers }: LocalClusterOptions): string {
  const path = join(data, CLUSTER_FILE)
  if (!existsSync(path)) {
    const clusterId = `local-${randomBytes(6).toString('hex')}`
    writeFileSync(path, `${JSON.stringify({ clusterId, controllers, brokers })}\n`)
    return clusterId
  }
  const found = parsedCluster(path)
  if (found.controllers !== controllers) {
    throw new UsageError(`${data} holds a cluster of ${found.controllers} controllers, not ${controllers}`,
      `the set of controllers is fixed for the life of a cluster: give --controllers ${found.controllers}, or another `
      + '--data')
  }
  return found.clusterId
}

function parsedCluster(path: string): { readonly clusterId: string; readonly controllers: number } {
  try {
    const found: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (typeof found === 'object' && found !== null && 'clusterId' in found && typeof found.clusterId === 'string'
      && 'controllers' in found && typeof found.controllers === 'number') {
      return { clusterId: found.clusterId, controllers: found.controllers }
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw weirError('KAFKA_STORAGE_ERROR', `${path} does not say which cluster this is`,
    'restore it, or give another --data')
}

function writeConfig(node: LocalNode, of: {
  readonly clusterId: string; readonly controllers: string; readonly options: LocalClusterOptions
}): void {
  const { options, clusterId, controllers } = of
  const more = node.kind === 'broker' ? options.brokerConfig : options.controllerConfig
  const config = {
    'node.id': node.id, 'cluster.id': clusterId, 'listen': node.grpc, 'http': node.http, 'data.dir': node.dir,
    'controllers': controllers, 'log.level': options.logLevel ?? 'info',
    ...(node.kind === 'broker' ? { 'drain.timeout.ms': DRAIN_TIMEOUT_MS } : {}), ...more
  }
  mkdirSync(node.dir, { recursive: true })
  writeFileSync(node.configFile, `${JSON.stringify(config, undefined, 2)}\n`)
}

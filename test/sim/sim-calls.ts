// Calls and streams over a simulated connection, both ends of each.

import { WeirError, weirError } from '../../src/base/error-code.ts'
import {
  DiskError, NetworkError, type Caller, type StreamHandlers
} from '../../src/ports.ts'
import { crc32c } from '../../src/records/crc32c.ts'
import type { Connection, ConnectionEnd, Tenant } from './connection.ts'
import type { AnyMethod, AnyStream, Fabric, Origin, Service, Waiting } from './fabric.ts'

/** A stream whose peer has not even answered its opening in this time has no peer. */
const OPEN_TIMEOUT_MS = 10_000
const MESSAGE_BYTES_MAX = 64 * 1024 * 1024

/** What the trace hash says of some bytes. */
function digest(bytes: Uint8Array): number { return crc32c(bytes) ^ bytes.length }

/** What the trace calls a server's message. One text for each path: its sum is looked up. */
function answerOf(path: string): string {
  let name = ANSWERS.get(path)
  if (name === undefined) ANSWERS.set(path, name = `${path}<`)
  return name
}

const ANSWERS = new Map<string, string>()

function surprised(network: Fabric, path: string, error: unknown): WeirError {
  if (error instanceof WeirError) return new WeirError(error.fault())
  if (!(error instanceof DiskError)) {
    network.world.fail('handler', `${path} failed with ${error instanceof Error ? error.stack : String(error)}`, error)
  }
  return weirError('UNKNOWN_SERVER_ERROR', `${path} failed: ${String(error)}`)
}

class SimCaller implements Caller {
  readonly peer: string
  readonly dialled: string
  readonly timeoutMs: number
  readonly #expires: (abort: () => void) => void
  #controller: AbortController | undefined
  #gone = false

  constructor(peer: string, dialled: string, timeoutMs: number, expires: (abort: () => void) => void) {
    this.peer = peer
    this.dialled = dialled
    this.timeoutMs = timeoutMs
    this.#expires = expires
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#gone) this.#controller.abort()
      else this.#expires(() => { this.gone() })
    }
    return this.#controller.signal
  }

  gone(): void {
    this.#gone = true
    this.#controller?.abort()
  }
}

// ---- unary ------------------------------------------------------------------------------------------------

export function startCall(peer: Origin, method: AnyMethod, request: unknown, timeoutMs: number): Promise<unknown> {
  if (!(timeoutMs > 0)) throw new Error(`timeoutMs=${timeoutMs}: expected more than 0`)
  const { network, life } = peer
  const bytes = method.encodeRequest(request)
  return new Promise((resolve, reject) => {
    let connection: Connection | undefined
    let incoming: IncomingCall | undefined
    const settle = (outcome: () => void) => {
      timer.cancelled = true
      peer.leave(tenant)
      connection?.client.tenants.delete(tenant)
      outcome()
    }
    const tenant: Waiting = {
      connectionLost: (error) => { settle(() => { reject(error) }) },
      begin: (over, service) => {
        connection = over
        over.client.tenants.add(tenant)
        over.send(over.client, method.path, '', () => {
          incoming = new IncomingCall(network, over, service, method)
          incoming.run(bytes, { peer: peer.host, dialled: peer.address, timeoutMs }, (error, response) => {
            if (!over.client.tenants.has(tenant)) return
            settle(() => {
              if (error !== undefined) reject(error)
              else resolve(method.decodeResponse(response!))
            })
          })
        }, digest(bytes))
      }
    }
    const timer = network.world.after(timeoutMs, life, 'deadline', () => {
      const over = connection
      settle(() => { reject(new NetworkError('TIMEOUT', `${method.path}: no answer in ${timeoutMs} ms`)) })
      over?.send(over.client, 'cancel', method.path, () => { incoming?.cancelled() })
    }, method.path)
    peer.enter(tenant)
  })
}

class IncomingCall implements Tenant {
  readonly #network: Fabric
  readonly #connection: Connection
  readonly #service: Service
  readonly #method: AnyMethod
  #caller: SimCaller | undefined
  #over = false

  constructor(network: Fabric, connection: Connection, service: Service, method: AnyMethod) {
    this.#network = network
    this.#connection = connection
    this.#service = service
    this.#method = method
  }

  connectionLost(): void { this.cancelled() }

  cancelled(): void {
    if (this.#over) return
    this.#end()
    this.#caller?.gone()
  }

  run(bytes: Uint8Array, from: { readonly peer: string; readonly dialled: string; readonly timeoutMs: number },
    settle: (error: Error | undefined, response?: Uint8Array) => void): void {
    const { server } = this.#connection
    const { path } = this.#method
    const handler = this.#service.handlers.get(path)
    const answer = (error: Error | undefined, response?: Uint8Array) => {
      if (this.#over) return
      this.#end()
      this.#connection.send(server, answerOf(path), error?.name ?? '', () => { settle(error, response) },
        response === undefined ? 0 : digest(response))
    }
    this.#service.running++
    server.tenants.add(this)
    if (!this.#service.accepting) return answer(new NetworkError('UNAVAILABLE', `${from.dialled} is shutting down`))
    if (handler?.kind !== 'unary') return answer(weirError('UNSUPPORTED_VERSION', `${path} is not served`))
    const caller = new SimCaller(from.peer, from.dialled, from.timeoutMs, (abort) => {
      this.#network.world.after(from.timeoutMs, server.life, 'expired', () => { if (!this.#over) abort() }, path)
    })
    this.#caller = caller
    const run = handler.run as unknown as (request: unknown, caller: Caller) => Promise<unknown>
    run(this.#method.decodeRequest(bytes), caller).then(
      (response) => { if (server.life.alive) answer(undefined, this.#method.encodeResponse(response)) },
      (error: unknown) => { if (server.life.alive) answer(surprised(this.#network, path, error)) })
      .catch((error: unknown) => { this.#network.world.fail('encode', `${path}: ${String(error)}`, error) })
  }

  #end(): void {
    this.#over = true
    this.#service.running--
    this.#connection.server.tenants.delete(this)
  }
}

// ---- streams ----------------------------------------------------------------------------------------------

export function startStream(peer: Origin, method: AnyMethod): AnyStream {
  const { network, life } = peer
  const client = new StreamEnd(network, method, false)
  client.life = life
  const tenant: Waiting = {
    connectionLost: (error) => { client.closed(error) },
    begin: (connection, service) => {
      const server = new StreamEnd(network, method, true)
      client.join(connection, connection.client, server)
      connection.send(connection.client, `${method.path}!`, '', () => {
        accept(network, connection, service, server, client)
      })
      client.flush()
    }
  }
  client.onOver = () => { peer.leave(tenant) }
  const alarm = network.world.after(OPEN_TIMEOUT_MS, life, 'open-timeout', () => {
    client.abandon(new NetworkError('UNAVAILABLE', `${peer.address} did not answer within ${OPEN_TIMEOUT_MS} ms`))
  })
  client.onAnswered = () => { alarm.cancelled = true }
  peer.enter(tenant)
  return client
}

function accept(
  network: Fabric, connection: Connection, service: Service, server: StreamEnd, client: StreamEnd): void {
  const { path } = server.method
  const handler = service.handlers.get(path)
  server.join(connection, connection.server, client)
  service.running++
  server.onOver = () => { service.running-- }
  if (!service.accepting || handler?.kind !== 'stream') {
    server.refuse(weirError('UNSUPPORTED_VERSION', `${path} is not served`))
    return
  }
  connection.send(connection.server, 'answer', path, () => { client.onAnswered?.() })
  const caller = new SimCaller(connection.client.host, service.address, Infinity, () => {})
  server.caller = caller
  const run = handler.run
  server.guarded(() => { run(server, caller) })
  if (!server.handled && !server.over) network.world.fail('handler', `${path}: no handlers in the turn it came`)
}

type Item = Uint8Array | 'end'

export class StreamEnd implements AnyStream, Tenant {
  readonly method: AnyMethod
  life!: ConnectionEnd['life']
  caller: SimCaller | undefined
  onOver: (() => void) | undefined
  onAnswered: (() => void) | undefined
  over = false
  readonly #network: Fabric
  readonly #isServer: boolean
  #connection: Connection | undefined
  #end: ConnectionEnd | undefined
  #other: StreamEnd | undefined
  #handlers: StreamHandlers<unknown> | undefined
  /** Sent here before there was a connection. */
  #early: Item[] = []
  /** Arrived here, not yet handled. */
  readonly #inbox: Item[] = []
  /** Sent here, not yet handled there. */
  #bufferedBytes = 0
  #full = false
  #sendEnded = false
  #paused = false

  constructor(network: Fabric, method: AnyMethod, isServer: boolean) {
    this.#network = network
    this.method = method
    this.#isServer = isServer
  }

  get handled(): boolean { return this.#handlers !== undefined }

  join(connection: Connection, end: ConnectionEnd, other: StreamEnd): void {
    this.#connection = connection
    this.#end = end
    this.life = end.life
    this.#other = other
    end.tenants.add(this)
  }

  flush(): void { for (const item of this.#early.splice(0)) this.#transmit(item) }

  // ---- MessageStream --------------------------------------------------------------------------------------

  send(message: unknown): boolean {
    if (this.over || this.#sendEnded || !this.life.alive) return true
    const bytes = this.#isServer ? this.method.encodeResponse(message) : this.method.encodeRequest(message)
    if (bytes.length > MESSAGE_BYTES_MAX) {
      this.abandon(new NetworkError('OVERSIZE', `a message of ${bytes.length} bytes`))
      return true
    }
    if (!this.#isServer) this.#network.onMessage?.(this.life.node, this.method.path, message)
    this.#bufferedBytes += bytes.length
    if (this.#bufferedBytes > this.#network.highWaterBytes) this.#full = true
    this.#transmit(bytes)
    return !this.#full
  }

  end(): void {
    if (this.over || this.#sendEnded || !this.life.alive) return
    this.#sendEnded = true
    this.#transmit('end')
    // A server's end is the call's.
    if (this.#isServer) this.closed(undefined)
  }

  destroy(reason: string): void {
    if (this.life.alive) this.abandon(new NetworkError('CANCELLED', `${this.method.path} was dropped here: ${reason}`))
  }

  handle(handlers: StreamHandlers<unknown>): void {
    if (this.#handlers !== undefined) throw new Error('the stream has its handlers already')
    this.#handlers = handlers
  }

  pause(): void { this.#paused = true }

  resume(): void {
    if (!this.#paused) return
    this.#paused = false
    this.#pumpSoon()
  }

  // ---- the other side -------------------------------------------------------------------------------------

  connectionLost(error: NetworkError): void { this.closed(error) }

  /** Ends the stream here and lets the peer know. */
  abandon(error: NetworkError): void {
    if (this.over) return
    const other = this.#other
    this.#connection?.send(this.#end!, 'cancel', this.method.path, () => {
      other?.closed(this.#isServer ? error.code === 'CANCELLED' ? error : new NetworkError('UNAVAILABLE', error.message)
        : new NetworkError('UNAVAILABLE', `${this.method.path}: the peer cancelled the stream`))
    })
    this.closed(error)
  }

  /** A server answers the call with an error. */
  refuse(error: WeirError): void {
    if (this.over) return
    const other = this.#other
    this.#connection?.send(this.#end!, 'refuse', this.method.path, () => {
      other?.closed(new NetworkError('UNAVAILABLE',
        `${this.method.path} was refused: ${error.name}: ${error.message}`, error))
    })
    this.closed(new NetworkError('CANCELLED', `${this.method.path} failed here: ${error.message}`, error))
  }

  /** `close` is delivered in a later turn. */
  closed(error: NetworkError | undefined): void {
    if (this.over) return
    this.over = true
    this.#inbox.length = 0
    this.#early.length = 0
    this.#end?.tenants.delete(this)
    this.onAnswered?.()
    this.onOver?.()
    this.#network.world.after(0, this.life, 'closed', () => {
      if (error !== undefined) this.caller?.gone()
      this.guarded(() => { this.#handlers?.close(error) })
    }, this.method.path)
  }

  guarded(run: () => void): void {
    try {
      run()
    } catch (error) {
      if (this.#isServer && error instanceof WeirError) this.refuse(error)
      else {
        const what = error instanceof Error ? error.stack : String(error)
        this.#network.world.fail('handler', `${this.method.path}: ${what}`, error)
      }
    }
  }

  #transmit(item: Item): void {
    if (this.#connection === undefined) {
      this.#early.push(item)
      return
    }
    const other = this.#other!
    const [detail, sum] = item === 'end' ? ['end', 0] as const : ['', digest(item)] as const
    const { path } = this.method
    this.#connection.send(this.#end!, this.#isServer ? answerOf(path) : path, detail, () => {
      if (other.over) return
      other.#inbox.push(item)
      other.#pump()
    }, sum)
  }

  /** Handles one item that has arrived; the next one in a turn of its own. */
  #pump(): void {
    if (this.over || this.#paused || this.#handlers === undefined) return
    const item = this.#inbox.shift()
    if (item === undefined) return
    if (item === 'end') {
      this.guarded(() => this.#handlers!.end?.())
      if (!this.#isServer) this.closed(undefined)
      return
    }
    this.#other!.#taken(item.length)
    let message: unknown
    try {
      message = this.#isServer ? this.method.decodeRequest(item) : this.method.decodeResponse(item)
    } catch (error) {
      this.#network.world.fail('decode', `${this.method.path}: ${String(error)}`, error)
      return
    }
    this.guarded(() => { this.#handlers!.message(message) })
    if (this.#inbox.length > 0) this.#pumpSoon()
  }

  #pumpSoon(): void {
    this.#network.world.after(0, this.life, 'pump', () => { this.#pump() }, this.method.path)
  }

  #taken(bytes: number): void {
    this.#bufferedBytes -= bytes
    if (!this.#full || this.#bufferedBytes >= this.#network.highWaterBytes / 2) return
    this.#full = false
    this.#network.world.after(0.1, this.life, 'drain', () => {
      if (!this.over) this.guarded(() => this.#handlers?.drain?.())
    }, this.method.path)
  }
}

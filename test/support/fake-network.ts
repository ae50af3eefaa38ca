// Nodes in one process that exchange encoded messages over links that can be cut. Delivery takes a turn and no time.
//
// A cut link swallows what is sent, silently, in both directions: calls run into their deadline, streams fill up. Once
// healed, the streams that lost something are broken, as TCP would.

import { WeirError, weirError } from '../../src/base/error-code.ts'
import {
  NetworkError, type Caller, type Handler, type Listener, type MessageStream, type Method, type Network, type Peer,
  type StreamHandlers
} from '../../src/ports.ts'
import type { FakeTime } from './fake-time.ts'

type AnyMethod = Method<unknown, unknown>
interface Served { readonly node: string; readonly handlers: ReadonlyMap<string, Handler>; serving: boolean }
/** Something between two nodes that ends when one of them dies. */
interface Tie { readonly nodes: readonly [string, string]; broken(): void; healed(): void }

export interface Sent { readonly from: string; readonly to: string; readonly path: string; readonly message: unknown }

export class FakeNetwork {
  readonly time: FakeTime
  /** Bytes waiting above which `send` answers false. */
  highWaterBytes = 1024 * 1024
  /** Called for each stream message as it is sent, also on a cut link. */
  onSent: ((sent: Sent) => void) | undefined
  /** What handlers rejected with and was no WeirError. */
  readonly unexpected: unknown[] = []
  readonly #served = new Map<string, Served>()
  readonly #cuts = new Set<string>()
  readonly #ties = new Set<Tie>()

  constructor(time: FakeTime) {
    this.time = time
  }

  /** The Network port of one node. */
  node(name: string): Network {
    return {
      listen: (address, handlers) => this.#listen(name, address, handlers),
      dial: (address) => new FakePeer(this, name, address)
    }
  }

  isServing(address: string): boolean { return this.#served.get(address)?.serving === true }

  /** Streams and calls under way, of all nodes. */
  get open(): number { return this.#ties.size }

  // ---- faults ---------------------------------------------------------------------------------------------

  cut(a: string, b: string): void { this.#cuts.add(linkOf(a, b)) }

  heal(): void {
    this.#cuts.clear()
    for (const tie of [...this.#ties]) tie.healed()
  }

  isCut(a: string, b: string): boolean { return this.#cuts.has(linkOf(a, b)) }

  /** Breaks every stream and call between two nodes; new ones work. */
  reset(a: string, b: string): void {
    for (const tie of [...this.#ties]) if (linkOf(...tie.nodes) === linkOf(a, b)) tie.broken()
  }

  /** As kill -9 of a node's process. */
  kill(name: string): void {
    for (const [address, { node }] of this.#served) if (node === name) this.#served.delete(address)
    for (const tie of [...this.#ties]) if (tie.nodes.includes(name)) tie.broken()
  }

  // ---- for the parts below ----------------------------------------------------------------------------------

  served(address: string): Served | undefined { return this.#served.get(address) }
  tie(tie: Tie): void { this.#ties.add(tie) }
  untie(tie: Tie): void { this.#ties.delete(tie) }

  #listen(node: string, address: string, handlers: readonly Handler[]): Promise<Listener> {
    if (this.#served.has(address)) return Promise.reject(new NetworkError('EADDRINUSE', `${address} is in use`))
    const served: Served = {
      node, serving: true, handlers: new Map(handlers.map((handler) => [(handler.method as AnyMethod).path, handler])) }
    this.#served.set(address, served)
    return Promise.resolve({
      address,
      setServing: (serving) => { served.serving = serving },
      close: async (graceMs) => {
        if (this.#served.get(address) === served) this.#served.delete(address)
        const own = () => [...this.#ties].filter((tie) => tie instanceof Incoming && tie.nodes[1] === node)
        const endMs = this.time.monotonicMs() + graceMs
        while (own().length > 0 && this.time.monotonicMs() < endMs) {
          await new Promise<void>((resolve) => { this.time.after(1, resolve) })
        }
        for (const tie of own()) tie.broken()
      }
    })
  }
}

function linkOf(a: string, b: string): string { return a < b ? `${a} ${b}` : `${b} ${a}` }

class FakePeer implements Peer {
  readonly address: string
  readonly #network: FakeNetwork
  readonly #from: string
  readonly #own = new Set<Incoming>()
  #closed = false

  constructor(network: FakeNetwork, from: string, address: string) {
    this.#network = network
    this.#from = from
    this.address = address
  }

  call<Req, Res>(method: Method<Req, Res>, request: Req, timeoutMs: number): Promise<Res> {
    return new Promise((resolve, reject) => {
      const call = new Call(this.#network, { from: this.#from, address: this.address, timeoutMs }, (error, bytes) => {
        this.#own.delete(call)
        if (error === undefined) resolve(method.decodeResponse(bytes!))
        else reject(error)
      })
      this.#own.add(call)
      call.run(method, method.encodeRequest(request), this.#closed)
    })
  }

  open<Req, Res>(method: Method<Req, Res>): MessageStream<Req, Res> {
    const served = this.#network.served(this.address)
    const handler = served?.handlers.get(method.path)
    const wire = new Wire(
      this.#network, [this.#from, served?.node ?? this.address], method, () => { this.#own.delete(wire) })
    this.#own.add(wire)
    this.#network.time.soon(() => {
      if (this.#closed || served === undefined || handler?.kind !== 'stream') {
        wire.broken()
        return
      }
      if (wire.cut) {
        wire.swallowed = true
        return
      }
      handler.run(wire.server, {
        peer: this.#from, dialled: this.address, timeoutMs: Infinity, signal: new AbortController().signal })
    })
    return wire.client
  }

  close(): void {
    this.#closed = true
    for (const tie of this.#own) tie.broken()
  }
}

/** A call or a stream: nodes[0] asked, nodes[1] serves. */
abstract class Incoming implements Tie {
  abstract readonly nodes: readonly [string, string]
  abstract broken(): void
  abstract healed(): void
}

class Call extends Incoming {
  readonly nodes: readonly [string, string]
  readonly #network: FakeNetwork
  readonly #caller: { readonly from: string; readonly address: string; readonly timeoutMs: number }
  readonly #settle: (error: Error | undefined, bytes?: Uint8Array) => void
  readonly #gone = new AbortController()
  readonly #timer
  #over = false

  constructor(network: FakeNetwork, caller: { from: string; address: string; timeoutMs: number },
    settle: (error: Error | undefined, bytes?: Uint8Array) => void) {
    super()
    this.#network = network
    this.#caller = caller
    this.#settle = settle
    this.nodes = [caller.from, network.served(caller.address)?.node ?? caller.address]
    network.tie(this)
    this.#timer = network.time.after(caller.timeoutMs, () => {
      this.#end(new NetworkError('TIMEOUT', `no answer in ${caller.timeoutMs} ms`))
      this.#gone.abort()
    })
  }

  run(method: AnyMethod, request: Uint8Array, closed: boolean): void {
    const { time } = this.#network
    time.soon(() => {
      const served = this.#network.served(this.#caller.address)
      const handler = served?.handlers.get(method.path)
      if (closed || handler?.kind !== 'unary') return this.broken()
      if (this.#over || this.#cut) return
      const caller: Caller = {
        peer: this.#caller.from, dialled: this.#caller.address, timeoutMs: this.#caller.timeoutMs,
        signal: this.#gone.signal }
      handler.run(method.decodeRequest(request) as never, caller).then(
        (response) => { this.#answer(undefined, method.encodeResponse(response)) },
        (error: unknown) => {
          if (!(error instanceof WeirError)) this.#network.unexpected.push(error)
          this.#answer(error instanceof WeirError ? new WeirError(error.fault())
            : weirError('UNKNOWN_SERVER_ERROR', String(error)))
        })
    })
  }

  broken(): void {
    this.#end(new NetworkError('UNAVAILABLE', `the connection to ${this.#caller.address} is lost`))
    this.#gone.abort()
  }

  healed(): void { /* the deadline ends what was swallowed */ }

  get #cut(): boolean { return this.#network.isCut(...this.nodes) }

  #answer(error: Error | undefined, bytes?: Uint8Array): void {
    this.#network.time.soon(() => { if (!this.#cut) this.#end(error, bytes) })
  }

  #end(error: Error | undefined, bytes?: Uint8Array): void {
    if (this.#over) return
    this.#over = true
    this.#network.untie(this)
    this.#network.time.cancel(this.#timer)
    this.#settle(error, bytes)
  }
}

/** One stream with its two ends. */
class Wire extends Incoming {
  readonly nodes: readonly [string, string]
  readonly network: FakeNetwork
  readonly client: End
  readonly server: End
  readonly #ended: () => void
  swallowed = false

  constructor(network: FakeNetwork, nodes: readonly [string, string], method: AnyMethod, ended: () => void) {
    super()
    this.network = network
    this.nodes = nodes
    this.#ended = ended
    const { path } = method
    this.client = new End(this, {
      from: nodes[0], to: nodes[1], path, isServer: false, encode: (message) => method.encodeRequest(message),
      decode: (bytes) => method.decodeResponse(bytes) })
    this.server = new End(this, {
      from: nodes[1], to: nodes[0], path, isServer: true, encode: (message) => method.encodeResponse(message),
      decode: (bytes) => method.decodeRequest(bytes) })
    network.tie(this)
  }

  get cut(): boolean { return this.network.isCut(...this.nodes) }
  other(end: End): End { return end === this.client ? this.server : this.client }

  broken(): void { this.close(new NetworkError('UNAVAILABLE', 'the connection is lost')) }

  healed(): void {
    if (this.swallowed) this.broken()
  }

  close(error: NetworkError | undefined): void {
    this.network.untie(this)
    this.#ended()
    this.client.close(error)
    this.server.close(error)
  }
}

interface EndOptions {
  readonly from: string
  readonly to: string
  readonly path: string
  readonly isServer: boolean
  encode(message: unknown): Uint8Array
  decode(bytes: Uint8Array): unknown
}

class End implements MessageStream<unknown, unknown> {
  readonly #wire: Wire
  readonly #options: EndOptions
  #handlers: StreamHandlers<unknown> | undefined
  /** Sent here, not yet delivered there; 'end' is last. */
  readonly #queue: (Uint8Array | 'end')[] = []
  #queuedBytes = 0
  #full = false
  #ended = false
  #paused = false
  #over = false

  constructor(wire: Wire, options: EndOptions) {
    this.#wire = wire
    this.#options = options
  }

  send(message: unknown): boolean {
    if (this.#over || this.#ended) return true
    const { from, to, path } = this.#options
    this.#wire.network.onSent?.({ from, to, path, message })
    const bytes = this.#options.encode(message)
    this.#queue.push(bytes)
    this.#queuedBytes += bytes.length
    if (this.#queuedBytes > this.#wire.network.highWaterBytes) this.#full = true
    this.#pump()
    return !this.#full
  }

  end(): void {
    if (this.#over || this.#ended) return
    this.#ended = true
    this.#queue.push('end')
    this.#pump()
  }

  destroy(reason: string): void {
    if (!this.#over) this.#wire.close(new NetworkError('CANCELLED', reason))
  }

  handle(handlers: StreamHandlers<unknown>): void {
    if (this.#handlers !== undefined) throw new Error('the stream has its handlers already')
    this.#handlers = handlers
    this.#wire.other(this).#pump()
  }

  pause(): void { this.#paused = true }

  resume(): void {
    this.#paused = false
    this.#wire.other(this).#pump()
  }

  close(error: NetworkError | undefined): void {
    if (this.#over) return
    this.#over = true
    this.#queue.length = 0
    this.#wire.network.time.soon(() => { this.#handlers?.close(error) })
  }

  /** Delivers one item in a later turn, and so on. */
  #pump(): void {
    this.#wire.network.time.soon(() => { this.#deliver() })
  }

  #deliver(): void {
    const other = this.#wire.other(this)
    if (this.#over || other.#handlers === undefined || other.#paused || this.#queue.length === 0) return
    if (this.#wire.cut) {
      this.#wire.swallowed = true
      return
    }
    const item = this.#queue.shift()!
    if (item === 'end') {
      other.#handlers.end?.()
      // A server's end is the call's.
      if (this.#options.isServer) this.#wire.close(undefined)
      return
    }
    this.#queuedBytes -= item.length
    other.#handlers.message(other.#options.decode(item))
    if (this.#full && this.#queuedBytes < this.#wire.network.highWaterBytes / 2) {
      this.#full = false
      this.#handlers?.drain?.()
    }
    this.#pump()
  }
}

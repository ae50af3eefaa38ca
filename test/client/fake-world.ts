// Time, chance and a network that exist in memory only. Time moves when `World.run` says so, never by itself.

import { weirError } from '../../src/base/error-code.ts'
import { seededRandom } from '../../src/base/seeded-random.ts'
import {
  NetworkError, type Clock, type Handler, type Method, type MessageStream, type Network, type Peer, type Random,
  type StreamHandlers, type Timer, type Timers
} from '../../src/ports.ts'

const LATENCY_MS = 0.25

export function fixedRandom(seed: number): Random { return seededRandom(seed) }

interface Event { readonly atMs: number; readonly order: number; readonly run: () => void; cancelled: boolean }

export class World implements Clock, Timers {
  #nowMs = 1_000
  #order = 0
  #events: Event[] = []

  monotonicMs(): number { return this.#nowMs }
  wallMs(): number { return 1_700_000_000_000 + Math.floor(this.#nowMs) }

  after(delayMs: number, fire: () => void): Timer {
    const event: Event = { atMs: this.#nowMs + delayMs, order: this.#order++, run: fire, cancelled: false }
    this.#events.push(event)
    return { id: event }
  }

  cancel(timer: Timer): void { (timer.id as Event).cancelled = true }
  soon(run: () => void): void { this.after(0, run) }

  /** Timers and messages that are still to come. */
  get pending(): number { return this.#events.filter(({ cancelled }) => !cancelled).length }

  /** Lets `ms` of time pass, one event after the other, everything in between settled. */
  async run(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms
    await settle()
    for (let event = this.#next(endMs); event !== undefined; event = this.#next(endMs)) {
      this.#nowMs = Math.max(this.#nowMs, event.atMs)
      event.run()
      await settle()
    }
    this.#nowMs = endMs
  }

  /** Lets time pass until `met`, at most `limitMs`; throws when it is not met by then. */
  async until(met: () => boolean, limitMs = 60_000): Promise<void> {
    const endMs = this.#nowMs + limitMs
    await settle()
    while (!met()) {
      const event = this.#next(endMs)
      if (event === undefined) throw new Error(`not met within ${limitMs} ms: ${met.toString()}`)
      this.#nowMs = Math.max(this.#nowMs, event.atMs)
      event.run()
      await settle()
    }
  }

  /** The value of `promise`, with as much time as it needs. */
  async get<T>(promise: Promise<T>, limitMs = 60_000): Promise<T> {
    let settled = false
    void Promise.allSettled([promise]).then(() => { settled = true })
    await this.until(() => settled, limitMs)
    return promise
  }

  #next(endMs: number): Event | undefined {
    let first: Event | undefined
    this.#events = this.#events.filter(({ cancelled }) => !cancelled)
    for (const event of this.#events) {
      if (event.atMs > endMs) continue
      if (first === undefined || event.atMs < first.atMs
        || (event.atMs === first.atMs && event.order < first.order)) first = event
    }
    if (first !== undefined) first.cancelled = true
    return first
  }
}

/** Every microtask that is ready, and those they make. */
function settle(): Promise<void> { return new Promise((resolve) => { setImmediate(resolve) }) }

// ---- network ------------------------------------------------------------------------------------------------

/** A node as the network sees it. */
export interface Node {
  readonly handlers: readonly Handler[]
  /** Connections are refused, and those there were are cut by `cut`. */
  down: boolean
  /** Takes messages and answers nothing, as a stopped process does. */
  frozen: boolean
}

export class FakeNetwork implements Network {
  readonly calls: { readonly address: string; readonly path: string }[] = []
  readonly #world: World
  readonly #nodes = new Map<string, Node>()
  readonly #pipes = new Set<Pipe>()

  constructor(world: World) {
    this.#world = world
  }

  get openStreams(): number { return this.#pipes.size }

  serve(address: string, node: Node): void { this.#nodes.set(address, node) }

  /** Ends every stream of the node, as its death does. */
  cut(address: string): void {
    for (const pipe of [...this.#pipes]) if (pipe.address === address) pipe.break(`${address} is gone`)
  }

  listen(): Promise<never> { return Promise.reject(new NetworkError('EACCES', 'not here')) }

  dial(address: string): Peer {
    const own = new Set<Pipe>()
    return {
      address,
      call: (method, request, timeoutMs) => this.#call(address, method, request, timeoutMs),
      open: (method) => {
        const pipe = new Pipe(this.#world, address, () => this.#nodes.get(address), () => { this.#pipes.delete(pipe) })
        this.#pipes.add(pipe)
        own.add(pipe)
        this.calls.push({ address, path: method.path })
        return pipe.open(method)
      },
      close: () => { for (const pipe of own) pipe.break('closed here') }
    }
  }

  #call<Req, Res>(address: string, method: Method<Req, Res>, request: Req, timeoutMs: number): Promise<Res> {
    this.calls.push({ address, path: method.path })
    const bytes = method.encodeRequest(request)
    return new Promise((resolve, reject) => {
      const late = this.#world.after(timeoutMs, () => {
        reject(new NetworkError('TIMEOUT', `${method.path}: too late`))
      })
      this.#world.after(LATENCY_MS, () => {
        const node = this.#nodes.get(address)
        if (node?.frozen === true) return
        const fail = (error: unknown) => {
          this.#world.cancel(late)
          reject(error)
        }
        if (node === undefined || node.down) return fail(new NetworkError('UNAVAILABLE', `${address} refuses`))
        const handler = node.handlers.find((one) => one.method.path === method.path)
        if (handler === undefined) return fail(unimplemented(method.path))
        const run = handler.run as (request: unknown, caller: unknown) => Promise<Res>
        run(method.decodeRequest(bytes), {}).then((response) => {
          const answer = method.decodeResponse(method.encodeResponse(response))
          this.#world.after(LATENCY_MS, () => {
            this.#world.cancel(late)
            resolve(answer)
          })
        }, fail)
      })
    })
  }
}

function unimplemented(path: string): Error {
  return weirError('UNSUPPORTED_VERSION', `${path}: not served`)
}

/** Both ends of one stream. */
class Pipe {
  readonly address: string
  readonly #world: World
  readonly #node: () => Node | undefined
  readonly #gone: () => void
  #client: StreamHandlers<unknown> | undefined
  #server: StreamHandlers<unknown> | undefined
  #broken = false

  constructor(world: World, address: string, node: () => Node | undefined, gone: () => void) {
    this.#world = world
    this.address = address
    this.#node = node
    this.#gone = gone
  }

  open<Req, Res>(method: Method<Req, Res>): MessageStream<Req, Res> {
    this.#world.after(LATENCY_MS, () => {
      const node = this.#node()
      if (node?.frozen === true) return
      if (node === undefined || node.down) return this.break(`${this.address} refuses`)
      const handler = node.handlers.find((one) => one.method.path === method.path)
      if (handler === undefined) return this.break(`${method.path} is not served`)
      const run = handler.run as unknown as (stream: MessageStream<Res, Req>, caller: unknown) => void
      run(this.#end(
        (message) => method.decodeResponse(method.encodeResponse(message)), () => this.#client,
        (handlers) => { this.#server = handlers }), {})
    })
    return this.#end(
      (message) => method.decodeRequest(method.encodeRequest(message)), () => this.#server,
      (handlers) => { this.#client = handlers })
  }

  break(reason: string): void {
    if (this.#broken) return
    this.#broken = true
    this.#gone()
    const error = new NetworkError('UNAVAILABLE', reason)
    this.#world.soon(() => {
      this.#client?.close(error)
      this.#server?.close(error)
    })
  }

  #end<Out, In>(copy: (message: Out) => Out, other: () => StreamHandlers<unknown> | undefined,
    handle: (handlers: StreamHandlers<In>) => void): MessageStream<Out, In> {
    const later = (run: () => void) => {
      this.#world.after(LATENCY_MS, () => { if (!this.#broken && this.#node()?.frozen !== true) run() })
    }
    return {
      send: (message) => {
        const sent = copy(message)
        later(() => { other()?.message(sent) })
        return true
      },
      end: () => { later(() => { other()?.end?.() }) },
      destroy: (reason) => { this.break(reason) },
      handle,
      pause: () => { throw new Error('not made') },
      resume: () => { throw new Error('not made') }
    }
  }
}

// The serving side of the Network port: handlers on a gRPC server, with the standard health and reflection services.

import {
  Metadata, Server, ServerCredentials, ServerInterceptingCall, status, type handleUnaryCall, type ServerInterceptor,
  type StatusObject
} from '@grpc/grpc-js'
import { HealthImplementation } from 'grpc-health-check'

import { assert } from '../base/assert.ts'
import { NetworkError, type Handler, type Listener, type Method } from '../ports.ts'
import { parseAddress } from './address.ts'
import { asBuffer, CallStream, type CallEnd } from './grpc-stream.ts'
import { IncomingCall } from './incoming-call.ts'
import { addReflection } from './reflection.ts'
import { Refusals } from './refusals.ts'
import { alarm, soon } from './time.ts'

const KEEPALIVE_MS = 10_000
/** Written to a stream's connection and not yet taken by it: enough to fill packets, little to hold when it is slow. */
const FLYING_BYTES = 256 * 1024

export interface ListenerOptions {
  /** Largest message sent. */
  readonly maxMessageBytes: number
  /** Largest message accepted. */
  readonly maxRequestBytes: number
  readonly onUnexpected: (error: unknown, path: string) => void
}

/** Rejects with NetworkError. */
export async function listenGrpc(
  address: string, handlers: readonly Handler[], options: ListenerOptions): Promise<Listener> {
  const parsed = parseAddress(address)
  if (parsed === undefined) {
    throw new NetworkError('INVALID_ADDRESS', `cannot listen on '${address}': expected host:port`)
  }
  const refusals = new Refusals(options.onUnexpected)
  const streams = new Map<string, StreamHandler>()
  const server = new Server({
    'grpc.max_receive_message_length': options.maxRequestBytes,
    'grpc.max_send_message_length': options.maxMessageBytes,
    'grpc.keepalive_time_ms': KEEPALIVE_MS,
    'grpc.keepalive_timeout_ms': KEEPALIVE_MS,
    interceptors: [interceptor(streams, options.maxMessageBytes, refusals)]
  })
  for (const handler of handlers) {
    if (handler.kind === 'unary') serveUnary(server, handler, refusals)
    else serveStream(server, handler, streams)
  }
  const services = [...new Set(handlers.map(({ method }) => serviceOf(method.path)))]
  const health = new HealthImplementation()
  const setServing = (serving: boolean) => {
    for (const service of ['', ...services]) health.setStatus(service, serving ? 'SERVING' : 'NOT_SERVING')
  }
  setServing(true)
  health.addToServer(server)
  addReflection(server, services)
  const port = await bind(server, address)
  return { address: `${parsed.host}:${port}`, setServing, close: closer(server) }
}

/** `weir.v1.Data` of `/weir.v1.Data/Produce` */
function serviceOf(path: string): string {
  return path.slice(1, path.indexOf('/', 1))
}

function bind(server: Server, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, port) => {
      if (error === null) return resolve(port)
      const code = (['EADDRINUSE', 'EACCES'] as const).find((name) => error.message.includes(name))
      server.forceShutdown()
      reject(new NetworkError(code ?? 'INVALID_ADDRESS', `cannot listen on ${address}: ${error.message}`, error))
    })
  })
}

function closer(server: Server): (graceMs: number) => Promise<void> {
  let closed: Promise<void> | undefined
  return (graceMs) => {
    closed ??= new Promise((resolve) => {
      const ended = alarm(graceMs, () => { server.forceShutdown() })
      server.tryShutdown(() => {
        ended()
        resolve()
      })
    })
    return closed
  }
}

// ---- unary ------------------------------------------------------------------------------------------------

const same = (bytes: Buffer): Buffer => bytes

function serveUnary(server: Server, handler: Handler & { readonly kind: 'unary' }, refusals: Refusals): void {
  const { path } = handler.method
  const serve: handleUnaryCall<Buffer, Buffer> = (call, callback) => {
    const caller = new IncomingCall(call)
    call.on('cancelled', () => { caller.gone() })
    const reply = async () => {
      const { response, refused } = await answer(handler, call.request, caller, refusals)
      caller.answered()
      callback(refused, response)
    }
    void reply()
  }
  const isNew = server.register(path, serve, same, same, 'unary')
  assert(isNew, `${path} has two handlers`)
}

interface Answer { readonly response?: Buffer; readonly refused: StatusObject | null }

async function answer(
  handler: Handler & { readonly kind: 'unary' }, bytes: Buffer, caller: IncomingCall, refusals: Refusals
): Promise<Answer> {
  const method = handler.method as unknown as Method<unknown, unknown>
  const run = handler.run as unknown as (request: unknown, caller: IncomingCall) => Promise<unknown>
  if (caller.timeoutMs === Infinity) return { refused: refusals.withoutDeadline(method.path) }
  let request: unknown
  try {
    request = method.decodeRequest(bytes)
  } catch (error) {
    return { refused: refusals.ofDecoding(error, method.path) }
  }
  try {
    return { response: asBuffer(method.encodeResponse(await run(request, caller))), refused: null }
  } catch (error) {
    return { refused: refusals.of(error, method.path) }
  }
}

// ---- streams ----------------------------------------------------------------------------------------------

type StreamHandler = Handler & { readonly kind: 'stream' }
type ServerCall = Parameters<ServerInterceptor>[1]

function serveStream(server: Server, handler: StreamHandler, streams: Map<string, StreamHandler>): void {
  const { path } = handler.method
  // The interceptor takes the call over before this would run.
  const isNew = server.register(path, () => {}, same, same, 'bidi')
  assert(isNew, `${path} has two handlers`)
  streams.set(path, handler)
}

/** gRPC's own stream in between would write one message at a time; a call itself does not wait. */
function interceptor(
  streams: ReadonlyMap<string, StreamHandler>, maxMessageBytes: number, refusals: Refusals): ServerInterceptor {
  return (method, call) => {
    const handler = streams.get(method.path)
    return handler === undefined ? new ServerInterceptingCall(call)
      : new TakenOver(call, () => { runStream(handler, call, maxMessageBytes, refusals) })
  }
}

class TakenOver extends ServerInterceptingCall {
  readonly #run: () => void

  constructor(call: ServerCall, run: () => void) {
    super(call)
    this.#run = run
  }

  override start(): void {
    this.#run()
  }
}

function runStream(handler: StreamHandler, call: ServerCall, maxMessageBytes: number, refusals: Refusals): void {
  const method = handler.method as unknown as Method<unknown, unknown>
  const run = handler.run as unknown as (stream: CallStream<unknown, unknown>, caller: IncomingCall) => void
  const { path } = method
  const caller = new IncomingCall(call)
  const end: CallEnd = {
    maxMessageBytes,
    windowBytes: FLYING_BYTES,
    write: (bytes, done) => { call.sendMessage(bytes, done) },
    read: () => { call.startRead() },
    // A server cannot half-close: this ends the call for both sides.
    finish: () => { call.sendStatus({ code: status.OK, details: 'OK' }) },
    abort: (code, reason) => {
      call.sendStatus(code === status.INVALID_ARGUMENT ? refusals.malformed(reason, path) : { code, details: reason })
    },
    threw: (error) => { fail(error) }
  }
  const stream = new CallStream<unknown, unknown>(end, {
    path, encode: (message) => method.encodeResponse(message), decode: (bytes) => method.decodeRequest(bytes) })
  const fail = (error: unknown) => {
    call.sendStatus(refusals.of(error, path))
    queueMicrotask(() => {
      stream.closed(new NetworkError('CANCELLED', `${path} failed here: ${String(error)}`, error))
    })
  }
  call.start({
    onReceiveMetadata: () => {
      // At once: the caller learns that somebody is here.
      call.sendMetadata(new Metadata())
      try {
        run(stream, caller)
        assert(stream.handled, `${path}: the stream got no handlers in the turn it came`)
      } catch (error) {
        fail(error)
      }
    },
    onReceiveMessage: (message: Buffer) => { stream.received(message) },
    onReceiveHalfClose: () => {
      // A client of Node cancels by an end and a reset behind it: the end waits for what came along with it.
      soon(() => { stream.peerEnded() })
    },
    onCancel: () => {
      if (!stream.finished) caller.gone()
      stream.closed(stream.finished ? undefined
        : new NetworkError('UNAVAILABLE', `${path}: ${caller.peer} cancelled the stream, or its connection broke`))
    }
  })
}

// The calling side of the Network port: one channel, with a connection of its own, for each peer.

import { Channel, credentials, Metadata, status, type StatusObject } from '@grpc/grpc-js'

import { assert } from '../base/assert.ts'
import { NetworkError, type Method, type MessageStream, type Peer } from '../ports.ts'
import { parseAddress } from './address.ts'
import { asBuffer, CallStream, type CallEnd, type StreamCodec } from './grpc-stream.ts'
import { errorOfStatus, streamErrorOfStatus } from './status.ts'
import { alarm, deadlineIn } from './time.ts'

/** A stream whose peer has not even answered its opening in this time has no peer. */
const OPEN_TIMEOUT_MS = 10_000
const KEEPALIVE_MS = 10_000
const BACKOFF_MS = 50
const BACKOFF_MS_MAX = 500
const RESOLVE_AGAIN_MS = 1_000

type Call = ReturnType<Channel['createCall']>

export interface PeerOptions {
  readonly maxMessageBytes: number
  readonly windowBytes: number
}

export class GrpcPeer implements Peer {
  readonly address: string
  readonly #options: PeerOptions
  readonly #calls = new Set<Call>()
  #channel: Channel | undefined
  #closed = false

  constructor(address: string, options: PeerOptions) {
    this.address = address
    this.#options = options
  }

  call<Req, Res>(method: Method<Req, Res>, request: Req, timeoutMs: number): Promise<Res> {
    assert(timeoutMs > 0, () => `timeoutMs=${timeoutMs}: expected more than 0`)
    const bytes = asBuffer(method.encodeRequest(request))
    const { maxMessageBytes } = this.#options
    if (bytes.length > maxMessageBytes) {
      return Promise.reject(new NetworkError('OVERSIZE', `${method.path}: a request of ${bytes.length} bytes is ` +
        `larger than max ${maxMessageBytes} (maxMessageBytes): send less at a time`))
    }
    return new Promise((resolve, reject) => {
      const call = this.#start(method.path, deadlineIn(timeoutMs))
      if (call instanceof NetworkError) return reject(call)
      let response: Buffer | undefined
      call.start(new Metadata(), {
        onReceiveMetadata: () => {},
        onReceiveMessage: (message: Buffer) => {
          response = message
          // The status comes behind the last read.
          call.startRead()
        },
        onReceiveStatus: (ended) => {
          this.#calls.delete(call)
          try {
            resolve(answer(method, response, ended))
          } catch (error) {
            reject(error)
          }
        }
      })
      call.startRead()
      call.sendMessageWithContext({}, bytes)
      call.halfClose()
    })
  }

  open<Req, Res>(method: Method<Req, Res>): MessageStream<Req, Res> {
    const codec: StreamCodec<Req, Res> = {
      path: method.path,
      encode: (message) => method.encodeRequest(message),
      decode: (bytes) => method.decodeResponse(bytes)
    }
    const call = this.#start(method.path, Infinity)
    if (call instanceof NetworkError) {
      const stream = new CallStream(DEAD_END, codec)
      queueMicrotask(() => { stream.closed(call) })
      return stream
    }
    const stream = new CallStream(endOf(call, this.#options.maxMessageBytes), codec)
    const answered = alarm(OPEN_TIMEOUT_MS, () => {
      call.cancelWithStatus(status.UNAVAILABLE, `${this.address} did not answer within ${OPEN_TIMEOUT_MS} ms`)
    })
    call.start(new Metadata(), {
      onReceiveMetadata: answered,
      onReceiveMessage: (message: Buffer) => { stream.received(message) },
      onReceiveStatus: (ended) => {
        answered()
        this.#calls.delete(call)
        if (ended.code !== status.OK) return stream.closed(streamErrorOfStatus(ended, method.path))
        stream.peerEnded()
        stream.closed(undefined)
      }
    })
    return stream
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    const reason = `the peer ${this.address} was closed here`
    for (const call of this.#calls) call.cancelWithStatus(status.UNAVAILABLE, reason)
    this.#channel?.close()
  }

  #start(path: string, deadline: number): Call | NetworkError {
    if (this.#closed) return new NetworkError('UNAVAILABLE', `${path}: the peer ${this.address} was closed here`)
    if (parseAddress(this.address) === undefined) {
      return new NetworkError('INVALID_ADDRESS', `${path}: '${this.address}' is no address: expected host:port`)
    }
    this.#channel ??= openChannel(this.address, this.#options)
    const call = this.#channel.createCall(path, deadline, null, null, null)
    this.#calls.add(call)
    return call
  }
}

function openChannel(address: string, { maxMessageBytes, windowBytes }: PeerOptions): Channel {
  return new Channel(address, credentials.createInsecure(), {
    // A connection for each peer: one that is closed or stuck is nobody else's.
    'grpc.use_local_subchannel_pool': 1,
    'grpc.initial_reconnect_backoff_ms': BACKOFF_MS,
    'grpc.max_reconnect_backoff_ms': BACKOFF_MS_MAX,
    'grpc.dns_min_time_between_resolutions_ms': RESOLVE_AGAIN_MS,
    'grpc.keepalive_time_ms': KEEPALIVE_MS,
    'grpc.keepalive_timeout_ms': KEEPALIVE_MS,
    'grpc.max_send_message_length': -1,
    'grpc.max_receive_message_length': maxMessageBytes,
    'grpc-node.flow_control_window': windowBytes,
    // Who calls decides about repeating. Without a buffer for it, a write is done when the transport took it.
    'grpc.enable_retries': 0,
    'grpc.per_rpc_retry_buffer_size': 0,
    'grpc.service_config_disable_resolution': 1,
    'grpc.enable_http_proxy': 0
  })
}

/** What `call` resolves with; throws what it rejects with. */
function answer<Req, Res>(method: Method<Req, Res>, response: Buffer | undefined, ended: StatusObject): Res {
  if (ended.code !== status.OK) throw errorOfStatus(ended, method.path)
  if (response === undefined) throw new NetworkError('UNAVAILABLE', `${method.path}: ended without a response`)
  try {
    return method.decodeResponse(response)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new NetworkError('UNAVAILABLE', `${method.path}: malformed response: ${error.message}`, error)
  }
}

function endOf(call: Call, maxMessageBytes: number): CallEnd {
  return {
    maxMessageBytes,
    // gRPC's client keeps one message in flight, however many it is given.
    windowBytes: 1,
    write: (bytes, done) => {
      call.sendMessageWithContext({ callback: (error) => { if (!error) done() } }, bytes)
    },
    read: () => { call.startRead() },
    finish: () => { call.halfClose() },
    abort: (code, reason) => { call.cancelWithStatus(code, reason) },
    threw: rethrow
  }
}

/** Behind a stream that could not be opened. */
const DEAD_END: CallEnd = {
  maxMessageBytes: Infinity, windowBytes: 0, write: () => {}, read: () => {}, finish: () => {}, abort: () => {},
  threw: rethrow
}

/** Out of gRPC's hands, which would lose it. */
function rethrow(error: unknown): void {
  queueMicrotask(() => { throw error })
}

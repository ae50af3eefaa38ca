// One end of a bidirectional stream: order, back-pressure and the life cycle of `MessageStream`, over what the client's
// and the server's calls of gRPC have in common.

import { status } from '@grpc/grpc-js'

import { assert } from '../base/assert.ts'
import { NetworkError, type MessageStream, type StreamHandlers } from '../ports.ts'

/** Bytes waiting to be written above which `send` answers false. */
const HIGH_WATER_BYTES = 1024 * 1024
/** Bytes waiting below which `drain` tells of room again: apart from the above, so that it tells seldom. */
const LOW_WATER_BYTES = HIGH_WATER_BYTES / 2
/** What gRPC puts before each message. */
const FRAME_BYTES = 5

/** What a stream needs of a call; the call in turn tells it `received`, `peerEnded` and `closed`. */
export interface CallEnd {
  /** Largest message that may be sent. */
  readonly maxMessageBytes: number
  /** A further message is written while fewer bytes than this were written and not yet `done`; at least one is. */
  readonly windowBytes: number
  write(bytes: Buffer, done: () => void): void
  /** Asks for one event: a message, or the peer's end. */
  read(): void
  /** Nothing more will be written; all that was is done. */
  finish(): void
  abort(code: status, reason: string): void
  /** A handler threw. */
  threw(error: unknown): void
}

export interface StreamCodec<Out, In> {
  readonly path: string
  readonly encode: (message: Out) => Uint8Array
  readonly decode: (bytes: Uint8Array) => In
}

export class CallStream<Out, In> implements MessageStream<Out, In> {
  readonly #end: CallEnd
  readonly #codec: StreamCodec<Out, In>
  #handlers: StreamHandlers<In> | undefined
  readonly #queue: Buffer[] = []
  /** Bytes queued or in flight, and the part of them in flight. */
  #bufferedBytes = 0
  #flyingBytes = 0
  #full = false
  #sendEnded = false
  #finished = false
  #reading = false
  #paused = false
  #peerEnded = false
  /** Nothing goes to the call and nothing comes from it any more; `close` was delivered, or is about to be. */
  #over = false

  constructor(end: CallEnd, codec: StreamCodec<Out, In>) {
    this.#end = end
    this.#codec = codec
  }

  get handled(): boolean { return this.#handlers !== undefined }
  /** This side has sent its end. */
  get finished(): boolean { return this.#finished }

  send(message: Out): boolean {
    if (this.#over || this.#sendEnded) return true
    const bytes = asBuffer(this.#codec.encode(message))
    if (bytes.length > this.#end.maxMessageBytes) {
      this.#fail(status.RESOURCE_EXHAUSTED, 'OVERSIZE',
        `a message of ${bytes.length} bytes is larger than max ${this.#end.maxMessageBytes} (maxMessageBytes)`)
      return true
    }
    this.#queue.push(bytes)
    this.#bufferedBytes += bytes.length + FRAME_BYTES
    this.#write()
    if (this.#bufferedBytes > HIGH_WATER_BYTES) this.#full = true
    return !this.#full
  }

  end(): void {
    if (this.#over || this.#sendEnded) return
    this.#sendEnded = true
    this.#write()
  }

  destroy(reason: string): void {
    this.#fail(status.ABORTED, 'CANCELLED', reason)
  }

  handle(handlers: StreamHandlers<In>): void {
    assert(this.#handlers === undefined, () => `${this.#codec.path}: the stream has its handlers already`)
    this.#handlers = handlers
    this.#read()
  }

  pause(): void {
    this.#paused = true
  }

  resume(): void {
    this.#paused = false
    this.#read()
  }

  // ---- what the call tells --------------------------------------------------------------------------------

  received(bytes: Buffer): void {
    this.#reading = false
    if (this.#over) return
    let message: In
    try {
      message = this.#codec.decode(bytes)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      this.#fail(status.INVALID_ARGUMENT, 'CANCELLED', error.message)
      return
    }
    this.#call((handlers) => { handlers.message(message) })
    this.#read()
  }

  /** The peer sends no more. */
  peerEnded(): void {
    this.#reading = false
    if (this.#over || this.#peerEnded) return
    this.#peerEnded = true
    this.#call((handlers) => handlers.end?.())
  }

  /** The call is over, in order when `error` is undefined. */
  closed(error: NetworkError | undefined): void {
    if (this.#over) return
    this.#over = true
    this.#queue.length = 0
    this.#call((handlers) => { handlers.close(error) })
  }

  // ---------------------------------------------------------------------------------------------------------

  #write(): void {
    while (this.#queue.length > 0 && (this.#flyingBytes === 0 || this.#flyingBytes < this.#end.windowBytes)) {
      const bytes = this.#queue.shift()!
      const size = bytes.length + FRAME_BYTES
      this.#flyingBytes += size
      this.#end.write(bytes, () => { this.#written(size) })
    }
    if (!this.#sendEnded || this.#finished || this.#bufferedBytes > 0) return
    this.#finished = true
    this.#end.finish()
  }

  #written(size: number): void {
    this.#flyingBytes -= size
    this.#bufferedBytes -= size
    if (this.#over) return
    this.#write()
    if (!this.#full || this.#bufferedBytes >= LOW_WATER_BYTES) return
    this.#full = false
    this.#call((handlers) => handlers.drain?.())
  }

  #read(): void {
    if (this.#handlers === undefined || this.#reading || this.#paused || this.#peerEnded || this.#over) return
    this.#reading = true
    this.#end.read()
  }

  #fail(toPeer: status, code: NetworkError['code'], reason: string): void {
    if (this.#over) return
    this.#over = true
    this.#queue.length = 0
    this.#end.abort(toPeer, reason)
    // Later, so that a handler that drops its stream is not called from within itself.
    const error = new NetworkError(code, `${this.#codec.path} was dropped here: ${reason}`)
    queueMicrotask(() => { this.#call((handlers) => { handlers.close(error) }) })
  }

  #call(event: (handlers: StreamHandlers<In>) => void): void {
    if (this.#handlers === undefined) return
    try {
      event(this.#handlers)
    } catch (error) {
      this.#end.threw(error)
    }
  }
}

/** gRPC wants Buffers; encoders promise Uint8Arrays. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

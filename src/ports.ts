// The whole outside world on one page: every effect a server or the SDK may have goes through these ports.
//
// Production passes the real ones (src/os, src/rpc); the testing API passes memory-backed ones; a deterministic
// simulator passes seeded ones. The same code runs on all of them.

// ---- time and chance ------------------------------------------------------------------------------------

export interface Clock {
  /** Milliseconds from an arbitrary origin, fractional, never falling. The only clock a decision may use. */
  monotonicMs(): number
  /** Milliseconds since the Unix epoch, integer. May jump either way: only for timestamps people see. */
  wallMs(): number
}

export interface Timer { readonly id: unknown }

export interface Timers {
  /** Calls `fire` once, not before `delayMs` (>= 0) has passed. `fire` must not throw. */
  after(delayMs: number, fire: () => void): Timer
  /** After this returns `fire` will not run. Cancelling a fired or cancelled timer does nothing. */
  cancel(timer: Timer): void
  /** Calls `run` in a later turn of the event loop, after I/O that is ready now. Keeps call order. */
  soon(run: () => void): void
}

export interface Random {
  /** Uniform in [0, 2^32). */
  uint32(): number
  /** Uniform integer in [0, bound), 1 <= bound <= 2^32. */
  below(bound: number): number
  /** Sixteen random bytes as 32 lower-case hex digits: topic ids, incarnation ids, directory ids. */
  id(): string
  /** A generator of its own whose sequence depends on `name` only (and on the seed). */
  fork(name: string): Random
}

// ---- disk -----------------------------------------------------------------------------------------------

/**
 * Files by path. Every method may fail with `DiskError` (`code` is the errno name: ENOENT, EIO, ENOSPC, EEXIST …).
 * A failed write, sync or truncate leaves the file in an unknown state: never retry it on the same handle.
 */
export interface Disk {
  /** Opens for reading and writing; `create` makes a missing file (its directory entry is durable after `syncDir`). */
  open(path: string, options: { readonly create: boolean }): Promise<DiskFile>
  /**
   * Creates and opens a new file at once, on the caller's turn (tens of microseconds): for the roll of a segment
   * between two appends. Throws DiskError, EEXIST when the file is there.
   */
  createNow(path: string): DiskFile
  /** Names in `dir`, sorted by code unit, without `.` and `..`. */
  list(dir: string): Promise<readonly string[]>
  exists(path: string): Promise<boolean>
  /** Makes `dir` and its missing parents. */
  makeDir(dir: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  /** Removes a file, or a directory with all in it. A missing path is no error. */
  remove(path: string): Promise<void>
  /** Makes the entries of `dir` (creations, renames, removals) durable. */
  syncDir(dir: string): Promise<void>
  /** Takes the exclusive lock `path`, or rejects with code EBUSY. Released by `release` or by process death. */
  lock(path: string): Promise<DiskLock>
}

export interface DiskLock { release(): Promise<void> }

export interface DiskFile {
  /** Current length in bytes, as this handle's writes and truncates left it. */
  size(): number
  /**
   * Reads into `into` from `position`; resolves with the bytes read, fewer only at end of file. `into` belongs to
   * the call until it settles.
   */
  read(into: Uint8Array, position: number): Promise<number>
  /** As `read`, at once, on the caller's turn: for small reads that the page cache holds (a few microseconds). */
  readNow(into: Uint8Array, position: number): number
  /**
   * Appends or overwrites `parts`, in order, at `position`, at once, into the page cache. Not durable before `sync`.
   * The parts are the caller's again on return. A short write is completed or thrown, never returned.
   */
  writeNow(parts: readonly Uint8Array[], position: number): void
  /** Resolves when all bytes written before the call, and the length, are durable (fdatasync). */
  sync(): Promise<void>
  truncate(size: number): Promise<void>
  close(): Promise<void>
}

/** Thrown by Disk, DiskFile and KeyValueStore only. */
export class DiskError extends Error {
  readonly code: string
  readonly path: string
  constructor(code: string, path: string, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'DiskError'
    this.code = code
    this.path = path
  }
}

// ---- key-value store ------------------------------------------------------------------------------------

export type KvOp =
  | { readonly kind: 'put'; readonly key: Uint8Array; readonly value: Uint8Array }
  | { readonly kind: 'delete'; readonly key: Uint8Array }

export interface KvEntry { readonly key: Uint8Array; readonly value: Uint8Array }

/** Ordered by unsigned byte comparison of keys. Failures reject with `DiskError`; a failed write may have happened. */
export interface KeyValueStore {
  get(key: Uint8Array): Promise<Uint8Array | undefined>
  /** All of the batch or nothing. With 'sync' it is durable when the promise resolves. */
  write(batch: readonly KvOp[], durability: 'sync' | 'lazy'): Promise<void>
  /** Entries with from <= key < to, ascending, at most `limit`. */
  range(from: Uint8Array, to: Uint8Array, limit: number): Promise<readonly KvEntry[]>
  close(): Promise<void>
}

/** Opens the store in directory `path`, creating it when missing. */
export type OpenKeyValueStore = (path: string) => Promise<KeyValueStore>

// ---- network --------------------------------------------------------------------------------------------

/** One call of a service. Encoding is part of it, so that a simulator can carry encoded bytes. */
export interface Method<Req, Res> {
  /** `/weir.v1.Service/Name` */
  readonly path: string
  readonly kind: 'unary' | 'stream'
  encodeRequest(request: Req): Uint8Array
  /** Throws RangeError on malformed bytes and on an int64 beyond ±(2^53−1). */
  decodeRequest(bytes: Uint8Array): Req
  encodeResponse(response: Res): Uint8Array
  decodeResponse(bytes: Uint8Array): Res
}

/** What a server knows of one incoming call. */
export interface Caller {
  /** Remote address, for logs and limits. */
  readonly peer: string
  /** host:port under which the client reached us: what `advertised: auto` answers with. */
  readonly dialled: string
  /** Time left until the caller's deadline when the call arrived, ms. Infinity on streams without one. */
  readonly timeoutMs: number
  /** Aborted when the caller went away or its deadline passed. */
  readonly signal: AbortSignal
}

/** One end of a bidirectional stream of messages, ordered, at most once. */
export interface MessageStream<Out, In> {
  /** Queues one message; false when more than the high-water mark is buffered: wait for `drain` before bulk data. */
  send(message: Out): boolean
  /** Half-close: no more `send`; the peer sees `end`. */
  end(): void
  /** Drops the stream now; the peer sees `close` with an error. `close` is still delivered here. */
  destroy(reason: string): void
  /** Must be called exactly once, in the turn in which the stream was received or opened. */
  handle(handlers: StreamHandlers<In>): void
  /** Stop and continue delivery of `message` (back-pressure reaches the sender). */
  pause(): void
  resume(): void
}

export interface StreamHandlers<In> {
  message(message: In): void
  /** The buffer went below the mark after a `send` that returned false. */
  drain?(): void
  /** The peer half-closed. */
  end?(): void
  /** Last event, exactly once: undefined after an orderly end of both sides. */
  close(error: NetworkError | undefined): void
}

export type Handler =
  | { readonly kind: 'unary'; readonly method: Method<never, never>
    readonly run: (request: never, caller: Caller) => Promise<unknown> }
  | { readonly kind: 'stream'; readonly method: Method<never, never>
    readonly run: (stream: MessageStream<never, never>, caller: Caller) => void }

/** Typed constructors for Handler. `run` may reject with WeirError: the caller gets that code. */
export function unary<Req, Res>(
  method: Method<Req, Res>, run: (request: Req, caller: Caller) => Promise<Res>): Handler {
  return { kind: 'unary', method: method as unknown as Method<never, never>, run }
}
export function stream<Req, Res>(
  method: Method<Req, Res>, run: (stream: MessageStream<Res, Req>, caller: Caller) => void): Handler {
  return { kind: 'stream', method: method as unknown as Method<never, never>, run }
}

export interface Listener {
  /** The bound host:port (the port chosen when 0 was asked for). */
  readonly address: string
  /** What the standard health service answers; true from the start. */
  setServing(serving: boolean): void
  /** Accepts no new call; resolves when running calls ended, or were cut after `graceMs`. */
  close(graceMs: number): Promise<void>
}

export interface Network {
  /** Serves `handlers` on host:port. Rejects with NetworkError (code EADDRINUSE …). */
  listen(address: string, handlers: readonly Handler[]): Promise<Listener>
  /** Never fails by itself: a peer connects on first use and reconnects by need. */
  dial(address: string): Peer
}

export interface Peer {
  readonly address: string
  /**
   * Rejects with WeirError when the server refused (its code), else with NetworkError: UNAVAILABLE (not connected,
   * connection lost: outcome unknown) or TIMEOUT after `timeoutMs` (required, > 0).
   */
  call<Req, Res>(method: Method<Req, Res>, request: Req, timeoutMs: number): Promise<Res>
  open<Req, Res>(method: Method<Req, Res>): MessageStream<Req, Res>
  /** Ends the connection; open calls fail with UNAVAILABLE. */
  close(): void
}

export class NetworkError extends Error {
  readonly code: 'UNAVAILABLE' | 'TIMEOUT' | 'EADDRINUSE' | 'EACCES' | 'INVALID_ADDRESS' | 'OVERSIZE' | 'CANCELLED'
  constructor(code: NetworkError['code'], message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'NetworkError'
    this.code = code
  }
}

// ---- log lines and figures ------------------------------------------------------------------------------

export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>

/** Constant text, fields for values; nothing per record. */
export interface Logger {
  debug(text: string, fields?: LogFields): void
  info(text: string, fields?: LogFields): void
  warn(text: string, fields?: LogFields): void
  error(text: string, fields?: LogFields): void
  /** A logger that adds `fields` to each line. */
  with(fields: LogFields): Logger
}

/** Names are those of the one table in src/observe/metrics.ts; an unknown name is a programmer error. */
export interface Metrics {
  count(name: string, by?: number): void
  gauge(name: string, value: number): void
  /** One observation of a histogram, in the unit its name ends with. */
  observe(name: string, value: number): void
}

/** What `startController` and `startBroker` receive. */
export interface Ports {
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly disk: Disk
  readonly openKeyValueStore: OpenKeyValueStore
  readonly network: Network
  readonly logger: Logger
  readonly metrics: Metrics
  /**
   * Ends this node at once after an error it must not survive (failed write of Raft state, broken invariant). In
   * production the process exits with code 70; in tests and simulation the node is dropped as by kill -9.
   */
  readonly die: (reason: string, cause?: unknown) => void
}

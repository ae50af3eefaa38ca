// Carries Raft messages between controllers: one stream to each other voter, opened again after a loss. Lost messages
// are fine, Raft sends again; a snapshot goes in chunks on the same stream.

import type { Clock, Logger, MessageStream, Network, Peer } from '../src/ports.ts'
import type { RaftEnvelope, RaftHello, RaftMessage, RaftReceipt } from '../src/rpc/messages.ts'
import { methods } from '../src/rpc/protos.ts'
import { decodeMessage, encodeMessage, SnapshotAssembly } from './raft-codec.ts'
import type { Message } from './raft/types.ts'

const RECONNECT_MS = 30
/** Bytes of entries after which an envelope is closed: far below the largest message that may be sent. */
const ENVELOPE_BYTES = 512 * 1024
/** A controller that is refused comes back at once: the same reason is logged once in this time. */
const REFUSAL_LOG_MS = 10_000

export interface RaftTransportNeeds {
  readonly nodeId: number
  readonly clusterId: string
  readonly voters: readonly number[]
  readonly clock: Clock
  readonly network: Network
  readonly logger: Logger
  /** Empty = not known yet. */
  addressOf(nodeId: number): string
  receive(messages: readonly Message[]): void
  unreachable(nodeId: number): void
  /** The stream on which a controller sent to this one broke: it may have died. */
  connectionLost(nodeId: number): void
  snapshotSent(nodeId: number, ok: boolean): void
}

interface Line {
  readonly to: number
  peer: Peer | undefined
  stream: MessageStream<RaftEnvelope, RaftReceipt> | undefined
  /** More than the high-water mark is buffered: what comes now is dropped. */
  blocked: boolean
  /** Rest of the snapshot under way. Heartbeats go between its chunks. */
  chunks: RaftMessage[]
  /** A snapshot was sent on this stream: if the stream breaks it may not have arrived. */
  carriedSnapshot: boolean
  /** After a loss: no attempt before. */
  retryAtMs: number
}

export class RaftTransport {
  readonly #needs: RaftTransportNeeds
  readonly #lines = new Map<number, Line>()
  readonly #lastHeardMs = new Map<number, number>()
  /** Streams of others. */
  readonly #accepted = new Set<MessageStream<RaftReceipt, RaftEnvelope>>()
  #refusal = { last: '', atMs: 0 }
  #closed = false

  constructor(needs: RaftTransportNeeds) {
    this.#needs = needs
    for (const to of needs.voters) {
      if (to === needs.nodeId) continue
      this.#lines.set(to, {
        to, peer: undefined, stream: undefined, blocked: false, chunks: [], carriedSnapshot: false, retryAtMs: -1 })
    }
  }

  /** When a controller was heard last, monotonic ms. */
  lastHeardMs(nodeId: number): number | undefined { return this.#lastHeardMs.get(nodeId) }

  send(messages: readonly Message[]): void {
    for (const line of this.#lines.values()) {
      const own = messages.filter(({ to }) => to === line.to)
      if (own.length > 0) this.#sendOn(line, own)
    }
  }

  #sendOn(line: Line, messages: readonly Message[]): void {
    const stream = this.#streamOf(line)
    const snapshot = messages.findLast(({ kind }) => kind === 'snapshot')
    if (stream === undefined || (line.blocked && line.chunks.length === 0)) {
      this.#needs.unreachable(line.to)
      if (snapshot !== undefined) this.#needs.snapshotSent(line.to, false)
      return
    }
    for (const envelope of envelopes(messages.filter(({ kind }) => kind !== 'snapshot'))) {
      if (!stream.send(envelope)) line.blocked = true
    }
    if (snapshot === undefined) return
    line.chunks = encodeMessage(snapshot)
    line.carriedSnapshot = true
    pump(line)
  }

  #streamOf(line: Line): Line['stream'] {
    if (line.stream !== undefined || this.#closed) return line.stream
    const address = this.#needs.addressOf(line.to)
    if (address === '' || this.#needs.clock.monotonicMs() < line.retryAtMs) return undefined
    if (line.peer?.address !== address) {
      line.peer?.close()
      line.peer = this.#needs.network.dial(address)
    }
    const stream = line.peer.open(methods.raft.exchange)
    line.stream = stream
    line.blocked = false
    line.chunks = []
    line.carriedSnapshot = false
    stream.handle({
      message: () => { /* receipts say nothing */ },
      drain: () => {
        if (line.stream !== stream) return
        line.blocked = false
        pump(line)
      },
      end: () => { stream.end() },
      close: () => {
        if (line.stream !== stream) return
        line.stream = undefined
        line.retryAtMs = this.#needs.clock.monotonicMs() + RECONNECT_MS
        line.chunks = []
        if (this.#closed) return
        this.#needs.unreachable(line.to)
        if (line.carriedSnapshot) this.#needs.snapshotSent(line.to, false)
      }
    })
    stream.send({ hello: this.#hello(line.to), messages: [] })
    return stream
  }

  #hello(to: number): RaftHello {
    return {
      from: this.#needs.nodeId, to, clusterId: this.#needs.clusterId, votersHash: votersHash(this.#needs.voters) }
  }

  /** Messages of another controller, on the stream that it opened. */
  accept(stream: MessageStream<RaftReceipt, RaftEnvelope>): void {
    let from: number | undefined
    const assembly = new SnapshotAssembly()
    this.#accepted.add(stream)
    stream.handle({
      message: ({ hello, messages }) => {
        if (from === undefined) {
          const wrong = hello === null ? 'no hello' : this.#check(hello)
          if (hello === null || wrong !== undefined) {
            this.#logRefusal(hello?.from, wrong ?? 'no hello')
            stream.destroy(wrong ?? 'no hello')
            return
          }
          from = hello.from
        }
        this.#lastHeardMs.set(from, this.#needs.clock.monotonicMs())
        const sender = from
        const received = messages.filter((one) => one.from === sender).map((one) => decodeMessage(one, assembly))
          .filter((message) => message !== undefined)
        if (received.length > 0) this.#needs.receive(received)
      },
      end: () => { stream.end() },
      close: (error) => {
        this.#accepted.delete(stream)
        if (error !== undefined && from !== undefined && !this.#closed) this.#needs.connectionLost(from)
      }
    })
  }

  #check(hello: RaftHello): string | undefined {
    const { nodeId, clusterId, voters } = this.#needs
    if (hello.clusterId !== clusterId) return `cluster.id ${hello.clusterId} is not ${clusterId}`
    if (hello.to !== nodeId) return `looks for controller ${hello.to}, this is ${nodeId}: check controllers=`
    if (hello.votersHash !== votersHash(voters)) return 'its list of controllers differs from ours: check controllers='
    return voters.includes(hello.from) ? undefined : `controller ${hello.from} is no voter`
  }

  #logRefusal(from: number | undefined, reason: string): void {
    const nowMs = this.#needs.clock.monotonicMs()
    const { last } = this.#refusal
    if (last === reason && nowMs - this.#refusal.atMs < REFUSAL_LOG_MS) return
    this.#refusal = { last: reason, atMs: nowMs }
    this.#needs.logger.error('controller refused', { from, reason })
  }

  close(): void {
    this.#closed = true
    for (const line of this.#lines.values()) {
      line.stream?.destroy('controller stops')
      line.peer?.close()
    }
    for (const stream of this.#accepted) stream.end()
  }
}

/** Sends what fits of the snapshot under way, a chunk an envelope. */
function pump(line: Line): void {
  while (!line.blocked && line.chunks.length > 0) {
    const chunk = line.chunks.shift()!
    if (line.stream?.send({ hello: null, messages: [chunk] }) !== true) line.blocked = true
  }
}

function envelopes(messages: readonly Message[]): RaftEnvelope[] {
  const all: RaftMessage[][] = []
  let room = 0
  for (const message of messages) {
    let bytes = 0
    for (const { data } of message.entries) bytes += data.length
    if (all.length === 0 || room < bytes) {
      all.push([])
      room = ENVELOPE_BYTES
    }
    all.at(-1)!.push(...encodeMessage(message))
    room -= bytes
  }
  return all.map((encoded) => ({ hello: null, messages: encoded }))
}

/** The same on each controller when the sets are the same: the sorted ids, readable. */
export function votersHash(voters: readonly number[]): string {
  return [...voters].sort((a, b) => a - b).join(',')
}

// One connection between two processes, as TCP is: ordered and reliable each way while it lives; silent over a cut way,
// until that opens again or somebody loses patience; reset when a process at one end is killed.

import { NetworkError, type Random } from '../../src/ports.ts'
import type { Life } from './life.ts'
import { unit, type Links } from './links.ts'
import type { World } from './world.ts'

/** After so long, and up to twice that, an end that hears nothing ends the connection: keep-alive. */
const KEEPALIVE_MS = 10_000

/** What a connection needs of the network. */
export interface Wires {
  readonly world: World
  readonly links: Links
  readonly random: Random
  /** One connection in so many does not survive a cut of its way. */
  readonly resetOneIn: number
  sending(host: string, path: string, kind: string): void
  forget(connection: Connection): void
}

/** Something that lives on one end of a connection: a call, or a stream. */
export interface Tenant { connectionLost(error: NetworkError): void }

interface Frame { readonly kind: string; readonly detail: string; readonly deliver: () => void; readonly sum: number }

export class ConnectionEnd {
  readonly host: string
  readonly life: Life
  readonly tenants = new Set<Tenant>()
  open = true
  onClosed: (() => void) | undefined

  constructor(host: string, life: Life) {
    this.host = host
    this.life = life
  }
}

/** Frames on their way in one direction. */
class Way {
  /** Sent and not delivered, in order. */
  readonly queue: Frame[] = []
  lastArrivalMs = 0
  /** A frame was lost on a cut way: nothing is delivered before it is sent again. */
  stalled = false
  /** Frames that would have arrived since. */
  missed = 0
  /** Nothing is sent any more: the sender's machine lost power, or the connection is gone. */
  severed = false
}

export class Connection {
  readonly client: ConnectionEnd
  readonly server: ConnectionEnd
  readonly #network: Wires
  readonly #ways: readonly [Way, Way] = [new Way(), new Way()]
  #cuts = 0

  constructor(network: Wires, client: ConnectionEnd, server: ConnectionEnd) {
    this.#network = network
    this.client = client
    this.server = server
  }

  get dead(): boolean { return !this.client.open && !this.server.open }

  other(end: ConnectionEnd): ConnectionEnd { return end === this.client ? this.server : this.client }

  /** In order behind all that `from` sent before. `sum` stands for its bytes in the trace. */
  send(from: ConnectionEnd, kind: string, detail: string, deliver: () => void, sum = 0): void {
    if (!from.open || !from.life.alive) return
    this.#network.sending(from.host, kind, detail)
    // Whoever listens in may have killed the sender.
    if (from.life.alive) this.#push(from, { kind, detail, deliver, sum })
  }

  /** The process at `end` was killed: what it wrote still goes out, with the end behind it. */
  killed(end: ConnectionEnd): void {
    if (!end.open) return
    end.open = false
    end.tenants.clear()
    this.#fin(end, 'it was reset by the peer')
  }

  /** The machine at `end` lost power: nothing more comes from it, not even an end. */
  vanished(end: ConnectionEnd): void {
    if (!end.open) return
    end.open = false
    end.tenants.clear()
    this.#way(end).severed = true
    if (this.#way(end).stalled) this.#way(end).queue.length = 0
    this.#impatient(this.other(end), () => true)
  }

  /** The machine at the other end is back and knows nothing of this connection. */
  forgotten(end: ConnectionEnd): void {
    const { world, links } = this.#network
    world.after(links.retransmitMs(), end.life, 'rst', () => { this.#lost(end, 'it was reset by the peer') })
  }

  /** `end` closes its side in order; the peer learns of it. */
  close(end: ConnectionEnd, reason: string): void {
    if (!end.open) return
    this.#fin(end, 'it was closed by the peer')
    this.#lost(end, reason)
  }

  /** Both ends see a reset, each in its time. */
  reset(): void {
    for (const end of [this.client, this.server]) {
      this.#way(end).severed = true
      this.#network.world.after(this.#network.links.latency(this.client.host, this.server.host), end.life, 'reset',
        () => { this.#lost(end, 'it was reset') })
    }
  }

  wayCut(from: string, to: string): void {
    const concerned = this.#endOn(from, to)
    if (concerned === undefined) return
    const cut = ++this.#cuts
    for (const end of [this.client, this.server]) this.#impatient(end, () => this.#cuts === cut)
  }

  /** What was held goes on after a retransmission, unless the connection broke over it. */
  wayHealed(from: string, to: string): void {
    const end = this.#endOn(from, to)
    if (end === undefined) return
    this.#cuts++
    const way = this.#way(end)
    const { world, links, resetOneIn, random } = this.#network
    if (!way.stalled) return
    if (random.below(resetOneIn) === 0) return this.reset()
    world.after(links.retransmitMs(), undefined, 'retransmit', () => {
      if (links.isCut(from, to)) return
      way.stalled = false
      for (; way.missed > 0; way.missed--) this.#fly(end, 'again', from)
    }, `${from}>${to}`)
  }

  // ---------------------------------------------------------------------------------------------------------

  #fin(from: ConnectionEnd, why: string): void {
    this.#push(from, { kind: 'fin', detail: '', deliver: () => { this.#lost(this.other(from), why) }, sum: 0 })
  }

  #push(from: ConnectionEnd, frame: Frame): void {
    const way = this.#way(from)
    if (way.severed || !this.other(from).open) return
    way.queue.push(frame)
    this.#fly(from, frame.kind, frame.detail, frame.sum)
  }

  /** Something is on its way; when it arrives, the next frame in order is delivered. */
  #fly(from: ConnectionEnd, kind: string, detail: string, sum = 0): void {
    const to = this.other(from)
    const way = this.#way(from)
    const { world, links } = this.#network
    const atMs = Math.max(way.lastArrivalMs, world.nowMs + links.latency(from.host, to.host))
    way.lastArrivalMs = atMs
    world.after(atMs - world.nowMs, to.life, kind, () => {
      if (!to.open) return
      if (way.stalled || links.isCut(from.host, to.host)) {
        way.stalled = true
        way.missed++
      } else way.queue.shift()?.deliver()
    }, detail, sum)
  }

  #impatient(end: ConnectionEnd, still: () => boolean): void {
    const { world, random } = this.#network
    world.after(KEEPALIVE_MS * (1 + unit(random)), end.life, 'keepalive', () => {
      if (still()) this.#lost(end, `nothing came over it for more than ${KEEPALIVE_MS} ms`)
    })
  }

  #lost(end: ConnectionEnd, why: string): void {
    if (!end.open) return
    end.open = false
    this.#network.forget(this)
    const error = new NetworkError('UNAVAILABLE', `the connection to ${this.other(end).host} is gone: ${why}`)
    const tenants = [...end.tenants]
    end.tenants.clear()
    for (const tenant of tenants) tenant.connectionLost(error)
    end.onClosed?.()
  }

  #way(from: ConnectionEnd): Way { return this.#ways[from === this.client ? 0 : 1] }

  /** The end that sends from `from` to `to`, if this connection goes that way. */
  #endOn(from: string, to: string): ConnectionEnd | undefined {
    if (this.client.host === from && this.server.host === to) return this.client
    return this.server.host === from && this.client.host === to ? this.server : undefined
  }
}

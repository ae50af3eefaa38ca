// The calling side: connects on first use, backs off after a failure, as gRPC's channel does.

import { NetworkError, type MessageStream, type Method, type Peer } from '../../src/ports.ts'
import { type Connection, ConnectionEnd } from './connection.ts'
import type { Fabric, Origin, Service, Waiting } from './fabric.ts'
import type { Life } from './life.ts'
import { unit } from './links.ts'
import { startCall, startStream } from './sim-calls.ts'

const CONNECT_TIMEOUT_MS = 20_000
const BACKOFF_MS = 50
const BACKOFF_MS_MAX = 500

export class SimPeer implements Peer, Origin {
  readonly address: string
  readonly #network: Fabric
  readonly #host: string
  readonly #life: Life
  #connection: Connection | undefined
  #service: Service | undefined
  readonly #waiting = new Set<Waiting>()
  #connecting = false
  #attempts = 0
  #refusedUntilMs = 0
  #closed = false

  constructor(network: Fabric, host: string, life: Life, address: string) {
    this.#network = network
    this.#host = host
    this.#life = life
    this.address = address
  }

  get network(): Fabric { return this.#network }
  get host(): string { return this.#host }
  get life(): Life { return this.#life }

  call<Req, Res>(method: Method<Req, Res>, request: Req, timeoutMs: number): Promise<Res> {
    return startCall(this, method, request, timeoutMs) as Promise<Res>
  }

  open<Req, Res>(method: Method<Req, Res>): MessageStream<Req, Res> {
    return startStream(this, method)
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#fail(`the peer ${this.address} was closed here`)
    const connection = this.#connection
    if (connection !== undefined) connection.close(connection.client, `the peer ${this.address} was closed here`)
  }

  enter(tenant: Waiting): void {
    if (!this.#life.alive) return
    const { world } = this.#network
    if (this.#connection?.client.open === true) {
      tenant.begin(this.#connection, this.#service!)
      return
    }
    if (this.#closed || world.nowMs < this.#refusedUntilMs) {
      const why = this.#closed ? 'the peer was closed here' : 'the last attempt to connect failed'
      world.after(0, this.#life, 'refused', () => {
        tenant.connectionLost(new NetworkError('UNAVAILABLE', `${this.address}: ${why}`))
      })
      return
    }
    this.#waiting.add(tenant)
    if (!this.#connecting) this.#connect()
  }

  leave(tenant: Waiting): void { this.#waiting.delete(tenant) }

  #connect(): void {
    this.#connecting = true
    const { world } = this.#network
    this.#try(world.nowMs + CONNECT_TIMEOUT_MS, 1_000)
  }

  /** One SYN; again after `retryMs`, then twice that, when nothing comes back. */
  #try(deadlineMs: number, retryMs: number): void {
    const { world, links } = this.#network
    const to = this.#network.hostOf(this.address)
    const roundTripMs = links.latency(this.#host, to) + links.latency(to, this.#host)
    world.after(roundTripMs, this.#life, 'connect', () => {
      if (this.#closed) return
      if (world.nowMs > deadlineMs) return this.#refused(`${this.address} did not answer`)
      if (this.#network.isOff(to) || links.isCut(this.#host, to) || links.isCut(to, this.#host)) {
        world.after(retryMs, this.#life, 'syn', () => { this.#try(deadlineMs, Math.min(2 * retryMs, 4_000)) })
        return
      }
      const service = this.#network.service(this.address)
      if (service === undefined) return this.#refused(`nobody listens on ${this.address}`)
      this.#connected(service)
    }, this.address)
  }

  #connected(service: Service): void {
    const end = new ConnectionEnd(this.#host, this.#life)
    const connection = this.#network.connect(end, service)
    end.onClosed = () => { if (this.#connection === connection) this.#connection = undefined }
    this.#connection = connection
    this.#service = service
    this.#connecting = false
    this.#attempts = 0
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const tenant of waiting) tenant.begin(connection, service)
  }

  #refused(why: string): void {
    const { world, random } = this.#network
    this.#connecting = false
    const backoffMs = Math.min(BACKOFF_MS * 1.6 ** this.#attempts++, BACKOFF_MS_MAX)
    this.#refusedUntilMs = world.nowMs + backoffMs * (0.8 + 0.4 * unit(random))
    this.#fail(why)
  }

  #fail(why: string): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const tenant of waiting) tenant.connectionLost(new NetworkError('UNAVAILABLE', why))
  }
}

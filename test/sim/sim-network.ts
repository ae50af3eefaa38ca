// The Network port between simulated hosts. Messages travel encoded; what a link does to them is in `links.ts`.

import { NetworkError, type Handler, type Listener, type Network, type Random } from '../../src/ports.ts'
import { Connection, ConnectionEnd, type Wires } from './connection.ts'
import type { AnyMethod, Fabric, Service } from './fabric.ts'
import type { Life } from './life.ts'
import { Links } from './links.ts'
import { SimPeer } from './sim-peer.ts'
import type { World } from './world.ts'

export class SimNetwork implements Fabric, Wires {
  readonly world: World
  readonly links: Links
  readonly random: Random
  /** Unsent bytes of a stream above which `send` answers false. */
  highWaterBytes = 1024 * 1024
  /** One connection in so many does not survive a cut of its way. */
  resetOneIn = 3
  /** Called for each frame as it is sent, with its path. */
  onSend: ((host: string, path: string, kind: string) => void) | undefined
  /** Called for each message of a stream's client as it is sent. */
  onMessage: ((host: string, path: string, message: unknown) => void) | undefined
  readonly #services = new Map<string, Service>()
  readonly #connections = new Set<Connection>()
  readonly #hostOf = new Map<string, string>()
  readonly #off = new Set<string>()

  constructor(world: World) {
    this.world = world
    this.links = new Links(world)
    this.random = world.random.fork('network')
    this.links.onCut.add((from, to) => { for (const one of [...this.#connections]) one.wayCut(from, to) })
    this.links.onHealed.add((from, to) => { for (const one of [...this.#connections]) one.wayHealed(from, to) })
  }

  /** The port of one process. Addresses belong to hosts: see `place`. */
  port(host: string, life: Life): Network {
    return {
      listen: (address, handlers) => this.#listen(host, life, address, handlers),
      dial: (address) => new SimPeer(this, host, life, address)
    }
  }

  /** Says which host has an address, for as long as nobody listens there. */
  place(address: string, host: string): void { this.#hostOf.set(address, host) }

  hostOf(address: string): string { return this.#hostOf.get(address) ?? address }
  service(address: string): Service | undefined { return this.#services.get(address) }
  /** Without power: answers nothing. */
  isOff(host: string): boolean { return this.#off.has(host) }

  connect(client: ConnectionEnd, service: Service): Connection {
    const connection = new Connection(this, client, new ConnectionEnd(service.host, service.life))
    this.#connections.add(connection)
    service.connections.add(connection)
    return connection
  }

  forget(connection: Connection): void {
    if (!connection.dead) return
    this.#connections.delete(connection)
    for (const service of this.#services.values()) service.connections.delete(connection)
  }

  sending(host: string, path: string, kind: string): void { this.onSend?.(host, path, kind) }

  // ---- faults ---------------------------------------------------------------------------------------------

  /** The process of this life is gone, as by SIGKILL. */
  kill(life: Life): void {
    this.#unlisten(life)
    this.#each(life, (connection, end) => { connection.killed(end) })
  }

  /** The host lost power. */
  powerOff(host: string, life: Life): void {
    this.#off.add(host)
    this.#unlisten(life)
    this.#each(life, (connection, end) => { connection.vanished(end) })
  }

  powerOn(host: string): void {
    if (!this.#off.delete(host)) return
    for (const connection of this.#connections) {
      for (const end of [connection.client, connection.server]) {
        if (end.host === host && !end.open) connection.forgotten(connection.other(end))
      }
    }
  }

  /** Breaks every connection between two hosts. */
  reset(a: string, b: string): void {
    for (const connection of [...this.#connections]) {
      const hosts = new Set([connection.client.host, connection.server.host])
      if (hosts.has(a) && hosts.has(b)) connection.reset()
    }
  }

  // ---------------------------------------------------------------------------------------------------------

  #unlisten(life: Life): void {
    for (const [address, service] of this.#services) if (service.life === life) this.#services.delete(address)
  }

  #each(life: Life, visit: (connection: Connection, end: ConnectionEnd) => void): void {
    for (const connection of [...this.#connections]) {
      for (const end of [connection.client, connection.server]) if (end.life === life) visit(connection, end)
      this.forget(connection)
    }
  }

  #listen(host: string, life: Life, address: string, handlers: readonly Handler[]): Promise<Listener> {
    if (this.#services.has(address)) return Promise.reject(new NetworkError('EADDRINUSE', `${address} is in use`))
    this.#hostOf.set(address, host)
    const service: Service = {
      host, address, life, accepting: true, running: 0, connections: new Set(),
      handlers: new Map(handlers.map((handler) => [(handler.method as AnyMethod).path, handler])) }
    this.#services.set(address, service)
    return Promise.resolve({
      address,
      setServing: () => { /* nobody asks the health service here */ },
      close: (graceMs) => this.#close(service, graceMs)
    })
  }

  async #close(service: Service, graceMs: number): Promise<void> {
    service.accepting = false
    if (this.#services.get(service.address) === service) this.#services.delete(service.address)
    const endMs = this.world.nowMs + graceMs
    while (service.running > 0 && this.world.nowMs < endMs) {
      await new Promise<void>((resolve) => { this.world.after(2, service.life, 'closing', resolve) })
    }
    for (const connection of [...service.connections]) connection.close(connection.server, 'the listener was closed')
  }
}

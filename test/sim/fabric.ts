// What callers, calls and streams see of the simulated network.

import type { Handler, MessageStream, Method, Random } from '../../src/ports.ts'
import type { Connection, ConnectionEnd, Tenant } from './connection.ts'
import type { Life } from './life.ts'
import type { Links } from './links.ts'
import type { World } from './world.ts'

export type AnyMethod = Method<unknown, unknown>
export type AnyStream = MessageStream<unknown, unknown>

/** What listens on an address. */
export interface Service {
  readonly host: string
  readonly address: string
  readonly life: Life
  readonly handlers: ReadonlyMap<string, Handler>
  accepting: boolean
  /** Calls and streams under way. */
  running: number
  readonly connections: Set<Connection>
}

export interface Fabric {
  readonly world: World
  readonly links: Links
  readonly random: Random
  /** Unsent bytes of a stream above which `send` answers false. */
  readonly highWaterBytes: number
  /** Called for each message of a stream's client as it is sent. */
  readonly onMessage: ((host: string, path: string, message: unknown) => void) | undefined
  hostOf(address: string): string
  service(address: string): Service | undefined
  /** Without power: answers nothing. */
  isOff(host: string): boolean
  connect(client: ConnectionEnd, service: Service): Connection
}

/** What waits for a connection. */
export interface Waiting extends Tenant { begin(connection: Connection, service: Service): void }

/** Where calls come from. */
export interface Origin {
  readonly network: Fabric
  readonly host: string
  readonly life: Life
  readonly address: string
  /** Begins on the connection, at once or once there is one; or tells of its loss, in a later turn. */
  enter(tenant: Waiting): void
  leave(tenant: Waiting): void
}

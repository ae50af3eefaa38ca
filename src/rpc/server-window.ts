// HTTP/2 windows of a server's connections.
//
// gRPC's client takes its window from an option; its server (1.14) has none, and stays at HTTP/2's 64 KiB: one upload
// then moves 64 KiB per round trip. Its http2 servers are no part of its interface, so this looks for them and leaves
// things as they are where it does not find them; test/rpc/grpc-network.test.ts says whether it does.

import type { Server } from '@grpc/grpc-js'

interface Http2Session {
  setLocalWindowSize(bytes: number): void
  settings(settings: { readonly initialWindowSize: number }): void
}

interface Http2Server {
  on(event: 'session', listener: (session: Http2Session) => void): void
}

/** Call it when the server is bound. Sets the windows of each connection from now on, and of each stream on it. */
export function widenWindows(server: Server, bytes: number): void {
  const http2Servers: unknown = Reflect.get(server, 'http2Servers')
  if (!(http2Servers instanceof Map)) return
  for (const http2Server of (http2Servers as ReadonlyMap<Http2Server, unknown>).keys()) {
    http2Server.on('session', (session) => {
      session.setLocalWindowSize(bytes)
      session.settings({ initialWindowSize: bytes })
    })
  }
}

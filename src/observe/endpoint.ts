// A small HTTP server for those who watch: /metrics for Prometheus, /health for probes, /status for people.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'

import { NetworkError } from '../ports.ts'
import type { RenderedMetrics } from './metrics.ts'

const MAX_HEADER_BYTES = 8 * 1024
const HEADERS_TIMEOUT_MS = 5_000
const REQUEST_TIMEOUT_MS = 10_000
/** How often Node looks for requests that are overdue. */
const CHECK_INTERVAL_MS = 10_000
const KEEP_ALIVE_MS = 5_000
const MAX_CONNECTIONS = 64

export interface Health {
  readonly ok: boolean
  /** Any JSON: what is wrong, or how things are. */
  readonly detail: unknown
}

export interface EndpointOptions {
  /** host:port, `[host]:port` for IPv6; port 0 takes a free one. */
  readonly address: string
  readonly metrics: Pick<RenderedMetrics, 'render' | 'contentType'>
  readonly health: () => Health
  /** More fields for /status. */
  readonly extra?: () => Readonly<Record<string, unknown>>
}

export interface Endpoint {
  /** The bound host:port. */
  readonly address: string
  /** Cuts open connections; resolves when the port is free. */
  close(): Promise<void>
}

/** Rejects with NetworkError: INVALID_ADDRESS, EADDRINUSE, EACCES. */
export async function startEndpoint(options: EndpointOptions): Promise<Endpoint> {
  const { host, port } = parseAddress(options.address)
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    keepAliveTimeout: KEEP_ALIVE_MS
  }, (request, response) => { void answer(options, request, response) })
  server.maxConnections = MAX_CONNECTIONS
  server.timeout = REQUEST_TIMEOUT_MS
  await listen(server, host, port, options.address)
  const bound = server.address()
  const boundPort = typeof bound === 'object' && bound !== null ? bound.port : port
  return {
    address: `${host.includes(':') ? `[${host}]` : host}:${boundPort}`,
    close: () => new Promise((resolve) => {
      server.close(() => { resolve() })
      server.closeAllConnections()
    })
  }
}

async function answer(options: EndpointOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  // Bodies are not read: the connection ends with the answer to one.
  if (request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined) {
    response.setHeader('connection', 'close')
  }
  try {
    await route(options, request, response)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    if (response.headersSent) response.destroy()
    else sendJson(response, 500, { error: reason })
  }
}

async function route(options: EndpointOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD')
    sendJson(response, 405, { error: `${request.method} is not served: use GET` })
    return
  }
  const path = request.url?.split('?', 1)[0]
  if (path === '/metrics') {
    send(response, 200, options.metrics.contentType, await options.metrics.render())
  } else if (path === '/health') {
    const health = options.health()
    sendJson(response, health.ok ? 200 : 503, { ok: health.ok, detail: health.detail })
  } else if (path === '/status') {
    const health = options.health()
    sendJson(response, 200, { ok: health.ok, detail: health.detail, ...options.extra?.() })
  } else {
    sendJson(response, 404, { error: 'not found: there are /metrics, /health and /status' })
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  send(response, status, 'application/json; charset=utf-8', `${JSON.stringify(body)}\n`)
}

function send(response: ServerResponse, status: number, contentType: string, body: string): void {
  response.writeHead(status, {
    'content-type': contentType, 'content-length': Buffer.byteLength(body), 'cache-control': 'no-store'
  })
  // Node leaves the body of an answer to HEAD away.
  response.end(body)
}

function parseAddress(address: string): { readonly host: string; readonly port: number } {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]/]+)):(\d{1,5})$/.exec(address)
  const host = match?.[1] ?? match?.[2]
  const port = Number(match?.[3])
  if (host === undefined || !(port <= 65_535)) {
    throw new NetworkError('INVALID_ADDRESS', `metrics address '${address}' is not host:port with a port up to 65535`)
  }
  return { host, port }
}

function listen(server: Server, host: string, port: number, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const code = error.code === 'EADDRINUSE' || error.code === 'EACCES' ? error.code : 'INVALID_ADDRESS'
      reject(new NetworkError(code,
        `cannot serve metrics on ${address}: ${error.message}; choose another address or stop what uses it`, error))
    })
    server.listen({ host, port }, resolve)
  })
}

// Ports for the nodes of a local cluster: in fixed places, or any that are free.

import { createServer } from 'node:net'

import { UsageError } from './parse.ts'

export interface PortPlan {
  readonly controllers: readonly NodePorts[]
  readonly brokers: readonly NodePorts[]
}
export interface NodePorts { readonly grpc: number; readonly http: number }

/** Places behind the base, for node 1: with base 7100 these are 7101, 7201, 7301 and 7401. */
const CONTROLLER_GRPC = 1
const BROKER_GRPC = 101
const BROKER_HTTP = 201
const CONTROLLER_HTTP = 301
export const NODES_MAX = 99
export const BASE_MAX = 65_535 - CONTROLLER_HTTP - NODES_MAX

/**
 * Below the ports that systems hand out by themselves (32768 and more on Linux, 49152 elsewhere): none of these can
 * become the near end of some connection before its node listens, or while it restarts.
 */
const FREE_MIN = 12_000
const FREE_MAX = 32_000
const FREE_TRIES = 1_000
const TAKEN_SHOWN = 3

interface Counts { readonly controllers: number; readonly brokers: number }

/** Throws UsageError when one of them is taken. */
export async function fixedPorts(base: number, counts: Counts): Promise<PortPlan> {
  const of = (count: number, grpc: number, http: number) => Array.from({ length: count }, (_, index) => (
    { grpc: base + grpc + index, http: base + http + index }))
  const plan = {
    controllers: of(counts.controllers, CONTROLLER_GRPC, CONTROLLER_HTTP),
    brokers: of(counts.brokers, BROKER_GRPC, BROKER_HTTP)
  }
  const named = [
    ...plan.controllers.flatMap((ports, index) => namesOf(`controller ${index + 1}`, ports)),
    ...plan.brokers.flatMap((ports, index) => namesOf(`broker ${index + 1}`, ports))
  ]
  const free = await Promise.all(named.map(({ port }) => isFree(port)))
  const taken = named.filter((_, index) => free[index] !== true)
  if (taken.length === 0) return plan
  const shown = taken.slice(0, TAKEN_SHOWN).map(({ port, what }) => `port ${port} (${what})`).join(', ')
  const more = taken.length > TAKEN_SHOWN ? ` and ${taken.length - TAKEN_SHOWN} more` : ''
  throw new UsageError(`${shown}${more} in use`,
    'stop what listens there (another `weir up`?), or move all ports with --port')
}

function namesOf(node: string, { grpc, http }: NodePorts): readonly { readonly port: number; readonly what: string }[] {
  return [{ port: grpc, what: `${node}, gRPC` }, { port: http, what: `${node}, HTTP` }]
}

export async function freePorts(counts: Counts): Promise<PortPlan> {
  const taken = new Set<number>()
  const next = async (): Promise<number> => {
    for (let attempt = 0; attempt < FREE_TRIES; attempt++) {
      const port = FREE_MIN + Math.floor(Math.random() * (FREE_MAX - FREE_MIN))
      if (taken.has(port) || !await isFree(port)) continue
      taken.add(port)
      return port
    }
    throw new UsageError(`no free port from ${FREE_MIN} to ${FREE_MAX} in ${FREE_TRIES} tries`)
  }
  const of = async (count: number): Promise<NodePorts[]> => {
    const ports: NodePorts[] = []
    for (let index = 0; index < count; index++) ports.push({ grpc: await next(), http: await next() })
    return ports
  }
  return { controllers: await of(counts.controllers), brokers: await of(counts.brokers) }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => { resolve(false) })
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      server.close(() => { resolve(true) })
    })
  })
}

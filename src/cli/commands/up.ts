// `weir up`: a whole cluster on this machine, in the foreground.

import type { Command } from 'commander'

import { BASE_MAX, NODES_MAX } from '../local-ports.ts'
import { integer, UsageError } from '../parse.ts'
import { option, type Session, type Shell } from '../shell.ts'
import { facts, table } from '../table.ts'
import type { LocalCluster, LocalNode } from '../local-cluster.ts'

const BASE_MIN = 1_024

interface Options {
  readonly controllers: number
  readonly brokers: number
  readonly data?: string
  readonly ephemeral?: boolean
  readonly port: number
  readonly restart?: boolean
}

export function addUp(program: Command, shell: Shell): void {
  program.command('up')
    .description('a cluster on this machine, every node a process of its own; Ctrl-C drains and ends it')
    .option('--controllers <n>', 'how many', option(integer(1, NODES_MAX)), 3)
    .option('--brokers <n>', 'how many', option(integer(1, NODES_MAX)), 3)
    .option('--data <dir>', 'keep everything there, for the next time')
    .option('--ephemeral', 'keep nothing (the default without --data)')
    .option('--port <base>', 'controllers listen on base+1…, brokers on base+101…, HTTP of brokers on base+201…, of '
      + 'controllers on base+301…', option(integer(BASE_MIN, BASE_MAX)), 7_100)
    .option('--restart', 'start a node again when it dies')
    .action(shell.verb(up))
}

async function up(session: Session, options: Options): Promise<void> {
  if (options.ephemeral === true && options.data !== undefined) {
    throw new UsageError('--ephemeral keeps nothing, --data keeps everything', 'give one of them')
  }
  const stop = new AbortController()
  const ended = new Promise<void>((resolve) => { stop.signal.addEventListener('abort', () => { resolve() }) })
  const forget = session.around.onInterrupt(() => { stop.abort() })
  const { LocalCluster } = await import('../local-cluster.ts')
  try {
    const cluster = await LocalCluster.start({
      controllers: options.controllers, brokers: options.brokers, port: options.port,
      restart: options.restart === true, signal: stop.signal, onNote: (text) => { session.note(text) },
      ...(options.data === undefined ? {} : { data: options.data })
    })
    const readyMs = Math.round(session.around.nowMs())
    await session.print(documentOf(cluster, readyMs), () => textOf(cluster, readyMs, options.data !== undefined))
    await ended
    session.note('drains and stops all nodes')
    await cluster.close()
  } catch (error) {
    if (!stop.signal.aborted) throw error
    session.note('stopped before it was ready')
  } finally {
    forget()
  }
}

function documentOf(cluster: LocalCluster, readyMs: number): unknown {
  return {
    readyMs, data: cluster.data,
    controllers: cluster.controllers.map(({ id, grpc, http, pid }) => ({ id, grpc, http, pid })),
    brokers: cluster.brokers.map(({ id, grpc, http, pid, dir }) => ({ id, grpc, kafka: null, http, pid, dir }))
  }
}

function textOf(cluster: LocalCluster, readyMs: number, kept: boolean): string {
  const row = ({ name, grpc, http, pid }: LocalNode) => [name, grpc, `http://${http}`, pid]
  return table(['node', 'grpc', 'http', 'process'], [...cluster.controllers, ...cluster.brokers].map(row)) + '\n'
    + facts([['ready in', `${readyMs} ms`], ['bootstrap', cluster.bootstrap.join(',')],
      ['data', kept ? cluster.data : `${cluster.data} (removed at the end; --data DIR keeps it)`]])
    + 'Ctrl-C drains and stops all nodes\n'
}

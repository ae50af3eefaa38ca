// `weir node`: the brokers; moving work away from one, and back.

import type { Command } from 'commander'

import { weirError } from '../../base/error-code.ts'
import { integer } from '../parse.ts'
import { option, type Session, type Shell } from '../shell.ts'
import { table } from '../table.ts'

const POLL_MS = 100

export function addNode(program: Command, shell: Shell): void {
  const id = option(integer(0, 2 ** 31 - 1))
  const node = program.command('node').description('brokers')
  node.command('list').description('addresses, states, what each leads and holds').action(shell.verb(list))
  node.command('drain').argument('<id>', 'broker', id)
    .description('move all leaderships away from a broker, for example before it is stopped').action(shell.verb(drain))
  node.command('resume').argument('<id>', 'broker', id)
    .description('let a drained broker lead again').action(shell.verb(resume))
}

async function list(session: Session): Promise<void> {
  const { admin } = await session.connect()
  const { brokers } = await admin.describeCluster()
  await session.print({ nodes: brokers }, () => table(
    ['id', 'state', 'address', 'http', 'rack', 'leads', 'replicas', 'epoch', 'metadata offset'],
    brokers.map((broker) => [broker.id, broker.state, broker.address, broker.httpAddress, broker.rack, broker.leads,
      broker.replicas, broker.brokerEpoch, broker.metadataOffset])))
}

/** Asks until nothing is left to move, at most until the deadline. */
async function drain(session: Session, id: number): Promise<void> {
  const { admin } = await session.connect()
  const deadlineMs = session.around.nowMs() + session.timeoutMs
  let moved = 0
  for (;;) {
    const step = await admin.drainBroker(id)
    moved += step.moved
    if (step.remaining === 0) break
    if (session.around.nowMs() > deadlineMs) {
      throw weirError('REQUEST_TIMED_OUT',
        `broker ${id} still leads ${step.remaining} partitions after ${session.timeoutMs} ms (${moved} moved)`,
        'no other replica of theirs is in sync: look at `weir partition list --unhealthy`, or allow more --timeout')
    }
    await session.around.sleep(POLL_MS)
  }
  await session.print({ id, moved, remaining: 0 },
    () => `broker ${id} leads nothing now (${moved} moved); \`weir node resume ${id}\` lets it lead again\n`)
}

async function resume(session: Session, id: number): Promise<void> {
  const { admin } = await session.connect()
  await admin.resumeBroker(id)
  await session.print({ id }, () => `broker ${id} may lead again\n`)
}

// `weir partition`: who leads and holds each partition; elections.

import type { Command } from 'commander'

import { collectText, parseTopicPartition } from '../parse.ts'
import { option, type Session, type Shell } from '../shell.ts'
import { table } from '../table.ts'

interface ListOptions { readonly topic?: readonly string[]; readonly unhealthy?: boolean }
interface ElectOptions { readonly unclean?: boolean; readonly yes?: boolean }
interface Place { readonly topic: string; readonly partition: number }

export function addPartition(program: Command, shell: Shell): void {
  const partition = program.command('partition').description('leaders and replicas')
  partition.command('list').description('every partition with its leader and replicas')
    .option('--topic <name>', 'of this topic only, may be repeated', option(collectText))
    .option('--unhealthy', 'only those without a leader, or with replicas out of sync').action(shell.verb(list))
  partition.command('elect').argument('<topic:p>', 'which partition', option(parseTopicPartition))
    .description('give leadership to the preferred replica')
    .option('--unclean', 'to one that is not in sync, when no other is left: may lose acknowledged records')
    .option('-y, --yes', 'do not ask').action(shell.verb(elect))
}

async function list(session: Session, options: ListOptions): Promise<void> {
  const { admin } = await session.connect()
  const partitions = await admin.listPartitions(options.topic, options.unhealthy === true)
  await session.print({ partitions }, () => table(['topic', 'partition', 'leader', 'epoch', 'replicas', 'in sync'],
    partitions.map((one) => [one.topic, one.partition, one.leader === -1 ? 'none' : one.leader, one.leaderEpoch,
      one.replicas.join(','), one.isr.join(',')])))
}

async function elect(session: Session, place: Place, options: ElectOptions): Promise<void> {
  const unclean = options.unclean === true
  const name = `${place.topic}:${place.partition}`
  if (unclean && !await session.confirm(
    `this may elect a leader of ${name} that lacks acknowledged records: they would be lost`, options.yes)) return
  const { admin } = await session.connect()
  const [outcome] = await admin.electLeaders([place], { unclean })
  // What was wanted is so already.
  const { error } = outcome ?? {}
  if (error !== undefined && error.name !== 'ELECTION_NOT_NEEDED') throw error
  const now = (await admin.listPartitions([place.topic])).find(({ partition }) => partition === place.partition)
  await session.print({ ...place, leader: now?.leader ?? -1 }, () => `broker ${now?.leader ?? -1} leads ${name}\n`)
}

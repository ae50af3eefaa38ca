// `weir topic`: create, list, describe, delete, alter, add partitions.

import type { Command } from 'commander'

import type { TopicDescription } from '../../client/types.ts'
import { collectPair, collectText, integer, UsageError } from '../parse.ts'
import { option, type Session, type Shell } from '../shell.ts'
import { facts, table } from '../table.ts'

interface CreateOptions {
  readonly partitions?: number
  readonly replicationFactor?: number
  readonly config?: Readonly<Record<string, string>>
  readonly dryRun?: boolean
}
interface AlterOptions {
  readonly set?: Readonly<Record<string, string>>
  readonly unset?: readonly string[]
  readonly dryRun?: boolean
}
interface DeleteOptions { readonly yes?: boolean; readonly dryRun?: boolean }

export function addTopic(program: Command, shell: Shell): void {
  const topic = program.command('topic').description('create, show, change and delete topics')
  topic.command('create').argument('<name>').description('create a topic')
    .option('-p, --partitions <n>', 'number of partitions (default: num.partitions of the cluster)',
      option(integer(1, 1_000_000)))
    .option('-r, --replication-factor <n>', 'replicas of each (default: default.replication.factor of the cluster)',
      option(integer(1, 32_767)))
    .option('--config <k=v>', 'configuration, may be repeated; `weir config list --node topic` shows every key',
      option(collectPair))
    .option('--dry-run', 'let the cluster check it, create nothing')
    .action(shell.verb(create))
  topic.command('list').description('names and sizes').action(shell.verb(list))
  topic.command('describe').argument('<name>').description('partitions, leaders, replicas, configuration')
    .action(shell.verb(describe))
  topic.command('delete').argument('<name>').description('delete a topic and its records')
    .option('-y, --yes', 'do not ask').option('--dry-run', 'show what would go, delete nothing')
    .action(shell.verb(remove))
  topic.command('alter').argument('<name>').description('change the configuration of a topic')
    .option('--set <k=v>', 'set a key, may be repeated', option(collectPair))
    .option('--unset <key>', 'back to the default, may be repeated', option(collectText))
    .option('--dry-run', 'let the cluster check it, change nothing')
    .action(shell.verb(alter))
  topic.command('add-partitions').argument('<name>').argument('<total>', 'partitions there shall be',
    option(integer(1, 1_000_000)))
    .description('raise the number of partitions').action(shell.verb(addPartitions))
}

async function create(session: Session, name: string, options: CreateOptions): Promise<void> {
  const { admin } = await session.connect()
  const validateOnly = options.dryRun === true
  const created = await admin.createTopic({
    name, validateOnly,
    ...(options.partitions === undefined ? {} : { partitions: options.partitions }),
    ...(options.replicationFactor === undefined ? {} : { replicationFactor: options.replicationFactor }),
    ...(options.config === undefined ? {} : { configs: options.config })
  })
  // Created is not yet known everywhere: who asks for the topic next must find it, with leaders.
  if (!validateOnly) await admin.waitForTopic(name, session.timeoutMs)
  const { partitions, replicationFactor } = created
  await session.print({ ...created, dryRun: validateOnly }, () => `${validateOnly ? 'would create' : 'created'} topic `
    + `${name}: ${count(partitions, 'partition')}, ${count(replicationFactor, 'replica')} each\n`)
}

async function list(session: Session): Promise<void> {
  const { admin } = await session.connect()
  const topics = await admin.listTopics()
  await session.print({ topics }, () => table(['name', 'partitions', 'replicas', 'topic id'],
    topics.map((topic) => [topic.name, topic.partitions, topic.replicationFactor, topic.topicId])))
}

async function describe(session: Session, name: string): Promise<void> {
  const { admin } = await session.connect()
  const topic = await admin.describeTopic(name)
  await session.print(topic, () => textOf(topic))
}

function textOf(topic: TopicDescription): string {
  const configs = Object.entries(topic.configs)
  return facts([['name', topic.name], ['topic id', topic.topicId], ['partitions', topic.partitions.length],
    ...configs.map(([key, value]) => [key, value] as const)]) + '\n'
    + table(['partition', 'leader', 'epoch', 'replicas', 'in sync'], topic.partitions.map((partition) => [
      partition.partition, partition.leader === -1 ? 'none' : partition.leader, partition.leaderEpoch,
      partition.replicas.join(','), partition.isr.join(',')]))
}

async function remove(session: Session, name: string, options: DeleteOptions): Promise<void> {
  const { admin } = await session.connect()
  const { partitions } = await admin.describeTopic(name)
  const dryRun = options.dryRun === true
  const what = `topic ${name}: ${count(partitions.length, 'partition')} with all records, on every replica`
  if (!dryRun) {
    if (!await session.confirm(`this deletes ${what}`, options.yes)) return
    await admin.deleteTopic(name)
  }
  await session.print({ name, partitions: partitions.length, dryRun },
    () => `${dryRun ? 'would delete' : 'deleted'} ${what}\n`)
}

async function alter(session: Session, name: string, options: AlterOptions): Promise<void> {
  const set = options.set ?? {}
  const unset = options.unset ?? []
  if (Object.keys(set).length + unset.length === 0) throw new UsageError('nothing to change', 'give --set or --unset')
  const both = unset.find((key) => Object.hasOwn(set, key))
  if (both !== undefined) throw new UsageError(`${both} is both set and unset`)
  const { admin } = await session.connect()
  const dryRun = options.dryRun === true
  await admin.alterConfigs({ scope: 'topic', name }, { set, unset, validateOnly: dryRun })
  await session.print({ name, set, unset, dryRun }, () => [
    `${dryRun ? 'would change' : 'changed'} topic ${name}`,
    ...Object.entries(set).map(([key, value]) => `  ${key} = ${value}`),
    ...unset.map((key) => `  ${key} = default`), ''].join('\n'))
}

async function addPartitions(session: Session, name: string, total: number): Promise<void> {
  const { admin } = await session.connect()
  await admin.addPartitions(name, total)
  await admin.waitForTopic(name, session.timeoutMs)
  await session.print({ name, partitions: total }, () => `topic ${name} has ${count(total, 'partition')}\n`)
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

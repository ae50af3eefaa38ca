// `weir cluster`: what the cluster is made of, and how it is.

import type { Command } from 'commander'

import type { ClusterHealth } from '../../client/types.ts'
import type { Session, Shell } from '../shell.ts'
import { facts, table } from '../table.ts'

export function addCluster(program: Command, shell: Shell): void {
  const cluster = program.command('cluster').description('the cluster as a whole')
  cluster.command('info').description('id, controllers, brokers').action(shell.verb(info))
  cluster.command('health').description('partitions without a leader, or with too few replicas in sync')
    .action(shell.verb(health))
}

async function info(session: Session): Promise<void> {
  const { admin } = await session.connect()
  const cluster = await admin.describeCluster()
  await session.print(cluster, () => facts([
    ['cluster id', cluster.clusterId], ['active controller', nodeText(cluster.controllerId)],
    ['controller epoch', cluster.controllerEpoch], ['metadata offset', cluster.metadataOffset],
    ['topics', cluster.health.topics], ['partitions', cluster.health.partitions]]) + '\n'
    + table(['node', 'address', 'http', 'state'], [
      ...cluster.controllers.map(({ id, address, active }) =>
        [`controller ${id}`, address, '', active ? 'active' : 'standby']),
      ...cluster.brokers.map(({ id, address, httpAddress, state }) => [`broker ${id}`, address, httpAddress, state])]))
}

async function health(session: Session): Promise<void> {
  const { admin } = await session.connect()
  const { brokers, health: found, controllerId } = await admin.describeCluster()
  const inactive = brokers.filter(({ state }) => state !== 'active').map(({ id, state }) => ({ id, state }))
  const healthy = inactive.length === 0 && isHealthy(found) && controllerId !== -1
  await session.print({ healthy, controllerId, ...found, brokers: brokers.length, inactive }, () => facts([
    ['health', healthy ? 'good' : 'not good'], ['active controller', nodeText(controllerId)],
    ['brokers', `${brokers.length - inactive.length} of ${brokers.length} active`
      + inactive.map(({ id, state }) => `, ${id} is ${state}`).join('')],
    ['partitions', found.partitions], ['  without a leader', found.leaderless],
    ['  with replicas out of sync', found.underReplicated], ['  below min.insync.replicas', found.underMinIsr]])
    + (healthy ? '' : 'more: `weir partition list --unhealthy`, `weir node list`\n'))
}

function isHealthy({ leaderless, underReplicated, underMinIsr }: ClusterHealth): boolean {
  return leaderless + underReplicated + underMinIsr === 0
}

function nodeText(id: number): string { return id === -1 ? 'none' : String(id) }

// What the fault tests share: a cluster for a whole `describe`, a topic and a ledger for each test, and after each test
// everything running again.

import { after, afterEach, before } from 'mocha'

import type { NewTopic, Weir } from '../../src/client/types.ts'
import { startCluster, type Cluster, type ClusterOptions, type TestNode } from '../../src/testing/cluster.ts'
import { Ledger, until, type LedgerOptions } from './ledger.ts'

/** For a look at one run: FAULT_LOG=info make e2e. */
const logLevel = (process.env['FAULT_LOG'] ?? 'silent') as NonNullable<ClusterOptions['logLevel']>

export interface Stage {
  readonly cluster: Cluster
  readonly weir: Weir
  /** A topic of its own, and a workload on it that has begun. Three replicas unless `topic` says otherwise. */
  begin(topic?: Partial<NewTopic>, workload?: Partial<LedgerOptions>): Promise<{
    readonly topic: string; readonly ledger: Ledger }>
  activeController(): Promise<TestNode>
}

/** Call it in a `describe`; the stage is there from the first test on. */
export function useCluster(options: ClusterOptions = {}): Stage {
  let cluster: Cluster | undefined
  let weir: Weir | undefined
  let topics = 0
  const ledgers: Ledger[] = []
  const running = () => {
    if (cluster === undefined || weir === undefined) throw new Error('the cluster did not start')
    return { cluster, weir }
  }
  before(async () => {
    cluster = await startCluster({ logLevel, ...options })
    weir = await cluster.connect()
  })
  afterEach(async () => {
    await restoreAll(running().cluster)
    for (const ledger of ledgers.splice(0)) await ledger.stop()
  })
  after(async () => { await cluster?.close() })
  return {
    get cluster() { return running().cluster },
    get weir() { return running().weir },
    begin: async (wanted = {}, workload = {}) => {
      const topic = wanted.name ?? `t${++topics}`
      const created = await running().weir.admin.createTopic({
        partitions: 1, replicationFactor: 3, ...wanted, name: topic })
      const ledger = new Ledger(running().weir, { topic, partitions: created.partitions, ...workload }).start()
      ledgers.push(ledger)
      await ledger.progress()
      return { topic, ledger }
    },
    activeController: () => activeController(running().cluster, running().weir)
  }
}

export async function activeController(cluster: Cluster, weir: Weir): Promise<TestNode> {
  let active = -1
  await until(async () => {
    active = (await weir.admin.describeCluster()).controllerId
    return active > 0 ? undefined : 'there is no active controller'
  })
  return cluster.controller(active)
}

/** Every node runs, is connected, and the cluster answers. */
export async function restoreAll(cluster: Cluster): Promise<void> {
  const nodes = [...cluster.controllers, ...cluster.brokers]
  for (const node of nodes) node.heal()
  await Promise.all(nodes.map((node) => node.start()))
  // Three times, on a machine that is busy with other things.
  await until(() => cluster.ready().then(() => undefined, String), 40)
}

/** The two ids of 1, 2, 3 that are not `id`. */
export function othersOf(id: number): number[] { return [1, 2, 3].filter((other) => other !== id) }

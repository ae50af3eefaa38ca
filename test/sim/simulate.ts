// One seed from the beginning to the last check.

import { Watch } from './checkers/watch.ts'
import { SimCluster } from './cluster.ts'
import { LogWalk } from './checkers/log-walk.ts'
import { Nemesis } from './nemesis.ts'
import { drawPlan, type Plan } from './plan.ts'
import { text, Workload } from './workload.ts'
import { Violation, World } from './world.ts'

/** After the healing: every node serves, every replica is in sync, everything sent is answered. */
const WHOLE_WITHIN_MS = 15_000
const ANSWERED_WITHIN_MS = 10_000
const AT_REST_WITHIN_MS = 5_000

export interface Report {
  readonly seed: number
  readonly hash: string
  readonly events: number
  readonly virtualMs: number
  readonly faults: number
  readonly acknowledged: number
  readonly sent: number
  readonly reads: number
  readonly errors: Readonly<Record<string, number>>
  readonly violation: Violation | undefined
  readonly lanes: string
}

export interface SimulateOptions {
  /** About how much virtual time, ms. Default 60000. */
  readonly totalMs?: number
  readonly keepTrace?: number
  /** Changes what was drawn. */
  readonly plan?: (plan: Plan) => Plan
  readonly onEvent?: World['trace']['onEvent']
}

export async function simulate(seed: number, options: SimulateOptions = {}): Promise<Report> {
  const world = new World(seed, { keepTrace: options.keepTrace ?? 2_000 })
  world.trace.onEvent = options.onEvent
  const drawn = drawPlan(seed, world.random.fork('plan'), options.totalMs ?? 60_000)
  const plan = options.plan?.(drawn) ?? drawn
  const cluster = new SimCluster(world, plan)
  cluster.network.highWaterBytes = plan.highWaterBytes
  cluster.network.links.baseMs = plan.latencyMs
  const nemesis = new Nemesis(cluster, plan)
  const workload = new Workload(cluster, plan)
  let violation: Violation | undefined
  try {
    await world.run(() => live(cluster, plan, nemesis, workload))
  } catch (error) {
    violation = error instanceof Violation ? error : new Violation('crashed', String(error), world.nowMs, error)
  }
  const { history } = workload
  return {
    seed, hash: world.trace.hash, events: world.events, virtualMs: world.nowMs, faults: nemesis.faults,
    acknowledged: history.acknowledged, sent: history.sent.size, reads: history.reads,
    errors: Object.fromEntries(history.errors), violation, lanes: world.trace.lanes() }
}

async function live(cluster: SimCluster, plan: Plan, nemesis: Nemesis, workload: Workload): Promise<void> {
  const { world } = cluster
  const watch = new Watch(cluster)
  cluster.start()
  await expectSoon(cluster, 'every node serves', () => cluster.isWhole, WHOLE_WITHIN_MS)
  await workload.start()
  await world.sleep(plan.calmMs)
  await nemesis.run()
  nemesis.heal()
  await expectSoon(cluster, 'every node serves after the healing', () => cluster.isWhole, WHOLE_WITHIN_MS)
  await resumeAll(cluster)
  await expectSoon(cluster, 'every replica is in sync', () => outOfSync(cluster) === undefined, WHOLE_WITHIN_MS,
    () => outOfSync(cluster))
  await stopAndCount(cluster, workload)
  await readBack(cluster, plan, workload)
  await expectSoon(cluster, 'all replicas are equal', () => difference(cluster, plan) === undefined, AT_REST_WITHIN_MS,
    () => difference(cluster, plan))
  watch.final()
}

async function expectSoon(cluster: SimCluster, what: string, holds: () => boolean, limitMs: number,
  why: () => string | undefined = () => undefined): Promise<void> {
  if (await cluster.world.until(holds, limitMs)) return
  cluster.world.fail('liveness', `after ${limitMs} ms it is not so that ${what}: ${why() ?? ''} (${cluster.detail})`)
  await cluster.world.sleep(0)
}

/** An operator's drain may have been carried out although its answer was lost, and its resume never sent. */
async function resumeAll(cluster: SimCluster): Promise<void> {
  const weir = await cluster.connect({ name: 'operator' })
  for (const { id } of cluster.brokers) await weir.admin.resumeBroker(id)
  await weir.close()
}

/** New records are accepted everywhere, and every old one gets its answer. */
async function stopAndCount(cluster: SimCluster, workload: Workload): Promise<void> {
  const before = workload.history.acknowledged
  await expectSoon(cluster, 'producing goes on', () => workload.history.acknowledged > before + 3, ANSWERED_WITHIN_MS)
  await workload.stop()
  const { waiting } = workload.history
  if (waiting > 0) cluster.world.fail('liveness', `${waiting} records were never answered`)
}

async function readBack(cluster: SimCluster, plan: Plan, workload: Workload): Promise<void> {
  const { world } = cluster
  const weir = await cluster.connect({ name: 'final' })
  for (const { name, partitions } of plan.topics) {
    const found = new Map<number, { readonly offset: number; readonly text: string }[]>()
    const consumer = weir.consumer({ topics: [name], from: 'start', until: 'end' })
    const deadlineMs = world.nowMs + ANSWERED_WITHIN_MS
    while (!consumer.finished && world.nowMs < deadlineMs) {
      for (const record of await consumer.poll(200)) {
        workload.history.read('final', record, text(record.value))
        const records = found.get(record.partition) ?? []
        found.set(record.partition, records)
        const expected = records.at(-1)?.offset ?? -1
        if (record.offset !== expected + 1) {
          world.fail('readers', `${name}-${record.partition}: ${record.offset} follows ${expected}`)
        }
        records.push({ offset: record.offset, text: text(record.value) })
      }
    }
    if (!consumer.finished) world.fail('liveness', `${name} could not be read to its end in ${ANSWERED_WITHIN_MS} ms`)
    await consumer.close()
    for (let index = 0; index < partitions; index++) workload.history.checkFinal(name, index, found.get(index) ?? [])
  }
  await weir.close()
}

function outOfSync(cluster: SimCluster): string | undefined {
  const { image } = cluster
  if (image === undefined) return 'no image'
  for (const topic of image.topics.values()) {
    for (const [index, { isr, replicas, leader }] of topic.partitions.entries()) {
      if (leader !== -1 && isr.length === replicas.length) continue
      return `${topic.name}-${index}: leader ${leader}, ISR ${isr.join()}; ${insides(cluster, topic.id, index)}`
    }
  }
  return undefined
}

/** What each replica thinks of a partition. */
function insides(cluster: SimCluster, topicId: string, index: number): string {
  return cluster.brokers.map(({ name, broker }) => {
    const partition = broker?.replicas.partition(topicId, index)
    if (partition === undefined) return `${name} has none`
    const { role, leaderEpoch, log, followers, proposedIsr } = partition
    const known = [...followers.values()].map((one) => `${one.id}@${one.ackOffset} of broker epoch ${one.brokerEpoch}`)
    return `${name} ${role} in epoch ${leaderEpoch}, ${log.highWatermark} ≤ ${log.flushedOffset} ≤ ${log.logEndOffset}`
      + `${log.offline ? ' offline' : ''}, proposes ${proposedIsr?.join() ?? 'nothing'} [${known.join(', ')}]`
  }).join('; ')
}

/** How the replicas of a partition differ on their disks. */
function difference(cluster: SimCluster, plan: Plan): string | undefined {
  for (const { name, partitions } of plan.topics) {
    for (let index = 0; index < partitions; index++) {
      const logs = cluster.brokers.map((broker) => {
        const batches: Uint8Array[] = []
        new LogWalk(broker.disk, `${broker.dir}/${name}-${index}`, false)
          .advance(Infinity, ({ bytes }) => { batches.push(bytes) })
        return batches
      })
      const other = logs.findIndex((log) => Buffer.compare(Buffer.concat(log), Buffer.concat(logs[0]!)) !== 0)
      if (other >= 0) return `${name}-${index}: b${other + 1} has ${logs[other]!.length} batches, b1 ${logs[0]!.length}`
    }
  }
  return undefined
}

// The topic under load: a given one, or one of the bench's own that goes when it is done.

import { weirError } from '../base/error-code.ts'
import type { BenchWorld, Load } from './world.ts'

const READY_TIMEOUT_MS = 60_000
const NAME_DIGITS = 8

export interface BenchTopic {
  readonly name: string
  readonly partitions: number
  readonly own: boolean
}

/** Calls `run` with a topic whose partitions all have a leader. */
export async function withTopic<T>(
  world: BenchWorld, load: Load, run: (topic: BenchTopic) => Promise<T>): Promise<T> {
  const { admin } = world.weir
  if (load.topic !== undefined) {
    const { partitions } = await admin.describeTopic(load.topic)
    return run({ name: load.topic, partitions: partitions.length, own: false })
  }
  const name = `weir-bench-${world.random.id().slice(0, NAME_DIGITS)}`
  const { partitions, replicationFactor, flushMode } = load
  await admin.createTopic({
    name, partitions, replicationFactor,
    configs: {
      'min.insync.replicas': String(Math.min(2, replicationFactor)), 'flush.mode': flushMode,
      // What a bench wrote is worth nothing once it is over.
      'file.delete.delay.ms': '0'
    }
  })
  try {
    await admin.waitForTopic(name, READY_TIMEOUT_MS)
    return await run({ name, partitions, own: true })
  } finally {
    await admin.deleteTopic(name)
  }
}

/** host:port of the leader of each partition. Throws LEADER_NOT_AVAILABLE. */
export async function leaderAddresses(world: BenchWorld, topic: string): Promise<ReadonlyMap<string, number[]>> {
  const [{ partitions }, { brokers }] = await Promise.all([
    world.weir.admin.describeTopic(topic), world.weir.admin.describeCluster()])
  const led = new Map<string, number[]>()
  for (const { partition, leader } of partitions) {
    const address = brokers.find(({ id }) => id === leader)?.address
    if (address === undefined) throw weirError('LEADER_NOT_AVAILABLE', `${topic}-${partition} has no leader now`)
    led.set(address, [...led.get(address) ?? [], partition])
  }
  return led
}

// `bench partitions`: how long a topic with many partitions takes to be made, to be led, and to be gone.

import { rounded } from './latencies.ts'
import type { BenchWorld } from './world.ts'

const READY_TIMEOUT_MS = 120_000
const NAME_DIGITS = 8

export interface PartitionsReport {
  readonly partitions: number
  readonly replicationFactor: number
  /** Until the controller has committed them. */
  readonly createMs: number
  /** From the same beginning until a broker tells a leader for each. */
  readonly ledMs: number
  /** Until the deletion is committed. */
  readonly deleteMs: number
}

/** Rejects with WeirError; a topic that was made is deleted then, too. */
export async function benchPartitions(
  world: BenchWorld, partitions: number, replicationFactor: number): Promise<PartitionsReport> {
  const { clock, weir: { admin } } = world
  const name = `weir-bench-${world.random.id().slice(0, NAME_DIGITS)}`
  const begunMs = clock.monotonicMs()
  await admin.createTopic({ name, partitions, replicationFactor, configs: { 'file.delete.delay.ms': '0' } })
  const createMs = clock.monotonicMs() - begunMs
  world.onProgress(0)
  let ledMs: number
  let deletingMs: number
  try {
    await admin.waitForTopic(name, READY_TIMEOUT_MS)
    ledMs = clock.monotonicMs() - begunMs
    world.onProgress(partitions)
  } finally {
    deletingMs = clock.monotonicMs()
    await admin.deleteTopic(name)
  }
  return {
    partitions, replicationFactor, createMs: rounded(createMs), ledMs: rounded(ledMs),
    deleteMs: rounded(clock.monotonicMs() - deletingMs)
  }
}

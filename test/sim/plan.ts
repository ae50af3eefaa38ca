// What one seed does: the knobs of its cluster, its topics and clients, and which faults it meets how often.

import type { Random } from '../../src/ports.ts'
import { unit } from './links.ts'

export const FAULTS = [
  'kill', 'killController', 'killAll', 'powerLoss', 'powerLossAll', 'stop', 'isolate', 'oneWay', 'cutPair',
  'splitControllers', 'cutLeaderFromController', 'slowLink', 'reset', 'stall', 'jump', 'crashAtSend', 'moveLeaders',
  'transferController', 'failedSync', 'fullDisk'
] as const
export type FaultName = typeof FAULTS[number]

export interface TopicPlan {
  readonly name: string
  readonly partitions: number
  readonly configs: Record<string, string>
}

export interface Plan {
  readonly seed: number
  /** Virtual ms of faults, and of the workload before the first. */
  readonly chaosMs: number
  readonly calmMs: number
  readonly brokerConfig: Record<string, string>
  readonly controllerConfig: Record<string, string>
  readonly topics: readonly TopicPlan[]
  readonly weights: readonly (readonly [FaultName, number])[]
  /** Mean time between two faults, ms. */
  readonly faultEveryMs: number
  readonly recordsPerSecond: number
  readonly highWaterBytes: number
  readonly latencyMs: readonly [number, number]
}

export function drawPlan(seed: number, random: Random, totalMs: number): Plan {
  const among = <T>(...choices: readonly T[]): T => choices[random.below(choices.length)]!
  const logUniform = (low: number, high: number) => low * (high / low) ** unit(random)
  const topics = Array.from({ length: 1 + random.below(2) }, (_, index): TopicPlan => {
    const segmentBytes = Math.round(logUniform(4_096, 200_000))
    return {
      name: `t${index}`, partitions: 1 + random.below(2),
      configs: {
        'min.insync.replicas': String(among(1, 2, 2)),
        'segment.bytes': String(segmentBytes), 'max.message.bytes': String(Math.min(segmentBytes, 100_000)),
        'index.interval.bytes': String(among(0, 200, 4096)) } }
  })
  const heartbeatMs = among(60, 200, 400)
  const weights = FAULTS.filter(() => random.below(2) === 0).map((name) => [name, logUniform(0.2, 4)] as const)
  return {
    seed, calmMs: 500, chaosMs: totalMs * 0.65,
    brokerConfig: {
      'log.checkpoint.interval.ms': String(among(200, 1_000, 5_000)),
      'replica.lag.time.max.ms': String(among(500, 1_000, 3_000, 10_000)),
      'log.flush.concurrency': String(among(1, 4)),
      'log.tail.cache.bytes': String(among(0, 2_000, 32 * 1024 * 1024)),
      'replica.fetch.window.bytes': String(among(64 * 1024, 4 * 1024 * 1024)),
      'broker.heartbeat.interval.ms': String(among(100, 200, 300)),
      'drain.timeout.ms': String(among(0, 500, 5_000)) },
    controllerConfig: {
      'raft.heartbeat.interval.ms': String(heartbeatMs), 'raft.election.timeout.ms': String(heartbeatMs * 2.5),
      'raft.snapshot.entries': String(among(5, 30, 20_000)),
      'leader.rebalance.delay.ms': String(among(0, 300, 2_000, 60_000)),
      'broker.fence.on.connection.loss': String(among(true, true, false)) },
    topics, weights: weights.length > 0 ? weights : [['kill', 1]],
    faultEveryMs: logUniform(300, 4_000),
    recordsPerSecond: logUniform(2, 20),
    highWaterBytes: among(2_000, 64 * 1024, 1024 * 1024),
    latencyMs: among([0.05, 0.8], [0.5, 3], [0.05, 15] as const)
  }
}

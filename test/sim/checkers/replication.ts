// Partition replication, after every event on a broker: one leader an epoch; high watermarks within the log, that never
// fall, below what every member of the maximal ISR has on its disk for certain; equal logs below them.

import type { Partition } from '../../../broker/replica/partition.ts'
import { crc32c } from '../../../src/records/crc32c.ts'
import type { SimCluster } from '../cluster.ts'
import type { SimNode } from '../sim-node.ts'
import { LogWalk } from './log-walk.ts'

/** The last look at one replica in one life of its broker. */
interface Seen {
  leaderEpoch: number
  highWatermark: number
  flushedOffset: number
  role: string
  logEndOffset: number
  /** The ISR was too small for the mark to move. */
  frozen: boolean
  readonly content: LogWalk
}

/** Everything known of one partition of one topic id. */
interface History {
  readonly leaders: Map<number, string>
  /** Base offset → checksum of the whole batch, for all that was ever below a high watermark. */
  readonly batches: Map<number, { readonly sum: number; readonly next: number; readonly from: string }>
  /** Highest mark of any leader. */
  trueMark: number
}

export class Replication {
  readonly #cluster: SimCluster
  readonly #seen = new WeakMap<Partition, Seen>()
  readonly #durable = new Map<string, LogWalk>()
  readonly #histories = new Map<string, History>()

  constructor(cluster: SimCluster) {
    this.#cluster = cluster
  }

  /** The highest mark that a leader of this partition ever had. */
  trueMark(topicId: string, index: number): number { return this.#histories.get(`${topicId}-${index}`)?.trueMark ?? 0 }

  look(node: SimNode): void {
    const inside = node.broker
    if (inside === undefined) return
    for (const partition of inside.replicas.partitions()) this.#lookAt(node, partition)
  }

  #lookAt(node: SimNode, partition: Partition): void {
    const { log, role, leaderEpoch } = partition
    if (log.offline) return
    const seen = this.#seenOf(node, partition)
    const { highWatermark, flushedOffset } = log
    const frozen = partition.image.isr.length < partition.minIsr
    const unchanged = seen.highWatermark === highWatermark && seen.flushedOffset === flushedOffset
      && seen.logEndOffset === log.logEndOffset && seen.frozen === frozen
      && seen.role === role && seen.leaderEpoch === leaderEpoch
    if (unchanged) return
    const name = `${partition.topic}-${partition.index}`
    const history = this.#historyOf(partition)
    if (highWatermark > log.logEndOffset) {
      this.#fail(`${node.name} ${name}: high watermark ${highWatermark} is behind the log end ${log.logEndOffset}`)
    }
    if (seen.leaderEpoch === leaderEpoch && highWatermark < seen.highWatermark) {
      this.#fail(`${node.name} ${name}: the high watermark fell from ${seen.highWatermark} to ${highWatermark}`)
    }
    if (frozen && seen.frozen && role === 'leader' && seen.role === role && highWatermark > seen.highWatermark) {
      this.#fail(`${node.name} ${name}: the high watermark moved to ${highWatermark} with ISR `
        + `${partition.image.isr.join()} and min.insync.replicas ${partition.minIsr}`)
    }
    if (log.logEndOffset < history.trueMark && role !== 'offline') this.#checkCandidate(node, partition, history)
    if (role === 'leader') {
      const leader = history.leaders.get(leaderEpoch) ?? node.name
      history.leaders.set(leaderEpoch, leader)
      if (leader !== node.name) this.#fail(`${leader} and ${node.name} both lead ${name} in epoch ${leaderEpoch}`)
    }
    if (flushedOffset > seen.flushedOffset) {
      this.#checkDurable(node, partition, flushedOffset, 'says that it flushed')
    }
    if (highWatermark > seen.highWatermark || seen.role !== role) {
      if (role === 'leader') this.#checkMark(node, partition, highWatermark, history)
      this.#compare(node, name, seen, highWatermark, history)
    }
    seen.highWatermark = highWatermark
    seen.flushedOffset = flushedOffset
    seen.role = role
    seen.logEndOffset = log.logEndOffset
    seen.frozen = frozen
    seen.leaderEpoch = leaderEpoch
  }

  /** Whoever may be elected has everything that was ever below a leader's mark (P7). */
  #checkCandidate(node: SimNode, { topicId, topic, index, log }: Partition, { trueMark }: History): void {
    const image = this.#cluster.image?.topics.get(topicId)?.partitions[index]
    if (image?.isr.includes(node.id) !== true || node.disk.harmed) return
    this.#fail(`${node.name} is in ISR ${image.isr.join()} of ${topic}-${index} with a log up to ${log.logEndOffset}; `
      + `a leader's high watermark was ${trueMark}`)
  }

  /** The disk, asked itself. A log that was cut off at its beginning has nothing to say below it. */
  #checkDurable(node: SimNode, partition: Partition, offset: number, says: string): void {
    if (node.disk.harmed) return
    const durable = this.#durableOf(node, partition)
    durable.advance(offset)
    const { next } = durable
    if (next >= offset) return
    this.#fail(`${node.name} ${says} ${partition.topic}-${partition.index} up to ${offset}, its disk has ${next} `
      + 'for certain')
  }

  #checkMark(node: SimNode, partition: Partition, mark: number, history: History): void {
    const image = this.#cluster.image?.topics.get(partition.topicId)?.partitions[partition.index]
    // A deposed leader that does not know yet cannot move its mark; what it had before stays true.
    if (image === undefined || image.leaderEpoch !== partition.leaderEpoch) return
    history.trueMark = Math.max(history.trueMark, mark)
    if (partition.config['flush.mode'] !== 'sync') return
    const members = new Set([...image.isr, ...partition.image.isr, ...partition.proposedIsr ?? []])
    for (const id of members) {
      const member = this.#cluster.brokers.find((broker) => broker.id === id)!
      this.#checkDurable(member, partition, mark,
        `is in the maximal ISR of leader ${node.name} (epoch ${partition.leaderEpoch}, mark ${mark}) of`)
    }
  }

  #compare(node: SimNode, name: string, seen: Seen, mark: number, { batches }: History): void {
    const visit = ({ bytes, base, next }: { bytes: Uint8Array; base: number; next: number }) => {
      const sum = crc32c(bytes)
      const known = batches.get(base)
      if (known === undefined) batches.set(base, { sum, next, from: node.name })
      else if (known.sum !== sum || known.next !== next) {
        this.#fail(`${node.name} ${name}: the batch at ${base} (up to ${next}) differs from the one that ${known.from} `
          + `had below its high watermark (up to ${known.next})`)
      }
    }
    seen.content.advance(mark, visit)
  }

  #seenOf(node: SimNode, partition: Partition): Seen {
    let seen = this.#seen.get(partition)
    if (seen === undefined) {
      seen = {
        leaderEpoch: -1, highWatermark: -1, flushedOffset: -1, role: '', logEndOffset: -1, frozen: false,
        content: new LogWalk(node.disk, dirOf(node, partition), false) }
      this.#seen.set(partition, seen)
    }
    return seen
  }

  #durableOf(node: SimNode, partition: Partition): LogWalk {
    const key = `${node.name} ${partition.topicId}-${partition.index}`
    let walk = this.#durable.get(key)
    if (walk === undefined) {
      walk = new LogWalk(node.disk, dirOf(node, partition), true)
      this.#durable.set(key, walk)
    }
    return walk
  }

  #historyOf(partition: Partition): History {
    const key = `${partition.topicId}-${partition.index}`
    let history = this.#histories.get(key)
    if (history === undefined) {
      history = { leaders: new Map(), batches: new Map(), trueMark: 0 }
      this.#histories.set(key, history)
    }
    return history
  }

  #fail(what: string): void { this.#cluster.world.fail('replication', what) }
}

function dirOf(node: SimNode, partition: Partition): string {
  return `${node.dir}/${partition.topic}-${partition.index}`
}

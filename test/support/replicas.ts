// Looks at the files of all replicas of a partition: at rest they must be the same, byte for byte.

import type { Weir } from '../../src/client/types.ts'
import { batchBytes, baseOffset, partitionLeaderEpoch, recordCount } from '../../src/records/batch.ts'
import type { Cluster, TestNode } from '../../src/testing/cluster.ts'
import { until } from './ledger.ts'

/** All log segments of one replica, one behind the other. */
export async function logOf(node: TestNode, topic: string, partition: number): Promise<Uint8Array> {
  const dir = `${node.directory}/${topic}-${partition}`
  const pieces: Uint8Array[] = []
  for (const name of (await node.disk.list(dir)).filter((one) => one.endsWith('.log')).sort()) {
    const file = await node.disk.open(`${dir}/${name}`, { create: false })
    const bytes = new Uint8Array(file.size())
    file.readNow(bytes, 0)
    await file.close()
    pieces.push(bytes)
  }
  return Buffer.concat(pieces)
}

/** Waits until every replica of the topic is in sync. */
export function allInSync(weir: Weir, topic: string): Promise<void> {
  return until(async () => {
    const { partitions } = await weir.admin.describeTopic(topic)
    const short = partitions.find(({ isr, replicas }) => isr.length < replicas.length)
    return short === undefined ? undefined : `${topic}-${short.partition} has only ${short.isr.join(',')} in sync`
  })
}

/** Waits until every replica is in sync and all logs are equal. Fails when that does not come to pass. */
export function expectSameReplicas(cluster: Cluster, weir: Weir, topic: string): Promise<void> {
  return until(() => difference(cluster, weir, topic))
}

async function difference(cluster: Cluster, weir: Weir, topic: string): Promise<string | undefined> {
  const { partitions } = await weir.admin.describeTopic(topic)
  for (const { partition, replicas, isr, leader, leaderEpoch } of partitions) {
    const where = `${topic}-${partition} (leader ${leader}, epoch ${leaderEpoch}, ISR ${isr.join(',')})`
    if (isr.length < replicas.length) return `${where} does not have all of ${replicas.join(',')} in sync`
    const logs = await Promise.all(replicas.map((id) => logOf(cluster.broker(id), topic, partition)))
    const other = logs.findIndex((log) => !equal(log, logs[0]!))
    if (other < 0) continue
    return `${where}: the log of broker ${replicas[other]} (${logs[other]!.length} bytes) differs from that of broker `
      + `${replicas[0]} (${logs[0]!.length} bytes): ${firstDifference(logs[0]!, logs[other]!)}`
  }
  return undefined
}

function equal(a: Uint8Array, b: Uint8Array): boolean { return Buffer.compare(a, b) === 0 }

/** The first batch in which two logs differ, in words. */
function firstDifference(a: Uint8Array, b: Uint8Array): string {
  let at = 0
  while (at < a.length && at < b.length) {
    const size = batchBytes(a, at)
    if (size !== batchBytes(b, at) || !equal(a.subarray(at, at + size), b.subarray(at, at + size))) break
    at += size
  }
  const describe = (log: Uint8Array) => (at >= log.length ? 'end of log'
    : `offset ${baseOffset(log, at)}, ${recordCount(log, at)} records, epoch ${partitionLeaderEpoch(log, at)}`)
  return `at byte ${at} ${describe(a)} against ${describe(b)}`
}

// What Kafka 4.4.0 does: medians of 3 to 5 runs, recorded by 2026-12-01 on 2 virtual cores (AMD EPYC), 24 GiB, ext4
// on a virtual disk whose 4 KiB fsync takes 0.11 ms, Java 17. Another machine than yours, perhaps with a faster disk:
// read them beside the limits of the machine. MB are 10^6 bytes; Kafka's own tools print MiB.
//
// Kafka's durability default is the page cache (here: flush.mode=replicated); its fsync rows have flush.messages=1
// (here: flush.mode=sync). All with RF 3, min.insync.replicas=2, acks=all unless said.

const MIB = 1.048_576

export const KAFKA = {
  /** exec of all nodes, disks formatted on the way, to the first acknowledged record. */
  startMs: 12_500,
  /** One broker of three, after 30 s. */
  idleRssMib: 330,
  /** Three nodes that are controller and broker both. */
  idleCpuPercent: 13.6,
  produce: {
    sync: {
      16_384: { recordsPerSecond: 7_392, mbPerSecond: 7.22 * MIB },
      131_072: { recordsPerSecond: 30_000, mbPerSecond: 29.3 * MIB }
    },
    replicated: {
      16_384: { recordsPerSecond: 28_000, mbPerSecond: 26.9 * MIB },
      131_072: { recordsPerSecond: 80_000, mbPerSecond: 78 * MIB }
    }
  },
  /** One broker, six partitions, data in the page cache. */
  fetchMbPerSecond: 512 * MIB,
  /** 1,000 records/s, from the time a record was due, linger.ms=5 (its default). */
  latency: { sync: { p50: 7.38, p99: 28.4 }, replicated: { p50: 4.49, p99: 14 } },
  /** Longest time without an acknowledgement, defaults: median and worst of 3 to 5 trials. */
  killLeader: { p50: 8_960, max: 9_240 },
  killFollower: { p50: 8_450, max: 9_300 },
  pauseLeader: { p50: 56_300, max: 56_500 },
  /** One node, RF 1: until all folders exist. */
  thousandPartitionsMs: 5_000
} as const

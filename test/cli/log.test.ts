// `weir log`: what a broker really wrote is green; every kind of damage turns it red, and is named.

import { expect } from 'chai'
import { cpSync, readdirSync, readFileSync, truncateSync, writeFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { LogManager } from '../../broker/log/log-manager.ts'
import { addLog } from '../../src/cli/commands/log.ts'
import { createLogger } from '../../src/observe/logger.ts'
import { createMetrics } from '../../src/observe/metrics.ts'
import { nodeDisk } from '../../src/os/node-disk.ts'
import { systemClock, systemRandom, systemTimers } from '../../src/os/system.ts'
import { buildBatch } from '../../src/records/builder.ts'
import { codecByName } from '../../src/records/compression.ts'
import { scratch } from '../support/scratch.ts'
import { run } from './fake-shell.ts'

const RECORDS = 60
const NOW = 1_700_000_000_000

interface Verdict {
  readonly verdict: string
  readonly partitions: readonly {
    readonly records: number; readonly endOffset: number; readonly segments: number
    readonly problems: readonly string[]; readonly warnings: readonly string[] }[]
}
type Entry = Readonly<Record<string, unknown>>

/** A data directory as a broker leaves it after a clean stop: one partition, several segments, all indexes. */
async function writeBroker(dir: string): Promise<string> {
  const logs = await LogManager.open({
    dir, nodeId: 1, clusterId: 'c', disk: nodeDisk(), clock: systemClock(), timers: systemTimers(),
    random: systemRandom(), logger: createLogger({ level: 'silent' }), metrics: createMetrics(), flushConcurrency: 1,
    tailCacheBytes: 0, checkpointIntervalMs: 60_000, retentionCheckIntervalMs: 60_000 })
  const log = await logs.open({ topic: 'a-b', partition: 2, topicId: '1'.repeat(32), config: {
    segmentBytes: 800, segmentMs: 1e9, indexIntervalBytes: 200, segmentIndexBytes: 10_000, retentionMs: -1,
    retentionBytes: -1, messageTimestampType: 'CreateTime', flushMode: 'sync', fileDeleteDelayMs: 0,
    producerIdExpirationMs: 1e9 } })
  for (let offset = 0; offset < RECORDS; offset += 2) {
    const record = (index: number) => ({
      key: null, value: Buffer.from(`value ${index}`), timestamp: NOW + index, headers: [{ key: 'h', value: null }] })
    const result = log.append(buildBatch([record(offset), record(offset + 1)], { codec: codecByName('none')! }),
      offset < 30 ? 0 : 3)
    expect(result.ok).to.equal(true)
  }
  await logs.close(9)
  return join(dir, 'a-b-2')
}

describe('weir log', () => {
  const dir = scratch('cli-log')
  let whole: string

  before(async () => {
    whole = dir()
    await writeBroker(whole)
  })

  /** A copy to damage. */
  function copy(): { readonly broker: string; readonly partition: string; readonly logs: () => string[] } {
    const broker = dir()
    cpSync(whole, broker, { recursive: true })
    const partition = join(broker, 'a-b-2')
    return { broker, partition,
      logs: () => readdirSync(partition).filter((name) => name.endsWith('.log')).map((name) => join(partition, name)) }
  }

  async function verify(path: string): Promise<{ readonly code: number | undefined; readonly verdict: Verdict }> {
    const ran = await run([addLog], ['log', 'verify', path, '--format', 'json'])
    return { code: ran.code, verdict: ran.json() as Verdict }
  }

  async function isRed(path: string, ...parts: readonly string[]): Promise<void> {
    const { code, verdict } = await verify(path)
    expect(code, JSON.stringify(verdict)).to.equal(4)
    expect(verdict.verdict).to.equal('red')
    const problems = verdict.partitions.flatMap((partition) => partition.problems).join('\n')
    for (const part of parts) expect(problems).to.contain(part)
  }

  function flip(path: string, at: number): void {
    const bytes = readFileSync(path)
    bytes[at]! ^= 1
    writeFileSync(path, bytes)
  }

  async function dump(...args: readonly string[]): Promise<Entry[]> {
    const ran = await run([addLog], ['log', 'dump', ...args, '--format', 'json'])
    expect(ran.code, ran.err).to.equal(0)
    return ran.out.trimEnd().split('\n').map((line) => JSON.parse(line) as Entry)
  }

  it('verify finds what a broker wrote whole, from any directory above it', async () => {
    for (const path of [whole, join(whole, 'a-b-2')]) {
      const { code, verdict } = await verify(path)
      expect(verdict.partitions.flatMap(({ problems, warnings }) => [...problems, ...warnings])).to.deep.equal([])
      expect(code).to.equal(0)
      expect(verdict.partitions).to.have.length(1)
      expect(verdict.partitions[0]).to.include({ records: RECORDS, endOffset: RECORDS })
      expect(verdict.partitions[0]!.segments).to.be.greaterThan(1)
    }
    const ran = await run([addLog], ['log', 'verify', whole])
    expect(ran.code).to.equal(0)
    expect(ran.out).to.contain('verdict: green')
  })

  it('verify sees a flipped bit, once', async () => {
    const { broker, logs } = copy()
    flip(logs()[0]!, 70)
    await isRed(broker, 'CRC-32C')
    expect((await verify(broker)).verdict.partitions[0]!.problems).to.have.length(1)
  })

  it('verify sees offsets and leader epochs that the checksum does not cover', async () => {
    const gap = copy()
    flip(gap.logs()[0]!, 7)
    await isRed(gap.partition, 'base offset 1 where 0 must follow')
    const epoch = copy()
    flip(epoch.logs().at(-1)!, 15)
    await isRed(epoch.partition, 'leader epoch 2 behind leader epoch 3')
  })

  it('verify sees a missing segment and a missing index', async () => {
    const segment = copy()
    rmSync(segment.logs()[1]!)
    await isRed(segment.broker, 'the segment before it ends at')
    const first = copy()
    rmSync(first.logs()[0]!)
    await isRed(first.broker, 'the log starts at 0')
    const last = copy()
    rmSync(last.logs().at(-1)!)
    await isRed(last.broker, `everything before ${RECORDS} was durable`)
    const index = copy()
    rmSync(index.logs()[0]!.replace('.log', '.index'))
    await isRed(index.broker, '.index is missing')
  })

  it('verify sees an index that says something else than the batches', async () => {
    for (const [suffix, at, part] of [['.index', 3, 'offset'], ['.index', 7, 'where no batch begins'],
      ['.timeindex', 7, 'the batches say'], ['.timeindex', 11, 'where no batch ends']] as const) {
      const { broker, logs } = copy()
      flip(logs()[0]!.replace('.log', suffix), at)
      await isRed(broker, suffix, part)
    }
  })

  it('verify excuses a torn tail after a crash, and nothing after a clean stop', async () => {
    const { broker, logs } = copy()
    const last = logs().at(-1)!
    truncateSync(last, readFileSync(last).length - 5)
    await isRed(broker, 'the file has')
    rmSync(join(broker, '.kafka_cleanshutdown'))
    const { code, verdict } = await verify(broker)
    expect(code, JSON.stringify(verdict)).to.equal(0)
    expect(verdict.partitions[0]!.warnings.join()).to.contain('cut off at the next start')
    const first = logs()[0]!
    truncateSync(first, readFileSync(first).length - 5)
    await isRed(broker, 'the file has')
  })

  it('verify sees garbled checkpoints', async () => {
    const { broker, partition } = copy()
    writeFileSync(join(partition, 'leader-epoch-checkpoint'), '0\n2\n0 0\n')
    await isRed(broker, 'leader-epoch-checkpoint')
  })

  it('verify refuses what holds no log', async () => {
    for (const path of [dir(), join(whole, 'nowhere'), join(whole, 'meta.properties')]) {
      expect((await run([addLog], ['log', 'verify', path])).code, path).to.equal(2)
    }
  })

  it('dump shows batches, and records when asked', async () => {
    const { logs } = copy()
    const batches = (await Promise.all(logs().map((log) => dump(log)))).flat()
    expect(batches).to.have.length(RECORDS / 2)
    expect(batches[0]).to.include({ kind: 'batch', position: 0, baseOffset: 0, lastOffset: 1, records: 2,
      leaderEpoch: 0, codec: 'none', maxTimestamp: NOW + 1, producerId: -1, control: false })
    const entries = await dump('--records', ...logs())
    expect(entries.filter(({ kind }) => kind === 'record').map(({ offset, value }) => [offset, value]))
      .to.deep.equal(Array.from({ length: RECORDS }, (_, index) => [index, `value ${index}`]))
  })

  it('dump goes on behind a damaged batch, and says where it cannot', async () => {
    const { logs } = copy()
    const log = logs()[0]!
    const before = await dump(log)
    flip(log, 70)
    const after = await dump(log)
    expect(after).to.have.length(before.length)
    expect(after[0]).to.have.property('problem').that.contains('CRC')
    expect(after.slice(1)).to.deep.equal(before.slice(1))
    flip(log, 16)
    const [damage] = await dump(log)
    expect(damage).to.include({ kind: 'damage', position: 0 })
    expect(damage).to.have.property('problem').that.contains('magic')
  })

  it('dump shows indexes, checkpoints and properties', async () => {
    const { broker, partition, logs } = copy()
    const [log] = logs()
    const place = (offset: unknown, position: unknown) => `${String(offset)} ${String(position)}`
    const ends = new Set((await dump(log!)).map(({ lastOffset, position }) => place(lastOffset, position)))
    const index = await dump(log!.replace('.log', '.index'))
    expect(index.length).to.be.greaterThan(1)
    expect(index.filter(({ offset, position }) => !ends.has(place(offset, position)))).to.deep.equal([])
    expect((await dump(log!.replace('.log', '.timeindex')))[0]).to.have.keys('file', 'kind', 'timestamp', 'offset')
    const epochs = await dump(join(partition, 'leader-epoch-checkpoint'))
    expect(epochs.map(({ epoch, startOffset }) => [epoch, startOffset])).to.deep.equal([[0, 0], [3, 30]])
    expect((await dump(join(broker, 'recovery-point-offset-checkpoint')))[0])
      .to.include({ kind: 'offset', topic: 'a-b', partition: 2, offset: RECORDS })
    expect(await dump(join(broker, 'meta.properties'))).to.deep.include(
      { file: join(broker, 'meta.properties'), kind: 'property', key: 'cluster.id', value: 'c' })
  })

  it('dump refuses files it does not know, and files that are not there', async () => {
    expect((await run([addLog], ['log', 'dump', 'README.md'])).code).to.equal(2)
    expect((await run([addLog], ['log', 'dump', `${'0'.repeat(20)}.log`])).code).to.equal(2)
  })
})

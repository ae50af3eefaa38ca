// Kafka's own tool reads our files: every segment, both indexes of each and every producer snapshot of each replica of
// a cluster that wrote all codecs, lost a leader on the way and was then stopped in good order.

import { expect } from 'chai'
import { copyFileSync, readFileSync, readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

import type { CodecName, Producer, Weir } from '../../src/client/types.ts'
import { buildBatch, buildControlBatch } from '../../src/records/builder.ts'
import { startCluster, type Cluster } from '../../src/testing/cluster.ts'
import { allInSync } from '../support/replicas.ts'
import { scratch } from '../support/scratch.ts'
import { skip, type Ended } from './foreign.ts'
import { complaints, dumpLogSegments, findKafka, parseDump, type DumpedFile } from './kafka-tool.ts'

const CODECS: readonly CodecName[] = ['none', 'gzip', 'snappy', 'lz4', 'zstd']
const PER_CODEC = 1_200
const BROKERS = [1, 2, 3]
/** One partition each, so that a record's place among those sent is its offset. */
const TOPICS = {
  codecs: { 'segment.bytes': '65536', 'max.message.bytes': '16384', 'index.interval.bytes': '2048' },
  stamped: { 'segment.bytes': '16384', 'max.message.bytes': '16384', 'index.interval.bytes': '2048',
    'message.timestamp.type': 'LogAppendTime' }
} as const
type Topic = keyof typeof TOPICS

interface Sent {
  readonly key: string | null
  readonly value: string | null
  readonly headers: readonly { readonly key: string; readonly value: string | null }[]
  readonly timestamp: number
}

/** Null, empty and real keys and values, none to two headers; values that codecs cannot shrink to nothing. */
function record(number: number): Omit<Sent, 'timestamp'> {
  const noise = Array.from({ length: 8 }, (_, place) => (Math.imul(number * 8 + place, 0x9e3779b1) >>> 0).toString(36))
  const headers = [{ key: 'n', value: String(number) }, { key: 'null', value: null }]
  return {
    key: [null, '', `key-${number}`, `k${number % 7}`][number % 4]!,
    value: number % 11 === 0 ? null : number % 13 === 0 ? '' : `${number}-${noise.join('-')}`,
    headers: headers.slice(0, number % 3)
  }
}

async function send(producer: Producer, topic: Topic, sent: Sent[], count: number): Promise<void> {
  const numbers = Array.from({ length: count }, (_, index) => sent.length + index)
  const deliveries = await Promise.all(numbers.map((number) => producer.send({ topic, ...record(number) })))
  for (const [index, { offset, timestamp }] of deliveries.entries()) {
    expect(offset).to.equal(numbers[index])
    sent.push({ ...record(numbers[index]!), timestamp })
  }
}

async function fill(cluster: Cluster, weir: Weir, sent: Record<Topic, Sent[]>): Promise<void> {
  for (const [name, configs] of Object.entries(TOPICS)) {
    await weir.admin.createTopic({ name, partitions: 1, replicationFactor: 3, configs })
  }
  for (const compression of CODECS) {
    const producer = weir.producer({ compression, batchBytes: 4096 })
    const loose = weir.producer({ compression, batchBytes: 2048, acks: 1, idempotent: false })
    await send(loose, 'stamped', sent.stamped, PER_CODEC / 3)
    const sending = send(producer, 'codecs', sent.codecs, PER_CODEC)
    if (compression === 'snappy') await cluster.broker(await cluster.leaderOf('codecs', 0)).restart()
    await sending
    await Promise.all([producer.close(), loose.close()])
  }
  for (const topic of Object.keys(TOPICS)) await allInSync(weir, topic)
}

describe('interop: Kafka\'s DumpLogSegments', function () {
  this.timeout(400_000)
  const newDir = scratch('kafka-dump')
  const sent: Record<Topic, Sent[]> = { codecs: [], stamped: [] }
  let classpath = ''
  let directory = ''

  before(async function () {
    const found = await findKafka()
    if ('missing' in found) return skip(this, found.missing)
    classpath = found.classpath
    directory = newDir()
    await using cluster = await startCluster({ directory })
    await fill(cluster, await cluster.connect(), sent)
    for (const broker of cluster.brokers) await broker.stop()
  })

  const dump = (files: readonly string[], ...flags: string[]): Promise<Ended> =>
    dumpLogSegments(classpath, files, ...flags)
  const replicaDir = (broker: number, topic: Topic) => join(directory, `broker-${broker}`, `${topic}-0`)
  const filesIn = (dir: string, ...endings: readonly string[]) => readdirSync(dir).sort()
    .filter((name) => endings.some((ending) => name.endsWith(ending))).map((name) => join(dir, name))
  const replicas = () => BROKERS.flatMap((broker) => (['codecs', 'stamped'] as const).map((topic) => (
    { topic, dir: replicaDir(broker, topic) })))
  const allFiles = (...endings: readonly string[]) => replicas().flatMap(({ dir }) => filesIn(dir, ...endings))

  it('reads every record of every segment of every replica, as it was sent', async () => {
    const ended = await dump(allFiles('.log'), '--print-data-log')
    expect(complaints(ended)).to.deep.equal([])
    const dumped = parseDump(ended.out)
    for (const { topic, dir } of replicas()) {
      const segments = filesIn(dir, '.log').map((path): DumpedFile => dumped.get(path)!)
      expect(segments.length, dir).to.be.above(4)
      const batches = segments.flatMap((segment) => segment.batches)
      expect(batches.every(({ isValid }) => isValid)).to.equal(true)
      expect([...new Set(batches.map(({ codec }) => codec))].sort()).to.deep.equal([...CODECS].sort())
      const timestampType = topic === 'stamped' ? 'LogAppendTime' : 'CreateTime'
      const records = batches.flatMap((batch) => batch.records)
      expect(records.length, dir).to.equal(sent[topic].length)
      expect(records).to.deep.equal(sent[topic].map(({ key, value, headers, timestamp }, offset) => ({
        offset, timestampType, timestamp, keySize: key?.length ?? -1, valueSize: value?.length ?? -1,
        headerKeys: `[${headers.map((header) => header.key).join(',')}]`,
        rest: `${key === null ? '' : `key: ${key} `}${value === null ? '' : `payload: ${value}`}`.trim()
      })))
      if (topic === 'codecs') expect(new Set(batches.map(({ leaderEpoch }) => leaderEpoch)).size).to.be.above(1)
    }
  })

  it('finds behind every index entry the batch it names', async () => {
    const ended = await dump(allFiles('.index', '.timeindex'), '--verify-index-only')
    expect(complaints(ended)).to.deep.equal([])
    const remarks = [...parseDump(ended.out).values()].flatMap(({ lines }) => lines)
    expect(remarks.filter((line) => !line.endsWith('.index is empty.'))).to.deep.equal([])
  })

  it('finds entries in the indexes of all segments but the last', async () => {
    const ended = await dump(allFiles('.index', '.timeindex'))
    expect(complaints(ended)).to.deep.equal([])
    const dumped = parseDump(ended.out)
    for (const { dir } of replicas()) {
      for (const path of filesIn(dir, '.index').slice(0, -1)) {
        expect(dumped.get(path)!.lines.length, path).to.be.above(2)
        expect(dumped.get(path.replace('.index', '.timeindex'))!.lines.length, path).to.be.above(0)
      }
    }
  })

  it('passes every index in the check that a broker of Kafka makes at its start', async () => {
    const files = allFiles('.index', '.timeindex')
    const ended = await dump(files, '--index-sanity-check')
    expect(complaints(ended)).to.deep.equal([])
    const dumped = parseDump(ended.out)
    const unsure = files.filter((path) => {
      const verdict = dumped.get(path)?.lines.join() ?? 'nothing'
      return verdict !== `${path} passed sanity check.` && verdict !== `${path} is empty.`
    })
    expect(unsure).to.deep.equal([])
  })

  it('reads every producer snapshot; the newest one ends where the log ends', async () => {
    const ended = await dump(allFiles('.snapshot'))
    expect(complaints(ended)).to.deep.equal([])
    const dumped = parseDump(ended.out)
    for (const broker of BROKERS) {
      const path = filesIn(replicaDir(broker, 'codecs'), '.snapshot').at(-1)!
      const end = sent.codecs.length
      expect(basename(path)).to.equal(`${String(end).padStart(20, '0')}.snapshot`)
      const lines = dumped.get(path)!.lines
      expect(new Set(lines.map((line) => /^producerId: (\d+) /.exec(line)?.[1])).size).to.equal(CODECS.length)
      expect(lines.filter((line) => !/^producerId: \d+ producerEpoch: 0 /.test(line))).to.deep.equal([])
      // Each producer's latest batches, oldest first: of those with one id Kafka takes the last.
      expect(lines.at(-1)).to.include(` lastSequence: ${PER_CODEC - 1} lastOffset: ${end - 1} `)
    }
  })

  it('reads the markers that end transactions', async () => {
    const marker = {
      producerId: 7, producerEpoch: 2, coordinatorEpoch: 3, timestamp: 1_700_000_000_000, leaderEpoch: 5 }
    const path = join(newDir(), `${'0'.repeat(20)}.log`)
    writeFileSync(path, Buffer.concat([
      buildBatch([{ key: null, value: Buffer.from('data'), headers: [], timestamp: marker.timestamp }],
        { producerId: 7, producerEpoch: 2, baseSequence: 0, transactional: true, leaderEpoch: 5 }),
      buildControlBatch({ ...marker, type: 'COMMIT', baseOffset: 1 }),
      buildControlBatch({ ...marker, type: 'ABORT', baseOffset: 2 })]))
    const ended = await dump([path], '--print-data-log')
    expect(complaints(ended)).to.deep.equal([])
    const { batches } = parseDump(ended.out).get(path)!
    expect(batches.map(({ isControl, isValid, records }) => [isControl, isValid, records[0]?.rest])).to.deep.equal([
      [false, true, 'payload: data'],
      [true, true, 'endTxnMarker: COMMIT coordinatorEpoch: 3'],
      [true, true, 'endTxnMarker: ABORT coordinatorEpoch: 3']])
  })

  describe('on damaged copies', () => {
    /** A replica's files in a directory of their own. */
    const copy = (): string => {
      const dir = newDir()
      for (const path of filesIn(replicaDir(1, 'codecs'), '.log', '.index', '.timeindex', '.snapshot')) {
        copyFileSync(path, join(dir, basename(path)))
      }
      return dir
    }
    const flip = (path: string, at: number) => {
      const bytes = readFileSync(path)
      bytes[at] = bytes[at]! ^ 1
      writeFileSync(path, bytes)
    }

    it('finds fault with the segment and with the snapshot', async () => {
      const dir = copy()
      const [log, snapshot] = [filesIn(dir, '.log')[1]!, filesIn(dir, '.snapshot').at(-1)!]
      flip(log, 200)
      flip(snapshot, 20)
      const found = complaints(await dump([log, snapshot], '--deep-iteration'))
      expect(found).to.satisfy((lines: string[]) => lines.some((line) => line.endsWith('isvalid: false')))
      expect(found).to.satisfy((lines: string[]) => lines.some((line) => line.startsWith('Snapshot is corrupt')))
    })

    it('finds fault with an index entry, and with a torn index', async () => {
      const dir = copy()
      for (const [ending, at] of [['.index', 11], ['.timeindex', 7]] as const) {
        const path = filesIn(dir, ending)[1]!
        flip(path, at)
        expect(complaints(await dump([path], '--verify-index-only')), ending).to.not.deep.equal([])
        truncateSync(path, 13)
        expect(complaints(await dump([path], '--index-sanity-check')), ending).to.not.deep.equal([])
      }
    })
  })
})

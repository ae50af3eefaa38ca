// A broker's data directory: whose it is, how the last process left it, which logs are in it, what is noted of them.

import { expect } from 'chai'

import type { LogManager } from '../../broker/log/log-manager.ts'
import type { PartitionLog } from '../../broker/log/partition-log.ts'
import { WeirError } from '../../src/base/error-code.ts'
import { DiskError } from '../../src/ports.ts'
import { failureOf } from '../support/failures.ts'
import { MortalDisk, NEVER } from '../support/mortal-disk.ts'
import { CONFIG, dirBench, orders, outline, quickDisk, readAll, type DirBench } from './bench.ts'
import { batch } from './samples.ts'

const OTHER_ID = 'fedcba9876543210fedcba9876543210'
const MARK = '/data/.kafka_cleanshutdown'
const BATCH_BYTES = batch(0).length

function append(log: PartitionLog, count = 1, epoch = 0): void {
  for (let done = 0; done < count; done++) expect(log.append(batch(0), epoch).ok).to.equal(true)
}

function text({ disk }: DirBench, path: string): string { return Buffer.from(disk.copyOf(path)).toString() }

function put({ disk }: DirBench, path: string, content: string): void {
  disk.put(path, new TextEncoder().encode(content))
}

/** Top-level directories. */
async function dirs({ disk }: DirBench): Promise<string[]> {
  return (await disk.list('/data')).filter((name) => /-\d+/.test(name))
    .map((name) => name.replace(/\.[0-9a-f]{32}/, '.ID'))
}

/** As after kill -9: what was written stays, locks go. */
function kill({ disk }: DirBench): DirBench {
  const next = quickDisk()
  for (const { path } of disk.view()) next.put(path, disk.copyOf(path))
  return dirBench(next)
}

describe('log manager, the directory', () => {
  it('is one process\'s at a time', async () => {
    const bench = dirBench()
    const manager = await bench.open()
    const error = await failureOf(bench.open())
    expect(error).to.be.instanceOf(WeirError)
    expect(String(error)).to.match(/in use by another process/)
    await manager.close(undefined)
    await (await bench.open()).close(undefined)
  })

  it('is one node\'s of one cluster, and lets the lock go when it refuses', async () => {
    const bench = dirBench()
    const first = await bench.open()
    const { directoryId } = first
    await first.close(1)
    for (const [more, name, message] of [[{ nodeId: 2 }, 'KAFKA_STORAGE_ERROR', /belongs to node.id 1, this node is 2/],
      [{ clusterId: 'c2' }, 'INCONSISTENT_CLUSTER_ID', /belongs to cluster.id c1.*configured for c2/]] as const) {
      const error = await failureOf(bench.open(more)) as WeirError
      expect(error.name).to.equal(name)
      expect(error.message).to.match(message)
    }
    const second = await bench.open()
    expect([second.directoryId, second.previousBrokerEpoch], 'a refusal takes no mark').to.deep.equal([directoryId, 1])
  })

  it('is refused with a garbled identity', async () => {
    for (const content of ['', 'version=2\ncluster.id=c1\nnode.id=1\ndirectory.id=x\n', 'garbage',
      'version=1\nnode.id=1\n']) {
      const bench = dirBench()
      put(bench, '/data/meta.properties', content)
      expect(String(await failureOf(bench.open()))).to.match(/is not an identity file/)
    }
  })
})

describe('log manager, clean stops', () => {
  it('are known by a mark that is there between the stop and the next start only', async () => {
    const bench = dirBench()
    const first = await bench.open()
    expect(first.previousBrokerEpoch).to.equal(-1)
    append(await first.open(orders()), 3)
    await first.close(41)
    bench.disk.losePower()
    expect(text(bench, MARK)).to.equal('{"version":0,"brokerEpoch":41}')
    const second = await bench.open()
    expect(second.previousBrokerEpoch).to.equal(41)
    // Gone for good before any log is opened.
    bench.disk.losePower()
    const third = await bench.open()
    expect(third.previousBrokerEpoch).to.equal(-1)
    expect((await third.open(orders())).logEndOffset).to.equal(3)
  })

  it('scan nothing; others do', async () => {
    for (const [brokerEpoch, end] of [[41, 3], [undefined, 1]] as const) {
      const bench = dirBench()
      const manager = await bench.open()
      append(await manager.open(orders()), 3)
      await manager.close(brokerEpoch)
      const path = '/data/orders-0/00000000000000000000.log'
      const bytes = bench.disk.copyOf(path)
      bytes[BATCH_BYTES + 65]! ^= 1
      bench.disk.put(path, bytes)
      const log = await (await bench.open()).open(orders())
      expect(log.logEndOffset).to.equal(end)
    }
  })

  it('garbage in the mark is no clean stop', async () => {
    for (const content of ['', '{}', '{"version":0,"brokerEpoch":-1}', '{"version":1,"brokerEpoch":4}']) {
      const bench = dirBench()
      put(bench, MARK, content)
      expect((await bench.open()).previousBrokerEpoch).to.equal(-1)
    }
  })

  it('are none without a registration, and none before every log was looked at', async () => {
    const bench = dirBench()
    const manager = await bench.open()
    append(await manager.open(orders()), 3)
    await manager.close(undefined)
    expect((await bench.disk.exists(MARK))).to.equal(false)
    // Stopped before it heard of its partitions: nobody has scanned them since the unclean end.
    const early = await bench.open()
    await early.close(42)
    expect((await bench.disk.exists(MARK))).to.equal(false)
    const whole = await bench.open()
    await whole.open(orders())
    await whole.close(43)
    const clean = await bench.open()
    // What one clean stop left, and nobody touched, is clean at the next.
    await clean.close(44)
    expect((await bench.open()).previousBrokerEpoch).to.equal(44)
  })

  it('are none when a log could not be opened or closed', async () => {
    const prepared = async () => {
      const bench = dirBench()
      const manager = await bench.open()
      append(await manager.open(orders()), 3)
      await manager.close(1)
      return bench
    }
    const unopened = await prepared()
    const manager = await unopened.open()
    unopened.disk.failNext('read', /timeindex$/, 'EIO')
    expect(await failureOf(manager.open(orders()))).to.be.instanceOf(DiskError)
    await manager.close(2)
    expect(await unopened.disk.exists(MARK)).to.equal(false)

    const unclosed = await prepared()
    const second = await unclosed.open()
    append(await second.open(orders()))
    unclosed.disk.failNext('sync', /\.log$/, 'EIO')
    await second.close(2)
    expect(await unclosed.disk.exists(MARK)).to.equal(false)
    expect((await unclosed.open()).previousBrokerEpoch).to.equal(-1)

    const retried = await prepared()
    const third = await retried.open()
    retried.disk.failNext('read', /timeindex$/, 'EIO')
    await failureOf(third.open(orders()))
    expect((await third.open({ ...orders() })).logEndOffset, 'tried again').to.equal(3)
    await third.close(2)
    expect((await retried.open()).previousBrokerEpoch).to.equal(2)
  })

  it('a stop that cannot write its checkpoints is not clean, and lets the lock go', async () => {
    const bench = dirBench()
    const manager = await bench.open()
    append(await manager.open(orders()), 3)
    bench.disk.failNext('rename', /recovery-point/, 'ENOSPC')
    await manager.close(9)
    expect(bench.logger.texts('error')).to.have.length(1)
    const next = await bench.open()
    expect(next.previousBrokerEpoch).to.equal(-1)
    expect((await next.open(orders())).logEndOffset).to.equal(3)
  })
})

describe('log manager, partitions', () => {
  it('opens one log for a partition, however many ask at once', async () => {
    const bench = dirBench()
    const manager = await bench.open()
    const [one, two, other] = await Promise.all([
      manager.open(orders()), manager.open(orders()), manager.open(orders({}, undefined, 1))])
    expect(one).to.equal(two)
    expect(one).not.to.equal(other)
    expect(await manager.open(orders())).to.equal(one)
    expect(text(bench, '/data/orders-0/partition.metadata')).to.equal(`version: 0\ntopic_id: ${orders().topicId}\n`)
  })

  it('a close waits for what is being opened, and opens nothing afterwards', async () => {
    const bench = dirBench()
    const manager = await bench.open()
    const opening = manager.open(orders())
    await Promise.resolve()
    await Promise.resolve()
    await manager.close(3)
    const log = await opening
    expect(log.append(batch(0), 0).ok).to.equal(false)
    expect(await log.close(), 'closed by then, and clean').to.equal(true)
    expect(await bench.disk.exists(MARK)).to.equal(true)
    expect(await failureOf(manager.open(orders({}, undefined, 1)))).to.be.instanceOf(DiskError)
    expect(bench.time.pending).to.equal(0)
  })

  it('deletes the files with the partition, and what waits for it finishes', async () => {
    const bench = dirBench()
    const manager = await bench.open()
    const log = await manager.open(orders({ flushMode: 'sync' }))
    append(log, 5)
    const deleting = manager.delete(orders().topicId, 0)
    expect(log.append(batch(0), 0).ok).to.equal(true)
    await deleting
    await manager.delete(orders().topicId, 0)
    await manager.delete(OTHER_ID, 7)
    expect(await dirs(bench)).to.deep.equal([])
    expect(log.append(batch(0), 0).ok).to.equal(false)
    await bench.time.settle()
    expect([bench.metrics.offline, log.offline]).to.deep.equal([0, false])
    await manager.checkpoint()
    expect(text(bench, '/data/recovery-point-offset-checkpoint')).to.equal('0\n0\n')
  })

  it('a deletion may die at any effect: the log is whole, or goes with the next start', async () => {
    const startOn = async (at: number) => {
      const bench = dirBench()
      let deleting = false
      const mortal = new MortalDisk(bench.disk, { ...NEVER, at })
      try {
        const manager = await bench.open({ disk: mortal })
        append(await manager.open(orders()), 3)
        await manager.checkpoint()
        deleting = true
        await manager.delete(orders().topicId, 0)
      } catch (error) {
        if (!(error instanceof DiskError)) throw error
      }
      await mortal.bury()
      return { bench, deleting, effects: mortal.effects }
    }
    const { effects } = await startOn(-1)
    let deaths = 0
    for (let at = effects; at > 0; at--) {
      const { bench, deleting } = await startOn(at)
      if (!deleting) break
      deaths++
      bench.disk.losePower()
      const manager = await bench.open()
      expect(await dirs(bench), `effect ${at}`).to.be.deep.oneOf([[], ['orders-0']])
      expect((await manager.open(orders({}, OTHER_ID))).logEndOffset, `effect ${at}`).to.equal(0)
    }
    expect(deaths).to.equal(3)
  })

  it('a recreated topic inherits nothing, whatever the old one left', async () => {
    const remains: readonly (readonly [string, (manager: LogManager) => Promise<void>])[] = [
      ['deleted', (manager) => manager.delete(orders().topicId, 0)],
      ['deleted while it was down', (manager) => manager.close(3)],
      ['deleted after a kill', () => Promise.resolve()]
    ]
    for (const [what, end] of remains) {
      const first = dirBench()
      const manager = await first.open()
      const log = await manager.open(orders())
      append(log, 9)
      await log.flushNow()
      log.setHighWatermark(8)
      log.deleteRecordsBefore(7)
      await manager.checkpoint()
      await end(manager)
      const bench = kill(first)
      const next = await bench.open()
      const anew = await next.open(orders({ segmentBytes: BATCH_BYTES }, OTHER_ID))
      expect([anew.logStartOffset, anew.logEndOffset, anew.highWatermark, anew.lastLeaderEpoch], what)
        .to.deep.equal([0, 0, 0, -1])
      // Nothing on the disk makes the next start believe what is not durable, or drop it.
      append(anew, 4)
      const crashed = kill(bench)
      const found = await (await crashed.open()).open(orders({}, OTHER_ID))
      expect([found.logStartOffset, found.logEndOffset, crashed.metrics.lost], what).to.deep.equal([0, 4, 0])
      expect(await dirs(crashed), what)
        .to.deep.equal(what === 'deleted' ? ['orders-0'] : ['orders-0', 'orders-0.ID-stray'])
    }
  })

  it('a recreated topic of the same process neither', async () => {
    const bench = dirBench()
    const manager = await bench.open()
    const log = await manager.open(orders())
    append(log, 9)
    await log.flushNow()
    await manager.checkpoint()
    await manager.delete(orders().topicId, 0)
    append(await manager.open(orders({ segmentBytes: BATCH_BYTES }, OTHER_ID)), 4)
    const crashed = kill(bench)
    expect(text(crashed, '/data/recovery-point-offset-checkpoint')).to.equal('0\n0\n')
    expect((await (await crashed.open()).open(orders({}, OTHER_ID))).logEndOffset).to.equal(4)
    expect(crashed.metrics.lost).to.equal(0)
  })

  it('takes a log whose partition.metadata is missing or garbage for the topic\'s own, and says so', async () => {
    for (const content of [undefined, '', 'garbage', `version: 1\ntopic_id: ${OTHER_ID}\n`,
      'version: 0\ntopic_id: x\n']) {
      const first = dirBench()
      const manager = await first.open()
      const log = await manager.open(orders({ segmentBytes: 3 * BATCH_BYTES }))
      append(log, 5)
      log.setHighWatermark(4)
      await manager.close(3)
      const bench = kill(first)
      const path = '/data/orders-0/partition.metadata'
      if (content === undefined) await bench.disk.remove(path)
      else put(bench, path, content)
      const found = await (await bench.open()).open(orders())
      expect([outline(await readAll(found)), found.highWatermark]).to.deep.equal(['0-0@0 1-1@0 2-2@0 3-3@0 4-4@0', 4])
      expect(bench.logger.texts('error')).to.deep.equal([
        'partition.metadata is missing or garbled: the log is taken to be of this topic'])
      expect(text(bench, path)).to.equal(`version: 0\ntopic_id: ${orders().topicId}\n`)
    }
  })

  it('a directory of another topic id is set aside, with all that is in it', async () => {
    const bench = dirBench()
    const manager = await bench.open()
    append(await manager.open(orders()), 5)
    await manager.close(3)
    const next = await bench.open()
    await next.open(orders({}, OTHER_ID))
    expect(await dirs(bench)).to.deep.equal(['orders-0', 'orders-0.ID-stray'])
    const warning = bench.logger.lines.find(({ level }) => level === 'warn')
    expect(warning?.fields).to.deep.include({ name: 'orders-0', owner: orders().topicId })
    const kept = bench.disk.view().find(({ path }) => path.includes('stray') && path.endsWith('.log'))
    expect(kept?.size).to.equal(5 * BATCH_BYTES)
  })

  it('the creation may die at any effect', async () => {
    const startOn = async (at: number) => {
      const disk = quickDisk()
      const bench = dirBench(disk)
      const mortal = new MortalDisk(disk, { ...NEVER, at })
      try {
        const log = await (await bench.open({ disk: mortal })).open(orders())
        log.append(batch(0), 0)
        log.append(batch(0), 0)
      } catch (error) {
        if (!(error instanceof DiskError)) throw error
      }
      await mortal.bury()
      return { bench, effects: mortal.effects }
    }
    const { effects } = await startOn(-1)
    for (let at = 1; at <= effects; at++) {
      for (const death of ['kill', 'power loss']) {
        const { bench } = await startOn(at)
        if (death === 'power loss') bench.disk.losePower()
        bench.logger.lines.length = 0
        const log = await (await bench.open()).open(orders())
        expect(log.logEndOffset, `${death} before effect ${at}`).to.be.at.most(death === 'kill' ? 2 : 0)
        expect(bench.logger.lines.filter(({ level }) => level === 'error'), `effect ${at}`).to.deep.equal([])
        expect(await dirs(bench)).to.deep.equal(['orders-0'])
        append(log)
        await log.flushNow()
        bench.disk.losePower()
        expect((await (await bench.open()).open(orders())).logEndOffset).to.equal(log.logEndOffset)
      }
    }
  })
})

describe('log manager, strays and checkpoints', () => {
  it('sets aside what is not expected, and leaves the rest and what is no partition', async () => {
    const bench = dirBench()
    const manager = await bench.open()
    for (const partition of [0, 1, 2]) append(await manager.open(orders({}, undefined, partition)), 2)
    await manager.checkpoint()
    await manager.close(3)
    for (const dir of ['lost+found', `old-1.${OTHER_ID}-stray`]) put(bench, `/data/${dir}/file`, 'x')
    put(bench, `/data/gone-1.${OTHER_ID}-delete/file`, 'x')
    const next = await bench.open()
    await next.open(orders())
    await next.setAsideStrays((topic, partition) => topic === 'orders' && partition < 2)
    bench.disk.losePower()
    expect(await dirs(bench)).to.deep.equal(['old-1.ID-stray', 'orders-0', 'orders-1', 'orders-2.ID-stray'])
    expect(await bench.disk.exists('/data/lost+found/file')).to.equal(true)
    const again = await bench.open()
    await again.open(orders())
    await again.checkpoint()
    expect(text(bench, '/data/recovery-point-offset-checkpoint'), 'nothing of what was set aside').to.equal(
      '0\n3\norders 0 2\norders 1 2\norders 2 2\n')
    await again.setAsideStrays((topic, partition) => topic === 'orders' && partition < 2)
    await again.checkpoint()
    expect(text(bench, '/data/recovery-point-offset-checkpoint')).to.equal('0\n2\norders 0 2\norders 1 2\n')
  })

  it('carries over what was noted of logs that are not open yet', async () => {
    const bench = dirBench()
    const manager = await bench.open()
    for (const partition of [0, 1]) {
      const log = await manager.open(orders({}, undefined, partition))
      append(log, 5)
      log.setHighWatermark(4)
      log.deleteRecordsBefore(partition + 1)
    }
    await manager.close(3)
    const next = await bench.open()
    const log = await next.open(orders({}, undefined, 1))
    append(log, 1)
    await log.flushNow()
    await next.checkpoint()
    expect(text(bench, '/data/recovery-point-offset-checkpoint')).to.equal('0\n2\norders 1 6\norders 0 5\n')
    expect(text(bench, '/data/log-start-offset-checkpoint')).to.equal('0\n2\norders 1 2\norders 0 1\n')
    expect(text(bench, '/data/replication-offset-checkpoint')).to.equal('0\n2\norders 1 4\norders 0 4\n')
    bench.disk.losePower()
    const last = await (await bench.open()).open(orders())
    expect([last.logStartOffset, last.highWatermark, last.logEndOffset]).to.deep.equal([1, 4, 5])
  })

  it('an opening that failed forgets nothing', async () => {
    const bench = dirBench()
    const manager = await bench.open()
    const log = await manager.open(orders())
    append(log, 5)
    log.setHighWatermark(4)
    log.deleteRecordsBefore(2)
    await manager.close(3)
    const next = await bench.open()
    bench.disk.failNext('list', /orders-0/, 'EIO')
    expect(await failureOf(next.open(orders()))).to.be.instanceOf(DiskError)
    await next.checkpoint()
    const again = await next.open(orders())
    expect([again.logStartOffset, again.highWatermark, again.logEndOffset]).to.deep.equal([2, 4, 5])
  })

  it('garbage in a checkpoint file costs a scan, no records', async () => {
    for (const file of ['recovery-point-offset-checkpoint', 'log-start-offset-checkpoint',
      'replication-offset-checkpoint']) {
      for (const content of ['', 'garbage', '0\n9\norders 0 3\n', '0\n1\norders 0 -3\n', '\u0000\u0000\u0000']) {
        const first = dirBench()
        const manager = await first.open()
        append(await manager.open(orders()), 5)
        await manager.checkpoint()
        const bench = kill(first)
        put(bench, `/data/${file}`, content)
        const log = await (await bench.open()).open(orders())
        expect(log.logEndOffset).to.equal(5)
        expect(bench.logger.texts('error')).to.deep.equal([
          'garbled checkpoint file ignored: logs are scanned from the start'])
      }
    }
  })

  it('writes on its timer, when something moved', async () => {
    const bench = dirBench()
    const manager = await bench.open()
    const log = await manager.open(orders({ flushMode: 'sync' }))
    append(log, 3)
    await bench.time.advance(10_000)
    expect(text(bench, '/data/recovery-point-offset-checkpoint')).to.equal('0\n1\norders 0 3\n')
    bench.disk.failNext('sync', /checkpoint/, 'EIO')
    await bench.time.advance(10_000)
    expect(bench.logger.texts('error'), 'nothing to write').to.deep.equal([])
    append(log, 1)
    await bench.time.advance(10_000)
    expect(bench.logger.texts('error')).to.deep.equal(['checkpoint failed'])
    await bench.time.advance(10_000)
    expect(text(bench, '/data/recovery-point-offset-checkpoint')).to.equal('0\n1\norders 0 4\n')
    await manager.close(undefined)
    expect(bench.time.pending).to.equal(0)
  })

  it('one write of checkpoints serves all logs that are cut at one time', async () => {
    const bench = dirBench()
    const manager = await bench.open()
    const logs = await Promise.all([0, 1, 2, 3, 4, 5].map((partition) =>
      manager.open(orders({}, undefined, partition))))
    for (const log of logs) {
      append(log, 4)
      await log.flushNow()
    }
    await manager.checkpoint()
    const busy = await manager.open(orders({}, undefined, 6))
    let writes = 0
    const rename = bench.disk.rename.bind(bench.disk)
    bench.disk.rename = async (from, to) => {
      if (to.includes('recovery-point')) {
        writes++
        append(busy)
        await busy.flushNow()
      }
      await rename(from, to)
    }
    await Promise.all(logs.map((log) => log.truncateTo(2)))
    expect(writes).to.be.within(1, 2)
    expect(text(bench, '/data/recovery-point-offset-checkpoint').match(/ 2\n/g)?.length).to.equal(6)
    for (const log of logs) append(log, 2)
    await Promise.all(logs.map((log) => log.truncateTo(3)))
    expect(writes, 'nothing durable was cut').to.be.within(1, 2)
  })

  it('a log that is cut waits also for the higher recovery point that is being written', async () => {
    const bench = dirBench()
    const manager = await bench.open()
    const log = await manager.open(orders())
    append(log, 2)
    await manager.checkpoint()
    append(log, 2)
    await log.flushNow()
    let cutting: Promise<void> | undefined
    const rename = bench.disk.rename.bind(bench.disk)
    bench.disk.rename = async (from, to) => {
      if (to.includes('recovery-point')) {
        cutting ??= log.truncateTo(3)
        await bench.time.settle()
      }
      await rename(from, to)
    }
    await Promise.all([manager.checkpoint(), bench.time.settle().then(() => cutting)])
    expect(text(bench, '/data/recovery-point-offset-checkpoint')).to.equal('0\n1\norders 0 3\n')
  })

  it('runs retention on its timer', async () => {
    const bench = dirBench()
    const manager = await bench.open()
    const log = await manager.open({ ...orders(), config: { ...CONFIG, segmentBytes: BATCH_BYTES, retentionBytes: 0 } })
    append(log, 4)
    log.setHighWatermark(3)
    await bench.time.advance(30_000)
    expect(log.logStartOffset).to.equal(3)
    await manager.close(undefined)
  })
})

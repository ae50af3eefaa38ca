// Known failures of replicated metadata (catalogue C of our bug list), one scenario each, on the parts that our
// controllers are made of; CATALOGUE.md says which cannot occur.

import { expect } from 'chai'

import { Metadata } from '../../broker/cluster/metadata.ts'
import { ActiveController, OutcomeUnknown, type CommittedEntry } from '../../controller/active-controller.ts'
import { MetadataFeed } from '../../controller/metadata-feed.ts'
import { RaftLog } from '../../controller/raft/log.ts'
import type { Entry } from '../../controller/raft/types.ts'
import { Refusal } from '../../controller/state/commands.ts'
import { AssertionError } from '../../src/base/assert.ts'
import { RECORD_KINDS, decodeRecord, encodeRecord, joinRecords } from '../../src/metadata/codec.ts'
import { MetadataDelta } from '../../src/metadata/delta.ts'
import { EMPTY_IMAGE, imageHash, recordsOf, topicByName, type MetadataImage } from '../../src/metadata/image.ts'
import type { MetadataRecord } from '../../src/metadata/records.ts'
import { decodeSnapshot, encodeSnapshot } from '../../src/metadata/snapshot.ts'
import type { WatchResponse } from '../../src/rpc/messages.ts'
import { RaftBench } from '../controller/raft-bench.ts'
import { creation, newTopic, registration, StateCluster } from '../controller/state/cluster.ts'
import { EACH_KIND, replayed } from '../metadata/samples.ts'
import { change, entries as run, entry, hard, memoryBench, refusal, snapshot } from '../store/bench.ts'
import { bytes } from '../support/bytes.ts'
import { failureOf } from '../support/failures.ts'
import { FakeLogger, noMetrics } from '../support/fake-ports.ts'
import { powerLossAtEachIo } from './power-loss.ts'

const turn = () => new Promise<void>((resolve) => { setImmediate(resolve) })
const topic = (name: string): MetadataRecord => ({ kind: 'topic', topicId: name.padEnd(32, '-'), name })
const batch = (
  fromOffset: number, toOffset: number, records: readonly MetadataRecord[], image = false): WatchResponse => ({
  fromOffset, toOffset, image, records: records.map(encodeRecord), controllerEpoch: 1, controllerId: 1, status: null,
  fenced: false, shouldShutdown: false })

/** One controller, number 1, over a log that commits when it is told to. */
function controllerBench() {
  const entries: CommittedEntry[] = []
  let committed = 0
  let term = 0
  const controller = new ActiveController({
    nodeId: 1, logger: new FakeLogger(), metrics: noMetrics, queueMax: 100, addressOf: () => 'c:1',
    propose: (data) => {
      entries.push({ index: entries.length + 1, term, data })
      return true
    },
    readBarrier: () => Promise.resolve(), activated: () => undefined, deactivated: () => undefined,
    applied: () => undefined, restored: () => undefined })
  const commit = (upTo = entries.length) => {
    const from = committed
    committed = upTo
    controller.committed(entries.slice(from, upTo))
  }
  const elect = () => {
    controller.leadershipChanged({ leaderId: 1, term: ++term })
    entries.push({ index: entries.length + 1, term, data: new Uint8Array(0) })
  }
  const depose = () => { controller.leadershipChanged({ leaderId: 2, term: ++term }) }
  return { controller, entries, commit, elect, depose }
}

describe('catalogue C: metadata', () => {
  let bench: RaftBench | undefined
  afterEach(async () => {
    await bench?.stop()
    bench = undefined
  })

  it('C01 a snapshot leaves no kind of record out', () => {
    expect(new Set(EACH_KIND.map(({ kind }) => kind))).to.deep.equal(new Set(RECORD_KINDS))
    // Each kind changes the image, and the image after a snapshot is the same, before and after each record.
    let image = EMPTY_IMAGE
    for (const record of EACH_KIND) {
      const next = replayed([record], image)
      expect(imageHash(next), record.kind).to.not.equal(imageHash(image))
      const restored = decodeSnapshot(encodeSnapshot(next), next.offset)
      expect(restored, record.kind).to.deep.equal(next)
      image = next
    }
  })

  it('C02 a snapshot may be taken at any index, the first included', async () => {
    bench = await new RaftBench(3, { snapshotEntries: 1 }).start()
    const words: string[] = []
    for (let at = 0; at < 8; at++) {
      await bench.elected()
      words.push(`w${at}`)
      await bench.commit(`w${at}`)
      const node = bench.nodes[at % 3]!
      await node.powerLoss()
      await node.start()
      await bench.elected()
      await bench.time.until('it has all', () => node.applied.length === words.length)
      for (const { applied } of bench.nodes) expect(applied).to.deep.equal(words)
    }
  })

  it('C03 the log is never cut past the snapshot that stands for it', async () => {
    const place = memoryBench()
    let store = await place.open()
    await store.save(change({ hardState: hard(1, 1, 6), entries: run(1, 6, 1) }))
    let error: unknown
    await store.compactTo(snapshot(3, 1), 5).catch((reason: unknown) => { error = reason })
    expect(error).to.be.instanceOf(AssertionError)
    await store.close()
    store = await place.open()
    expect(store.loaded.entries[0]!.index).to.equal(1)
    await store.compactTo(snapshot(5, 1), 6)
    await store.close()
    await place.removeFile('snapshots/5-1.snapshot')
    expect((await refusal(place.open())).message).to.match(/snapshot .* is missing/)
  })

  it('C04 nothing below the commit index is ever truncated, in memory or on disk', async () => {
    const log = new RaftLog(undefined, run(1, 5, 1), 4, 4)
    const conflicting: Entry[] = [{ index: 4, term: 2, data: bytes('x') }]
    expect(() => log.merge(3, conflicting)).to.throw(AssertionError, 'is committed')
    expect(log.last).to.equal(5)
    const store = await memoryBench().open()
    await store.save(change({ hardState: hard(2, 1, 4), entries: run(1, 5, 1) }))
    let error: unknown
    await store.save(change({ entries: [entry(4, 2)] })).catch((reason: unknown) => { error = reason })
    expect(error).to.be.instanceOf(AssertionError)
    await store.close()
  })

  it('C05 a new leader decides nothing before all that was committed is applied', async () => {
    const { controller, entries, commit, elect } = controllerBench()
    // An earlier leader made the topic; this node has the entry but does not know that it is committed.
    entries.push({ index: 1, term: 0, data: joinRecords([{ kind: 'clusterId', clusterId: 'c' } as const, topic('a')]
      .map(encodeRecord)) })
    elect()
    const early = creation([newTopic('b')])
    expect(await failureOf(controller.submit(early))).to.include({ name: 'NOT_CONTROLLER' })
    commit(1)
    expect(controller.isActive).to.equal(false)
    expect(await failureOf(controller.submit(early))).to.include({ name: 'NOT_CONTROLLER' })
    commit()
    expect(controller.isActive).to.equal(true)
    const [result] = await controller.submit(creation([newTopic('a')]))
    expect(result!.fault!.message).to.equal('topic a exists')
  })

  it('C06 a watcher that is slower than the ring gets an image: no gap, nothing twice', () => {
    let image: MetadataImage = { ...EMPTY_IMAGE, offset: 0 }
    const feed = new MetadataFeed(image, { ringEntriesMax: 3, ringBytesMax: 1e6, batchBytes: 40 })
    const commit = () => {
      const record = topic(`t${image.offset + 1}`)
      image = replayed([record], image)
      feed.append(joinRecords([encodeRecord(record)]), image)
    }
    let seen: MetadataImage = EMPTY_IMAGE
    let images = 0
    const reader = feed.open(-1, ({ fromOffset, toOffset, records, image: whole }) => {
      if (whole) images++
      const from = whole ? EMPTY_IMAGE : seen
      expect(fromOffset).to.equal(from.offset)
      const delta = new MetadataDelta(from)
      for (const record of records) delta.replay(decodeRecord(record))
      seen = delta.apply(toOffset)
      return true
    })
    for (let round = 0; round < 6; round++) {
      for (let at = 0; at <= round; at++) commit()
      while (reader.pump()) continue
      expect(recordsOf(seen)).to.deep.equal(recordsOf(image))
    }
    expect(images).to.be.above(1)
  })

  it('C07 log, terms, applied snapshot and their index are written as one', async () => {
    const results = await powerLossAtEachIo(
      (store) => store.save(change({ hardState: hard(1, 1, 4), entries: run(1, 4, 1) })),
      async (store) => {
        await store.compactTo(snapshot(3, 1), 4)
        await store.save(change({ hardState: hard(3, 2, 8), snapshot: snapshot(8, 2) }))
        await store.save(change({ hardState: hard(3, 2, 8), entries: run(9, 10, 3) }))
      })
    for (const { loaded: { hardState, snapshot: image, entries } } of results) {
      const begin = image?.index ?? 0
      expect(hardState.commit).to.be.at.least(begin)
      expect(entries[0]?.index ?? begin + 1).to.be.at.most(begin + 1)
      expect(image === undefined || Buffer.from(image.data).toString() === `image at ${image.index}`).to.equal(true)
    }
    // An older snapshot of this node's own does not replace one that came from the leader meanwhile.
    const place = memoryBench()
    const store = await place.open()
    await store.save(change({ hardState: hard(1, 1, 4), entries: run(1, 4, 1) }))
    const own = store.compactTo(snapshot(3, 1), 4)
    const received = store.save(change({ hardState: hard(3, 2, 8), snapshot: snapshot(8, 2) }))
    await Promise.all([own, received])
    await store.close()
    const again = await place.open()
    expect(again.loaded.snapshot).to.deep.equal(snapshot(8, 2))
    await again.close()
  })

  it('C08 what concerns an earlier life of a broker is refused', () => {
    const cluster = new StateCluster().brokers(1, 2, 3)
    const old = cluster.epoch(1)
    cluster.register(1, { incarnationId: 'next' })
    expect(cluster.epoch(1)).to.be.above(old)
    for (const kind of ['fenceBroker', 'unfenceBroker'] as const) {
      expect(cluster.try({ kind, brokerId: 1, brokerEpoch: old }), kind).to.be.instanceOf(Refusal)
      expect(cluster.records).to.deep.equal([])
    }
  })

  it('C09 a topic that is made again under its name has another id, and the old one is never used again', () => {
    const cluster = new StateCluster().brokers(1, 2, 3)
    cluster.topic([1, 2, 3])
    const first = topicByName(cluster.image, 't')!
    cluster.run({ kind: 'deleteTopics', names: ['t'] })
    expect(topicByName(cluster.image, 't')).to.equal(undefined)
    cluster.topic([2, 3, 1])
    const second = topicByName(cluster.image, 't')!
    expect(second.id).to.not.equal(first.id)
    expect(cluster.image.topics.has(first.id)).to.equal(false)
    expect(() => replayed([{ kind: 'topic', topicId: second.id, name: 'u' }], cluster.image)).to.throw(AssertionError)
  })

  it('C10 damaged metadata stops the controller; it never passes for empty', async () => {
    const place = memoryBench()
    const store = await place.open()
    await store.save(change({ hardState: hard(1, 1, 6), entries: run(1, 6, 1) }))
    await store.compactTo(snapshot(5, 1), 6)
    await store.close()
    const name = 'snapshots/5-1.snapshot'
    const whole = place.readFile(name)
    for (let at = 0; at < whole.length; at++) {
      const bad = whole.slice()
      bad[at]! ^= 1 << at % 8
      place.writeFile(name, bad)
      expect((await refusal(place.open())).name, `byte ${at}`).to.equal('KAFKA_STORAGE_ERROR')
    }
    const image = encodeSnapshot(replayed(EACH_KIND))
    for (let at = 0; at < image.length; at++) {
      const bad = image.slice()
      bad[at]! ^= 1
      expect(() => decodeSnapshot(bad, 1), `byte ${at}`).to.throw()
    }
  })

  it('C11 what was deleted while a broker was away does not come back with the image it gets', async () => {
    const metadata = new Metadata(new FakeLogger())
    const shown: string[][] = []
    metadata.subscribe((_delta, _previous, next) => {
      shown.push([...next.topics.values()].map(({ name }) => name))
      return Promise.resolve()
    })
    const both = replayed([topic('a'), topic('b')])
    const one = replayed([{ kind: 'removeTopic', topicId: 'a'.padEnd(32, '-') }], both)
    metadata.accept(batch(-1, 5, recordsOf(both), true))
    metadata.accept(batch(-1, 9, recordsOf(one), true))
    await metadata.idle()
    expect(shown).to.deep.equal([['a', 'b'], ['b']])
    // And an older image does not bring it back either.
    metadata.accept(batch(-1, 5, recordsOf(both), true))
    await metadata.idle()
    expect(shown.length).to.equal(2)
  })

  it('C12 a change that comes twice is applied once', async () => {
    const metadata = new Metadata(new FakeLogger())
    let published = 0
    metadata.subscribe(() => {
      published++
      return Promise.resolve()
    })
    metadata.accept(batch(-1, 1, [topic('a')], true))
    for (let times = 0; times < 3; times++) expect(metadata.accept(batch(1, 2, [topic('b')]))).to.equal(true)
    expect(metadata.accept(batch(4, 5, [topic('c')]))).to.equal(false)
    await metadata.idle()
    expect(published).to.equal(2)
    expect(metadata.publishedOffset).to.equal(2)
  })

  it('C13 a controller that lost its leadership answers nothing as done, and a later one decides on what is committed',
    async () => {
      const { controller, commit, elect, depose, entries } = controllerBench()
      elect()
      commit()
      void controller.submit({ kind: 'formCluster', clusterId: 'c' })
      commit()
      void controller.submit(registration(1))
      commit()
      await turn()
      const { length } = entries
      let state = 'waits'
      const reply = failureOf(controller.submit(registration(2)).then(() => { state = 'answered' }))
      await turn()
      expect(state).to.equal('waits')
      depose()
      expect(await reply).to.be.instanceOf(OutcomeUnknown)
      expect(controller.image.brokers.has(2)).to.equal(false)
      // The next leader cut it off.
      entries.length = length
      elect()
      commit()
      expect([...controller.image.brokers.keys()]).to.deep.equal([1])
    })

  it('C14 whoever starts on a log that does not begin at 1 is told the state before it', async () => {
    bench = await new RaftBench(3, { snapshotEntries: 4, tuning: { tailEntries: 0 } }).start()
    const leader = await bench.elected()
    const words = Array.from({ length: 10 }, (_unset, at) => `w${at}`)
    for (const word of words) await bench.commit(word)
    await bench.time.settle()
    const [follower, emptied] = bench.others(leader)
    for (const node of [follower!, emptied!]) await node.powerLoss()
    emptied!.wipe()
    await follower!.start()
    await emptied!.start()
    await bench.time.until('they caught up', () => [follower!, emptied!].every(({ applied }) => applied.length === 10))
    for (const node of [follower!, emptied!]) {
      expect(node.restores).to.be.at.least(1)
      expect(node.applied).to.deep.equal(words)
    }
    expect(follower!.store.loaded.entries[0]?.index ?? Infinity).to.be.above(4)
    // The feed, too, begins where the image is, not at 1.
    const feed = new MetadataFeed({ ...EMPTY_IMAGE, offset: 7 })
    const offsets: number[][] = []
    const reader = feed.open(3, ({ fromOffset, toOffset }) => {
      offsets.push([fromOffset, toOffset])
      return true
    })
    while (reader.pump()) continue
    expect(offsets).to.deep.equal([[-1, 7]])
  })
})

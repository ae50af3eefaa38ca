// Bad input at the gRPC door of a real cluster: each gets a typed error that names value, limit and setting; the
// cluster goes on serving.

import { expect } from 'chai'

import { ErrorCode, errorName, WeirError } from '../../src/base/error-code.ts'
import { writeInt32 } from '../../src/base/int64.ts'
import { NetworkError, type Peer } from '../../src/ports.ts'
import { BATCH_HEADER_BYTES } from '../../src/records/batch.ts'
import { buildBatch } from '../../src/records/builder.ts'
import { codecByName } from '../../src/records/compression.ts'
import { crc32c } from '../../src/records/crc32c.ts'
import type { NewTopic, ProducePartition, Status } from '../../src/rpc/messages.ts'
import { methods } from '../../src/rpc/protos.ts'
import { startCluster, type Cluster } from '../../src/testing/cluster.ts'
import { testNetwork } from '../support/network.ts'

const TIMEOUT_MS = 5_000
const TOPIC = 'strict'

function batch(values: readonly (string | Uint8Array)[], codec = 'none'): Uint8Array {
  return buildBatch(values.map((value) => ({
    key: null, value: typeof value === 'string' ? Buffer.from(value) : value, headers: [], timestamp: Date.now()
  })), { codec: codecByName(codec)! })
}

/** Changes bytes behind the CRC and makes the CRC right again. */
function resealed(bytes: Uint8Array, change: (bytes: Uint8Array) => void): Uint8Array {
  const copy = Uint8Array.from(bytes)
  change(copy)
  writeInt32(copy, crc32c(copy.subarray(21)), 17)
  return copy
}

/** A batch whose records are `payload`, said to be snappy. */
function claiming(payload: Uint8Array): Uint8Array {
  const bytes = Buffer.concat([batch(['x']).subarray(0, BATCH_HEADER_BYTES), payload])
  return resealed(bytes, (copy) => {
    writeInt32(copy, copy.length - 12, 8)
    copy[22] = 2
  })
}

describe('bad input at the gRPC door', function () {
  this.timeout(30_000)
  let cluster: Cluster
  let peers: Map<number, Peer>
  let leader: Peer
  let follower: Peer
  let leaderAddress: string
  const network = testNetwork()

  before(async () => {
    cluster = await startCluster({ controllers: 1, brokers: 3, brokerConfig: { 'max.request.bytes': String(2 ** 20) } })
    peers = new Map(cluster.brokers.map(({ id, address }) => [id, network.dial(address)]))
    const created = await create({ name: TOPIC, partitions: 1, replicationFactor: 2 })
    expect(created.code).to.equal(0)
    const leaderId = await cluster.leaderOf(TOPIC, 0)
    leader = peers.get(leaderId)!
    leaderAddress = cluster.broker(leaderId).address
    follower = [...peers].find(([id]) => id !== leaderId)![1]
  })

  after(async () => {
    for (const peer of peers.values()) peer.close()
    await cluster.close()
  })

  afterEach('the cluster still serves', async () => {
    expect((await produce(leader, { batch: batch(['fine']) })).code).to.equal(0)
  })

  async function create(topic: Partial<NewTopic>): Promise<Status> {
    const peer = [...peers.values()][0]!
    const response = await peer.call(methods.admin.createTopics, { requestId: '',
      validateOnly: false,
      topics: [{ name: '', partitions: 1, replicationFactor: 1, configs: [], assignment: [], ...topic }]
    }, TIMEOUT_MS)
    return response.topics[0]!.status!
  }

  async function produce(to: Peer, partition: Partial<ProducePartition>, acks = -1): Promise<Status> {
    const response = await to.call(methods.data.produce, {
      acks, timeoutMs: 2_000, partitions: [{ topic: TOPIC, partition: 0, ...partition }] }, TIMEOUT_MS)
    return response.partitions[0]!.status!
  }

  async function fetchAt(offset: number): Promise<Status> {
    const response = await leader.call(methods.data.fetch, {
      maxWaitMs: 0, minBytes: 0, maxBytes: 0, form: 1,
      partitions: [{ topic: TOPIC, partition: 0, offset, maxBytes: 0 }] }, TIMEOUT_MS)
    return response.partitions[0]!.status!
  }

  function says(status: Status, code: number, ...parts: readonly string[]): void {
    expect(errorName(status.code), status.message).to.equal(errorName(code))
    expect(status.name).to.equal(errorName(code))
    for (const part of parts) expect(status.message).to.contain(part)
  }

  async function refusedCall(call: Promise<unknown>): Promise<WeirError> {
    try {
      await call
    } catch (error) {
      if (error instanceof WeirError) return error
      throw error
    }
    throw new Error('the call was not refused')
  }

  it('an unknown topic, and an unknown partition', async () => {
    says(await produce(leader, { topic: 'nope', batch: batch(['x']) }), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, 'nope')
    says(await produce(leader, { partition: 7, batch: batch(['x']) }),
      ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, '0 to 0', '7')
    says(await produce(leader, { partition: -1, batch: batch(['x']) }), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, '-1')
  })

  it('a broker that does not lead names the one that does', async () => {
    const status = await produce(follower, { batch: batch(['x']) })
    says(status, ErrorCode.NOT_LEADER_OR_FOLLOWER, `${TOPIC}-0`)
    expect(status.leader?.address).to.equal(leaderAddress)
  })

  it('a stale leader epoch is fenced, one from the future unknown', async () => {
    const status = await produce(leader, { leaderEpoch: 99, batch: batch(['x']) })
    says(status, ErrorCode.UNKNOWN_LEADER_EPOCH, '99')
    const epoch = status.leader!.leaderEpoch
    if (epoch > 0) {
      says(await produce(leader, { leaderEpoch: epoch - 1, batch: batch(['x']) }), ErrorCode.FENCED_LEADER_EPOCH)
    }
  })

  it('a batch above max.message.bytes', async () => {
    const configs = [{ key: 'max.message.bytes', value: '1000' }]
    expect((await create({ name: 'small', replicationFactor: 3, configs })).code).to.equal(0)
    const to = peers.get(await cluster.leaderOf('small', 0))!
    says(await produce(to, { topic: 'small', batch: batch(['x'.repeat(2_000)]) }),
      ErrorCode.MESSAGE_TOO_LARGE, '1000', 'max.message.bytes')
  })

  it('a request above max.request.bytes', async () => {
    const call = leader.call(methods.data.produce, {
      acks: 1, timeoutMs: 1_000, partitions: [{ topic: TOPIC, partition: 0, batch: new Uint8Array(3 * 2 ** 20) }]
    }, TIMEOUT_MS)
    const error = await call.then(() => undefined, (refused: unknown) => refused)
    expect(error instanceof WeirError || error instanceof NetworkError, String(error)).to.equal(true)
    expect((error as Error).message).to.match(/max\.request\.bytes|larger than max/)
  })

  it('a corrupt CRC, and every way a batch can lie', async () => {
    const good = batch(['one', 'two'])
    const flipped = Uint8Array.from(good)
    flipped[good.length - 1]! ^= 1
    says(await produce(leader, { batch: flipped }), ErrorCode.CORRUPT_MESSAGE)
    const lies: [string, Uint8Array, number][] = [
      ['record count', resealed(good, (bytes) => { writeInt32(bytes, 3, 57) }), ErrorCode.INVALID_RECORD],
      ['last offset delta', resealed(good, (bytes) => { writeInt32(bytes, 9, 23) }), ErrorCode.INVALID_RECORD],
      ['count and delta', resealed(good, (bytes) => {
        writeInt32(bytes, 1_000_000, 57)
        writeInt32(bytes, 999_999, 23)
      }), ErrorCode.INVALID_RECORD],
      ['record length', resealed(good, (bytes) => { bytes[61] = 0x7e }), ErrorCode.INVALID_RECORD],
      ['control bit', resealed(good, (bytes) => { bytes[22]! |= 0x20 }), ErrorCode.INVALID_RECORD],
      ['base offset', resealed(good, (bytes) => { bytes[7] = 5 }), ErrorCode.INVALID_RECORD],
      ['cut short', good.subarray(0, good.length - 3), ErrorCode.INVALID_RECORD],
      ['two batches', Buffer.concat([good, good]), ErrorCode.INVALID_RECORD],
      ['empty', new Uint8Array(0), ErrorCode.INVALID_RECORD]
    ]
    for (const [what, bytes, code] of lies) {
      const status = await produce(leader, { batch: bytes })
      expect(errorName(status.code), `${what}: ${status.message}`).to.equal(errorName(code))
    }
  })

  for (const codec of ['gzip', 'snappy', 'lz4', 'zstd']) {
    it(`a decompression bomb (${codec})`, async () => {
      // Snappy shrinks zeros to a twentieth at best: its bomb is a block that claims a GiB and holds four bytes.
      const bomb = codec === 'snappy' ? claiming(Uint8Array.of(0x80, 0x80, 0x80, 0x80, 0x04, 0x0c, 1, 2, 3, 4))
        : batch([new Uint8Array(200 * 2 ** 20)], codec)
      const status = await produce(leader, { batch: bomb })
      expect(status.code, status.message).to.be.oneOf([
        ErrorCode.INVALID_RECORD, ErrorCode.MESSAGE_TOO_LARGE, ErrorCode.CORRUPT_MESSAGE])
    })
  }

  it('an offset out of range', async () => {
    says(await fetchAt(1_000_000), ErrorCode.OFFSET_OUT_OF_RANGE, '1000000')
    says(await fetchAt(-5), ErrorCode.OFFSET_OUT_OF_RANGE, '-5')
  })

  it('bad topic names', async () => {
    for (const name of ['', '.', '..', '../etc/passwd', 'a/b', 'nul\0byte', 'x'.repeat(250), 'emoji😀']) {
      says(await create({ name }), ErrorCode.INVALID_TOPIC_EXCEPTION)
    }
  })

  it('names that are traps in JavaScript work like any other', async () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      expect((await create({ name })).code).to.equal(0)
      expect((await create({ name })).code).to.equal(ErrorCode.TOPIC_ALREADY_EXISTS)
    }
  })

  it('a replication factor above the number of brokers, and bad numbers of partitions', async () => {
    says(await create({ name: 'rf', replicationFactor: 4 }), ErrorCode.INVALID_REPLICATION_FACTOR, '4', '3')
    says(await create({ name: 'rf', replicationFactor: -2 }), ErrorCode.INVALID_REPLICATION_FACTOR, '-2')
    says(await create({ name: 'many', partitions: -1 }), ErrorCode.INVALID_PARTITIONS, '-1')
    says(await create({ name: 'many', partitions: 2_000_000 }), ErrorCode.INVALID_PARTITIONS, '2000000')
  })

  it('unknown, malformed and contradictory configuration', async () => {
    const config = (key: string, value: string) => create({ name: 'conf', configs: [{ key, value }] })
    says(await config('retention.mss', '1'), ErrorCode.INVALID_CONFIG, 'retention.mss')
    says(await config('__proto__', '1'), ErrorCode.INVALID_CONFIG, '__proto__')
    says(await config('retention.ms', 'soon'), ErrorCode.INVALID_CONFIG, 'soon')
    says(await config('min.insync.replicas', '0'), ErrorCode.INVALID_CONFIG, '0')
    says(await config('flush.mode', 'never'), ErrorCode.INVALID_CONFIG, 'never', 'sync')
    says(await create({ name: 'conf', configs: [
      { key: 'segment.bytes', value: '2000' }, { key: 'max.message.bytes', value: '3000' }] }),
    ErrorCode.INVALID_CONFIG, '3000', '2000')
  })

  it('bad acks, bad waits, no partitions', async () => {
    says(await produce(leader, { batch: batch(['x']) }, 7), ErrorCode.INVALID_REQUIRED_ACKS, '7')
    const empty = await refusedCall(
      leader.call(methods.data.produce, { acks: 1, timeoutMs: 0, partitions: [] }, TIMEOUT_MS))
    expect(empty.name).to.equal('INVALID_REQUEST')
    const wait = await refusedCall(leader.call(methods.data.fetch, {
      maxWaitMs: 999_999_999, minBytes: 0, maxBytes: 0, form: 1, partitions: [] }, TIMEOUT_MS))
    expect(wait.message).to.contain('fetch.max.wait.ms')
  })

  it('an int64 beyond 2^53', async () => {
    const raw = { ...methods.data.fetch, encodeRequest: () => fetchOfOffset2To53() }
    const error = await refusedCall(leader.call(raw, {
      maxWaitMs: 0, minBytes: 0, maxBytes: 0, form: 1, partitions: [] }, TIMEOUT_MS))
    expect(error.name).to.equal('INVALID_REQUEST')
  })
})

/** FetchRequest { partitions: [{ topic: "strict", offset: 2^53 }] } by hand: no encoder of ours would write it. */
function fetchOfOffset2To53(): Uint8Array {
  const offset = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10]
  const partition = [0x0a, TOPIC.length, ...Buffer.from(TOPIC), 0x18, ...offset]
  return Uint8Array.from([0x2a, partition.length, ...partition])
}

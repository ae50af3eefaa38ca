// Disks as bad as they come: a directory in use or of somebody else, a full disk, files cut or overwritten while the
// node was down. The node says what is wrong and what to do, or mends itself; nothing acknowledged is lost.

import { spawn, spawnSync } from 'node:child_process'
import {
  copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync
} from 'node:fs'
import { join } from 'node:path'

import { expect } from 'chai'

import type { Weir } from '../../src/client/types.ts'
import { WeirError } from '../../src/base/error-code.ts'
import { startCluster, type Cluster } from '../../src/testing/cluster.ts'
import { builtPath } from '../support/paths.ts'
import { expectSameReplicas } from '../support/replicas.ts'
import { scratch } from '../support/scratch.ts'

const RECORDS = 400
const TOPIC = 'kept'

/** Starts a node with `config` as a process; resolves with its exit code and what it wrote to stderr. */
function run(kind: 'broker' | 'controller', dir: string, config: Readonly<Record<string, unknown>>):
  Promise<{ readonly code: number | null; readonly said: string }> {
  const file = join(dir, `${kind}.json`)
  writeFileSync(file, JSON.stringify(config))
  const child = spawn(process.execPath, [builtPath(`${kind}/main.ts`), '--config', file], {
    stdio: ['ignore', 'ignore', 'pipe'], timeout: 10_000 })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => { said += chunk.toString() })
  return new Promise((resolve) => { child.on('close', (code) => { resolve({ code, said }) }) })
}

async function fill(weir: Weir, topic: string): Promise<void> {
  const producer = weir.producer({ batchBytes: 4_096 })
  await Promise.all(Array.from({ length: RECORDS }, (_unset, index) => (
    producer.send({ topic, partition: index % 2, value: `${index} ${'.'.repeat(200)}` }))))
  await producer.close()
}

async function count(weir: Weir, topic: string): Promise<number> {
  const values = new Set<string>()
  for await (const record of weir.consumer({ topics: [topic], from: 'start', until: 'end' })) {
    values.add(Buffer.from(record.value!).toString().split(' ')[0]!)
  }
  return values.size
}

describe('storage faults', function () {
  this.timeout(60_000)
  const newDir = scratch('storage')

  describe('a directory that is not ours', () => {
    let dir: string
    let cluster: Cluster
    const common = { 'controllers': '1@127.0.0.1:1', 'listen': '127.0.0.1:0' }

    before(async () => {
      dir = newDir()
      cluster = await startCluster({ controllers: 1, brokers: 1, directory: dir })
    })
    after(() => cluster.close())

    const idOf = (kind: string): string => /^cluster[.]id=(.*)$/m
      .exec(readFileSync(join(dir, `${kind}-1`, 'meta.properties'), 'utf8'))![1]!

    for (const kind of ['broker', 'controller'] as const) {
      it(`in use (${kind})`, async () => {
        const { code, said } = await run(kind, newDir(), {
          ...common, 'node.id': 1, 'cluster.id': idOf(kind), 'data.dir': join(dir, `${kind}-1`) })
        expect(code, said).to.equal(1)
        expect(said).to.include(join(dir, `${kind}-1`)).and.match(/in use|another process/)
      })
    }

    it('of another node, and of another cluster', async () => {
      const copy = newDir()
      for (const kind of ['broker', 'controller'] as const) {
        const mine = join(copy, kind)
        mkdirSync(mine)
        copyFileSync(join(dir, `${kind}-1`, 'meta.properties'), join(mine, 'meta.properties'))
        const config = { ...common, 'cluster.id': idOf(kind), 'data.dir': mine }
        const controllers = '7@127.0.0.1:1'
        const node = await run(kind, copy, { ...config, controllers, 'node.id': 7 })
        expect(node.code, node.said).to.equal(1)
        expect(node.said).to.match(/\b1\b/).and.match(/\b7\b/).and.include('meta.properties')
        const other = await run(kind, copy, { ...config, 'node.id': 1, 'cluster.id': 'elsewhere' })
        expect(other.code, other.said).to.equal(1)
        expect(other.said).to.include('elsewhere').and.include(idOf(kind))
      }
    })

    it('faulty configuration: one line for each fault, exit code 2', async () => {
      const { code, said } = await run('broker', newDir(), {
        ...common, 'cluster.id': 'no spaces please', 'nod.id': 1, 'fetch.max.bytes': 'many' })
      expect(code).to.equal(2)
      const lines = said.trim().split('\n')
      for (const word of ['cluster.id', 'nod.id', 'fetch.max.bytes', 'node.id', 'data.dir']) {
        expect(lines.some((line) => line.includes(word)), `${word} in\n${said}`).to.equal(true)
      }
    })
  })

  describe('files damaged while the node was down', () => {
    let dir: string
    let cluster: Cluster
    let weir: Weir

    before(async () => {
      dir = newDir()
      cluster = await startCluster({ directory: dir })
      weir = await cluster.connect()
      await weir.admin.createTopic({
        name: TOPIC, partitions: 2, replicationFactor: 3,
        configs: { 'min.insync.replicas': '2', 'segment.bytes': '16384', 'max.message.bytes': '8192' } })
      await fill(weir, TOPIC)
    })
    after(() => cluster.close())

    /** Kills broker 1, lets `damage` loose on each of its files that `matches`, starts it again. */
    async function damaged(matches: RegExp, damage: (path: string) => void): Promise<void> {
      await cluster.broker(1).kill()
      const root = join(dir, 'broker-1')
      const hit = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => matches.test(name))
      expect(hit, String(matches)).to.not.have.length(0)
      for (const name of hit) damage(join(root, name))
      await cluster.broker(1).start()
      await cluster.ready()
      expect(await count(weir, TOPIC)).to.equal(RECORDS)
      await expectSameReplicas(cluster, weir, TOPIC)
    }

    const garbage = (path: string) => { writeFileSync(path, Buffer.alloc(statSync(path).size + 37, 0xa5)) }
    const halve = (path: string) => { truncateSync(path, Math.floor(statSync(path).size / 2)) }

    it('producer snapshots full of garbage', () => damaged(/\.snapshot$/, garbage))
    it('segments cut in half', () => damaged(/\.log$/, halve))
    it('segments full of garbage', () => damaged(/\.log$/, garbage))
    it('indexes full of garbage', () => damaged(/index$/, garbage))
    it('indexes gone', () => damaged(/index$/, (path) => { rmSync(path) }))
    it('checkpoints full of garbage', () => damaged(/-checkpoint$/, garbage))
    it('partition.metadata gone', () => damaged(/partition\.metadata$/, (path) => { rmSync(path) }))

    it('the metadata log of a controller: it refuses and says how to go on; the others serve', async () => {
      const controller = cluster.controller(1)
      await controller.kill()
      const meta = join(dir, 'controller-1', 'meta')
      const files = readdirSync(meta).filter((file) => /\.(log|ldb)$|MANIFEST/.test(file))
      for (const name of files) garbage(join(meta, name))
      const refused = await controller.start().then(() => undefined, (error: unknown) => error)
      expect(refused).to.be.an('error')
      expect((refused as Error).message).to.include('controller-1')
      expect(refused instanceof WeirError ? refused.hint : undefined, String(refused)).to.be.a('string')
      await weir.admin.createTopic({ name: 'meanwhile', partitions: 1, replicationFactor: 3 })
      rmSync(join(dir, 'controller-1'), { recursive: true })
      await controller.start()
      await cluster.ready()
      expect(await count(weir, TOPIC)).to.equal(RECORDS)
    })
  })

  describe('a full disk', () => {
    const mounted: string[] = []
    after(() => { for (const path of mounted) spawnSync('umount', ['-l', path]) })

    it('takes the broker out, others lead on, nothing acknowledged is lost', async function () {
      const dir = newDir()
      const small = join(dir, 'broker-1')
      mkdirSync(small)
      if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', small]).status !== 0) return this.skip()
      mounted.push(small)
      const cluster = await startCluster({ directory: dir })
      try {
        const weir = await cluster.connect()
        await weir.admin.createTopic({ name: TOPIC, partitions: 2, replicationFactor: 3 })
        await weir.admin.createTopic({ name: 'alone', partitions: 1, replicationFactor: 1, assignment: [[1]] })
        const value = 'x'.repeat(10_000)
        const producer = weir.producer({ deliveryTimeoutMs: 20_000 })
        const sent = await Promise.allSettled(Array.from({ length: 600 }, (_unset, index) => (
          producer.send({ topic: TOPIC, partition: index % 2, value: `${index} ${value}` }))))
        expect(sent.filter(({ status }) => status === 'rejected')).to.have.length(0)
        expect(await count(weir, TOPIC)).to.equal(600)
        await producer.close()
        const alone = weir.producer({ deliveryTimeoutMs: 1_000 })
        const refused = await alone.send({ topic: 'alone', partition: 0, value })
          .then(() => undefined, (error: unknown) => error)
        expect(refused).to.be.instanceOf(WeirError)
        await alone.close()
      } finally {
        await cluster.close()
      }
    })
  })
})

// The compiled command line as a process: exit codes, streams, and a cluster of processes that leaves nothing behind.

import { expect } from 'chai'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'

import { LocalCluster } from '../../src/cli/local-cluster.ts'
import { connect } from '../../src/client/index.ts'
import { failureOf } from '../support/failures.ts'
import { builtPath } from '../support/paths.ts'
import { scratch } from '../support/scratch.ts'

const MAIN = builtPath('src/cli/main.ts')
/** No node listens there: port 1 is not for us. */
const NOBODY = '127.0.0.1:1'

interface Process { readonly pid: number }
interface Up {
  readonly readyMs: number
  readonly data: string
  readonly controllers: readonly Process[]
  readonly brokers: readonly Process[]
}
interface Ended { readonly code: number | null; readonly out: string; readonly err: string }

function start(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
}

async function weir(...args: readonly string[]): Promise<Ended> {
  const child = start(args)
  let out = ''
  let err = ''
  child.stdout!.setEncoding('utf8').on('data', (text: string) => { out += text })
  child.stderr!.setEncoding('utf8').on('data', (text: string) => { err += text })
  const [code] = await once(child, 'close') as [number | null]
  return { code, out, err }
}

/** One that ended and that nobody has waited for is not alive, though it has a number still. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !existsSync(`/proc/${pid}/stat`) || !readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') Z ')
  } catch (error) {
    if (['ESRCH', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) return false
    throw error
  }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => { setTimeout(resolve, 10) })
}

describe('weir as a process', function () {
  this.timeout(30_000)

  it('exits 0 when done, 2 on wrong usage, 3 when nobody answers', async () => {
    const [done, usage, late, config] = await Promise.all([
      weir('config', 'list', '--node', 'broker', '--format', 'json'), weir('topik', 'list'),
      weir('topic', 'list', '--bootstrap', NOBODY, '--timeout', '300ms', '--format', 'json'),
      weir('broker', '--config', 'no-such-file.json')])
    expect(done.code, done.err).to.equal(0)
    expect(JSON.parse(done.out)).to.have.property('keys')
    expect(usage).to.include({ code: 2, out: '' }).and.have.property('err').contain('topic')
    expect(late.code, late.err).to.equal(3)
    expect(JSON.parse(late.out)).to.have.nested.property('error.code')
    expect(config.code).to.equal(2)
    expect(config.err).to.contain('no-such-file.json')
  })

  it('has every verb of this release', async () => {
    const { out } = await weir('--help')
    for (const verb of ['up', 'controller', 'broker', 'topic', 'produce', 'consume', 'cluster', 'node', 'quorum',
      'partition', 'log', 'config']) {
      expect(out).to.match(new RegExp(`^  ${verb} `, 'm'))
    }
  })
})

describe('a local cluster', function () {
  this.timeout(60_000)
  const dir = scratch('local-cluster')

  it('serves, survives the death of a node, and keeps its data over a restart', async () => {
    const data = dir()
    const notes: string[] = []
    const onNote = (text: string) => { notes.push(text) }
    const options = { controllers: 1, brokers: 1, data, port: 'free', onNote } as const
    const cluster = await LocalCluster.start(options)
    const [broker] = cluster.brokers
    try {
      expect(cluster.data).to.equal(data)
      await withClient(cluster, async (client) => {
        await client.admin.createTopic({ name: 't', partitions: 1, replicationFactor: 1 })
        await client.admin.waitForTopic('t', 10_000)
      })
      const { pid } = broker!
      broker!.kill('SIGKILL')
      expect(await broker!.exited).to.equal('SIGKILL')
      expect(broker!.alive).to.equal(false)
      await broker!.start()
      await broker!.ready()
      expect(broker!.pid).to.not.equal(pid)
      expect(notes).to.have.length(1)
      expect(notes[0]).to.contain('broker 1').and.to.contain('SIGKILL')
    } finally {
      await cluster.close()
    }
    expect(await broker!.exited).to.equal(0)
    const again = await LocalCluster.start(options)
    try {
      await withClient(again, async (client) => {
        expect((await client.admin.listTopics()).map(({ name }) => name)).to.deep.equal(['t'])
      })
    } finally {
      again.killAll()
      await again.close()
    }
    const all = [...cluster.brokers, ...again.brokers, ...again.controllers]
    expect(all.filter(({ pid }) => isAlive(pid))).to.deep.equal([])
    expect(String(await failureOf(LocalCluster.start({ ...options, controllers: 3 })))).to.contain('1 controllers')
  })

  it('says why it cannot start, and leaves nothing behind', async () => {
    const error = await failureOf(LocalCluster.start({
      controllers: 1, brokers: 1, port: 'free', brokerConfig: { 'max.parked.requests': 'many' } }))
    expect((error as Error).message).to.contain('broker 1').and.to.contain('exit code 2')
    expect((error as { readonly hint: string }).hint).to.contain('max.parked.requests')
    const [, log] = /the end of (.*):$/m.exec((error as { readonly hint: string }).hint)!
    expect(existsSync(log!), 'its temporary directory').to.equal(false)
  })

  it('ends with `weir up`: in order at a signal, at once when that one is killed', async () => {
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      // A base that no other test uses, away from the default.
      const child = start(['up', '--controllers', '1', '--brokers', '1', '--port', '23700', '--format', 'json'])
      const [line] = await once(child.stdout!.setEncoding('utf8'), 'data') as [string]
      const up = JSON.parse(line) as Up
      expect(up.controllers).to.deep.equal(
        [{ id: 1, grpc: '127.0.0.1:23701', http: '127.0.0.1:24001', pid: up.controllers[0]!.pid }])
      expect(up.brokers).to.deep.equal([{ id: 1, grpc: '127.0.0.1:23801', kafka: null, http: '127.0.0.1:23901',
        pid: up.brokers[0]!.pid, dir: `${up.data}/broker-1` }])
      expect(up.readyMs).to.be.a('number')
      expect(JSON.parse(readFileSync(`${up.data}/broker-1/config.json`, 'utf8'))).to.include({ 'node.id': 1 })
      const pids = [...up.controllers, ...up.brokers].map(({ pid }) => pid)
      expect(pids.filter(isAlive)).to.deep.equal(pids)
      if (signal === 'SIGTERM') {
        const second = await weir('up', '--port', '23700')
        expect(second).to.include({ code: 2 }).and.have.property('err').contain('port 23701')
      }
      child.kill(signal)
      const [code] = await once(child, 'close') as [number | null]
      if (signal === 'SIGTERM') expect(code).to.equal(0)
      await until(() => !pids.some(isAlive))
      expect(existsSync(up.data), 'data that nobody asked to keep').to.equal(signal === 'SIGKILL')
      rmSync(up.data, { recursive: true, force: true })
    }
  })
})

async function withClient(
  cluster: LocalCluster, use: (client: Awaited<ReturnType<typeof connect>>) => Promise<void>): Promise<void> {
  const client = await connect({ bootstrap: cluster.bootstrap })
  try {
    await use(client)
  } finally {
    await client.close()
  }
}

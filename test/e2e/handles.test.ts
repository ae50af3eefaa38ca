// A closed cluster leaves nothing behind in the process that ran it: no timer, no socket, no open file.

import { expect } from 'chai'

import { startCluster } from '../../src/testing/cluster.ts'
import { Ledger, until } from '../support/ledger.ts'

/** Handles and timers of this process, but for what every test run has. */
function resources(): string[] {
  return process.getActiveResourcesInfo().filter((name) => name !== 'Immediate').sort()
}

describe('a closed cluster', function () {
  this.timeout(30_000)

  it('leaves no handle, whatever state its nodes were in', async () => {
    // Mocha's own timer starts when the test has returned its promise.
    await Promise.resolve()
    const before = resources()
    const cluster = await startCluster()
    const weir = await cluster.connect()
    await weir.admin.createTopic({ name: 't', partitions: 3, replicationFactor: 3 })
    const ledger = new Ledger(weir, { topic: 't', partitions: 3 }).start()
    await ledger.progress()
    const consumer = weir.consumer({ topics: ['t'], from: 'start' })
    expect((await consumer.poll(1_000)).length).to.be.above(0)
    cluster.broker(1).isolate()
    await cluster.broker(2).stop()
    await cluster.controller(1).kill()
    await ledger.progress(1)
    // What is under way is answered or refused, as far as it gets.
    const stopped = ledger.stop().catch((reason: unknown) => reason)
    await cluster.close()
    await stopped
    await until(() => {
      const left = resources()
      for (const name of before) if (left.includes(name)) left.splice(left.indexOf(name), 1)
      return Promise.resolve(left.length === 0 ? undefined : `left behind: ${left.join(', ')}`)
    }, 2_000)
  })

  it('has given its ports back', async () => {
    const cluster = await startCluster({ controllers: 1, brokers: 1 })
    const { address } = cluster.broker(1)
    await cluster.close()
    const { createServer } = await import('node:net')
    const server = createServer()
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(Number(address.split(':')[1]), '127.0.0.1', resolve)
    })
    await new Promise((resolve) => { server.close(resolve) })
  })
})

// Of min.insync.replicas=2 with brokers down: what cannot be kept safely is refused, what was promised stays.

import { expect } from 'chai'

import { ErrorCode } from '../../src/base/error-code.ts'
import { methods } from '../../src/rpc/protos.ts'
import { KEPT, Ledger, pause, until } from '../support/ledger.ts'
import { othersOf, useCluster } from '../support/faults.ts'
import { testNetwork } from '../support/network.ts'
import { allInSync, expectSameReplicas } from '../support/replicas.ts'

describe('min.insync.replicas=2', function () {
  this.timeout(30_000)
  const stage = useCluster()
  const configs = { 'min.insync.replicas': '2' }

  it('one of three down: producing goes on', async () => {
    const { topic, ledger } = await stage.begin({ configs })
    const leader = await stage.cluster.leaderOf(topic, 0)
    await stage.cluster.broker(leader).kill()
    await ledger.progress()
    await stage.cluster.broker(leader).restart()
    expect(await ledger.check()).to.include({ ...KEPT, failed: 0 })
    await expectSameReplicas(stage.cluster, stage.weir, topic)
  })

  it('two of three down: NOT_ENOUGH_REPLICAS, nothing is written; both back: producing goes on', async () => {
    const { topic, ledger } = await stage.begin({ configs })
    const leader = await stage.cluster.leaderOf(topic, 0)
    const followers = othersOf(leader).map((id) => stage.cluster.broker(id))
    await ledger.stop()
    await Promise.all(followers.map((follower) => follower.kill()))
    await isrIs(topic, 1)
    const [before] = await stage.weir.admin.offsets(topic, 'end')
    const impatient = new Ledger(stage.weir, {
      topic, partitions: 1, producer: { deliveryTimeoutMs: 400, retryBackoffMs: 50 } }).start()
    await pause(300)
    await impatient.stop()
    expect(impatient.ackedCount).to.equal(0)
    expect(impatient.failures).to.not.have.length(0)
    for (const { code } of impatient.failures) expect(code).to.equal(ErrorCode.REQUEST_TIMED_OUT)
    expect(impatient.failures[0]!.message).to.contain('min.insync.replicas is 2')
    const once = stage.weir.producer({ deliveryTimeoutMs: 300, requestTimeoutMs: 200, idempotent: false })
    const refused = await once.send({ topic, partition: 0, key: 'x', value: 'y' }).catch((error: unknown) => error)
    expect((refused as Error).message).to.contain('nothing was written')
    expect((await stage.weir.admin.offsets(topic, 'end'))[0]!.offset).to.equal(before!.offset)
    ledger.start()
    await Promise.all(followers.map((follower) => follower.restart()))
    await ledger.progress()
    expect(await ledger.check()).to.include({ ...KEPT, failed: 0 })
    await expectSameReplicas(stage.cluster, stage.weir, topic)
  })

  it('appended while the ISR was large enough, but not replicated before it shrank: not acknowledged', async () => {
    const { topic, ledger } = await stage.begin({ configs })
    await ledger.stop()
    const leader = await stage.cluster.leaderOf(topic, 0)
    const followers = othersOf(leader).map((id) => stage.cluster.broker(id))
    // Asked straight: any other broker is about to be silent.
    const peer = testNetwork().dial(stage.cluster.broker(leader).address)
    const producer = stage.weir.producer({ deliveryTimeoutMs: 15_000 })
    await producer.send({ topic, partition: 0, key: 'p0k0', value: 'warm' })
    for (const follower of followers) follower.isolate()
    let answered = false
    const sent = producer.send({ topic, partition: 0, key: 'late', value: 'x' }).finally(() => { answered = true })
    await until(async () => {
      const { topics } = await peer.call(methods.data.getMetadata, { topics: [topic] }, 1_000)
      return topics[0]!.partitions[0]!.isr.length === 1 ? undefined : 'the ISR has not shrunk'
    })
    await pause(200)
    peer.close()
    expect(answered, 'answered with an ISR of one').to.equal(false)
    for (const follower of followers) follower.heal()
    const { offset } = await sent
    await allInSync(stage.weir, topic)
    const consumer = stage.weir.consumer({ partitions: [{ topic, partition: 0, from: offset }], until: 'end' })
    const keys: string[] = []
    for await (const record of consumer) keys.push(Buffer.from(record.key!).toString())
    expect(keys).to.deep.equal(['late'])
    await expectSameReplicas(stage.cluster, stage.weir, topic)
  })

  it('the last member of the ISR dies: no leader until it is back, and nothing is lost', async () => {
    const { topic, ledger } = await stage.begin()
    const leader = await stage.cluster.leaderOf(topic, 0)
    const [first, second] = othersOf(leader).map((id) => stage.cluster.broker(id))
    await Promise.all([first!.kill(), second!.kill()])
    await isrIs(topic, 1)
    await ledger.progress()
    await stage.cluster.broker(leader).kill()
    await Promise.all([first!.restart(), second!.restart()])
    await stage.cluster.ready()
    // Until the dead one is fenced it leads on paper; nobody else may, at any time.
    await until(async () => {
      const [partition] = (await stage.weir.admin.describeTopic(topic)).partitions
      expect(partition!.isr).to.deep.equal([leader])
      expect(partition!.leader).to.be.oneOf([leader, -1])
      return partition!.leader === -1 ? undefined : 'the dead leader is not fenced yet'
    })
    await stage.cluster.broker(leader).restart()
    await ledger.progress()
    expect(await ledger.check()).to.include({ ...KEPT, failed: 0 })
    await expectSameReplicas(stage.cluster, stage.weir, topic)
  })

  it('an unclean election, when asked for, brings the partition back; its ISR grows again', async () => {
    const { topic, ledger } = await stage.begin()
    await ledger.stop()
    const leader = await stage.cluster.leaderOf(topic, 0)
    const [first, second] = othersOf(leader).map((id) => stage.cluster.broker(id))
    await Promise.all([first!.kill(), second!.kill()])
    await isrIs(topic, 1)
    await stage.cluster.broker(leader).kill()
    await Promise.all([first!.restart(), second!.restart()])
    await stage.cluster.ready()
    await stage.weir.admin.electLeaders([{ topic, partition: 0 }], { unclean: true })
    expect(await stage.cluster.leaderOf(topic, 0)).to.not.equal(leader)
    await stage.weir.producer().send({ topic, partition: 0, key: 'after', value: 'x' })
    await stage.cluster.broker(leader).restart()
    await expectSameReplicas(stage.cluster, stage.weir, topic)
  })

  function isrIs(topic: string, size: number): Promise<void> {
    return until(async () => {
      const { isr } = (await stage.weir.admin.describeTopic(topic)).partitions[0]!
      return isr.length === size ? undefined : `the ISR is ${isr.join(',')}, not of ${size}`
    })
  }
})

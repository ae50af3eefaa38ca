// `weir topic`: what is asked of the cluster, and what asks first.

import { expect } from 'chai'

import { addTopic } from '../../src/cli/commands/topic.ts'
import type { NewTopic } from '../../src/client/types.ts'
import { FakeWeir, run, topicOf } from './fake-shell.ts'

describe('weir topic', () => {
  it('create passes on what was given, and nothing that was not', async () => {
    const asked: NewTopic[] = []
    const waited: string[] = []
    const weir = new FakeWeir({
      createTopic: (topic) => {
        asked.push(topic)
        return Promise.resolve({ name: topic.name, topicId: 'id', partitions: 3, replicationFactor: 2 })
      },
      waitForTopic: (name) => {
        waited.push(name)
        return Promise.resolve(topicOf(name, 3))
      }
    })
    await run([addTopic], ['topic', 'create', 'a'], { weir })
    const ran = await run([addTopic], ['topic', 'create', 'b', '-p', '3', '-r', '2', '--config', 'retention.ms=1',
      '--config', 'flush.mode=sync', '--format', 'json'], { weir })
    await run([addTopic], ['topic', 'create', 'c', '--dry-run'], { weir })
    expect(asked).to.deep.equal([
      { name: 'a', validateOnly: false },
      { name: 'b', partitions: 3, replicationFactor: 2, validateOnly: false,
        configs: { 'retention.ms': '1', 'flush.mode': 'sync' } },
      { name: 'c', validateOnly: true }])
    expect(waited, 'what was not created is not waited for').to.deep.equal(['a', 'b'])
    expect(ran.json()).to.deep.equal(
      { name: 'b', topicId: 'id', partitions: 3, replicationFactor: 2, dryRun: false })
  })

  describe('delete', () => {
    function cluster() {
      const deleted: string[] = []
      const weir = new FakeWeir({
        deleteTopic: (name) => {
          deleted.push(name)
          return Promise.resolve()
        }
      })
      return { weir, deleted }
    }

    it('needs --yes where nobody can be asked', async () => {
      const { weir, deleted } = cluster()
      const ran = await run([addTopic], ['topic', 'delete', 'a'], { weir })
      expect(ran.code).to.equal(2)
      expect(ran.err).to.contain('--yes').and.to.contain('3 partitions')
      expect(deleted).to.deep.equal([])
      expect((await run([addTopic], ['topic', 'delete', 'a', '--yes'], { weir })).code).to.equal(0)
      expect(deleted).to.deep.equal(['a'])
    })

    it('asks at a terminal; only yes is yes', async () => {
      const { weir, deleted } = cluster()
      for (const answer of ['', 'n', 'yellow', 'no']) {
        const ran = await run([addTopic], ['topic', 'delete', 'a'], { weir, answer })
        expect(ran).to.include({ code: 0, out: '' })
      }
      expect(deleted).to.deep.equal([])
      await run([addTopic], ['topic', 'delete', 'a'], { weir, answer: 'y' })
      await run([addTopic], ['topic', 'delete', 'b'], { weir, answer: 'YES' })
      expect(deleted).to.deep.equal(['a', 'b'])
    })

    it('shows what would go without touching it', async () => {
      const { weir, deleted } = cluster()
      const ran = await run([addTopic], ['topic', 'delete', 'a', '--dry-run', '--format', 'json'], { weir })
      expect(ran.json()).to.deep.equal({ name: 'a', partitions: 3, dryRun: true })
      expect(deleted).to.deep.equal([])
    })
  })

  it('alter sets and unsets, and refuses to do neither or both', async () => {
    const asked: unknown[] = []
    const weir = new FakeWeir({
      alterConfigs: (...args) => {
        asked.push(args)
        return Promise.resolve()
      }
    })
    const alter = async (...args: readonly string[]) => {
      const ran = await run([addTopic], ['topic', 'alter', 'a', ...args], { weir })
      return ran.code
    }
    expect(await alter()).to.equal(2)
    expect(await alter('--set', 'x=1', '--unset', 'x')).to.equal(2)
    expect(await alter('--set', 'x=1', '--unset', 'y', '--unset', 'z')).to.equal(0)
    expect(asked).to.deep.equal([
      [{ scope: 'topic', name: 'a' }, { set: { x: '1' }, unset: ['y', 'z'], validateOnly: false }]])
  })

  it('describe shows every partition', async () => {
    const weir = new FakeWeir()
    const ran = await run([addTopic], ['topic', 'describe', 'a'], { weir })
    expect(ran.out.trimEnd().split('\n').slice(-3).map((line) => line.trim().split(/\s+/)))
      .to.deep.equal([['0', '1', '0', '1,2', '1,2'], ['1', '1', '0', '1,2', '1,2'], ['2', '1', '0', '1,2', '1,2']])
    expect((await run([addTopic], ['topic', 'describe', 'a', '--format', 'json'], { weir })).json())
      .to.deep.equal(topicOf('a', 3))
  })
})

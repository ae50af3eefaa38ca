// The command tree: global options, wrong usage, and the way from errors to exit codes.

import { expect } from 'chai'

import { WeirError, weirError, type ErrorName } from '../../src/base/error-code.ts'
import { addConfig } from '../../src/cli/commands/config.ts'
import { addTopic } from '../../src/cli/commands/topic.ts'
import { BROKER_KEYS, CONTROLLER_KEYS, TOPIC_KEYS } from '../../src/config/keys.ts'
import { failureOf } from '../support/failures.ts'
import { FakeWeir, run } from './fake-shell.ts'

const VERBS = [addTopic, addConfig]
const topics = { listTopics: () => Promise.resolve([]) }

function refusing(reason: Error): FakeWeir {
  return new FakeWeir({ listTopics: () => Promise.reject(reason) })
}

describe('global options', () => {
  it('stand before or after the verb', async () => {
    for (const args of [
      ['--bootstrap', 'h:1,i:2', '--timeout', '2m', '--format', 'json', 'topic', 'list'],
      ['topic', '--timeout', '2m', 'list', '--format=json', '--bootstrap', 'h:1,i:2']]) {
      const weir = new FakeWeir(topics)
      const ran = await run(VERBS, args, { weir })
      expect(ran.code, ran.err).to.equal(0)
      expect(ran.json()).to.deep.equal({ topics: [] })
      expect(weir.connectedWith).to.deep.equal({ bootstrap: ['h:1', 'i:2'], timeoutMs: 120_000 })
      expect(weir.closed).to.equal(1)
    }
  })

  it('have the defaults of the contract', async () => {
    const weir = new FakeWeir(topics)
    expect((await run(VERBS, ['topic', 'list'], { weir })).code).to.equal(0)
    expect(weir.connectedWith).to.deep.equal(
      { bootstrap: ['127.0.0.1:7201', '127.0.0.1:7202', '127.0.0.1:7203'], timeoutMs: 5_000 })
  })

  it('take the bootstrap from WEIR_BOOTSTRAP; the option wins', async () => {
    const before = process.env['WEIR_BOOTSTRAP']
    process.env['WEIR_BOOTSTRAP'] = 'env:1'
    try {
      const [one, two] = [new FakeWeir(topics), new FakeWeir(topics)]
      await run(VERBS, ['topic', 'list'], { weir: one })
      await run(VERBS, ['topic', 'list', '--bootstrap', 'opt:2'], { weir: two })
      expect([one.connectedWith?.bootstrap, two.connectedWith?.bootstrap]).to.deep.equal([['env:1'], ['opt:2']])
    } finally {
      if (before === undefined) delete process.env['WEIR_BOOTSTRAP']
      else process.env['WEIR_BOOTSTRAP'] = before
    }
  })
})

describe('wrong usage', () => {
  const wrong: readonly (readonly [readonly string[], string])[] = [
    [['topci'], 'topic'], [['topic', 'lst'], 'list'], [['topic', 'list', '--fromat', 'json'], '--format'],
    [['topic', 'list', 'extra'], 'too many arguments'], [['topic', 'create'], 'name'],
    [['topic', 'create', 'x', '-p', 'three'], 'three'], [['topic', 'create', 'x', '--config', 'k'], 'K=V'],
    [['topic', 'list', '--timeout', '5'], '500ms'], [['topic', 'list', '--bootstrap', 'nowhere'], 'nowhere'],
    [['--format', 'xml', 'topic', 'list'], 'text, json'], [['config', 'list', '--node', 'disk'], 'broker']
  ]

  for (const [args, part] of wrong) {
    it(`\`weir ${args.join(' ')}\` exits 2 and mentions ${part}`, async () => {
      const ran = await run(VERBS, args)
      expect(ran.code).to.equal(2)
      expect(ran.out).to.equal('')
      expect(ran.err).to.contain(part)
    })
  }

  it('is a document under json, and nothing else', async () => {
    const ran = await run(VERBS, ['topic', 'lst', '--format', 'json'])
    expect(ran.code).to.equal(2)
    expect(ran.json()).to.have.nested.property('error.code', 'USAGE')
    expect(ran.json()).to.have.nested.property('error.message').that.contains('list')
  })

  it('includes no verb at all; help that was asked for does not', async () => {
    expect(await run(VERBS, [])).to.include({ code: 2, out: '' })
    expect(await run(VERBS, ['topic'])).to.include({ code: 2, out: '' })
    const help = await run(VERBS, ['topic', 'create', '--help'])
    expect(help).to.include({ code: 0, err: '' })
    expect(help.out).to.contain('--replication-factor').and.to.contain('--bootstrap')
    const version = await run(VERBS, ['--version'])
    expect(version.code).to.equal(0)
    expect(version.out).to.match(/^\d+\.\d+\.\d+\n$/)
  })
})

describe('an error of the cluster', () => {
  const codes: readonly (readonly [ErrorName, number])[] = [
    ['UNKNOWN_TOPIC_OR_PARTITION', 1], ['POLICY_VIOLATION', 1], ['NOT_ENOUGH_REPLICAS', 1], ['UNKNOWN_SERVER_ERROR', 1],
    ['REQUEST_TIMED_OUT', 3], ['NETWORK_EXCEPTION', 3]
  ]

  for (const [name, code] of codes) {
    it(`${name} exits ${code}`, async () => {
      const error = weirError(name, 'what is wrong', 'what to do')
      const ran = await run(VERBS, ['topic', 'list', '--format', 'json'], { weir: refusing(error) })
      expect(ran.code).to.equal(code)
      expect(ran.json()).to.deep.equal({ error: { code: name, message: 'what is wrong', hint: 'what to do' } })
      expect(ran.err).to.contain('what is wrong').and.to.contain('what to do')
      expect(await run(VERBS, ['topic', 'list'], { weir: refusing(error) })).to.include({ code, out: '' })
    })
  }

  it('without a hint has none', async () => {
    const ran = await run(VERBS, ['topic', 'list', '--format', 'json'],
      { weir: refusing(new WeirError({ code: 3, message: 'm' })) })
    expect(ran.json()).to.deep.equal({ error: { code: 'UNKNOWN_TOPIC_OR_PARTITION', message: 'm' } })
  })

  it('when nobody can be reached exits 3', async () => {
    expect((await run(VERBS, ['topic', 'list'])).code).to.equal(3)
  })

  it('when nobody ever answers exits 3 at the deadline', async () => {
    const never = { connect: () => new Promise<never>(() => { /* nobody answers */ }) }
    const ran = await run(VERBS, ['topic', 'list', '--timeout', '20ms', '--bootstrap', 'h:1'], { around: never })
    expect(ran.code).to.equal(3)
    expect(ran.err).to.contain('h:1').and.to.contain('20 ms')
  })

  it('that is a bug of ours is not made look like one', async () => {
    const bug = new TypeError('x is not a function')
    expect(await failureOf(run(VERBS, ['topic', 'list'], { weir: refusing(bug) }))).to.equal(bug)
  })
})

describe('weir config list', () => {
  it('shows every key of every table, with the same defaults', async () => {
    const { keys } = (await run(VERBS, ['config', 'list', '--format', 'json'])).json() as {
      readonly keys: readonly { readonly node: string; readonly key: string; readonly default: string | null }[] }
    expect(keys.map(({ node, key }) => `${node} ${key}`)).to.have.members([
      ...Object.keys(BROKER_KEYS).map((key) => `broker ${key}`),
      ...Object.keys(CONTROLLER_KEYS).map((key) => `controller ${key}`),
      ...Object.keys(TOPIC_KEYS).map((key) => `topic ${key}`)])
    expect(keys.find(({ node, key }) => node === 'topic' && key === 'flush.mode')?.default).to.equal('sync')
    expect(keys.find(({ node, key }) => node === 'broker' && key === 'node.id')?.default).to.equal(null)
  })

  it('shows one table', async () => {
    const ran = await run(VERBS, ['config', 'list', '--node', 'topic'])
    expect(ran.code).to.equal(0)
    expect(ran.out.split('\n').length - 2).to.equal(Object.keys(TOPIC_KEYS).length)
  })
})

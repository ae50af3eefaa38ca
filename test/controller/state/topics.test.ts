// Topics: what creating, growing and deleting them writes, and every reason to refuse.

import { expect } from 'chai'

import type { CommandOf, NewTopic } from '../../../controller/state/commands.ts'
import { creation, nameOf, newTopic, StateCluster } from './cluster.ts'

describe('create topics', () => {
  it('writes the topic, its partitions and its configuration', () => {
    const cluster = new StateCluster().brokers(1, 2)
    const result = cluster.create('t', {
      topicId: 'id', assignment: [[1, 2], [2, 1]], configs: [{ key: 'retention.ms', value: '5' }] })
    expect(result).to.deep.equal({
      name: 't', fault: undefined, topicId: 'id', partitions: 2, replicationFactor: 2 })
    const state = { leaderEpoch: 0, partitionEpoch: 0, adding: [], removing: [], leaderRecovering: false }
    expect(cluster.records).to.deep.equal([
      { kind: 'topic', topicId: 'id', name: 't' },
      { kind: 'partition', topicId: 'id', partition: 0, replicas: [1, 2], isr: [1, 2], leader: 1, ...state },
      { kind: 'partition', topicId: 'id', partition: 1, replicas: [2, 1], isr: [2, 1], leader: 2, ...state },
      { kind: 'config', scope: 'topic', name: 'id', key: 'retention.ms', value: '5' }
    ])
  })

  it('takes the defaults, and a smaller default replication factor on a smaller cluster', () => {
    const cluster = new StateCluster().brokers(1, 2)
    const result = cluster.create('t', {}, { defaults: { partitions: 4, replicationFactor: 3 } })
    expect(result).to.include({ partitions: 4, replicationFactor: 2 })
  })

  it('leaves fenced and draining brokers out of the ISR, and of the leadership', () => {
    const cluster = new StateCluster().brokers(1, 2, 3)
    cluster.fence(1)
    cluster.run({ kind: 'drainBroker', brokerId: 2 })
    cluster.create('t', { assignment: [[1, 2, 3]] })
    expect(cluster.partition()).to.include({ leader: 3 }).and.deep.include({ isr: [3] })
  })

  const three = () => new StateCluster().brokers(1, 2, 3)
  const full = () => {
    const cluster = three()
    cluster.create('a.b')
    return cluster
  }
  type Command = Partial<CommandOf<'createTopics'>>
  const refusals: readonly [string, string, () => StateCluster, Partial<NewTopic>, Command?][] = [
    ['an empty name', 'INVALID_TOPIC_EXCEPTION', three, { name: '' }],
    ['.', 'INVALID_TOPIC_EXCEPTION', three, { name: '.' }],
    ['..', 'INVALID_TOPIC_EXCEPTION', three, { name: '..' }],
    ['a slash', 'INVALID_TOPIC_EXCEPTION', three, { name: 'a/b' }],
    ['a line end', 'INVALID_TOPIC_EXCEPTION', three, { name: 'a\n' }],
    ['250 characters', 'INVALID_TOPIC_EXCEPTION', three, { name: 'x'.repeat(250) }],
    ['249 characters', '', three, { name: 'x'.repeat(249) }],
    ['a name of Object.prototype', '', three, { name: '__proto__' }],
    ['a name there is', 'TOPIC_ALREADY_EXISTS', full, { name: 'a.b' }],
    ['a name that differs in . and _ only', 'INVALID_TOPIC_EXCEPTION', full, { name: 'a_b' }],
    ['a name that differs elsewhere too', '', full, { name: 'a_c' }],
    ['-1 partitions', 'INVALID_PARTITIONS', three, { partitions: -1 }],
    ['10001 partitions', 'INVALID_PARTITIONS', three, { partitions: 10_001, replicationFactor: 1 }],
    ['10000 partitions', '', three, { partitions: 10_000, replicationFactor: 1 }],
    ['more partitions than the cluster takes', 'POLICY_VIOLATION', full, { partitions: 10 }, { partitionsMax: 10 }],
    ['as many partitions as the cluster takes', '', full, { partitions: 9 }, { partitionsMax: 10 }],
    ['replication factor -1', 'INVALID_REPLICATION_FACTOR', three, { replicationFactor: -1 }],
    ['more replicas than brokers', 'INVALID_REPLICATION_FACTOR', three, { replicationFactor: 4 }],
    ['no broker at all', 'INVALID_REPLICATION_FACTOR', () => new StateCluster(), {}],
    ['an unknown key', 'INVALID_CONFIG', three, { configs: [{ key: 'retention', value: '1' }] }],
    ['a bad value', 'INVALID_CONFIG', three, { configs: [{ key: 'retention.ms', value: 'x' }] }],
    ['an empty replica list', 'INVALID_REPLICA_ASSIGNMENT', three, { assignment: [[1], []] }],
    ['replica lists of different lengths', 'INVALID_REPLICA_ASSIGNMENT', three, { assignment: [[1], [1, 2]] }],
    ['a broker twice', 'INVALID_REPLICA_ASSIGNMENT', three, { assignment: [[1, 1]] }],
    ['an unknown broker', 'INVALID_REPLICA_ASSIGNMENT', three, { assignment: [[1, 4]] }],
    ['an assignment with another number of partitions', 'INVALID_REQUEST', three, { assignment: [[1]], partitions: 2 }],
    ['an assignment with another replication factor', 'INVALID_REQUEST', three,
      { assignment: [[1]], replicationFactor: 2 }],
    ['an assignment and numbers that agree', '', three, { assignment: [[1, 2]], partitions: 1, replicationFactor: 2 }]
  ]
  for (const [what, expected, start, topic, command] of refusals) {
    it(`${expected === '' ? 'takes' : 'refuses'} ${what}${expected === '' ? '' : `: ${expected}`}`, () => {
      const cluster = start()
      expect(nameOf(cluster.create('t', topic, command))).to.equal(expected)
      expect(cluster.records.length > 0).to.equal(expected === '')
    })
  }

  it('refuses when every broker of the assignment, or of the cluster, is fenced', () => {
    const cluster = three()
    cluster.fence(1)
    expect(nameOf(cluster.create('t', { assignment: [[1]] }))).to.equal('INVALID_REPLICA_ASSIGNMENT')
    cluster.fence(2)
    cluster.fence(3)
    expect(nameOf(cluster.create('t'))).to.equal('INVALID_REPLICATION_FACTOR')
  })

  it('judges each topic of a request by itself, and by those before it', () => {
    const cluster = three()
    const results = cluster.run(creation(
      ['a', '/', 'a', 'x.y', 'x_y', 'b'].map(newTopic)))
    expect(results.map(nameOf)).to.deep.equal(
      ['', 'INVALID_TOPIC_EXCEPTION', 'INVALID_REQUEST', '', 'INVALID_TOPIC_EXCEPTION', ''])
    expect([...cluster.image.topicIdByName.keys()]).to.deep.equal(['a', 'x.y', 'b'])
  })

  it('creates at most 10000 partitions with one request', () => {
    const results = three().run(creation(['a', 'b', 'c'].map((name) => (
      { ...newTopic(name), partitions: 4000, replicationFactor: 1 }))))
    expect(results.map(nameOf)).to.deep.equal(['', '', 'INVALID_PARTITIONS'])
  })

  it('writes nothing when asked to validate only', () => {
    const cluster = three()
    expect(cluster.create('t', {}, { validateOnly: true })).to.include({ fault: undefined, topicId: '', partitions: 1 })
    expect(cluster.records).to.deep.equal([])
  })
})

describe('delete topics and add partitions', () => {
  it('removes a topic with its configuration, once when named twice', () => {
    const cluster = new StateCluster().brokers(1)
    cluster.create('t', { topicId: 'id', configs: [{ key: 'retention.ms', value: '5' }] })
    const results = cluster.run({ kind: 'deleteTopics', names: ['t', 'nope', 't'] })
    expect(results.map(nameOf)).to.deep.equal(['', 'UNKNOWN_TOPIC_OR_PARTITION', ''])
    expect(cluster.records).to.deep.equal([{ kind: 'removeTopic', topicId: 'id' }])
    expect(cluster.image.configs.topics.size).to.equal(0)
  })

  it('adds partitions behind the old ones, evenly over the brokers', () => {
    const cluster = new StateCluster().brokers(1, 2, 3)
    cluster.create('t', { assignment: [[1], [1], [2]] })
    const results = cluster.run({
      kind: 'addPartitions', topics: [{ name: 't', total: 6 }], partitionsMax: 100, seed: 1 })
    expect(results.map(nameOf)).to.deep.equal([''])
    const leaders = [0, 1, 2, 3, 4, 5].map((index) => cluster.partition('t', index).leader)
    expect(leaders.slice(0, 3)).to.deep.equal([1, 1, 2])
    expect(leaders.toSorted((a, b) => a - b)).to.deep.equal([1, 1, 2, 2, 3, 3])
  })

  it('refuses fewer, as many, or too many partitions, unknown topics and repetitions', () => {
    const cluster = new StateCluster().brokers(1)
    cluster.create('t', { partitions: 2 })
    cluster.create('u')
    const add = (topics: readonly { name: string; total: number }[], partitionsMax = 100) => (
      cluster.run({ kind: 'addPartitions', topics, partitionsMax, seed: 1 }).map(nameOf))
    expect(add([{ name: 't', total: 1 }])).to.deep.equal(['INVALID_PARTITIONS'])
    expect(add([{ name: 't', total: 2 }])).to.deep.equal(['INVALID_PARTITIONS'])
    expect(add([{ name: 't', total: 10_001 }])).to.deep.equal(['INVALID_PARTITIONS'])
    expect(add([{ name: 't', total: 5 }], 5)).to.deep.equal(['POLICY_VIOLATION'])
    expect(add([{ name: 'x', total: 5 }])).to.deep.equal(['UNKNOWN_TOPIC_OR_PARTITION'])
    expect(cluster.image.topics.get(cluster.topicId())!.partitions).to.have.length(2)
    expect(add([{ name: 'u', total: 2 }, { name: 'u', total: 3 }])).to.deep.equal(['', 'INVALID_REQUEST'])
    cluster.fence(1)
    expect(add([{ name: 't', total: 5 }])).to.deep.equal(['INVALID_REPLICATION_FACTOR'])
  })
})

// Configuration changes: what is written, what is refused, what follows at once.

import { expect } from 'chai'

import { nameOf, StateCluster } from './cluster.ts'

describe('alter configs', () => {
  const alter = (cluster: StateCluster, name: string, set: Record<string, string>, unset: readonly string[] = [],
    scope: 'topic' | 'broker' = 'topic', validateOnly = false) => cluster.run({
    kind: 'alterConfigs', validateOnly,
    resources: [{ scope, name, set: Object.entries(set).map(([key, value]) => ({ key, value })), unset }]
  }).map(nameOf)

  it('writes what differs, and only that', () => {
    const cluster = new StateCluster().brokers(1).topic([1])
    expect(alter(cluster, 't', { 'retention.ms': '5', 'segment.ms': '7' })).to.deep.equal([''])
    expect(alter(cluster, 't', { 'retention.ms': '5' }, ['segment.ms'])).to.deep.equal([''])
    expect(cluster.records).to.deep.equal([
      { kind: 'config', scope: 'topic', name: cluster.topicId(), key: 'segment.ms', value: null }])
    expect(alter(cluster, 't', { 'retention.ms': '6' }, [], 'topic', true)).to.deep.equal([''])
    expect(cluster.records).to.deep.equal([])
  })

  it('refuses unknown topics, brokers and keys, bad values, contradictions and keys read at start', () => {
    const cluster = new StateCluster().brokers(1).topic([1])
    expect(alter(cluster, 'x', {})).to.deep.equal(['UNKNOWN_TOPIC_OR_PARTITION'])
    expect(alter(cluster, 't', { 'retention': '5' })).to.deep.equal(['INVALID_CONFIG'])
    expect(alter(cluster, 't', { ['__proto__']: '5' })).to.deep.equal(['INVALID_CONFIG'])
    expect(alter(cluster, 't', { 'retention.ms': 'soon' })).to.deep.equal(['INVALID_CONFIG'])
    expect(alter(cluster, 't', {}, ['retention'])).to.deep.equal(['INVALID_CONFIG'])
    expect(alter(cluster, 't', { 'retention.ms': '5' }, ['retention.ms'])).to.deep.equal(['INVALID_REQUEST'])
    expect(alter(cluster, 't', { 'segment.bytes': '1024' }), 'below max.message.bytes')
      .to.deep.equal(['INVALID_CONFIG'])
    expect(alter(cluster, '9', {}, [], 'broker')).to.deep.equal(['BROKER_ID_NOT_REGISTERED'])
    expect(alter(cluster, '', { 'data.dir': 'x' }, [], 'broker')).to.deep.equal(['INVALID_CONFIG'])
    expect(alter(cluster, '1', { 'nope': 'x' }, [], 'broker')).to.deep.equal(['INVALID_CONFIG'])
  })

  it('elects leaders for leaderless partitions once unclean election is allowed', () => {
    const cluster = new StateCluster().brokers(1, 2).topic([1, 2], [1])
    cluster.fence(1)
    alter(cluster, 't', { 'unclean.leader.election.enable': 'true' })
    expect(cluster.partition()).to.deep.include({ leader: 2, isr: [2], leaderRecovering: true })
  })
})

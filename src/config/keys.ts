// Every configuration key in three tables (topic, broker, controller): type, unit, range, default, meaning. The same
// tables check files, admin requests and environment, type the configuration in code, and print `weir config list`.
//
// Topic keys keep Kafka's names and defaults, plus `flush.mode`.

import { fault, type Fault } from '../base/error-code.ts'

export interface NodeAddress { readonly id: number; readonly address: string }

interface Common { readonly doc: string; readonly dynamic?: true }
interface IntKey extends Common {
  readonly type: 'int'; readonly unit: string; readonly min: number; readonly max: number; readonly default: number }
interface BoolKey extends Common { readonly type: 'bool'; readonly default: boolean }
interface TextKey extends Common {
  readonly type: 'text'; readonly default: string; readonly form?: RegExp; readonly like?: string }
interface EnumKey extends Common { readonly type: 'enum'; readonly values: readonly string[]; readonly default: string }
/** `1@host:port,2@host:port`: controllers, whose ids begin at 1. */
interface NodesKey extends Common { readonly type: 'nodes'; readonly default: string }
/** `default: undefined` in the table means: must be given. */
export type Key = (IntKey | BoolKey | TextKey | EnumKey | NodesKey) & { readonly required?: true }
export type KeyTable = Readonly<Record<string, Key>>

export type ValueOf<K extends Key> = K extends { type: 'int' } ? number : K extends { type: 'bool' } ? boolean
  : K extends { type: 'nodes' } ? readonly NodeAddress[] : K extends { values: readonly (infer V)[] } ? V : string
export type ConfigOf<T extends KeyTable> = { readonly [Name in keyof T]: ValueOf<T[Name]> }

const FOREVER = Number.MAX_SAFE_INTEGER
const DAY_MS = 24 * 3600 * 1000
const MIB = 1024 * 1024
const NODE_ID_MAX = 2 ** 31 - 1
const ADDRESS = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+):\d{1,5}$/
const ADDRESS_OR_OFF = /^$|^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+):\d{1,5}$/

export const TOPIC_KEYS = {
  'cleanup.policy': { type: 'enum', values: ['delete'], default: 'delete', dynamic: true,
    doc: 'What happens to old data: delete by age and size' },
  'compression.type': { type: 'enum', values: ['producer'], default: 'producer', dynamic: true,
    doc: 'Batches stay compressed as the producer sent them' },
  'file.delete.delay.ms': { type: 'int', unit: 'ms', min: 0, max: FOREVER, default: 60_000, dynamic: true,
    doc: 'How long a deleted segment stays readable for requests under way' },
  'flush.mode': { type: 'enum', values: ['sync', 'replicated'], default: 'sync', dynamic: true,
    doc: 'sync: an offset counts only once fdatasync covers it; replicated: page cache and replicas, as Kafka' },
  'index.interval.bytes': { type: 'int', unit: 'bytes', min: 0, max: 2 ** 31 - 1, default: 4096, dynamic: true,
    doc: 'Log bytes between two index entries' },
  'max.message.bytes': { type: 'int', unit: 'bytes', min: 61, max: 8 * MIB, default: MIB + 12, dynamic: true,
    doc: 'Largest record batch, compressed, header included' },
  'message.timestamp.after.max.ms': { type: 'int', unit: 'ms', min: 0, max: FOREVER, default: 3_600_000, dynamic: true,
    doc: 'How far a record timestamp may lie in the future' },
  'message.timestamp.before.max.ms': { type: 'int', unit: 'ms', min: 0, max: FOREVER, default: FOREVER, dynamic: true,
    doc: 'How far a record timestamp may lie in the past' },
  'message.timestamp.type': { type: 'enum', values: ['CreateTime', 'LogAppendTime'], default: 'CreateTime',
    dynamic: true, doc: 'Keep the timestamps of the producer, or stamp with the time of the append' },
  'min.insync.replicas': { type: 'int', unit: 'replicas', min: 1, max: 32_767, default: 1, dynamic: true,
    doc: 'Smallest ISR with which acks=all is accepted and the high watermark moves' },
  'retention.bytes': { type: 'int', unit: 'bytes', min: -1, max: FOREVER, default: -1, dynamic: true,
    doc: 'Size of a partition above which old segments go; -1 = no limit' },
  'retention.ms': { type: 'int', unit: 'ms', min: -1, max: FOREVER, default: 7 * DAY_MS, dynamic: true,
    doc: 'Age after which a segment goes; -1 = never' },
  'segment.bytes': { type: 'int', unit: 'bytes', min: 1024, max: 2 ** 31 - 1, default: 1024 * MIB, dynamic: true,
    doc: 'Size at which a new segment is started' },
  'segment.index.bytes': { type: 'int', unit: 'bytes', min: 24, max: 2 ** 31 - 1, default: 10 * MIB, dynamic: true,
    doc: 'Size at which an index is full and a new segment is started' },
  'segment.ms': { type: 'int', unit: 'ms', min: 1, max: FOREVER, default: 7 * DAY_MS, dynamic: true,
    doc: 'Age at which a new segment is started' },
  'unclean.leader.election.enable': { type: 'bool', default: false, dynamic: true,
    doc: 'Let a replica outside the ISR lead when no other is left: may lose acknowledged records' }
} as const satisfies KeyTable

const NODE_KEYS = {
  'node.id': { type: 'int', unit: 'id', min: 0, max: NODE_ID_MAX, default: 0, required: true,
    doc: 'Unique among the brokers, and among the controllers' },
  'cluster.id': { type: 'text', default: '', form: /^[A-Za-z0-9_-]{1,64}$/, like: '1 to 64 of [A-Za-z0-9_-]',
    required: true, doc: 'Nodes of another cluster are refused' },
  'listen': { type: 'text', default: '', form: ADDRESS, like: 'host:port', required: true,
    doc: 'host:port of the gRPC listener; port 0 = any free one' },
  'advertised': { type: 'text', default: 'auto', form: /^auto$|:\d{1,5}$/, like: 'auto or host:port',
    doc: 'Address told to others; auto = the one listened on' },
  'http': { type: 'text', default: '', form: ADDRESS_OR_OFF, like: 'host:port or empty',
    doc: 'host:port of /metrics and /health; empty = none' },
  'data.dir': { type: 'text', default: '', form: /^[^\0]+$/, like: 'a path', required: true,
    doc: 'Directory of this node alone; locked while it runs' },
  'log.level': { type: 'enum', values: ['debug', 'info', 'warn', 'error', 'silent'], default: 'info',
    doc: 'Least severe log line written' },
  'max.request.bytes': { type: 'int', unit: 'bytes', min: MIB, max: 64 * MIB, default: 16 * MIB,
    doc: 'Largest gRPC request accepted' }
} as const satisfies KeyTable

export const BROKER_KEYS = {
  ...NODE_KEYS,
  'controllers': { type: 'nodes', default: '', required: true, doc: 'All controllers, id@host:port,…' },
  'rack': { type: 'text', default: '', form: /^[A-Za-z0-9._-]{0,64}$/, like: 'up to 64 of [A-Za-z0-9._-]',
    doc: 'Replicas of a partition are spread over racks' },
  'broker.heartbeat.interval.ms': { type: 'int', unit: 'ms', min: 10, max: 60_000, default: 100,
    doc: 'Time between two heartbeats to the active controller' },
  'replica.lag.time.max.ms': { type: 'int', unit: 'ms', min: 100, max: 600_000, default: 10_000,
    doc: 'A follower not caught up for this long leaves the ISR' },
  'replica.fetch.window.bytes': { type: 'int', unit: 'bytes', min: 64 * 1024, max: 256 * MIB, default: 4 * MIB,
    doc: 'Bytes a leader may send one follower ahead of its acknowledgement, per partition' },
  'replica.fetch.backoff.ms': { type: 'int', unit: 'ms', min: 1, max: 60_000, default: 50,
    doc: 'Wait before a failed replication stream is opened again' },
  'fetch.max.bytes': { type: 'int', unit: 'bytes', min: 1024, max: 32 * MIB, default: 8 * MIB,
    doc: 'Most record bytes in one fetch answer' },
  'fetch.max.wait.ms': { type: 'int', unit: 'ms', min: 0, max: 600_000, default: 60_000, doc: 'Longest long poll' },
  'max.parked.requests': { type: 'int', unit: 'requests', min: 1, max: 1_000_000, default: 10_000,
    doc: 'Produces and fetches waiting at one time; above it they are refused' },
  'max.inflight.produce.bytes': { type: 'int', unit: 'bytes', min: MIB, max: 4096 * MIB, default: 64 * MIB,
    doc: 'Produce bytes of one stream not yet answered; above it the stream is read no further' },
  'log.tail.cache.bytes': { type: 'int', unit: 'bytes', min: 0, max: 1024 * MIB, default: 32 * MIB,
    doc: 'Newest bytes of all partitions together kept in memory for tailing readers' },
  'log.flush.concurrency': { type: 'int', unit: 'files', min: 1, max: 64, default: 4,
    doc: 'Files synced at one time' },
  'log.checkpoint.interval.ms': { type: 'int', unit: 'ms', min: 100, max: 3_600_000, default: 5_000,
    doc: 'Time between checkpoints of recovery points, log starts and high watermarks' },
  'log.retention.check.interval.ms': { type: 'int', unit: 'ms', min: 100, max: 86_400_000, default: 300_000,
    doc: 'Time between two looks for segments to delete' },
  'producer.id.expiration.ms': { type: 'int', unit: 'ms', min: 1000, max: FOREVER, default: DAY_MS,
    doc: 'Idle time after which a producer\'s sequence state is dropped' },
  'drain.timeout.ms': { type: 'int', unit: 'ms', min: 0, max: 600_000, default: 5_000,
    doc: 'Longest wait at SIGTERM for leaderships to move' }
} as const satisfies KeyTable

export const CONTROLLER_KEYS = {
  ...NODE_KEYS,
  // 0 means nobody in a vote.
  'node.id': { type: 'int', unit: 'id', min: 1, max: NODE_ID_MAX, default: 1, required: true,
    doc: 'Unique among the controllers, and one of those in `controllers`; from 1 on' },
  'controllers': { type: 'nodes', default: '', required: true,
    doc: 'All voters, id@host:port,…; the same on each controller, fixed for the life of the cluster' },
  'raft.heartbeat.interval.ms': { type: 'int', unit: 'ms', min: 5, max: 10_000, default: 60,
    doc: 'Time between two heartbeats of the Raft leader' },
  'raft.election.timeout.ms': { type: 'int', unit: 'ms', min: 20, max: 60_000, default: 150,
    doc: 'Least silence before an election; each node draws from [this, twice this)' },
  'raft.snapshot.bytes': { type: 'int', unit: 'bytes', min: 1024, max: 1024 * MIB, default: 8 * MIB,
    doc: 'Raft log bytes after which a snapshot is taken and the log cut' },
  'raft.snapshot.entries': { type: 'int', unit: 'entries', min: 1, max: 10_000_000, default: 20_000,
    doc: 'Raft log entries after which a snapshot is taken and the log cut' },
  'controller.queue.max': { type: 'int', unit: 'commands', min: 1, max: 1_000_000, default: 10_000,
    doc: 'Commands waiting for their commit; above it they are refused' },
  'broker.session.timeout.ms': { type: 'int', unit: 'ms', min: 50, max: 600_000, default: 700,
    doc: 'Silence after which a broker is fenced' },
  'broker.fence.on.connection.loss': { type: 'bool', default: true,
    doc: 'Take the loss of a broker\'s connection as a hint that it is gone' },
  'broker.connection.loss.grace.ms': { type: 'int', unit: 'ms', min: 0, max: 60_000, default: 20,
    doc: 'How long a broker whose connection was lost may take to connect again before it is fenced' },
  'leader.rebalance.delay.ms': { type: 'int', unit: 'ms', min: 0, max: 86_400_000, default: 60_000,
    doc: 'How long a preferred leader must have been in sync before leadership goes back to it; 0 = never' },
  'num.partitions': { type: 'int', unit: 'partitions', min: 1, max: 10_000, default: 1,
    doc: 'Partitions of a topic created without a number' },
  'default.replication.factor': { type: 'int', unit: 'replicas', min: 1, max: 32_767, default: 3,
    doc: 'Replicas of a topic created without a number; fewer when there are fewer brokers' },
  'max.partitions': { type: 'int', unit: 'partitions', min: 1, max: 1_000_000, default: 100_000,
    doc: 'Partitions in the cluster; above it creations are refused' }
} as const satisfies KeyTable

export type TopicConfig = ConfigOf<typeof TOPIC_KEYS>
export type BrokerConfig = ConfigOf<typeof BROKER_KEYS>
export type ControllerConfig = ConfigOf<typeof CONTROLLER_KEYS>

/** Parses the text of one value. Long.MAX_VALUE, which Kafka tools write for "no limit", is read as 2^53−1. */
export function parseValue(name: string, key: Key, text: string):
  { readonly ok: true; readonly value: ValueOf<Key> } | { readonly ok: false; readonly fault: Fault } {
  const bad = (expected: string) => (
    { ok: false, fault: fault('INVALID_CONFIG', `${name}=${show(text)}: expected ${expected}`, key.doc) } as const)
  switch (key.type) {
    case 'int': {
      const value = text === '9223372036854775807' ? FOREVER : Number(text)
      const within = /^-?\d{1,19}$/.test(text) && Number.isSafeInteger(value) && value >= key.min && value <= key.max
      return within ? { ok: true, value } : bad(`an integer from ${key.min} to ${key.max} (${key.unit})`)
    }
    case 'bool':
      return text === 'true' || text === 'false' ? { ok: true, value: text === 'true' } : bad('true or false')
    case 'enum':
      return key.values.includes(text) ? { ok: true, value: text } : bad(`one of ${key.values.join(', ')}`)
    case 'text':
      return key.form === undefined || key.form.test(text) ? { ok: true, value: text } : bad(key.like ?? 'text')
    case 'nodes': {
      const nodes = text.split(',').map((part) => /^(\d{1,10})@(.+)$/.exec(part.trim()))
      if (nodes.some((node) => node === null || !ADDRESS.test(node[2]!))) return bad('id@host:port,id@host:port,…')
      const value = nodes.map((node) => ({ id: Number(node![1]), address: node![2]! }))
      if (value.some(({ id }) => id < 1 || id > NODE_ID_MAX)) return bad(`ids from 1 to ${NODE_ID_MAX}`)
      return new Set(value.map(({ id }) => id)).size === value.length ? { ok: true, value } : bad('distinct ids')
    }
  }
}

/** The text `parseValue` reads back. */
export function formatValue(value: ValueOf<Key>): string {
  return Array.isArray(value) ? value.map((node: NodeAddress) => `${node.id}@${node.address}`).join(',') : String(value)
}

function show(text: string): string {
  const short = text.length > 60 ? `${text.slice(0, 60)}… (${text.length} characters)` : text
  return JSON.stringify(short)
}

/** Checks what an admin sets on a topic: known keys, types, ranges, contradictions. Undefined when all is well. */
export function checkTopicConfigs(entries: ReadonlyMap<string, string>): Fault | undefined {
  for (const [name, text] of entries) {
    const key = lookup(TOPIC_KEYS, name)
    if (key === undefined) return unknownKey(TOPIC_KEYS, 'topic', name)
    const parsed = parseValue(name, key, text)
    if (!parsed.ok) return parsed.fault
  }
  const config = topicConfig(entries)
  if (config['max.message.bytes'] > config['segment.bytes']) {
    return fault('INVALID_CONFIG', `max.message.bytes=${config['max.message.bytes']} is above ` +
      `segment.bytes=${config['segment.bytes']}: a batch must fit in a segment`, 'raise one or lower the other')
  }
  return undefined
}

/** Own properties only: `__proto__` is no key. */
export function lookup(table: KeyTable, name: string): Key | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}

export function unknownKey(table: KeyTable, what: string, name: string): Fault {
  const near = nearest(Object.keys(table), name)
  return fault('INVALID_CONFIG', `unknown ${what} key ${show(name)}`,
    near === undefined ? `\`weir config list --node ${what}\` shows every key` : `did you mean ${near}?`)
}

/** The typed configuration of a topic from what was set for it; entries must have passed `checkTopicConfigs`. */
export function topicConfig(entries: ReadonlyMap<string, string>): TopicConfig {
  const config: Record<string, ValueOf<Key>> = {}
  for (const [name, key] of Object.entries<Key>(TOPIC_KEYS)) {
    const text = entries.get(name)
    const parsed = text === undefined ? undefined : parseValue(name, key, text)
    config[name] = parsed?.ok === true ? parsed.value : key.default
  }
  return config as unknown as TopicConfig
}

/** The name within edit distance 3 of `name`, if there is one. */
export function nearest(names: readonly string[], name: string): string | undefined {
  if (name.length > 100) return undefined
  const ranked = names.map((candidate) => ({ candidate, distance: editDistance(candidate, name) }))
    .sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
  const best = ranked[0]
  return best !== undefined && best.distance <= 3 ? best.candidate : undefined
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1] ? 0 : 1
      current.push(Math.min(previous[column]! + 1, current[column - 1]! + 1, previous[column - 1]! + same))
    }
    previous = current
  }
  return previous[b.length]!
}

// Changes to the configuration of topics, brokers and the cluster. Effective from the next record a broker replays.

import { fault, type Fault } from '../../src/base/error-code.ts'
import {
  BROKER_KEYS, TOPIC_KEYS, checkTopicConfigs, lookup, parseValue, topicConfig, unknownKey
} from '../../src/config/keys.ts'
import {
  NO_CONFIGS, topicByName, type ConfigEntries, type MetadataImage
} from '../../src/metadata/image.ts'
import type { ConfigRecord, ConfigScope, MetadataRecord } from '../../src/metadata/records.ts'
import { electUncleanly } from './leadership.ts'
import type { Outcome } from './outcome.ts'

export interface ConfigAlteration {
  readonly scope: ConfigScope
  /** Topic name; or broker id, empty = the default of the whole cluster. */
  readonly name: string
  readonly set: readonly { readonly key: string; readonly value: string }[]
  /** Back to the default. */
  readonly unset: readonly string[]
}

export interface AlterConfigs {
  readonly kind: 'alterConfigs'
  readonly resources: readonly ConfigAlteration[]
  readonly validateOnly: boolean
}

export interface AlterConfigResult {
  readonly scope: ConfigScope
  readonly name: string
  readonly fault: Fault | undefined
}

export function alterConfigs(image: MetadataImage, command: AlterConfigs): Outcome<readonly AlterConfigResult[]> {
  const records: MetadataRecord[] = []
  const seen = new Set<string>()
  const reply = command.resources.map((resource): AlterConfigResult => {
    const { scope, name } = resource
    const key = `${scope}/${name}`
    const change = seen.has(key)
      ? { fault: fault('INVALID_REQUEST', `${scope} ${name} is named twice`) }
      : scope === 'topic' ? alterTopic(image, resource) : alterBroker(image, resource)
    seen.add(key)
    if ('fault' in change) return { scope, name, fault: change.fault }
    records.push(...change.records)
    return { scope, name, fault: undefined }
  })
  return { reply, records: command.validateOnly ? [] : records }
}

type Change = { readonly fault: Fault } | { readonly records: readonly MetadataRecord[] }

function alterTopic(image: MetadataImage, resource: ConfigAlteration): Change {
  const topic = topicByName(image, resource.name)
  if (topic === undefined) {
    return { fault: fault('UNKNOWN_TOPIC_OR_PARTITION', `there is no topic ${resource.name}`) }
  }
  const before = image.configs.topics.get(topic.id) ?? NO_CONFIGS
  const after = altered(before, resource)
  const bad = checkTopicConfigs(after) ?? checkUnset(resource, checkTopicKey)
  if (bad !== undefined) return { fault: bad }
  const records: MetadataRecord[] = differences('topic', topic.id, before, after)
  // Leaderless partitions need not wait for an admin once the topic says that any replica may lead.
  const allowed = (entries: ConfigEntries) => topicConfig(entries)['unclean.leader.election.enable']
  if (allowed(after) && !allowed(before)) records.push(...electUncleanly(image, topic))
  return { records }
}

function alterBroker(image: MetadataImage, resource: ConfigAlteration): Change {
  const { name } = resource
  const id = Number(name)
  if (name !== '' && !image.brokers.has(id)) {
    return { fault: fault('BROKER_ID_NOT_REGISTERED', `broker ${name} is not registered`) }
  }
  for (const { key, value } of resource.set) {
    const bad = checkBrokerKey(key, value)
    if (bad !== undefined) return { fault: bad }
  }
  const bad = checkUnset(resource, (key) => checkBrokerKey(key, undefined))
  if (bad !== undefined) return { fault: bad }
  const { brokers, cluster } = image.configs
  const before = name === '' ? cluster : brokers.get(id) ?? NO_CONFIGS
  return { records: differences('broker', name === '' ? '' : String(id), before, altered(before, resource)) }
}

function checkTopicKey(name: string): Fault | undefined {
  return lookup(TOPIC_KEYS, name) === undefined ? unknownKey(TOPIC_KEYS, 'topic', name) : undefined
}

function checkBrokerKey(name: string, value: string | undefined): Fault | undefined {
  const key = lookup(BROKER_KEYS, name)
  if (key === undefined) return unknownKey(BROKER_KEYS, 'broker', name)
  if (key.dynamic !== true) {
    return fault('INVALID_CONFIG', `${name} is read when a broker starts`,
      "set it in the broker's configuration file and restart the broker")
  }
  const parsed = value === undefined ? undefined : parseValue(name, key, value)
  return parsed?.ok === false ? parsed.fault : undefined
}

/** Unsetting an unknown key is an error, since it is a misspelling; unsetting what is not set is none. */
function checkUnset(resource: ConfigAlteration, check: (key: string) => Fault | undefined): Fault | undefined {
  for (const key of resource.unset) {
    if (resource.set.some((entry) => entry.key === key)) {
      return fault('INVALID_REQUEST', `${key} is both set and unset`)
    }
    const bad = check(key)
    if (bad !== undefined) return bad
  }
  return undefined
}

function altered(before: ConfigEntries, { set, unset }: ConfigAlteration): ConfigEntries {
  const after = new Map(before)
  for (const key of unset) after.delete(key)
  for (const { key, value } of set) after.set(key, value)
  return after
}

function differences(
  scope: ConfigScope, name: string, before: ConfigEntries, after: ConfigEntries): ConfigRecord[] {
  const records: ConfigRecord[] = []
  for (const key of before.keys()) {
    if (!after.has(key)) records.push({ kind: 'config', scope, name, key, value: null })
  }
  for (const [key, value] of after) {
    if (before.get(key) !== value) records.push({ kind: 'config', scope, name, key, value })
  }
  return records
}

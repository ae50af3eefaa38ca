// Reads a node's configuration: JSON or YAML file, overridden by WEIR_… environment, overridden by flags; checks it
// against its key table and reports every fault at once, one line each.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

import type * as Yaml from 'yaml'

import {
  lookup, parseValue, unknownKey, type ConfigOf, type Key, type KeyTable, type ValueOf
} from './keys.ts'

export class ConfigError extends Error {
  readonly faults: readonly string[]
  constructor(faults: readonly string[]) {
    super(faults.join('\n'))
    this.name = 'ConfigError'
    this.faults = faults
  }
}

export interface ConfigSources {
  /** Path of a JSON or YAML file with a flat map of keys. */
  readonly file?: string
  /** `WEIR_NODE_ID=3` sets `node.id`. Variables of other programs, and WEIR_BOOTSTRAP, are ignored. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly flags?: Readonly<Record<string, string>>
}

/** The frozen configuration of one node. Throws ConfigError naming every unknown key, bad value and missing key. */
export function loadConfig<T extends KeyTable>(table: T, what: string, sources: ConfigSources): ConfigOf<T> {
  const faults: string[] = []
  const texts = new Map<string, { text: string; from: string }>()
  const take = (name: string, value: unknown, from: string) => {
    if (lookup(table, name) === undefined) {
      const fault = unknownKey(table, what, name)
      faults.push(`${from}: ${fault.message}${fault.hint === undefined ? '' : ` (${fault.hint})`}`)
    } else if (typeof value === 'object') {
      faults.push(`${from}: ${name} must be a single value`)
    } else {
      texts.set(name, { text: String(value), from })
    }
  }
  if (sources.file !== undefined) {
    for (const [name, value] of readFile(sources.file)) take(name, value, sources.file)
  }
  const keyByVariable = new Map(Object.keys(table).map((name) => [variableOf(name), name]))
  for (const [variable, value] of Object.entries(sources.env ?? {})) {
    const name = keyByVariable.get(variable)
    if (name !== undefined && value !== undefined) take(name, value, `environment ${variable}`)
  }
  for (const [name, value] of Object.entries(sources.flags ?? {})) take(name, value, `flag --${name}`)
  return finish(table, texts, faults)
}

export function variableOf(name: string): string {
  return `WEIR_${name.replaceAll('.', '_').toUpperCase()}`
}

function finish<T extends KeyTable>(
  table: T, texts: ReadonlyMap<string, { text: string; from: string }>, faults: string[]): ConfigOf<T> {
  const config: Record<string, ValueOf<Key>> = {}
  for (const [name, key] of Object.entries<Key>(table)) {
    const given = texts.get(name)
    if (given === undefined) {
      if (key.required === true) faults.push(`${name} is missing: ${key.doc}`)
      else config[name] = key.default
      continue
    }
    const parsed = parseValue(name, key, given.text)
    if (parsed.ok) config[name] = parsed.value
    else faults.push(`${given.from}: ${parsed.fault.message}`)
  }
  if (faults.length > 0) throw new ConfigError(faults)
  return Object.freeze(config) as unknown as ConfigOf<T>
}

function readFile(path: string): readonly (readonly [string, unknown])[] {
  let content: unknown
  try {
    content = parse(path, readFileSync(path, 'utf8'))
  } catch (error) {
    throw new ConfigError([`${path}: ${error instanceof Error ? error.message : String(error)}`])
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new ConfigError([`${path}: expected a map of keys to values`])
  }
  return Object.entries(content)
}

/** JSON by its name; anything else is YAML, whose library is loaded only then: every start would pay for it. */
function parse(path: string, text: string): unknown {
  if (path.endsWith('.json')) return JSON.parse(text)
  const yaml = createRequire(import.meta.url)('yaml') as typeof Yaml
  return yaml.parse(text)
}

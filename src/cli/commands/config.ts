// `weir config list`: every configuration key, from the same tables that check files and requests.

import type { Command } from 'commander'

import { BROKER_KEYS, CONTROLLER_KEYS, formatValue, TOPIC_KEYS, type Key, type KeyTable } from '../../config/keys.ts'
import { oneOf } from '../parse.ts'
import { option, type Session, type Shell } from '../shell.ts'
import { table } from '../table.ts'

const TABLES = { broker: BROKER_KEYS, controller: CONTROLLER_KEYS, topic: TOPIC_KEYS } as const
const KINDS = ['broker', 'controller', 'topic'] as const
type Kind = keyof typeof TABLES

export function addConfig(program: Command, shell: Shell): void {
  const config = program.command('config').description('configuration keys')
  config.command('list').description('every key: type, unit, default, range, meaning')
    .option('--node <kind>', `${KINDS.join(', ')} (default: all)`, option((text) => oneOf(KINDS, text)))
    .action(shell.verb(list))
}

interface KeyDocument {
  readonly node: Kind
  readonly key: string
  readonly type: Key['type']
  readonly unit: string | null
  /** Null: must be given. */
  readonly default: string | null
  readonly range: string | null
  readonly required: boolean
  /** May be changed while it runs. */
  readonly dynamic: boolean
  readonly meaning: string
}

async function list(session: Session, { node }: { readonly node?: Kind }): Promise<void> {
  const keys = KINDS.filter((kind) => node === undefined || node === kind).flatMap((kind) =>
    Object.entries<Key>(TABLES[kind] satisfies KeyTable).map(([name, key]) => documentOf(kind, name, key)))
  await session.print({ keys }, () => table(
    [...node === undefined ? ['of'] : [], 'key', 'type', 'default', 'range', 'meaning'],
    keys.map((key) => [...node === undefined ? [key.node] : [], key.key, key.type, defaultText(key), key.range,
      key.meaning])))
}

function documentOf(node: Kind, name: string, key: Key): KeyDocument {
  const required = key.required === true
  return {
    node, key: name, type: key.type, unit: key.type === 'int' ? key.unit : null,
    default: required ? null : formatValue(key.default), range: rangeOf(key), required, dynamic: key.dynamic === true,
    meaning: key.doc
  }
}

function defaultText(key: KeyDocument): string {
  if (key.default === null) return '(required)'
  return key.unit === null ? key.default : `${numberText(key.default)} ${key.unit}`
}

function rangeOf(key: Key): string | null {
  switch (key.type) {
    case 'int': return `${numberText(String(key.min))} to ${numberText(String(key.max))}`
    case 'bool': return 'true, false'
    case 'enum': return key.values.join(', ')
    case 'text': return key.like ?? null
    case 'nodes': return 'id@host:port,…'
  }
}

function numberText(digits: string): string {
  return Number(digits) === Number.MAX_SAFE_INTEGER ? '2^53-1' : digits
}

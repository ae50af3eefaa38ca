// Names of the files and directories of a partition log, as Kafka spells them: made here and parsed here only.

/** Kinds of files that belong to the offset in their name. */
export const LOG_SUFFIX = '.log'
export const INDEX_SUFFIX = '.index'
export const TIME_INDEX_SUFFIX = '.timeindex'
export const TXN_INDEX_SUFFIX = '.txnindex'
export const SNAPSHOT_SUFFIX = '.snapshot'
/** Behind a whole file name: waits for its removal; output of an unfinished compaction. */
export const DELETED_SUFFIX = '.deleted'
export const CLEANED_SUFFIX = '.cleaned'
/** A small file that is being written, before it takes its name. */
export const TEMPORARY_SUFFIX = '.tmp'

const KINDS = [LOG_SUFFIX, INDEX_SUFFIX, TIME_INDEX_SUFFIX, TXN_INDEX_SUFFIX, SNAPSHOT_SUFFIX] as const
export type OffsetFileSuffix = typeof KINDS[number]

const OFFSET_DIGITS = 20
const OFFSET_FILE = /^(\d{20})(\.[a-z]+)$/
const NAME_LENGTH_MAX = 255

export interface OffsetFile { readonly offset: number; readonly suffix: OffsetFileSuffix }

/** `00000000000000000042.log` for (42, '.log'). */
export function offsetFileName(offset: number, suffix: OffsetFileSuffix): string {
  return String(offset).padStart(OFFSET_DIGITS, '0') + suffix
}

/** The offset and kind of a file name; undefined for every other name, also for `….log.deleted`. */
export function parseOffsetFileName(name: string): OffsetFile | undefined {
  const match = OFFSET_FILE.exec(name)
  const suffix = KINDS.find((kind) => kind === match?.[2])
  const offset = Number(match?.[1])
  return suffix === undefined || !Number.isSafeInteger(offset) ? undefined : { offset, suffix }
}

/** True for what a crash left behind: files on their way out, and files that were not finished. */
export function isLeftover(name: string): boolean {
  return [DELETED_SUFFIX, CLEANED_SUFFIX, TEMPORARY_SUFFIX].some((suffix) => name.endsWith(suffix))
}

/** Why a partition directory is not in use: it waits for removal, or its replica is not assigned to this broker. */
export type DirFate = 'delete' | 'stray'

export interface PartitionDir {
  readonly topic: string
  readonly partition: number
  /** Undefined for a directory in use. With a fate the topic may be cut short: the name has a maximal length. */
  readonly fate: DirFate | undefined
}

/** `orders-eu-3` for ('orders-eu', 3). */
export function partitionDirName(topic: string, partition: number): string {
  return `${topic}-${partition}`
}

/** `orders-3.HEX-delete`: `id` (32 hex digits) keeps apart directories of topics that had the same name. */
export function fatedDirName(topic: string, partition: number, id: string, fate: DirFate): string {
  const tail = `-${partition}.${id}-${fate}`
  return topic.slice(0, NAME_LENGTH_MAX - tail.length) + tail
}

const PARTITION_DIR = /^([A-Za-z0-9._-]+)-(0|[1-9]\d{0,9})$/
const FATED_DIR = /^(.+)\.[0-9a-f]{32}-(delete|stray)$/

/** What a directory name says; undefined when it is none of a partition. Topics may contain dashes and dots. */
export function parsePartitionDir(name: string): PartitionDir | undefined {
  const fated = FATED_DIR.exec(name)
  const plain = PARTITION_DIR.exec(fated?.[1] ?? name)
  const partition = Number(plain?.[2])
  if (plain?.[1] === undefined || partition > 0x7fffffff) return undefined
  return { topic: plain[1], partition, fate: fated === null ? undefined : fated[2] as DirFate }
}

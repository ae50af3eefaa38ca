// Kafka's own DumpLogSegments: where its jars come from, how it is run, and what it says, taken apart.

import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { repoPath } from '../support/paths.ts'
import { run, tailOf, versionOf, type Ended } from './foreign.ts'

const POM = 'test/interop/kafka/pom.xml'
const JAVA_MIN = 17
const INSTALL_MS = 300_000
const DUMP_MS = 120_000
const HOW = 'install Maven, or set KAFKA_CLASSPATH to the jars of a Kafka 4 (`…/libs/*`)'

export type Found = { readonly classpath: string } | { readonly missing: string }

/** The class path from KAFKA_CLASSPATH, or with jars that Maven brings into .cache/kafka; or why there is none. */
export async function findKafka(): Promise<Found> {
  const java = versionOf('java', '-version')
  if (java === undefined) return { missing: `no java on the PATH (${JAVA_MIN} or newer is needed)` }
  const major = Number(/version "(\d+)/.exec(java)?.[1] ?? 0)
  if (major < JAVA_MIN) return { missing: `Java ${major} is too old, ${JAVA_MIN} or newer is needed` }
  const given = process.env['KAFKA_CLASSPATH']
  if (given !== undefined && given !== '') return { classpath: given }
  // A changed list of jars goes to a directory of its own; one with a name is complete.
  const stamp = createHash('sha256').update(readFileSync(repoPath(POM))).digest('hex').slice(0, 16)
  const libs = repoPath('.cache/kafka', stamp)
  if (existsSync(libs)) return { classpath: join(libs, '*') }
  if (versionOf('mvn', '--version') === undefined) return { missing: `no Kafka jars and no mvn on the PATH: ${HOW}` }
  const partial = `${libs}.partial`
  rmSync(partial, { recursive: true, force: true })
  mkdirSync(partial, { recursive: true })
  const got = await run('mvn', ['--quiet', '--batch-mode', '-Dstyle.color=never', '--file', repoPath(POM),
    'dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${partial}`],
  { timeoutMs: INSTALL_MS })
  if (got.code !== 0) return { missing: `Maven did not deliver Kafka's jars: ${HOW}\n${tailOf(got)}` }
  renameSync(partial, libs)
  return { classpath: join(libs, '*') }
}

/** Runs DumpLogSegments over `files`. It exits with 0 even when it finds fault: read `complaints`. */
export function dumpLogSegments(classpath: string, files: readonly string[], ...flags: string[]): Promise<Ended> {
  return run('java', ['-Xmx256m', '-XX:TieredStopAtLevel=1', '-cp', classpath,
    'org.apache.kafka.tools.DumpLogSegments', ...flags, '--files', files.join(',')], { timeoutMs: DUMP_MS })
}

/** One record as the tool prints it; -1 is the size of null. */
export interface DumpedRecord {
  readonly offset: number
  readonly timestampType: string
  readonly timestamp: number
  readonly keySize: number
  readonly valueSize: number
  /** `[a,b]`. */
  readonly headerKeys: string
  /** Key and value as text, or what a control record says. */
  readonly rest: string
}

export interface DumpedBatch {
  readonly baseOffset: number
  readonly codec: string
  readonly leaderEpoch: number
  readonly isControl: boolean
  readonly isValid: boolean
  readonly records: DumpedRecord[]
}

/** What the tool printed about each file, by path; of index files and snapshots only the other lines. */
export interface DumpedFile {
  readonly batches: DumpedBatch[]
  readonly lines: string[]
}

const BATCH = new RegExp('^baseOffset: (\\d+) .* partitionLeaderEpoch: (-?\\d+) .* isControl: (true|false) '
  + '.* compresscodec: (\\w+) .* isvalid: (true|false)$')
const RECORD = new RegExp('^\\| offset: (\\d+) (\\w+): (-?\\d+) keySize: (-?\\d+) valueSize: (-?\\d+)'
  + '(?: sequence: -?\\d+)?(?: headerKeys: (\\[[^\\]]*\\]))?(.*)$')

export function parseDump(out: string): ReadonlyMap<string, DumpedFile> {
  const files = new Map<string, DumpedFile>()
  let file: DumpedFile = { batches: [], lines: [] }
  for (const line of out.split('\n')) {
    const name = /^Dumping (.*)$/.exec(line)?.[1]
    const batch = BATCH.exec(line)
    const record = RECORD.exec(line)
    if (name !== undefined) {
      file = { batches: [], lines: [] }
      files.set(name, file)
    } else if (batch !== null) {
      file.batches.push({
        baseOffset: Number(batch[1]), leaderEpoch: Number(batch[2]), isControl: batch[3] === 'true',
        codec: batch[4]!, isValid: batch[5] === 'true', records: [] })
    } else if (record !== null) {
      file.batches.at(-1)!.records.push({
        offset: Number(record[1]), timestampType: record[2]!, timestamp: Number(record[3]), keySize: Number(record[4]),
        valueSize: Number(record[5]), headerKeys: record[6] ?? '', rest: record[7]!.trim() })
    } else if (line !== '' && !/^Log starting offset: \d+$/.test(line)) file.lines.push(line)
  }
  return files
}

/**
 * Everything the tool found fault with. One remark is none: it calls the first record of every segment but the one at
 * offset 0 "non-consecutive" (`-1 is followed by BASE`), in the files of Kafka's own brokers, too.
 */
export function complaints({ code, out, err }: Ended): string[] {
  const found = code === 0 ? [] : [`exit code ${code}`]
  let base = -1
  for (const line of err.split('\n')) {
    const segment = /^Non-consecutive offsets in .*?(\d{20})\.log$/.exec(line)
    if (segment !== null) base = Number(segment[1])
    else if (line !== '' && !(base > 0 && line === `  -1 is followed by ${base}`)) found.push(line)
  }
  for (const line of out.split('\n')) {
    if (/isvalid: false|invalid bytes|corrupt|mismatch|exception|not found|unknown|ignoring/i.test(line)
      && !line.startsWith('| ')) found.push(line)
  }
  return found
}

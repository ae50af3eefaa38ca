// `weir produce`: lines or JSON Lines from stdin or a file into a topic.

import { createReadStream, statSync } from 'node:fs'

import type { Command } from 'commander'

import { weirError, WeirError } from '../../base/error-code.ts'
import type { CodecName, ProducerOptions, Weir } from '../../client/types.ts'
import { linesOf } from '../lines.ts'
import { fileError, integer, oneOf, unescaped, UsageError } from '../parse.ts'
import { bytesText, startProgress, type Progress } from '../progress.ts'
import { recordOfLine, SourceError, type RecordLine } from '../record-json.ts'
import { EXIT, option, type ExitCode, type Session, type Shell } from '../shell.ts'
import { Sending, type SendSummary } from '../sending.ts'
import { table } from '../table.ts'

const CODECS = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const satisfies readonly CodecName[]
const LATEST_REQUEST_MS = 300_000

interface Options {
  readonly file?: string
  readonly keySeparator?: string
  readonly jsonl?: boolean
  readonly partition?: number
  readonly acks: '0' | '1' | 'all'
  readonly compression: CodecName
  readonly idempotent?: boolean
}

export function addProduce(program: Command, shell: Shell): void {
  program.command('produce').argument('<topic>')
    .description('lines, or JSON Lines as `consume --format json` prints them, into a topic')
    .option('--file <path>', 'read this file instead of stdin')
    .option('--key-separator <text>', 'a line is KEY, this, VALUE; a line without it has no key', unescaped)
    .option('--jsonl', 'a line is {"key","value","headers","timestamp","partition"}; bytes that are no text: '
      + '{"base64":"…"}')
    .option('--partition <p>', 'send everything there', option(integer(0, 2 ** 31 - 1)))
    .option('--acks <acks>', '0, 1 or all in-sync replicas', option((text) => oneOf(['0', '1', 'all'], text)), 'all')
    .option('--compression <codec>', CODECS.join(', '), option((text) => oneOf(CODECS, text)), 'none')
    .option('--idempotent', 'no duplicates by retries (as it is anyway with --acks all)')
    .action(shell.verb(produce))
}

async function produce(session: Session, topic: string, options: Options): Promise<ExitCode> {
  check(options)
  const toRecord = options.jsonl === true ? jsonRecords(options) : textRecords(options)
  const { chunks, totalBytes } = source(session, options)
  const startedMs = session.around.nowMs()
  const weir = await session.connect()
  await checkPartition(weir, topic, options.partition)
  const sending = new Sending(weir.producer(producerOptions(session, options)), topic)
  const progress = await startProgress({
    total: totalBytes, what: topic, show: bytesText, terminal: session.around.bars,
    nowMs: session.around.nowMs, write: session.around.note })
  const failure = await pump({ session, chunks, toRecord, sending, progress })
  const summary = { ...sending.summary(), ms: Math.round(session.around.nowMs() - startedMs) }
  if (failure !== undefined) return session.fail(failure, summary)
  await session.print(summary, () => textOf(topic, summary))
  return EXIT.done
}

function check(options: Options): void {
  if (options.jsonl === true && options.keySeparator !== undefined) {
    throw new UsageError('--key-separator is for lines of text, --jsonl has keys of its own', 'leave one out')
  }
  if (options.keySeparator === '') throw new UsageError('--key-separator is empty')
  if (options.idempotent === true && options.acks !== 'all') {
    throw new UsageError(`--idempotent with --acks ${options.acks}`, 'it needs --acks all')
  }
}

function producerOptions(session: Session, options: Options): ProducerOptions {
  const { timeoutMs } = session
  return {
    acks: options.acks === 'all' ? 'all' : Number(options.acks) as 0 | 1, compression: options.compression,
    maxBlockMs: timeoutMs, deliveryTimeoutMs: timeoutMs, requestTimeoutMs: Math.min(timeoutMs, LATEST_REQUEST_MS)
  }
}

/** A topic or partition that is not there is refused before anything is read. */
async function checkPartition(weir: Weir, topic: string, partition: number | undefined): Promise<void> {
  const { partitions } = await weir.admin.describeTopic(topic)
  if (partition === undefined || partition < partitions.length) return
  throw weirError('UNKNOWN_TOPIC_OR_PARTITION',
    `topic ${topic} has partitions 0 to ${partitions.length - 1}, not ${partition}`,
    '`weir topic add-partitions` adds some')
}

// ---- input ------------------------------------------------------------------------------------------------

interface Source { readonly chunks: AsyncIterable<Uint8Array>; readonly totalBytes: number | undefined }

function source(session: Session, { file }: Options): Source {
  if (file === undefined) return { chunks: session.around.input, totalBytes: undefined }
  try {
    const stats = statSync(file)
    if (stats.isDirectory()) throw new UsageError(`--file ${file} is a directory`)
    return {
      // Opened by its reader: until then there is nobody to take an error.
      chunks: { [Symbol.asyncIterator]: () => opened(file)[Symbol.asyncIterator]() },
      // A pipe has no size that says anything.
      totalBytes: stats.isFile() ? stats.size : undefined
    }
  } catch (error) {
    throw fileError(`--file ${file}`, error)
  }
}

function opened(file: string): AsyncIterable<Uint8Array> { return createReadStream(file) }

/** Undefined: the line holds no record. */
type ToRecord = (line: Uint8Array) => RecordLine | undefined

function textRecords({ keySeparator, partition }: Options): ToRecord {
  const separator = keySeparator === undefined ? undefined : Buffer.from(keySeparator)
  const to = partition === undefined ? {} : { partition }
  return (line) => {
    const at = separator === undefined ? -1 : Buffer.from(line.buffer, line.byteOffset, line.length).indexOf(separator)
    if (separator === undefined || at < 0) return { key: null, value: line, headers: [], ...to }
    return { key: line.subarray(0, at), value: line.subarray(at + separator.length), headers: [], ...to }
  }
}

function jsonRecords({ partition }: Options): ToRecord {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const to = partition === undefined ? {} : { partition }
  return (line) => {
    let text: string
    try {
      text = decoder.decode(line)
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      throw new UsageError('no UTF-8', 'bytes that are no text are written {"base64": "…"}')
    }
    return text.trim() === '' ? undefined : { ...recordOfLine(text), ...to }
  }
}

// ---- the way through --------------------------------------------------------------------------------------

interface Way {
  readonly session: Session
  readonly chunks: AsyncIterable<Uint8Array>
  readonly toRecord: ToRecord
  readonly sending: Sending
  readonly progress: Progress
}

/** Answers what ended it early. Everything sent has arrived or failed then. */
async function pump(way: Way): Promise<unknown> {
  const { session, sending } = way
  const stop = new AbortController()
  const forget = session.around.onInterrupt((signal) => {
    session.note(`${signal}: waits for what was sent`)
    stop.abort()
  })
  try {
    const wrong = await sendAll(way, stop.signal)
    await sending.flush()
    return sending.failure ?? wrong
  } finally {
    forget()
    way.progress.stop()
  }
}

async function sendAll(way: Way, stop: AbortSignal): Promise<unknown> {
  const { sending, progress } = way
  const interrupted = new Promise<undefined>((resolve) => {
    stop.addEventListener('abort', () => { resolve(undefined) })
  })
  let bytesRead = 0
  const counted = async function* () {
    for await (const chunk of way.chunks) {
      bytesRead += chunk.length
      yield chunk
    }
  }
  const batches = linesOf(counted())
  let before = 0
  try {
    for (;;) {
      const next = await Promise.race([batches.next(), interrupted])
      if (next === undefined || next.done === true) return undefined
      await sendLines(way, next.value, before)
      if (sending.failure !== undefined || stop.aborted) return undefined
      before += next.value.length
      progress.update(bytesRead, `${sending.acknowledged} records`)
    }
  } catch (error) {
    if (error instanceof UsageError || error instanceof WeirError) return error
    const known = fileError('the input', error)
    if (known instanceof UsageError) return known
    throw error
  }
}

/** Stops at the first failure of a record sent. */
async function sendLines({ sending, toRecord }: Way, lines: readonly Uint8Array[], before: number): Promise<void> {
  for (const [index, line] of lines.entries()) {
    const record = recordAt(toRecord, line, before + index + 1)
    if (record !== undefined) sending.send(record)
    if (sending.full) await sending.room()
    if (sending.failure !== undefined) return
  }
}

function recordAt(toRecord: ToRecord, line: Uint8Array, lineNumber: number): RecordLine | undefined {
  try {
    return toRecord(line)
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`line ${lineNumber}: ${error.message}`, error.hint)
    if (!(error instanceof SourceError)) throw error
    throw weirError('INVALID_REQUEST', `the input ends with the error of what wrote it: ${error.message}`,
      'what came before it was sent')
  }
}

function textOf(topic: string, summary: SendSummary & { readonly ms: number }): string {
  const rows = Object.entries(summary.partitions).map(([partition, { baseOffset, lastOffset, records }]) =>
    [Number(partition), baseOffset < 0 ? undefined : baseOffset, lastOffset < 0 ? undefined : lastOffset, records])
  return `${summary.records} records (${bytesText(summary.bytes)}) to ${topic} in ${summary.ms} ms\n`
    + (rows.length === 0 ? '' : table(['partition', 'first offset', 'last offset', 'records'], rows))
}

// `weir consume`: the records of a topic to stdout, as text or as JSON Lines.

import type { Command } from 'commander'

import { weirError } from '../../base/error-code.ts'
import type { ConsumedRecord, Consumer, ConsumerOptions, Position, Weir } from '../../client/types.ts'
import { integer, oneOf, parseEndPosition, parsePosition } from '../parse.ts'
import { parsePrintFormat, type RecordText } from '../print-format.ts'
import { lineOfRecord } from '../record-json.ts'
import { option, type Session, type Shell } from '../shell.ts'

const POLL_MS = 200
const DEFAULT_PRINT = '%p:%o\\t%k\\t%v'
const ISOLATIONS = ['read_committed', 'read_uncommitted'] as const

interface Options {
  readonly partition?: number
  readonly from?: Position
  readonly until?: Position
  readonly max?: number
  readonly group?: string
  readonly isolation: (typeof ISOLATIONS)[number]
  readonly print?: RecordText
}

export function addConsume(program: Command, shell: Shell): void {
  program.command('consume').argument('<topic>')
    .description('records of a topic; goes on until --until, --max or SIGINT')
    .option('--partition <p>', 'this one only', option(integer(0, 2 ** 31 - 1)))
    .option('--from <position>', 'start, end, OFFSET, @TIME, or -N for N records before the end of each partition '
      + '(default: start with --until, else end)', option(parsePosition))
    .option('--until <position>', 'end (as of now), OFFSET or @TIME, exclusive', option(parseEndPosition))
    .option('--max <n>', 'stop after so many records', option(integer(1, Number.MAX_SAFE_INTEGER)))
    .option('--group <group>', 'not in this release')
    .option('--isolation <level>', `${ISOLATIONS.join(' or ')}: the same while there are no transactions`,
      option((text) => oneOf(ISOLATIONS, text)), 'read_committed')
    .option('--print <format>', `text form of a record: %t topic, %p partition, %o offset, %T timestamp, %k key, `
      + `%v value, %h headers, %%; \\n \\t \\0 (default: ${DEFAULT_PRINT})`, option(parsePrintFormat))
    .action(shell.verb(consume))
}

async function consume(session: Session, topic: string, options: Options): Promise<void> {
  const weir = await session.connect()
  await checkTopic(weir, topic, options.partition)
  const consumer = weir.consumer(consumerOptions(topic, options))
  const stop = new AbortController()
  const forget = session.around.onInterrupt(() => {
    stop.abort()
    void consumer.close()
  })
  const text = session.json ? lineOfRecord : options.print ?? parsePrintFormat(DEFAULT_PRINT)
  try {
    let left = options.max ?? Infinity
    let quietSinceMs = session.around.nowMs()
    while (!stop.signal.aborted && left > 0 && !consumer.finished) {
      const records = await polled(consumer, stop.signal)
      if (records.length > 0) quietSinceMs = session.around.nowMs()
      else if (options.until === 'end') checkQuiet(session, topic, quietSinceMs)
      const taken = records.length > left ? records.slice(0, left) : records
      left -= taken.length
      if (taken.length > 0) await session.around.out(linesOf(taken, text))
    }
  } finally {
    forget()
    await consumer.close()
  }
}

/** A poll that the interrupt cuts short ends in nothing. */
async function polled(consumer: Consumer, stop: AbortSignal): Promise<readonly ConsumedRecord[]> {
  try {
    return await consumer.poll(POLL_MS)
  } catch (error) {
    if (stop.aborted) return []
    throw error
  }
}

function linesOf(records: readonly ConsumedRecord[], text: (record: ConsumedRecord) => string): string {
  return records.map((record) => `${text(record)}\n`).join('')
}

function consumerOptions(topic: string, options: Options): ConsumerOptions {
  return {
    ...(options.partition === undefined ? { topics: [topic] }
      : { partitions: [{ topic, partition: options.partition }] }),
    from: options.from ?? (options.until === undefined ? 'end' : 'start'),
    ...(options.until === undefined ? {} : { until: options.until }),
    ...(options.group === undefined ? {} : { group: options.group })
  }
}

/** What is not there is refused at once; it could come to be, but nobody waits for it here. */
async function checkTopic(weir: Weir, topic: string, partition: number | undefined): Promise<void> {
  const { partitions } = await weir.admin.describeTopic(topic)
  if (partition === undefined || partition < partitions.length) return
  throw weirError('UNKNOWN_TOPIC_OR_PARTITION',
    `topic ${topic} has partitions 0 to ${partitions.length - 1}, not ${partition}`)
}

/** All that was there at the start can be read now: silence means that somebody is gone. */
function checkQuiet(session: Session, topic: string, sinceMs: number): void {
  if (session.around.nowMs() - sinceMs < session.timeoutMs) return
  throw weirError('REQUEST_TIMED_OUT', `no more records of ${topic} came within ${session.timeoutMs} ms`,
    'look at `weir partition list --unhealthy`, or allow more time with --timeout')
}

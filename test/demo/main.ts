// `make demo`: 3 controllers, 3 brokers and real flights. Half-way through the feed the broker that leads most is
// killed with SIGKILL; then everything is read back and compared. Exits 1 when anything differs.
//
// DEMO_DATA=DIR keeps the files of the cluster in DIR.

import { setTimeout as sleep } from 'node:timers/promises'

import type { CodecName, ConsumedRecord, Weir } from '../../src/client/types.ts'
import { connect } from '../../src/client/index.ts'
import { LocalCluster } from '../../src/cli/local-cluster.ts'
import { startProgress, type Progress } from '../../src/cli/progress.ts'
import { dateMs, delays, flights, hashOf, type Flight } from './flights.ts'

const FEED_RATE = 4_000
const TICK_MS = 5
const DOWN_MS = 2_000
const LOOKUP = '2001/02/14 00:00'
const CODECS: readonly CodecName[] = ['none', 'gzip', 'snappy', 'lz4', 'zstd']

let faults = 0

function say(text: string): void { process.stdout.write(`${text}\n`) }

function check(what: string, holds: boolean): void {
  if (!holds) faults++
  say(`  ${holds ? 'yes' : 'NO '}  ${what}`)
}

function number(value: number): string { return Math.round(value).toLocaleString('en-US') }

function progress(what: string, total: number): Promise<Progress> {
  return startProgress({
    total, what, show: (done) => `${number(done)} records`, terminal: process.stderr.isTTY,
    nowMs: () => performance.now(), write: (text) => { process.stderr.write(text) } })
}

async function main(): Promise<void> {
  say('Starting 3 controllers and 3 brokers …')
  const data = process.env['DEMO_DATA']
  const cluster = await LocalCluster.start({
    controllers: 3, brokers: 3, port: 'free', ...(data === undefined ? {} : { data }) })
  process.once('SIGINT', () => {
    cluster.killAll()
    process.exit(1)
  })
  try {
    say(`  ready in ${number(cluster.readyMs)} ms, data in ${cluster.data}`)
    const weir = await connect({ bootstrap: cluster.bootstrap })
    await playFeed(cluster, weir)
    await loadRows(weir)
    await weir.close()
  } finally {
    await cluster.close()
  }
  say(faults === 0 ? '\nEverything is there.' : `\n${faults} checks FAILED.`)
  process.exitCode = faults === 0 ? 0 : 1
}

// ---- the live feed ------------------------------------------------------------------------------------------

/** Longest time between two acknowledgements of any one partition. */
class Gaps {
  readonly #last = new Map<number, number>()
  longestMs = 0

  acknowledged(partition: number, nowMs: number): void {
    this.longestMs = Math.max(this.longestMs, nowMs - (this.#last.get(partition) ?? nowMs))
    this.#last.set(partition, nowMs)
  }
}

async function playFeed(cluster: LocalCluster, weir: Weir): Promise<void> {
  const feed = flights()
  say(`\nPlaying ${number(feed.length)} flights of early 2001 as a live feed, ${number(FEED_RATE)} records/s, `
    + 'acks=all …')
  await weir.admin.createTopic({
    name: 'flights', partitions: 6, replicationFactor: 3,
    configs: { 'min.insync.replicas': '2', 'retention.ms': '-1' } })
  const gaps = await send(cluster, weir, feed)
  const out = await readAll(weir, 'flights')
  compare(feed, out)
  await lookup(weir, feed, out)
  say(`  longest write gap of one partition over the kill: ${number(gaps.longestMs)} ms`)
}

async function send(cluster: LocalCluster, weir: Weir, feed: readonly Flight[]): Promise<Gaps> {
  const producer = weir.producer({ acks: 'all', lingerMs: 1 })
  const bar = await progress('flights', feed.length)
  const gaps = new Gaps()
  const sends: Promise<void>[] = []
  let restarted: Promise<void> | undefined
  let acknowledged = 0
  const begunMs = performance.now()
  while (sends.length < feed.length) {
    const due = Math.min(feed.length, Math.floor((performance.now() - begunMs) * FEED_RATE / 1000))
    while (sends.length < due) {
      const { origin, departedMs, json } = feed[sends.length]!
      const flight = { topic: 'flights', key: origin, value: json, timestamp: departedMs }
      sends.push(producer.send(flight).then((delivery) => {
        gaps.acknowledged(delivery.partition, performance.now())
        bar.update(++acknowledged)
      }))
    }
    if (restarted === undefined && due >= feed.length / 2) restarted = killLeader(cluster, weir)
    await sleep(TICK_MS)
  }
  await Promise.all(sends)
  bar.stop()
  await producer.close()
  await restarted
  return gaps
}

/** Kills the broker that leads most partitions, and starts it again two seconds later. */
async function killLeader(cluster: LocalCluster, weir: Weir): Promise<void> {
  const { partitions } = await weir.admin.describeTopic('flights')
  const leads = (id: number) => partitions.filter(({ leader }) => leader === id).length
  const victim = [...cluster.brokers].sort((a, b) => leads(b.id) - leads(a.id))[0]!
  victim.kill('SIGKILL')
  say(`  kill -9 of broker ${victim.id} (pid ${victim.pid}), which leads ${leads(victim.id)} of 6 partitions`)
  await sleep(DOWN_MS)
  await victim.start()
  await victim.ready()
  say(`  broker ${victim.id} is back`)
}

async function readAll(weir: Weir, topic: string): Promise<readonly ConsumedRecord[]> {
  const consumer = weir.consumer({ topics: [topic], from: 'start', until: 'end' })
  const records: ConsumedRecord[] = []
  for await (const record of consumer) records.push(record)
  await consumer.close()
  return records
}

function textOf(bytes: Uint8Array | null): string { return bytes === null ? '' : Buffer.from(bytes).toString() }

function compare(feed: readonly Flight[], out: readonly ConsumedRecord[]): void {
  const values = out.map(({ value }) => textOf(value))
  say(`\n  records in ${number(feed.length)}, out ${number(out.length)}`)
  for (const partition of [...new Set(out.map((record) => record.partition))].sort((a, b) => a - b)) {
    say(`    partition ${partition}: ${number(out.filter((record) => record.partition === partition).length)}`)
  }
  check(`as many out as in (${number(feed.length)})`, out.length === feed.length)
  const [input, output] = [hashOf(feed.map(({ json }) => json)), hashOf(values)]
  say(`  SHA-256 of the sorted input  ${input}\n  SHA-256 of the sorted output ${output}`)
  check('the hashes are equal', input === output)
  const origins = [...new Set(feed.map(({ origin }) => origin))]
  const sent = grouped(feed.map(({ origin, json }) => [origin, json]))
  const received = grouped(out.map(({ key, value }) => [textOf(key), textOf(value)]))
  check(`the flights of each of ${origins.length} airports are in the order they were sent`,
    origins.every((origin) => sent.get(origin)!.join('\n') === received.get(origin)?.join('\n')))
}

function grouped(pairs: readonly (readonly [string, string])[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>()
  for (const [key, value] of pairs) {
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [value])
    else group.push(value)
  }
  return groups
}

/** The first flight from a date on, found by the time index and in the file. */
async function lookup(weir: Weir, feed: readonly Flight[], out: readonly ConsumedRecord[]): Promise<void> {
  const fromMs = dateMs(LOOKUP)
  const found = await weir.admin.offsets('flights', { timestamp: fromMs })
  const exact = found.every(({ partition, offset }) => {
    const later = out.filter((record) => record.partition === partition && record.timestamp >= fromMs)
    return later.length === 0 || Math.min(...later.map((record) => record.offset)) === offset
  })
  const firstMs = Math.min(...found.filter(({ timestamp }) => timestamp >= 0).map(({ timestamp }) => timestamp))
  const expected = feed.find(({ departedMs }) => departedMs >= fromMs)!
  check(`first flight from ${LOOKUP} on, by offset lookup in each partition, is that of the file `
    + `(${new Date(firstMs).toISOString()})`, exact && firstMs === expected.departedMs)
}

// ---- the bulk load ------------------------------------------------------------------------------------------

async function loadRows(weir: Weir): Promise<void> {
  const rows = delays()
  say(`\nLoading ${number(rows.length)} rows as fast as it goes, one fifth in each codec (${CODECS.join(', ')}), `
    + 'acks=all …')
  await weir.admin.createTopic({ name: 'delays', partitions: 6, replicationFactor: 3 })
  const bar = await progress('delays', rows.length)
  const begunMs = performance.now()
  const share = Math.ceil(rows.length / CODECS.length)
  let sent = 0
  for (const [index, codec] of CODECS.entries()) {
    const producer = weir.producer({ acks: 'all', compression: codec, lingerMs: 5 })
    let last: Promise<unknown> = Promise.resolve()
    for (const value of rows.slice(index * share, (index + 1) * share)) {
      last = producer.send({ topic: 'delays', value })
      last.catch(() => { faults++ })
      if (++sent % 2_000 === 0) {
        await last
        bar.update(sent)
      }
    }
    await producer.close()
  }
  const seconds = (performance.now() - begunMs) / 1000
  bar.stop()
  say(`  ${number(rows.length / seconds)} records/s (${seconds.toFixed(2)} s)`)
  const readMs = performance.now()
  const out = await readAll(weir, 'delays')
  say(`  read back at ${number(out.length / ((performance.now() - readMs) / 1000))} records/s`)
  check(`as many out as in (${number(rows.length)})`, out.length === rows.length)
  check('the hashes are equal', hashOf(rows) === hashOf(out.map(({ value }) => textOf(value))))
}

await main()

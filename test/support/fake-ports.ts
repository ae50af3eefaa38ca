// The ports of one node in a test: virtual time, a fake network, disk and stores in memory that outlive the node.

import { seededRandom } from '../../src/base/seeded-random.ts'
import type { LogFields, Logger, Metrics, OpenKeyValueStore, Ports } from '../../src/ports.ts'
import { MemoryDisk } from '../../src/testing/memory-disk.ts'
import { memoryStores, type MemoryStores } from '../../src/testing/memory-kv.ts'
import type { FakeNetwork } from './fake-network.ts'
import type { FakeTime } from './fake-time.ts'

export interface LogLine { readonly level: string; readonly text: string; readonly fields: LogFields }

/** Keeps every line. */
export class FakeLogger implements Logger {
  readonly lines: LogLine[] = []
  debug(text: string, fields: LogFields = {}): void { this.lines.push({ level: 'debug', text, fields }) }
  info(text: string, fields: LogFields = {}): void { this.lines.push({ level: 'info', text, fields }) }
  warn(text: string, fields: LogFields = {}): void { this.lines.push({ level: 'warn', text, fields }) }
  error(text: string, fields: LogFields = {}): void { this.lines.push({ level: 'error', text, fields }) }
  with(): Logger { return this }
  texts(level: string): string[] { return this.lines.filter((line) => line.level === level).map(({ text }) => text) }
}

export const noMetrics: Metrics = { count: () => {}, gauge: () => {}, observe: () => {} }

/** What survives a restart. */
export interface FakeData {
  readonly disk: MemoryDisk
  readonly stores: MemoryStores
  readonly openKeyValueStore: OpenKeyValueStore
}

export function fakeData(time: FakeTime): FakeData {
  const stores = memoryStores()
  return {
    disk: new MemoryDisk({ defer: (done) => { time.soon(done) } }),
    stores,
    openKeyValueStore: async (path) => {
      const store = await stores.open(path)
      return {
        get: (key) => time.io(store.get(key)),
        write: (batch, durability) => time.io(store.write(batch, durability)),
        range: (from, to, limit) => time.io(store.range(from, to, limit)),
        close: () => store.close()
      }
    }
  }
}

export interface FakePorts extends Ports {
  readonly logger: FakeLogger
  /** Why this node died. */
  readonly deaths: { readonly reason: string; readonly cause: unknown }[]
}

export function fakePorts(options: {
  readonly time: FakeTime; readonly network: FakeNetwork; readonly name: string; readonly data: FakeData
  readonly seed: number
}): FakePorts {
  const { time, network, name, data, seed } = options
  const deaths: FakePorts['deaths'] = []
  return {
    clock: time, timers: time, random: seededRandom(seed), disk: data.disk,
    openKeyValueStore: data.openKeyValueStore, network: network.node(name), logger: new FakeLogger(),
    metrics: noMetrics, deaths,
    die: (reason, cause) => {
      deaths.push({ reason, cause })
      network.kill(name)
    }
  }
}

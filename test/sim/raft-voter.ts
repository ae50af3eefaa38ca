// One controller of the bare Raft simulator: the real driver, core and store on a disk in memory. Its I/O ends, its
// timers fire and its turns run when the world says so; it may die between any two of them.

import { RaftDriver, type RaftDriverNeeds } from '../../controller/raft-driver.ts'
import type { Message, Standing } from '../../controller/raft/types.ts'
import { STATE_KEY, decodeState } from '../../controller/store/log-codec.ts'
import { RaftStore, type Change } from '../../controller/store/raft-store.ts'
import { noop } from '../../src/base/async.ts'
import { WeirError } from '../../src/base/error-code.ts'
import type { SeededRandom } from '../../src/base/seeded-random.ts'
import { DiskError, type Logger, type Metrics, type Timers } from '../../src/ports.ts'
import { MemoryDisk } from '../../src/testing/memory-disk.ts'
import { memoryStores, type MemoryStores } from '../../src/testing/memory-kv.ts'
import type { Applied, RaftOracle, Shadow, Watched } from './raft-oracle.ts'

export interface VoterSettings {
  readonly voters: readonly number[]
  readonly electionMs: number
  readonly snapshotEntries: number
  readonly tuning: RaftDriverNeeds['tuning']
}

export interface VoterNeeds {
  readonly settings: VoterSettings
  readonly random: SeededRandom
  oracle(): RaftOracle
  sent(message: Message): void
  /** Counts something that a run should have seen. */
  mark(what: string): void
  /** What cannot be thrown where it happens. */
  broken(error: unknown): void
}

const DIR = '/data'
const META = '/data/meta'
const TICK_MS = 1
const NO_STANDING: Standing = { mark: 0, voice: false, founders: [] }

const silent: Logger = { debug: noop, info: noop, warn: noop, error: noop, with: () => silent }
const noMetrics: Metrics = { count: noop, gauge: noop, observe: noop }

export class SimVoter implements Watched {
  readonly id: number
  readonly #needs: VoterNeeds
  #disk!: MemoryDisk
  #stores!: MemoryStores
  #driver: RaftDriver | undefined
  shadow: Shadow = emptyShadow()
  readonly ghosts: Shadow[] = []
  seen = { commit: 0, applied: 0 }
  failed = false
  machine: Applied = { index: 0, hash: 0 }
  /** Down, opening its store, or running. */
  state: 'down' | 'opening' | 'up' = 'down'
  /** Its LevelDB is an older copy: it may be refused, and must be when it lacks a write that was acknowledged. */
  #restored = false
  #amnesiac = false
  /** Number of the last write that was acknowledged. */
  #acknowledged = 0
  #life = 0
  #pending: Change | undefined
  /** Oldest first; one device each. */
  #diskIo: (() => void)[] = []
  #kvIo: (() => void)[] = []
  #turns: (() => void)[] = []
  #tick: (() => void) | undefined

  constructor(id: number, needs: VoterNeeds) {
    this.id = id
    this.#needs = needs
    this.wipe()
  }

  /** It has a voice, and the store that was given it. */
  get trusted(): boolean { return this.shadow.standing.voice && !this.#restored }
  get driver(): RaftDriver | undefined { return this.#driver }
  get status() { return this.#driver?.status() }
  get pendingIo(): number { return this.#diskIo.length + this.#kvIo.length }
  get pendingTurns(): number { return this.#turns.length }

  durableState(): Uint8Array | undefined { return this.#stores.durable(META, STATE_KEY) }

  // ---- life -------------------------------------------------------------------------------------------------

  /** An empty data directory, while it is down. */
  wipe(): void {
    this.#disk = new MemoryDisk({ defer: (done) => { this.#diskIo.push(done) } })
    this.#stores = memoryStores({ defer: (done) => { this.#kvIo.push(done) } })
    if (this.shadow.standing.voice) this.ghosts.push(this.shadow)
    this.shadow = emptyShadow()
    this.#pending = undefined
    this.#restored = false
    this.#amnesiac = false
    this.#acknowledged = 0
  }

  /** Begins to open the store; done when its I/O is. */
  start(): void {
    const life = ++this.#life
    const { settings, random } = this.#needs
    this.state = 'opening'
    this.failed = false
    this.seen = { commit: 0, applied: 0 }
    this.machine = { index: 0, hash: 0 }
    const opening = RaftStore.open({
      disk: this.#disk, openKeyValueStore: this.#stores.open, dir: DIR, nodeId: this.id, clusterId: 'c',
      votersHash: settings.voters.join(), logger: silent, random })
    opening.then((store) => { if (life === this.#life) this.#run(store, life) })
      .catch((error: unknown) => { if (life === this.#life) this.#refused(error) })
  }

  #refused(error: unknown): void {
    const expected = this.#restored && error instanceof WeirError && error.name === 'KAFKA_STORAGE_ERROR'
    if (error instanceof DiskError && error.code !== 'EBUSY') {
      // A planted fault: this process ends.
      this.#needs.mark('failedStarts')
      this.die('kill')
      return
    }
    if (!expected) {
      this.#needs.broken(error)
      return
    }
    this.#needs.mark('refused')
    this.die('kill')
    this.wipe()
  }

  #run(store: RaftStore, life: number): void {
    const { settings, random } = this.#needs
    if (this.#amnesiac) throw new Error(`R14: node ${this.id} starts with an older store`)
    if (this.shadow.standing.mark === 0) this.shadow.standing = store.loaded.standing
    this.#restored = false
    this.#needs.oracle().opened(this, store.loaded, this.#pending)
    this.#pending = undefined
    this.#record(store, life)
    this.#driver = new RaftDriver({
      nodeId: this.id, voters: settings.voters, timers: this.#timers(), random, logger: silent, metrics: noMetrics,
      store, heartbeatIntervalMs: 3 * TICK_MS, electionTimeoutMs: settings.electionMs, snapshotBytes: 1e9,
      snapshotEntries: settings.snapshotEntries, tuning: settings.tuning ?? {},
      send: (messages) => {
        for (const message of messages) {
          this.#needs.oracle().leaves(this, message)
          this.#needs.sent(message)
        }
      },
      die: (_reason, cause) => {
        if (cause instanceof DiskError) {
          this.#needs.mark('failedWrites')
          this.failed = true
        } else this.#needs.broken(cause)
      }
    }, {
      leadershipChanged: noop,
      committed: (entries) => {
        const oracle = this.#needs.oracle()
        oracle.check(this)
        for (const entry of entries) this.machine = oracle.applied(this.id, this.machine, entry)
      },
      takeSnapshot: () => {
        this.#needs.mark('snapshots')
        return { index: this.machine.index, data: new TextEncoder().encode(JSON.stringify(this.machine)) }
      },
      restore: (_index, data) => {
        this.machine = JSON.parse(new TextDecoder().decode(data)) as Applied
        this.#needs.oracle().restored(this.id, this.machine)
      } })
    this.state = 'up'
    this.#driver.start()
  }

  /** Tells the oracle of each write, before and after. */
  #record(store: RaftStore, life: number): void {
    const save = store.save.bind(store)
    store.save = async (change) => {
      if (this.#pending !== undefined) throw new Error(`node ${this.id} writes while it writes`)
      this.#needs.oracle().saving(this, change)
      this.#pending = change
      await save(change)
      if (life !== this.#life) return
      this.#pending = undefined
      this.#acknowledged = this.#sequence()
      if (change.snapshot !== undefined) this.#needs.mark('installed')
      if ((change.entries[0]?.index ?? Infinity) <= this.shadow.terms.length) this.#needs.mark('replaced')
      const { standing } = change
      if (standing?.voice === true) this.#needs.mark(standing.founders.length > 0 ? 'founded' : 'admitted')
      this.#needs.oracle().saved(this, change)
    }
  }

  /** By a kill what was written stays, by a power loss what was synced. */
  die(how: 'kill' | 'power'): void {
    this.#life++
    if (this.#pending !== undefined) this.#needs.mark('lostWrites')
    this.#driver = undefined
    this.state = 'down'
    this.#diskIo = []
    this.#kvIo = []
    this.#turns = []
    this.#tick = undefined
    if (how === 'kill') {
      this.#disk.kill()
      this.#stores.kill(META)
    } else {
      this.#disk.losePower()
      this.#stores.losePower(META)
    }
  }

  /** Both while it is down after a power loss: the result puts LevelDB back as it is now; the witness stays. */
  copyOfLevel(): () => void {
    const then = this.#sequence()
    const [stores, back] = [this.#stores, this.#stores.copy(META)]
    return () => {
      // Another disk by now.
      if (stores !== this.#stores) return
      back()
      this.#restored = true
      this.#amnesiac = then < this.#acknowledged
    }
  }

  /** Of the state record that a power loss would leave. */
  #sequence(): number {
    const bytes = this.durableState()
    const state = bytes === undefined ? undefined : decodeState(bytes)
    return state?.ok === true ? state.value.sequence : 0
  }

  plantFault(which: number): void {
    if (which === 0) this.#stores.failNextWrite(META, 'EIO')
    else if (which === 1) this.#disk.failNext('sync', /witness$/, 'EIO')
    else this.#disk.failNext('write', /snapshot/, 'ENOSPC')
  }

  // ---- what the world lets happen ---------------------------------------------------------------------------

  tick(): void {
    const fire = this.#tick
    this.#tick = undefined
    fire?.()
  }

  runTurns(): void { for (const turn of this.#turns.splice(0)) turn() }

  /** The oldest I/O of one of its devices is done. */
  endIo(which: number): void {
    const [first, second] = which === 0 ? [this.#diskIo, this.#kvIo] : [this.#kvIo, this.#diskIo]
    const done = first.shift() ?? second.shift()
    done?.()
  }

  read(): void {
    const { driver } = this
    const oracle = this.#needs.oracle()
    const floor = oracle.committed
    const life = this.#life
    driver?.readBarrier().then(() => {
      if (life !== this.#life) return
      this.#needs.mark('reads')
      oracle.read(this.id, floor, this.machine)
    }, noop).catch((error: unknown) => { this.#needs.broken(error) })
  }

  #timers(): Timers {
    return {
      after: (delayMs, fire) => {
        // Time-outs of reads never come: only ticks are of interest.
        if (delayMs === TICK_MS) this.#tick = fire
        return { id: fire }
      },
      cancel: ({ id }) => { if (this.#tick === id) this.#tick = undefined },
      soon: (run) => { this.#turns.push(run) }
    }
  }
}

function emptyShadow(): Shadow { return { term: 0, vote: 0, standing: NO_STANDING, terms: [], values: [] } }

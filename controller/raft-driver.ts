// Runs the Raft core on real ports: turns timers into ticks, and each Ready into persist → send → apply, one at a time.
// Proposals of one turn share one Ready, and so one synced write. A failed write of Raft state ends the node.

import { deferred, withTimeout, type Deferred } from '../src/base/async.ts'
import { weirError } from '../src/base/error-code.ts'
import type { Logger, Metrics, Random, Timer, Timers } from '../src/ports.ts'
import type { CommittedEntry, Leadership } from './active-controller.ts'
import { RaftNode } from './raft/node.ts'
import type { Message, Ready, Snapshot, SnapshotMeta } from './raft/types.ts'
import type { RaftStore } from './store/raft-store.ts'

/** Ticks of one heartbeat interval. */
const HEARTBEAT_TICKS = 3
const TUNING = {
  maxInflightMessages: 64,
  maxAppendBytes: 1024 * 1024,
  /** Entries kept behind a snapshot, so that a slow follower need not take a whole one. */
  tailEntries: 1_000
}
const READ_TIMEOUT_MS = 2_000
const PENDING_READS_MAX = 10_000
/** Ticks after which a node without a voice says once more what it waits for. */
const REMINDER_TICKS = 500

export interface RaftDriverNeeds {
  readonly nodeId: number
  readonly voters: readonly number[]
  readonly timers: Timers
  readonly random: Random
  readonly logger: Logger
  readonly metrics: Metrics
  readonly store: RaftStore
  readonly heartbeatIntervalMs: number
  readonly electionTimeoutMs: number
  readonly snapshotBytes: number
  readonly snapshotEntries: number
  /** For tests; the defaults are those of production. */
  readonly tuning?: Partial<typeof TUNING>
  send(messages: readonly Message[]): void
  die(reason: string, cause: unknown): void
}

/** The state machine over the Raft log. */
export interface StateMachine {
  leadershipChanged(leadership: Leadership): void
  committed(entries: readonly CommittedEntry[]): void
  takeSnapshot(): { readonly index: number; readonly data: Uint8Array }
  restore(index: number, data: Uint8Array): void
}

export class RaftDriver {
  readonly #needs: RaftDriverNeeds
  readonly #machine: StateMachine
  readonly #node: RaftNode
  readonly #tuning: typeof TUNING
  readonly #reads = new Map<number, Deferred<void>>()
  #lastRead = 0
  #ticksWithoutVoice = 0
  #leadership: Leadership = { leaderId: -1, term: 0 }
  #applied: SnapshotMeta = { index: 0, term: 0 }
  #bytesSinceSnapshot = 0
  #snapshotIndex: number
  #timer: Timer | undefined
  /** A snapshot of this node's own that is being made durable, beside the loop. */
  #snapshotting: Promise<void> | undefined
  #running = false
  #scheduled = false
  #stopped = deferred<void>()
  /** No tick, message or Ready is handled any more: closed, or dead. */
  #closed = false

  constructor(needs: RaftDriverNeeds, machine: StateMachine) {
    this.#needs = needs
    this.#machine = machine
    const { hardState, standing, snapshot, entries } = needs.store.loaded
    this.#snapshotIndex = snapshot?.index ?? 0
    if (snapshot !== undefined) {
      this.#applied = { index: snapshot.index, term: snapshot.term }
      machine.restore(snapshot.index, snapshot.data)
    }
    this.#tuning = { ...TUNING, ...needs.tuning }
    const tickMs = this.#tickMs
    this.#node = new RaftNode({
      id: needs.nodeId, voters: needs.voters,
      electionTicks: Math.max(HEARTBEAT_TICKS + 1, Math.ceil(needs.electionTimeoutMs / tickMs)),
      heartbeatTicks: HEARTBEAT_TICKS, ...this.#tuning,
      random: (bound) => needs.random.below(bound), hardState, standing, entries, snapshot,
      applied: this.#applied.index })
  }

  get #tickMs(): number { return this.#needs.heartbeatIntervalMs / HEARTBEAT_TICKS }

  start(): void { this.#scheduleTick() }

  status(): ReturnType<RaftNode['status']> { return this.#node.status() }
  /** Some of `status`, for those who look often. */
  get raft(): Pick<RaftNode, 'term' | 'role' | 'commit'> { return this.#node }

  /**
   * Appends to the Raft log of this leader; false when it does not lead, or leads in another term than the state
   * machine knows of: `data` rests on what that term's log holds. Committed in a later turn only.
   */
  propose(data: Uint8Array): boolean {
    if (this.#closed || this.#node.term !== this.#leadership.term) return false
    const taken = this.#node.propose([data])
    this.#schedule()
    return taken !== undefined
  }

  /** Resolves when this node was proven to lead at some moment after the call; rejects with NOT_CONTROLLER. */
  readBarrier(): Promise<void> {
    const context = ++this.#lastRead
    const full = this.#closed || this.#reads.size >= PENDING_READS_MAX
    if (full || !this.#node.readIndex(context)) return Promise.reject(notLeading())
    const read = deferred<void>()
    this.#reads.set(context, read)
    this.#schedule()
    return withTimeout(this.#needs.timers, read.promise, READ_TIMEOUT_MS, notLeading)
      .finally(() => { this.#reads.delete(context) })
  }

  /** Hands leadership to `to`; false when this node does not lead or `to` is no other voter. */
  transfer(to: number): boolean {
    if (this.#closed) return false
    const begun = this.#node.transfer(to)
    this.#schedule()
    return begun
  }

  /** Messages of other controllers. */
  step(messages: readonly Message[]): void {
    if (this.#closed) return
    for (const message of messages) this.#node.step(message)
    this.#schedule()
  }

  /** The connection of `nodeId` to this node broke. */
  connectionLost(nodeId: number): void {
    if (!this.#closed) this.#node.leaderLost(nodeId)
  }

  unreachable(nodeId: number): void {
    if (this.#closed) return
    this.#node.reportUnreachable(nodeId)
    this.#schedule()
  }

  snapshotSent(nodeId: number, ok: boolean): void {
    if (this.#closed) return
    this.#node.reportSnapshot(nodeId, ok)
    this.#schedule()
  }

  /** Resolves when no write is under way any more. */
  async close(): Promise<void> {
    this.#halt()
    if (this.#running) await this.#stopped.promise
    await this.#snapshotting
  }

  #halt(): void {
    this.#closed = true
    if (this.#timer !== undefined) this.#needs.timers.cancel(this.#timer)
    this.#refuseReads()
  }

  #refuseReads(): void {
    for (const read of this.#reads.values()) read.reject(notLeading())
    this.#reads.clear()
  }

  /** After a failed write nothing is known of the disk, so nothing may be promised any more. */
  #die(error: unknown): void {
    if (this.#closed) return
    this.#halt()
    this.#needs.die('the Raft state could not be written or applied', error)
  }

  // ---- loop -----------------------------------------------------------------------------------------------

  #scheduleTick(): void {
    this.#timer = this.#needs.timers.after(this.#tickMs, () => {
      this.#scheduleTick()
      this.#node.tick()
      this.#remind()
      this.#schedule()
    })
  }

  /** In the log, now and then: why this node takes part in no election. */
  #remind(): void {
    if (this.#node.voice || ++this.#ticksWithoutVoice % REMINDER_TICKS !== 0) return
    const { leaderId, unheard, replaced } = this.#node.status()
    const waitsFor = leaderId > 0 ? 'to catch up with the leader'
      : replaced.length > 0 ? 'a leader: a data.dir was emptied. If this cluster never worked, empty those of all '
        + 'controllers; else start the controllers that have their data'
        : 'all controllers: the first start of a cluster needs each of them, later a majority will do'
    this.#needs.logger.warn('no vote yet', {
      waitsFor, unheard: unheard.join(), replaced: replaced.join() })
  }

  /** Runs the loop in a later turn, so that everything of this turn shares one Ready. */
  #schedule(): void {
    if (this.#running || this.#scheduled || this.#closed || !this.#node.hasReady()) return
    this.#scheduled = true
    this.#needs.timers.soon(() => {
      this.#scheduled = false
      if (!this.#closed) void this.#run()
    })
  }

  async #run(): Promise<void> {
    this.#running = true
    try {
      while (!this.#closed && this.#node.hasReady()) await this.#handle(this.#node.ready())
    } catch (error) {
      this.#die(error)
    } finally {
      this.#running = false
      if (this.#closed) this.#stopped.resolve()
    }
    this.#schedule()
  }

  async #handle(ready: Ready): Promise<void> {
    if (ready.standing?.voice === true) this.#needs.logger.info('this controller may vote')
    if (ready.early.length > 0) this.#needs.send(ready.early)
    this.#tellLeadership(ready)
    if (this.#mustSave(ready)) {
      await this.#needs.store.save({
        hardState: ready.hardState, standing: ready.standing, entries: ready.entries, snapshot: ready.snapshot })
      if (this.#closed) return
    }
    if (ready.messages.length > 0) this.#needs.send(ready.messages)
    if (ready.snapshot !== undefined) {
      const { index, term, data } = ready.snapshot
      this.#machine.restore(index, data)
      this.#applied = { index, term }
      this.#snapshotIndex = index
      this.#bytesSinceSnapshot = 0
    }
    if (ready.committed.length > 0) this.#apply(ready)
    for (const { context } of ready.reads) this.#reads.get(context)?.resolve()
    this.#node.advance(ready)
    this.#maybeSnapshot()
  }

  /** A commit index alone need not be durable: it is learned again from the leader. */
  #mustSave(ready: Ready): boolean {
    if (ready.entries.length > 0 || ready.snapshot !== undefined || ready.standing !== undefined) return true
    const { hardState } = ready
    if (hardState === undefined) return false
    const { saved } = this.#needs.store
    return hardState.term !== saved.term || hardState.vote !== saved.vote
  }

  #tellLeadership(ready: Ready): void {
    const leaderId = ready.leaderId === 0 ? -1 : ready.leaderId
    if (leaderId === this.#leadership.leaderId && ready.term === this.#leadership.term) return
    this.#leadership = { leaderId, term: ready.term }
    this.#needs.metrics.gauge('weir_raft_term', ready.term)
    this.#needs.logger.info('raft', { role: ready.role, term: ready.term, leaderId })
    this.#machine.leadershipChanged(this.#leadership)
    if (leaderId !== this.#needs.nodeId) this.#refuseReads()
  }

  #apply(ready: Ready): void {
    this.#machine.committed(ready.committed)
    const last = ready.committed.at(-1)!
    this.#applied = { index: last.index, term: last.term }
    for (const entry of ready.committed) this.#bytesSinceSnapshot += entry.data.length
    this.#needs.metrics.gauge('weir_raft_commit_index', last.index)
  }

  /** Takes the snapshot now and writes it beside the loop: heartbeats and votes do not wait for it. */
  #maybeSnapshot(): void {
    const entries = this.#applied.index - this.#snapshotIndex
    const due = this.#bytesSinceSnapshot >= this.#needs.snapshotBytes || entries >= this.#needs.snapshotEntries
    if (!due || entries === 0 || this.#snapshotting !== undefined) return
    const { index, data } = this.#machine.takeSnapshot()
    this.#snapshotIndex = index
    this.#bytesSinceSnapshot = 0
    this.#snapshotting = this.#saveSnapshot({ index, term: this.#applied.term, data })
      .catch((error: unknown) => { this.#die(error) })
      .finally(() => { this.#snapshotting = undefined })
  }

  async #saveSnapshot(snapshot: Snapshot): Promise<void> {
    await this.#needs.store.compactTo(snapshot, Math.max(1, snapshot.index + 1 - this.#tuning.tailEntries))
    if (this.#closed) return
    this.#node.compact(snapshot)
    this.#needs.logger.info('snapshot', { metadataOffset: snapshot.index, bytes: snapshot.data.length })
  }
}

function notLeading() {
  return weirError('NOT_CONTROLLER', 'this controller could not prove that it is the active one', 'ask again')
}

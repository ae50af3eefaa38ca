// A Raft node without I/O: `tick` and `step` change it, `ready` says what to persist, send and apply, `advance` that it
// was done. Synchronous; one Ready at a time, while messages and ticks may come at any moment.

import { assert } from '../../src/base/assert.ts'
import { campaign, handleVoteReply, handleVoteRequest, isTransferVote } from './candidate.ts'
import { beginFounding, handleCensus, missingOf, tickCensus } from './founding.ts'
import { handleAppend, handleHeartbeat, handleSnapshot, hearLeader } from './follower.ts'
import {
  advanceCommit, flushAppends, handleAppendReply, handleHeartbeatReply, handleSnapshotReply, readIndex,
  snapshotReported, tickLeader, transfer, unreachable
} from './leader.ts'
import { RaftLog } from './log.ts'
import { becomeFollower, inLease, initialState, send, type RaftState } from './state.ts'
import type { Entry, HardState, Message, MessageKind, RaftStatus, Ready, Role, Snapshot, Standing } from './types.ts'

/** Entries before a snapshot's end that stay in memory, so that a slow follower need not take the whole snapshot. */
const TAIL_ENTRIES = 1_000

const WITH_VOICE: Standing = { mark: 0, voice: true, founders: [] }

export interface RaftOptions {
  /** >= 1, one of `voters`. */
  readonly id: number
  readonly voters: readonly number[]
  /** A follower campaigns after electionTicks up to twice that without a leader. Above heartbeatTicks. */
  readonly electionTicks: number
  readonly heartbeatTicks: number
  /** Appends with entries that one follower may have unacknowledged. */
  readonly maxInflightMessages: number
  /** Of the entries in one append, with 24 bytes of framing each; a larger entry goes alone. */
  readonly maxAppendBytes: number
  /** Uniform integer in [0, bound). */
  readonly random: (bound: number) => number
  readonly hardState: HardState
  /** Default: one with a voice and no mark. */
  readonly standing?: Standing
  /** The newest one on disk, data included: followers may need it. */
  readonly snapshot: Snapshot | undefined
  /** All on disk; those that the snapshot covers are ignored. */
  readonly entries: readonly Entry[]
  /** The last entry that the state machine has, at least the snapshot's. */
  readonly applied: number
  /** Default 1 000. */
  readonly tailEntries?: number
}

export class RaftNode {
  readonly #state: RaftState
  readonly #tailEntries: number
  readonly #voters: ReadonlySet<number>
  /** As the last Ready had it. */
  #savedStanding: Standing
  /** Taken by `ready`, not yet advanced. */
  #outstanding: Ready | undefined
  /** As the last Ready had it. */
  #saved: HardState
  #told: { readonly role: string, readonly leaderId: number, readonly term: number }

  constructor(options: RaftOptions) {
    const { id, voters, hardState, electionTicks, heartbeatTicks, random } = options
    this.#voters = new Set(voters)
    assert(id >= 1 && this.#voters.has(id), `node ${id} is one of the voters ${voters.join(', ')}`)
    assert(heartbeatTicks >= 1 && electionTicks > heartbeatTicks,
      `electionTicks ${electionTicks} > heartbeatTicks ${heartbeatTicks} >= 1`)
    const log = new RaftLog(options.snapshot, options.entries, hardState.commit, options.applied)
    assert(hardState.term >= log.lastTerm, `term ${hardState.term} is not below ${log.lastTerm} of the last entry`)
    const peers = [...this.#voters].filter((voter) => voter !== id)
    const { maxInflightMessages, maxAppendBytes } = options
    const settings = {
      id, voters: [...this.#voters], peers, electionTicks, heartbeatTicks, maxInflightMessages, maxAppendBytes, random }
    const standing = options.standing ?? WITH_VOICE
    this.#state = initialState(settings, log, hardState.term, hardState.vote, standing)
    this.#savedStanding = standing
    beginFounding(this.#state)
    this.#tailEntries = options.tailEntries ?? TAIL_ENTRIES
    this.#saved = { term: hardState.term, vote: hardState.vote, commit: log.committed }
    this.#told = { role: 'follower', leaderId: 0, term: hardState.term }
  }

  tick(): void {
    const state = this.#state
    if (state.role === 'leader') {
      tickLeader(state)
      return
    }
    tickCensus(state)
    state.electionElapsed++
    if (state.electionElapsed < state.electionTimeout) return
    state.electionElapsed = 0
    campaign(state, false)
  }

  /** Of a peer, over a network that may lose, repeat and reorder. Buffers in it belong to the node from now on. */
  step(message: Message): void {
    const { settings } = this.#state
    if (message.to !== settings.id || message.from === settings.id || !this.#voters.has(message.from)) return
    if (message.kind === 'census') {
      handleCensus(this.#state, message)
      return
    }
    // Without a voice it has no say in elections: it only follows.
    if (!this.#state.standing.voice && !isOfLeader(message.kind)) return
    if (passesTermGate(this.#state, message)) dispatch(this.#state, message)
  }

  /** Appends an entry each; the buffers, none empty, belong to the node. Undefined: not leader, or handing over. */
  propose(datas: readonly Uint8Array[]): { first: number, last: number, term: number } | undefined {
    const { log, leadership, term } = this.#state
    if (leadership === undefined || leadership.transferee !== 0) return undefined
    assert(datas.length > 0 && datas.every((data) => data.length > 0), 'a proposal has data')
    const first = log.last + 1
    log.append(datas.map((data, at) => ({ index: first + at, term, data })))
    leadership.appendPending = true
    return { first, last: log.last, term }
  }

  /** The answer comes as `reads` of a Ready, unless leadership is lost. False: not leader. */
  readIndex(context: number): boolean {
    if (this.#state.leadership === undefined) return false
    readIndex(this.#state, context)
    return true
  }

  /** Hands leadership to another voter; given up after an election timeout. False: not leader, or `to` cannot. */
  transfer(to: number): boolean {
    return this.#state.leadership !== undefined && transfer(this.#state, to)
  }

  /**
   * The connection of the leader `id` broke: a hint that it is gone. Its lease ends here, and a campaign begins within
   * a few ticks; a leader that lives ends both with its next message. Votes stay as safe as ever.
   */
  leaderLost(id: number): void {
    const state = this.#state
    const { settings } = state
    if (state.role !== 'follower' || state.leaderId !== id) return
    state.electionElapsed = Math.max(state.electionElapsed, settings.electionTicks)
    const soon = state.electionElapsed + 1 + settings.random(Math.ceil(settings.electionTicks / 3))
    state.electionTimeout = Math.min(state.electionTimeout, soon)
  }

  /** Campaigns now, as if the election timer had run out. */
  campaign(): void { campaign(this.#state, false) }

  hasReady(): boolean {
    const { log, outbox, early, leadership, confirmedReads } = this.#state
    if (this.#outstanding !== undefined) return false
    return outbox.length > 0 || early.length > 0 || log.hasUnstable || log.pendingSnapshot !== undefined
      || log.applied < log.applicable || leadership?.appendPending === true || this.#hardStateChanged()
      || this.#state.standing !== this.#savedStanding || this.#roleChanged()
      || confirmedReads.some(({ index }) => index <= log.applicable)
  }

  /** Takes everything that is to be done. The next one only after `advance`. */
  ready(): Ready {
    assert(this.#outstanding === undefined, 'the last Ready was advanced')
    const state = this.#state
    const { log, role, leaderId, term, vote, leadership } = state
    if (leadership !== undefined) {
      flushAppends(state)
      leadership.readRoundOpen = false
    }
    const ready: Ready = {
      hardState: this.#hardStateChanged() ? { term, vote, commit: log.committed } : undefined,
      standing: state.standing === this.#savedStanding ? undefined : state.standing,
      entries: log.unstable(), snapshot: log.pendingSnapshot, messages: state.outbox, early: state.early,
      committed: log.toApply(), reads: state.confirmedReads.filter(({ index }) => index <= log.applicable), role,
      leaderId, term }
    state.outbox = []
    state.early = []
    state.confirmedReads = state.confirmedReads.filter(({ index }) => index > log.applicable)
    this.#saved = ready.hardState ?? this.#saved
    this.#savedStanding = state.standing
    this.#told = { role, leaderId, term }
    this.#outstanding = ready
    return ready
  }

  /** Everything in `ready` is durable and applied. */
  advance(ready: Ready): void {
    assert(this.#outstanding === ready, 'the Ready that was taken last is advanced')
    this.#outstanding = undefined
    const { log, role } = this.#state
    if (ready.snapshot !== undefined) log.snapshotDone(ready.snapshot)
    log.stabilize(ready.entries)
    const applied = ready.committed.at(-1)
    if (applied !== undefined) log.applyTo(applied.index)
    if (role === 'leader') advanceCommit(this.#state)
  }

  /** The state machine's snapshot, of applied entries, is durable. Keeps a tail of entries for slow followers. */
  compact(snapshot: Snapshot): void { this.#state.log.compact(snapshot, this.#tailEntries) }

  /** The transport could not send to that voter. */
  reportUnreachable(id: number): void {
    if (this.#state.leadership?.followers.has(id) === true) unreachable(this.#state, id)
  }

  /** The transport delivered a snapshot to that voter, or failed to. */
  reportSnapshot(id: number, ok: boolean): void {
    if (this.#state.leadership?.followers.has(id) === true) snapshotReported(this.#state, id, ok)
  }

  get term(): number { return this.#state.term }
  get role(): Role { return this.#state.role }
  get commit(): number { return this.#state.log.committed }
  /** This node may vote and lead. */
  get voice(): boolean { return this.#state.standing.voice }

  status(): RaftStatus {
    const { settings, term, role, leaderId, log, leadership } = this.#state
    return {
      id: settings.id, term, role, leaderId, commit: log.committed, applied: log.applied, stable: log.stable,
      last: log.last, transferee: leadership?.transferee ?? 0,
      voice: this.#state.standing.voice, ...missingOf(this.#state),
      followers: [...leadership?.followers.values() ?? []].map((follower) => follower.status()) }
  }

  #hardStateChanged(): boolean {
    const { term, vote, log } = this.#state
    return term !== this.#saved.term || vote !== this.#saved.vote || log.committed !== this.#saved.commit
  }

  #roleChanged(): boolean {
    const { role, leaderId, term } = this.#state
    return role !== this.#told.role || leaderId !== this.#told.leaderId || term !== this.#told.term
  }
}

/** Brings this node to the message's term, or answers an older one. False: nothing more to do. */
function passesTermGate(state: RaftState, message: Message): boolean {
  const { kind, from, term } = message
  if (term > state.term) {
    const asksVote = kind === 'pre-vote' || kind === 'vote'
    if (asksVote && inLease(state) && !isTransferVote(message)) return false
    // A pre-vote asks about a term that nobody is in yet.
    if (kind === 'pre-vote' || (kind === 'pre-vote-reply' && !message.reject)) return true
    becomeFollower(state, term, isOfLeader(kind) ? from : 0)
    return true
  }
  if (term === state.term) return true
  // Whoever is behind must learn it, or it could neither lead nor be elected: a leader from an append-reply of a later
  // term, a candidate from a refusal.
  if (isOfLeader(kind)) send(state, 'append-reply', from)
  else if (kind === 'pre-vote') send(state, 'pre-vote-reply', from, { reject: true })
  else if (kind === 'vote') send(state, 'vote-reply', from, { reject: true })
  return false
}

function isOfLeader(kind: MessageKind): boolean {
  return kind === 'append' || kind === 'heartbeat' || kind === 'snapshot'
}

function dispatch(state: RaftState, message: Message): void {
  if (isOfLeader(message.kind)) hearLeader(state, message.from)
  switch (message.kind) {
    case 'pre-vote':
    case 'vote': return handleVoteRequest(state, message)
    case 'pre-vote-reply':
    case 'vote-reply': return handleVoteReply(state, message)
    case 'append': return handleAppend(state, message)
    case 'heartbeat': return handleHeartbeat(state, message)
    case 'census': return
    case 'snapshot': return handleSnapshot(state, message)
    case 'timeout-now':
      if (state.role === 'follower') campaign(state, true)
      return
    case 'append-reply':
      if (state.role === 'leader') handleAppendReply(state, message)
      return
    case 'heartbeat-reply':
      if (state.role === 'leader') handleHeartbeatReply(state, message)
      return
    case 'snapshot-reply':
      if (state.role === 'leader') handleSnapshotReply(state, message)
  }
}

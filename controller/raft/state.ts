// The state of one Raft node, its outbox, and the transitions between the four roles.

import { assert } from '../../src/base/assert.ts'
import type { RaftLog } from './log.ts'
import { Progress } from './progress.ts'
import {
  plainMessage, type ConfirmedRead, type Founder, type Message, type MessageFields, type PlainMessage, type Role,
  type Standing
} from './types.ts'

/** Bytes of entries in flight to one follower, in appends of full size. */
const WINDOW_APPENDS = 8

export interface RaftSettings {
  readonly id: number
  /** All voters, this node included; they never change. */
  readonly voters: readonly number[]
  /** Everybody but this node. */
  readonly peers: readonly number[]
  readonly electionTicks: number
  readonly heartbeatTicks: number
  readonly maxInflightMessages: number
  readonly maxAppendBytes: number
  /** Uniform integer in [0, bound). */
  random(bound: number): number
}

export interface PendingRead extends ConfirmedRead {
  /** Confirmed when a majority has acknowledged this round. */
  readonly round: number
}

/** What only a leader has; made anew for each term it leads. */
export interface Leadership {
  readonly followers: ReadonlyMap<number, Progress>
  /** The entry that begins its term: nothing counts as committed, and no read is answered, before it. */
  readonly firstIndex: number
  /** Who is to take over; 0 = nobody. */
  transferee: number
  transferElapsed: number
  heartbeatElapsed: number
  /** Followers are to be told of new entries or of a new commit index, once per Ready. */
  appendPending: boolean
  /** Oldest first. */
  reads: PendingRead[]
  readRound: number
  /** The heartbeats of `readRound` have not left yet: a read may still join it. */
  readRoundOpen: boolean
}

/** What a node without a voice heard of the stores of others; not kept on disk. */
export interface Census {
  readonly marks: Map<number, number>
  /** Sealed the same list as this node. */
  readonly agreed: Set<number>
  /** Ticks since the others were told. */
  elapsed: number
}

export interface RaftState {
  readonly settings: RaftSettings
  readonly log: RaftLog
  term: number
  /** 0 = none in this term. */
  vote: number
  standing: Standing
  readonly census: Census
  role: Role
  /** 0 = unknown. */
  leaderId: number
  /** Ticks since the election timer was reset; for a leader, since it last checked its quorum. */
  electionElapsed: number
  /** In [electionTicks, 2 * electionTicks). */
  electionTimeout: number
  /** Answers in this round of votes, the own one included. */
  votes: Map<number, boolean>
  leadership: Leadership | undefined
  /** Leave when this turn's state is durable. */
  outbox: Message[]
  /** A leader's appends and heartbeats: leave at once. */
  early: Message[]
  confirmedReads: ConfirmedRead[]
}

export function initialState(
  settings: RaftSettings, log: RaftLog, term: number, vote: number, standing: Standing
): RaftState {
  return {
    settings, log, term, vote, standing,
    census: { marks: new Map(), agreed: new Set(), elapsed: settings.heartbeatTicks }, role: 'follower', leaderId: 0,
    electionElapsed: 0, electionTimeout: drawTimeout(settings), votes: new Map(), leadership: undefined, outbox: [],
    early: [], confirmedReads: [] }
}

/** Queues a message of the current term, or of the term given in `term`. */
export function send(
  state: RaftState, kind: PlainMessage['kind'], to: number, fields: Partial<MessageFields> = {}
): void {
  const early = kind === 'append' || kind === 'heartbeat'
  const queue = early ? state.early : state.outbox
  queue.push(plainMessage(kind, state.settings.id, to, fields.term ?? state.term, fields))
}

/** An answer to a leader. It says which store speaks: only those with a voice count. */
export function answer(
  state: RaftState, kind: 'append-reply' | 'heartbeat-reply' | 'snapshot-reply', to: number,
  fields: Partial<MessageFields>
): void {
  const { mark, voice } = state.standing
  send(state, kind, to, { ...fields, mark, voiceless: !voice })
}

/** From now on this node may promise: it starts its election timer anew. */
export function becomeVoter(state: RaftState, founders: readonly Founder[]): void {
  state.standing = { mark: state.standing.mark, voice: true, founders }
  state.electionElapsed = 0
}

/** A vote lives as long as its term: it is cleared only when the term grows. */
export function becomeFollower(state: RaftState, term: number, leaderId: number): void {
  assert(term >= state.term, () => `term ${term} is not below ${state.term}`)
  enterTerm(state, term)
  enterRole(state, 'follower', leaderId)
}

/** Asks around before it disturbs anybody: neither term nor vote change. */
export function becomePreCandidate(state: RaftState): void {
  assert(state.role !== 'leader', 'a leader does not campaign')
  enterRole(state, 'pre-candidate', 0)
  state.votes.set(state.settings.id, true)
}

export function becomeCandidate(state: RaftState): void {
  assert(state.role !== 'leader', 'a leader does not campaign')
  enterTerm(state, state.term + 1)
  enterRole(state, 'candidate', 0)
  state.vote = state.settings.id
  state.votes.set(state.settings.id, true)
}

/** Begins the term with an empty entry: committing it commits all before it. */
export function becomeLeader(state: RaftState): Leadership {
  assert(state.role === 'candidate', () => `a ${state.role} does not become leader`)
  const { settings, log } = state
  enterRole(state, 'leader', settings.id)
  const limits = { messages: settings.maxInflightMessages, bytes: WINDOW_APPENDS * settings.maxAppendBytes }
  const followers = new Map(settings.peers.map((id) => [id, new Progress(id, log.last + 1, limits)]))
  const leadership: Leadership = {
    followers, firstIndex: log.last + 1, transferee: 0, transferElapsed: 0, heartbeatElapsed: 0, appendPending: true,
    reads: [], readRound: 0, readRoundOpen: false }
  state.leadership = leadership
  log.append([{ index: log.last + 1, term: state.term, data: new Uint8Array() }])
  return leadership
}

/** Heard from a leader, or voted lately: no reason to believe that it is gone. */
export function inLease(state: RaftState): boolean {
  return state.leaderId !== 0 && state.electionElapsed < state.settings.electionTicks
}

function enterTerm(state: RaftState, term: number): void {
  if (term === state.term) return
  state.term = term
  state.vote = 0
}

function enterRole(state: RaftState, role: Role, leaderId: number): void {
  state.role = role
  state.leaderId = leaderId
  state.electionElapsed = 0
  state.electionTimeout = drawTimeout(state.settings)
  state.votes = new Map()
  state.leadership = undefined
}

function drawTimeout(settings: RaftSettings): number {
  return settings.electionTicks + settings.random(settings.electionTicks)
}

// What a leader does: replicate, advance the commit index, check its quorum, confirm reads, hand over leadership.

import { assert } from '../../src/base/assert.ts'
import { entryBytes } from './log.ts'
import type { Progress } from './progress.ts'
import { majorityOf, majorityReached } from './quorum.ts'
import { becomeFollower, send, type Leadership, type RaftState } from './state.ts'
import { snapshotMessage, type Message } from './types.ts'

/** A snapshot that was neither answered nor reported failed is taken for lost after that many election timeouts. */
const SNAPSHOT_ELECTIONS = 10

/** The leadership, which exists while this node leads. */
export function leadershipOf(state: RaftState): Leadership {
  assert(state.leadership !== undefined, () => `node ${state.settings.id} leads`)
  return state.leadership
}

export function tickLeader(state: RaftState): void {
  const leadership = leadershipOf(state)
  const { electionTicks, heartbeatTicks } = state.settings
  state.electionElapsed++
  if (state.electionElapsed >= electionTicks) {
    state.electionElapsed = 0
    if (!checkQuorum(state)) {
      becomeFollower(state, state.term, 0)
      return
    }
  }
  leadership.transferElapsed++
  if (leadership.transferElapsed >= electionTicks) leadership.transferee = 0
  for (const follower of leadership.followers.values()) {
    if (follower.tickSnapshot() >= SNAPSHOT_ELECTIONS * electionTicks) follower.snapshotFailed()
  }
  leadership.heartbeatElapsed++
  if (leadership.heartbeatElapsed >= heartbeatTicks) sendHeartbeats(state)
}

/** Voters heard since the last check, and this node, are a majority? Begins the next period. */
function checkQuorum(state: RaftState): boolean {
  const { followers } = leadershipOf(state)
  let active = 1
  for (const follower of followers.values()) {
    if (follower.recentActive && follower.voice) active++
    follower.recentActive = false
  }
  return active >= majorityOf(state.settings.voters.length)
}

function sendHeartbeats(state: RaftState): void {
  const leadership = leadershipOf(state)
  leadership.heartbeatElapsed = 0
  // A lost round is repeated by the next heartbeat.
  const context = leadership.reads.length > 0 ? leadership.readRound : 0
  for (const follower of leadership.followers.values()) {
    send(state, 'heartbeat', follower.id, { commit: Math.min(follower.match, state.log.committed), context })
  }
}

// ---- replication --------------------------------------------------------------------------------------------

/** Sends what was proposed or committed since the last Ready. */
export function flushAppends(state: RaftState): void {
  const leadership = leadershipOf(state)
  if (!leadership.appendPending) return
  leadership.appendPending = false
  for (const follower of leadership.followers.values()) {
    sendAppend(state, follower, true)
    sendAll(state, follower)
  }
}

function sendAll(state: RaftState, follower: Progress): void {
  while (sendAppend(state, follower, false)) continue
}

/**
 * One append, or the snapshot when the log does not reach back far enough. False when nothing may or need be sent.
 * `evenEmpty`: also without entries, to tell the commit index or to learn where the follower is.
 */
function sendAppend(state: RaftState, follower: Progress, evenEmpty: boolean): boolean {
  const { log, settings } = state
  const { paused } = follower
  if (paused && !(evenEmpty && follower.state === 'replicate')) return false
  const index = follower.next - 1
  const logTerm = log.termAt(index)
  if (logTerm === undefined) return sendSnapshot(state, follower)
  const entries = paused ? [] : log.sliceBytes(follower.next, settings.maxAppendBytes)
  if (entries.length === 0 && !evenEmpty) return false
  const mark = follower.admitted(log.committed)
  send(state, 'append', follower.id, { index, logTerm, entries, commit: log.committed, mark })
  let bytes = 0
  for (const entry of entries) bytes += entryBytes(entry)
  follower.sent(index + entries.length, bytes)
  return true
}

function sendSnapshot(state: RaftState, follower: Progress): boolean {
  const { snapshot } = state.log
  // To a dead node it would be sent again and again.
  if (!follower.recentActive) return false
  assert(snapshot !== undefined, () => `entry ${follower.next} is compacted, so there is a snapshot`)
  state.outbox.push(snapshotMessage(state.settings.id, follower.id, state.term, snapshot))
  follower.toSnapshot(snapshot.index)
  return true
}

export function handleAppendReply(state: RaftState, message: Message): void {
  const follower = followerOf(state, message.from)
  if (heard(state, follower, message) && message.reject) {
    // It refused what was sent to the store before.
    sendAppend(state, follower, true)
    return
  }
  if (message.reject) {
    const best = message.hintTerm === 0
      ? message.rejectHint
      : state.log.conflictHint(message.rejectHint, message.hintTerm).index
    if (follower.refuse(message.index, best)) sendAppend(state, follower, true)
    return
  }
  matched(state, follower, message.index)
}

/** As an answer to an append: the follower has everything up to `index`. */
export function handleSnapshotReply(state: RaftState, message: Message): void {
  const follower = followerOf(state, message.from)
  heard(state, follower, message)
  matched(state, follower, message.index)
}

/** True when another store than before answers for this voter. */
function heard(state: RaftState, follower: Progress, { mark, voiceless }: Message): boolean {
  const { log, term } = state
  const leadership = leadershipOf(state)
  const changed = follower.meet(mark, !voiceless, log.last + 1)
  follower.recentActive = true
  if (!follower.voice && follower.barrier === 0 && leadership.transferee === 0) {
    // It gets its voice when it has this entry, and a majority without it.
    log.append([{ index: log.last + 1, term, data: new Uint8Array() }])
    follower.barrier = log.last
    leadership.appendPending = true
  }
  return changed
}

function matched(state: RaftState, follower: Progress, index: number): void {
  const { log } = state
  assert(index <= log.last, () => `${follower.id} acknowledged ${index}, behind the end ${log.last} of this log`)
  const { paused } = follower
  const advanced = follower.acknowledge(index)
  const found = follower.state === 'probe' && follower.match === index
  if (!advanced && !found) return
  if (follower.state === 'probe' || (follower.state === 'snapshot' && follower.match >= log.compacted)) {
    follower.toReplicate()
  }
  if (!advanceCommit(state) && paused) sendAppend(state, follower, true)
  sendAll(state, follower)
  handOver(state, follower)
}

/**
 * Commits what a majority has on disk, this node only as far as its own disk has it. Entries of earlier terms are
 * never counted: they commit together with one of the current term.
 */
export function advanceCommit(state: RaftState): boolean {
  const { log } = state
  const leadership = leadershipOf(state)
  const reached = [log.stable]
  for (const follower of leadership.followers.values()) reached.push(follower.counted)
  const index = majorityReached(reached)
  if (log.termAt(index) !== state.term || !log.commitTo(index)) return false
  leadership.appendPending = true
  confirmReads(state)
  return true
}

export function handleHeartbeatReply(state: RaftState, message: Message): void {
  const follower = followerOf(state, message.from)
  heard(state, follower, message)
  follower.resume()
  const behind = follower.match < state.log.last || follower.state === 'probe'
  if (behind || follower.admitted(state.log.committed) !== 0) sendAppend(state, follower, true)
  if (!follower.voice || message.context <= follower.readRound) return
  follower.readRound = message.context
  confirmReads(state)
}

export function unreachable(state: RaftState, id: number): void {
  const follower = followerOf(state, id)
  // Appends on their way are probably lost.
  if (follower.state === 'replicate') follower.toProbe()
}

export function snapshotReported(state: RaftState, id: number, ok: boolean): void {
  const follower = followerOf(state, id)
  if (follower.state !== 'snapshot') return
  if (ok) follower.toProbe()
  else follower.snapshotFailed()
}

// ---- reads --------------------------------------------------------------------------------------------------

/** Reads of one turn share a round of heartbeats: those leave after the last of these reads was asked for. */
export function readIndex(state: RaftState, context: number): void {
  const leadership = leadershipOf(state)
  const open = leadership.readRoundOpen
  if (!open) {
    leadership.readRound++
    leadership.readRoundOpen = true
  }
  // What earlier leaders committed is known only when this term's first entry is committed.
  const index = Math.max(state.log.committed, leadership.firstIndex)
  leadership.reads.push({ context, index, round: leadership.readRound })
  if (!open) sendHeartbeats(state)
  confirmReads(state)
}

function confirmReads(state: RaftState): void {
  const leadership = leadershipOf(state)
  if (leadership.reads.length === 0 || state.log.committed < leadership.firstIndex) return
  const rounds = [leadership.readRound]
  for (const follower of leadership.followers.values()) rounds.push(follower.readRound)
  const confirmed = majorityReached(rounds)
  const waiting = leadership.reads.findIndex(({ round }) => round > confirmed)
  const done = leadership.reads.splice(0, waiting < 0 ? leadership.reads.length : waiting)
  for (const { context, index } of done) state.confirmedReads.push({ context, index })
}

// ---- transfer -----------------------------------------------------------------------------------------------

/** False when `to` is no other voter with a voice. Proposals are refused meanwhile, an election timeout at most. */
export function transfer(state: RaftState, to: number): boolean {
  const leadership = leadershipOf(state)
  const follower = leadership.followers.get(to)
  if (follower?.voice !== true) return false
  if (leadership.transferee === to) return true
  leadership.transferee = to
  leadership.transferElapsed = 0
  handOver(state, follower)
  sendAll(state, follower)
  return true
}

/** The one that takes over may campaign at once when it has the whole log. */
function handOver(state: RaftState, follower: Progress): void {
  if (leadershipOf(state).transferee !== follower.id || follower.match !== state.log.last) return
  send(state, 'timeout-now', follower.id)
}

function followerOf(state: RaftState, id: number): Progress {
  const follower = leadershipOf(state).followers.get(id)
  assert(follower !== undefined, () => `${id} is a follower of ${state.settings.id}`)
  return follower
}

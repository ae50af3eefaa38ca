// What a node does with messages of a leader: appends, heartbeats, snapshots. Answers leave when the state is durable.

import { assert } from '../../src/base/assert.ts'
import { answer, becomeFollower, becomeVoter, type RaftState } from './state.ts'
import type { Message, SnapshotMessage } from './types.ts'

/** The sender leads the current term: follow it, whatever this node was. */
export function hearLeader(state: RaftState, from: number): void {
  assert(state.role !== 'leader', () => `two leaders in term ${state.term}: ${state.settings.id} and ${from}`)
  assert(state.leaderId === 0 || state.leaderId === from,
    () => `two leaders in term ${state.term}: ${state.leaderId} and ${from}`)
  if (state.role !== 'follower' || state.leaderId !== from) becomeFollower(state, state.term, from)
  state.electionElapsed = 0
}

export function handleAppend(state: RaftState, message: Message): void {
  const { log } = state
  const { from, index, logTerm, entries, commit, mark } = message
  if (!state.standing.voice && mark !== 0 && mark === state.standing.mark) takeVoice(state, from)
  if (index < log.committed) {
    // An old message. What is committed here, the leader has as well.
    answer(state, 'append-reply', from, { index: log.committed })
    return
  }
  if (!log.matches(index, logTerm)) {
    const hint = log.conflictHint(Math.min(index, log.last), logTerm)
    answer(state, 'append-reply', from, { index, reject: true, rejectHint: hint.index, hintTerm: hint.term })
    return
  }
  const matched = log.merge(index, entries)
  // Not beyond what this message proved: the rest of this log may be of another leader.
  log.commitTo(Math.min(commit, matched))
  answer(state, 'append-reply', from, { index: matched })
}

/** The leader says that this store caught up with its cluster. In this term the vote is spent, whatever it was. */
function takeVoice(state: RaftState, leader: number): void {
  becomeVoter(state, [])
  state.vote = leader
}

/**
 * A leader never sends a commit index above what this store acknowledged to it; but to one without a voice it may send
 * what an earlier store of this node acknowledged.
 */
export function handleHeartbeat(state: RaftState, message: Message): void {
  if (state.standing.voice) state.log.commitTo(message.commit)
  answer(state, 'heartbeat-reply', message.from, { context: message.context })
}

/** Answers with what matches the leader's log for sure, whether the snapshot was of use or not. */
export function handleSnapshot(state: RaftState, message: SnapshotMessage): void {
  const { log } = state
  const { from, snapshot } = message
  if (snapshot.index > log.committed) {
    if (log.matches(snapshot.index, snapshot.term)) log.commitTo(snapshot.index)
    else log.install(snapshot)
  }
  answer(state, 'snapshot-reply', from, { index: log.committed })
}

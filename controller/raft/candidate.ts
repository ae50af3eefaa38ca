// Elections: rounds of pre-votes and votes, and the answers to those of others.

import { tally } from './quorum.ts'
import { becomeCandidate, becomeFollower, becomeLeader, becomePreCandidate, send, type RaftState } from './state.ts'
import type { Message } from './types.ts'

/** `context` of a vote that no lease stops, because the leader itself asked for it. */
const TRANSFER = 1

/** Begins a round. A transfer skips the pre-votes: the leader is known to be willing to go. */
export function campaign(state: RaftState, transfer: boolean): void {
  if (state.role === 'leader' || !electable(state)) return
  if (transfer) {
    requestVotes(state, true)
    return
  }
  becomePreCandidate(state)
  const { index, logTerm } = lastEntry(state)
  for (const peer of state.settings.peers) send(state, 'pre-vote', peer, { term: state.term + 1, index, logTerm })
  conclude(state)
}

/** Grants or refuses a vote or pre-vote of the sender; the term gate has been passed. */
export function handleVoteRequest(state: RaftState, message: Message): void {
  const { from, term, index, logTerm } = message
  const preVote = message.kind === 'pre-vote'
  const reply = preVote ? 'pre-vote-reply' : 'vote-reply'
  const free = state.vote === from || (state.vote === 0 && state.leaderId === 0) || (preVote && term > state.term)
  if (!free || !state.log.isUpToDate(index, logTerm)) {
    send(state, reply, from, { reject: true })
    return
  }
  // A pre-vote is granted for the future term it asks about; it binds nobody and calms no timer.
  send(state, reply, from, { term })
  if (preVote) return
  state.vote = from
  state.electionElapsed = 0
}

/** An answer to the round under way; `kind` fits the role. */
export function handleVoteReply(state: RaftState, message: Message): void {
  const expected = message.kind === 'pre-vote-reply' ? 'pre-candidate' : 'candidate'
  if (state.role !== expected) return
  // A pre-vote granted in an earlier round was for another term.
  if (expected === 'pre-candidate' && !message.reject && message.term !== state.term + 1) return
  if (!state.votes.has(message.from)) state.votes.set(message.from, !message.reject)
  conclude(state)
}

function conclude(state: RaftState): void {
  const verdict = tally(state.settings.voters.length, state.votes)
  if (verdict === 'lost') becomeFollower(state, state.term, 0)
  if (verdict !== 'won') return
  if (state.role === 'pre-candidate') requestVotes(state, false)
  else becomeLeader(state)
}

function requestVotes(state: RaftState, transfer: boolean): void {
  becomeCandidate(state)
  const context = transfer ? TRANSFER : 0
  for (const peer of state.settings.peers) send(state, 'vote', peer, { ...lastEntry(state), context })
  conclude(state)
}

/** Not without a voice, and not while a received snapshot is not yet durable and restored. */
function electable({ log, standing }: RaftState): boolean {
  return standing.voice && log.pendingSnapshot === undefined
}

export function isTransferVote(message: Message): boolean {
  return message.context === TRANSFER
}

function lastEntry({ log }: RaftState) {
  return { index: log.last, logTerm: log.lastTerm }
}

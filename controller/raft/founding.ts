// Who has a voice. A controller whose data directory was emptied has forgotten what it voted and acknowledged; if it
// went on as a voter, a term could get two leaders and a committed entry could vanish. So a store begins WITHOUT A
// VOICE: it grants no vote, does not campaign, and no leader counts its answers, for commits, reads or check-quorum.
// It takes entries and snapshots like every follower. Each store has a mark, drawn when its directory is made, which
// tells a new store from the one before it under the same id. Of n voters q are a majority. A store gets its voice
//
// (1) by founding, when the cluster is new. Stores without a voice tell each other their marks (message `census`). Who
//     knows the marks of all n SEALS this list: it keeps it durably, tells it, and never seals another. A store gets
//     its voice when all n have sealed the same list, or when one that has its voice sealed the same list. A store
//     seals once, so two founding lists would have no store in common: unless every directory was emptied in between
//     there is one founding, and its members were empty and without promises when they sealed. A store made later is
//     in no list that can be completed: the others have sealed another, and tell it. Hence the first start needs all
//     voters once; after that a majority will do. The list survives a power loss at any moment of this.
//
// (2) by a leader, when it is behind a cluster that lives. Leader L of term t, hearing mark b without a voice, appends
//     an empty entry e. When e is committed (by q voters with a voice, so without b) and b has acknowledged e durably,
//     L says so in an append that names b: from then on b is a voter in term t, with its vote spent on L.
//     Let w be the lost store. Its messages may still arrive, and all its promises were made before e existed.
//     - With w's vote nobody is elected in a term T > t. Such a candidate C asked before e existed, so its log ends
//       before e. It needs q - 1 votes besides w's, of n - 1 others, of whom q hold e; as 2q - 1 > n - 1, one of them,
//       m, holds e and votes for C. If m voted after it stored e it refused, for e is newer than C's log; if before,
//       m was in term T > t and would not have taken e from L. (Should m be emptied meanwhile, it has no voice, and
//       when it gets one it holds e again.) So above t the votes of b are the only ones of this voter that can elect
//       anybody; and up to t, b does not vote.
//     - What w's acknowledgement helped, or may yet help, to commit in a term up to t is in L's log before e, by Raft's
//       own argument for w as a voter that stopped; b holds all of L's log up to e. In a term above t w acknowledged
//       nothing: its leader would have been elected before e existed, by somebody who holds e, as above.
//     - What b acknowledged to leaders of terms below t, it acknowledged without a voice: nobody counted it.
//     An acknowledgement of w that arrives late at L carries w's mark: L begins anew with a follower whose mark
//     changed, and counts for each mark only what that mark said. A store that was lost before it got its voice had
//     promised nothing.
//
// Limits. A majority of stores with a voice must be left: with two voters neither can be replaced, with three one at a
// time. A directory put back from a backup has its old mark and its voice: nobody notices, so never do that. If a store
// is emptied after all have met and before they founded, a matter of milliseconds in the very first start, the lists
// differ for ever and nobody gets a voice. `replaced` in the status names it; as such a cluster never had a leader, all
// its directories may be emptied.

import { becomeVoter, send, type RaftState } from './state.ts'
import type { Entry, Founder, Message } from './types.ts'

const NO_DATA = new Uint8Array()

/** A cluster of one has nobody to ask. */
export function beginFounding(state: RaftState): void {
  if (!state.standing.voice && state.settings.peers.length === 0) seal(state)
}

/** Without a voice: tells and asks all others once per heartbeat interval. */
export function tickCensus(state: RaftState): void {
  const { census, settings } = state
  if (state.standing.voice || ++census.elapsed < settings.heartbeatTicks) return
  tellAll(state)
}

export function handleCensus(state: RaftState, message: Message): void {
  const { census, settings } = state
  const { from, mark, voiceless } = message
  if (!state.standing.voice) {
    census.marks.set(from, mark)
    if (state.standing.founders.length === 0 && census.marks.size === settings.peers.length) seal(state)
    if (agrees(state, message)) {
      census.agreed.add(from)
      if (!voiceless || census.agreed.size === settings.peers.length) becomeVoter(state, state.standing.founders)
    }
  }
  // Who has a voice speaks only when asked.
  if (voiceless && state.standing.voice) tell(state, from)
}

/** As `unheard` and `replaced` in the status. */
export function missingOf(
  { standing, census, settings }: RaftState): Record<'unheard' | 'replaced', readonly number[]> {
  if (standing.voice) return { unheard: [], replaced: [] }
  const other = ({ id, mark }: Founder) => census.marks.has(id) && census.marks.get(id) !== mark
  return {
    unheard: settings.peers.filter((id) => !census.marks.has(id)),
    replaced: standing.founders.filter(other).map(({ id }) => id) }
}

function seal(state: RaftState): void {
  const { census, settings, standing } = state
  const marks = [...census.marks, [settings.id, standing.mark] as const]
  const founders = marks.map(([id, mark]): Founder => ({ id, mark })).sort((left, right) => left.id - right.id)
  state.standing = { ...standing, founders }
  if (settings.peers.length === 0) becomeVoter(state, founders)
  else tellAll(state)
}

/** The sender sealed the list that this node sealed. */
function agrees({ standing: { founders } }: RaftState, { entries }: Message): boolean {
  return founders.length > 0 && founders.length === entries.length
    && founders.every(({ id, mark }, at) => entries[at]!.index === id && entries[at]!.term === mark)
}

function tellAll(state: RaftState): void {
  state.census.elapsed = 0
  for (const peer of state.settings.peers) tell(state, peer)
}

function tell(state: RaftState, to: number): void {
  const { mark, voice, founders } = state.standing
  const entries = founders.map((founder): Entry => ({ index: founder.id, term: founder.mark, data: NO_DATA }))
  send(state, 'census', to, { mark, voiceless: !voice, entries })
}

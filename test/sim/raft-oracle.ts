// What Raft promises (R1–R14 of our invariants), checked on the whole cluster: after each event, at each write, at
// each message that leaves, at each entry that is applied. It sees what no node sees: all disks, all lives.

import { describe as rendered, type Entry, type Message, type Standing } from '../../controller/raft/types.ts'
import type { Change } from '../../controller/store/raft-store.ts'
import type { Loaded } from '../../controller/store/load.ts'
import { decodeState, type StoreState } from '../../controller/store/log-codec.ts'
import { assert } from '../../src/base/assert.ts'

/** What one store has promised, as of the last acknowledged write. The log is whole: snapshots count as entries. */
export interface Shadow {
  term: number
  vote: number
  standing: Standing
  /** By index − 1. */
  terms: number[]
  values: number[]
}

/** A node as the oracle needs it. */
export interface Watched {
  readonly id: number
  readonly shadow: Shadow
  /** Of stores that were emptied: what they acknowledged may still arrive and count. */
  readonly ghosts: readonly Shadow[]
  readonly status: { readonly term: number, readonly role: string, readonly commit: number, readonly applied: number }
    | undefined
  /** Highest commit and applied index in this life. */
  seen: { commit: number, applied: number }
  /** A write of its Raft state failed in this life. */
  readonly failed: boolean
  /** The state record that a power loss now would leave. */
  durableState(): Uint8Array | undefined
}

export interface Applied { readonly index: number, readonly hash: number }

const TERMS = 2 ** 16

export class RaftOracle {
  readonly #nodes: readonly Watched[]
  readonly #majority: number
  /** What is committed, by index − 1; write-once. `hashes` are of the whole prefix. */
  readonly #terms: number[] = []
  readonly #values: number[] = []
  readonly #hashes: number[] = []
  readonly #leaders = new Map<number, number>()
  /** Term → candidate → the voters that told it of their vote. */
  readonly #grants = new Map<number, Map<number, Set<number>>>()
  /** Index and term → what is there, and the term before. */
  readonly #slots = new Map<number, { readonly value: number, readonly previous: number }>()
  /** Store, term → whom it voted for. */
  readonly #votes = new Map<string, number>()

  constructor(nodes: readonly Watched[]) {
    this.#nodes = nodes
    this.#majority = Math.floor(nodes.length / 2) + 1
  }

  get committed(): number { return this.#terms.length }
  get leaders(): number { return this.#leaders.size }

  // ---- after each event -------------------------------------------------------------------------------------

  check(node: Watched): void {
    const { status, seen, shadow, id } = node
    if (status === undefined) return
    const { commit, applied, term, role } = status
    // R7
    assert(commit >= seen.commit && applied >= seen.applied && applied <= commit,
      () => `R7: node ${id} went from commit ${seen.commit}, applied ${seen.applied} to ${commit}, ${applied}`)
    node.seen = { commit, applied }
    assert(term >= shadow.term, () => `R9: node ${id} is in term ${term}, its disk in ${shadow.term}`)
    if (role === 'leader') {
      this.#checkLeader(node, term)
      if (commit > this.#terms.length) this.#checkCommit(node, commit, term)
    }
    assert(commit <= this.#terms.length,
      () => `R5: node ${id} takes ${commit} for committed, ${this.#terms.length} are`)
  }

  /** R1, and R4 when it begins to lead. */
  #checkLeader({ id, shadow }: Watched, term: number): void {
    const known = this.#leaders.get(term)
    assert(known === undefined || known === id, () => `R1: nodes ${known} and ${id} lead in term ${term}`)
    if (known !== undefined) return
    this.#leaders.set(term, id)
    const granted = this.#grantsOf(term, id).add(id)
    assert(granted.size >= this.#majority,
      () => `R1: node ${id} leads in term ${term} with the votes of ${[...granted].join()}`)
    for (let at = 0; at < this.#terms.length; at++) {
      assert(shadow.terms[at] === this.#terms[at] && shadow.values[at] === this.#values[at],
        () => `R4: leader ${id} of term ${term} lacks the committed entry ${at + 1}/${this.#terms[at]}`)
    }
  }

  /** R2 and R8: what a leader commits is of its term, and durable on a majority of stores with a voice. */
  #checkCommit({ id }: Watched, commit: number, term: number): void {
    const at = commit - 1
    const holds = ({ standing, terms }: Shadow) => standing.voice && terms[at] === term
    const holders = this.#nodes.flatMap(({ shadow, ghosts }) => [shadow, ...ghosts].find(holds) ?? [])
    assert(holders.length >= this.#majority,
      () => `R2, R8: node ${id} of term ${term} committed ${commit}, which ${holders.length} voters have of that term`)
    const { terms, values } = holders[0]!
    for (let next = this.#terms.length; next < commit; next++) {
      this.#terms.push(terms[next]!)
      this.#values.push(values[next]!)
      this.#hashes.push(chained(this.#hashes.at(-1) ?? 0, terms[next]!, values[next]!))
    }
  }

  // ---- disks ------------------------------------------------------------------------------------------------

  /** Before a write. R5, R6, R9. */
  saving({ id, shadow, status }: Watched, { hardState, entries, standing }: Change): void {
    if (hardState !== undefined) {
      const { term } = hardState
      assert(term >= shadow.term, () => `R9: node ${id} writes term ${term} after ${shadow.term}`)
    }
    assert(standing?.mark === undefined || standing.mark === shadow.standing.mark,
      () => `R14: node ${id} changes its mark to ${standing?.mark}`)
    const first = entries[0]?.index
    if (first === undefined || status === undefined) return
    for (let at = first - 1; at < Math.min(shadow.terms.length, this.#terms.length); at++) {
      assert(shadow.terms[at] !== this.#terms[at] || entries[at + 1 - first]?.term === shadow.terms[at],
        () => `R5: node ${id} overwrites ${at + 1}/${shadow.terms[at]}, which is committed`)
    }
    assert(status.role !== 'leader' || first > shadow.terms.length || entries[0]!.term < status.term,
      () => `R6: leader ${id} overwrites ${first} of ${shadow.terms.length}`)
  }

  /** A write is acknowledged. */
  saved(node: Watched, change: Change): void { this.#apply(node.shadow, change, node.id) }

  #apply(shadow: Shadow, { hardState, entries, snapshot, standing }: Change, id: number): void {
    if (hardState !== undefined) {
      shadow.term = hardState.term
      shadow.vote = hardState.vote
    }
    if (standing !== undefined) shadow.standing = standing
    if (shadow.vote !== 0) this.#checkVote(id, shadow.standing, shadow.term, shadow.vote)
    if (snapshot !== undefined) {
      const matches = shadow.terms[snapshot.index - 1] === snapshot.term
      this.#checkSnapshot(snapshot.index, snapshot.term, id)
      const keep = matches ? shadow.terms.length : snapshot.index
      shadow.terms = [...this.#terms.slice(0, snapshot.index), ...shadow.terms.slice(snapshot.index, keep)]
      shadow.values = [...this.#values.slice(0, snapshot.index), ...shadow.values.slice(snapshot.index, keep)]
    }
    for (const entry of entries) this.#put(shadow, entry, id)
  }

  /** R3: an entry and the term before it are the same wherever index and term are. */
  #put(shadow: Shadow, { index, term, data }: Entry, id: number): void {
    shadow.terms.length = index - 1
    shadow.values.length = index - 1
    const value = valueOf(data)
    const previous = shadow.terms[index - 2] ?? 0
    const key = index * TERMS + term
    const slot = this.#slots.get(key)
    if (slot === undefined) this.#slots.set(key, { value, previous })
    else {
      assert(slot.value === value && slot.previous === previous,
        () => `R3: entry ${index}/${term} of node ${id} is ${value} after ${previous}, elsewhere `
          + JSON.stringify(slot))
    }
    shadow.terms.push(term)
    shadow.values.push(value)
  }

  #checkSnapshot(index: number, term: number, id: number): void {
    assert(this.#terms[index - 1] === term,
      () => `R10: node ${id} has a snapshot ${index}/${term}, committed is term ${this.#terms[index - 1]}`)
  }

  /**
   * After an opening: the store holds what was acknowledged, with all or nothing of the write that was under way.
   */
  opened(node: Watched, { hardState, standing, snapshot, entries }: Loaded, pending: Change | undefined): void {
    const { id, shadow } = node
    const begin = entries[0]?.index ?? (snapshot?.index ?? 0) + 1
    if (snapshot !== undefined) this.#checkSnapshot(snapshot.index, snapshot.term, id)
    assert(begin <= (snapshot?.index ?? 0) + 1, () => `R10: the log of node ${id} begins at ${begin}`)
    const fits = (wanted: Shadow) => hardState.term === wanted.term && hardState.vote === wanted.vote
      && standing.mark === wanted.standing.mark && standing.voice === wanted.standing.voice
      && begin + entries.length - 1 === wanted.terms.length && (snapshot?.index ?? 0) <= wanted.terms.length
      && entries.every(({ index, term, data }) => (
        wanted.terms[index - 1] === term && wanted.values[index - 1] === valueOf(data)))
    if (fits(shadow)) return
    assert(pending !== undefined, () => `R2: node ${id} came back with ${summary(hardState, entries)}, it had promised `
      + `term ${shadow.term}, vote ${shadow.vote}, last ${shadow.terms.length}/${shadow.terms.at(-1)}`)
    this.#apply(shadow, pending, id)
    assert(fits(shadow), () => `R2: node ${id} came back with ${summary(hardState, entries)}, neither before nor after `
      + `a write that leads to term ${shadow.term}, vote ${shadow.vote}, last ${shadow.terms.length}`)
  }

  // ---- messages ---------------------------------------------------------------------------------------------

  /** R2, R9, R13, R14: what a message promises survives a power loss at the moment it leaves. */
  leaves(node: Watched, message: Message): void {
    const { kind, from, to, term, index, reject, voiceless } = message
    const { shadow } = node
    assert(!node.failed, () => `R13: ${rendered(message)} left after a failed write`)
    if (kind === 'census') return
    const answers = kind === 'append-reply' || kind === 'heartbeat-reply' || kind === 'snapshot-reply'
    const follows = answers && (voiceless || reject || index === 0)
    assert(shadow.standing.voice || follows, () => `R14: ${rendered(message)} left a store without a voice`)
    if (reject || kind === 'pre-vote' || kind === 'pre-vote-reply') return
    const bytes = node.durableState()
    const state = bytes === undefined ? undefined : stateOf(bytes)
    assert(state !== undefined && state.hardState.term >= term,
      () => `R2: ${rendered(message)} left with term ${state?.hardState.term ?? 0} on disk`)
    if (kind === 'vote' || kind === 'vote-reply') {
      const candidate = kind === 'vote' ? from : to
      assert(state.hardState.term > term || state.hardState.vote === candidate,
        () => `R2: ${rendered(message)} left with a vote for ${state.hardState.vote} on disk`)
      this.#checkVote(from, shadow.standing, term, candidate)
      this.#grantsOf(term, candidate).add(from)
    }
    if (kind === 'append-reply' || kind === 'snapshot-reply') {
      assert(state.hardState.term > term || (state.lastIndex >= index && shadow.terms.length >= index),
        () => `R2: ${rendered(message)} left with entries up to ${state.lastIndex} on disk`)
    }
  }

  #grantsOf(term: number, candidate: number): Set<number> {
    let byCandidate = this.#grants.get(term)
    if (byCandidate === undefined) this.#grants.set(term, byCandidate = new Map<number, Set<number>>())
    let grants = byCandidate.get(candidate)
    if (grants === undefined) byCandidate.set(candidate, grants = new Set())
    return grants
  }

  #checkVote(id: number, { mark }: Standing, term: number, vote: number): void {
    const key = `${id} ${mark} ${term}`
    const given = this.#votes.get(key)
    assert(given === undefined || given === vote, () => `R9: node ${id} voted for ${given} and ${vote} in term ${term}`)
    this.#votes.set(key, vote)
  }

  // ---- state machine ----------------------------------------------------------------------------------------

  /** R5, R7: each index once, in order, as committed. */
  applied(id: number, before: Applied, { index, term, data }: Entry): Applied {
    assert(index === before.index + 1, () => `R7: node ${id} applies ${index} after ${before.index}`)
    const value = valueOf(data)
    assert(this.#terms[index - 1] === term && this.#values[index - 1] === value,
      () => `R5: node ${id} applies ${index}/${term} ${value}, committed is ${this.#terms[index - 1]} `
        + `${this.#values[index - 1]}`)
    return { index, hash: chained(before.hash, term, value) }
  }

  restored(id: number, { index, hash }: Applied): void {
    assert(hash === (this.#hashes[index - 1] ?? 0), () => `R5, R10: node ${id} restores another state at ${index}`)
  }

  /** R12. */
  read(id: number, floor: number, { index }: Applied): void {
    assert(index >= floor, () => `R12: a read on node ${id} saw ${index}, ${floor} was committed when it began`)
  }
}

/** Entries' data is a number, with padding behind it; 0 stands for none. */
export function valueOf(data: Uint8Array): number {
  return data.length === 0 ? 0 : data[0]! * 65536 + data[1]! * 256 + data[2]!
}

export function dataOf(value: number, bytes: number): Uint8Array {
  const data = new Uint8Array(Math.max(bytes, 3))
  data[0] = value >>> 16
  data[1] = value >>> 8
  data[2] = value
  return data
}

function chained(hash: number, term: number, value: number): number {
  return Math.imul(Math.imul(hash ^ term, 0x9e3779b1) ^ value, 0x85ebca6b) | 0
}

function stateOf(bytes: Uint8Array): StoreState {
  const decoded = decodeState(bytes)
  assert(decoded.ok, 'the state record is whole')
  return decoded.value
}

function summary({ term, vote }: { readonly term: number, readonly vote: number }, entries: readonly Entry[]): string {
  return `term ${term}, vote ${vote}, last ${entries.at(-1)?.index ?? '-'}/${entries.at(-1)?.term ?? '-'}`
}

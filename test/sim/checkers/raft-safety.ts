// Raft and metadata: one leader a term, terms and commits that never fall, one committed history, one image an offset.

import type { HardState } from '../../../controller/raft/types.ts'
import { imageHash, type MetadataImage } from '../../../src/metadata/image.ts'
import { decodeEntry, decodeState, entryKey, STATE_KEY } from '../../../controller/store/log-codec.ts'
import type { RaftEnvelope } from '../../../src/rpc/messages.ts'
import type { SimCluster } from '../cluster.ts'
import type { SimNode } from '../sim-node.ts'

interface Seen { life: number; term: number; commit: number; checkedTo: number; image: MetadataImage | undefined }

/** Hashing an image is dear: one offset in so many, and every one at the end. */
const HASH_ONE_IN = 10

export class RaftSafety {
  readonly #cluster: SimCluster
  readonly #leaders = new Map<number, string>()
  readonly #committed = new Map<number, { readonly value: Uint8Array; readonly by: string }>()
  readonly #hashes = new Map<number, string>()
  readonly #seen = new Map<string, Seen>()

  constructor(cluster: SimCluster) {
    this.#cluster = cluster
  }

  /** Something happened on this controller. */
  look(node: SimNode): void {
    const inside = node.controller
    if (inside === undefined) return
    const { role, term, commit } = inside.driver.raft
    const seen = this.#seenOf(node)
    if (seen.life !== node.lives) {
      seen.life = node.lives
      // A term that it had told nobody of need not have been written.
      seen.term = 0
      seen.commit = 0
      seen.checkedTo = 0
    }
    if (term < seen.term) this.#fail(`the term of ${node.name} fell from ${seen.term} to ${term}`)
    if (role === 'leader') {
      const leader = this.#leaders.get(term) ?? node.name
      this.#leaders.set(term, leader)
      if (leader !== node.name) this.#fail(`${leader} and ${node.name} both lead term ${term}`)
    }
    if (commit < seen.commit) this.#fail(`the commit of ${node.name} fell from ${seen.commit} to ${commit}`)
    if (role === 'leader' && commit > seen.commit) this.#checkCommit(node, commit)
    seen.term = term
    seen.commit = commit
    // What the state machine has is on this disk, or covered by a snapshot on it.
    const applied = inside.controller.image.offset
    if (seen.checkedTo < applied) this.#compareLog(node, seen, applied)
    this.lookAtImage(node.name, inside.controller.image)
  }

  /** A controller sends this to another: what it grants or acknowledges must be on its disk for certain (R2). */
  told(node: SimNode, { messages }: RaftEnvelope): void {
    for (const { kind, to, term, index, reject } of messages) {
      if (reject) continue
      if (kind === 'vote-reply') this.#checkVote(node, to, term)
      else if (kind === 'append-reply') {
        const { lastIndex } = this.#durable(node)
        if (lastIndex < index) {
          this.#fail(`${node.name} acknowledges entry ${index}, its disk has ${lastIndex} for certain`)
        }
      }
    }
  }

  #checkVote(node: SimNode, to: number, term: number): void {
    const { hardState } = this.#durable(node)
    if (hardState.term > term || (hardState.term === term && hardState.vote === to)) return
    this.#fail(`${node.name} grants ${to} its vote in term ${term}, its disk has vote ${hardState.vote} in term `
      + `${hardState.term} for certain`)
  }

  /** A leader's commit: a majority has it for certain. */
  #checkCommit(node: SimNode, commit: number): void {
    const having = this.#cluster.controllers.filter((one) => this.#durable(one).lastIndex >= commit)
    if (having.length * 2 > this.#cluster.controllers.length) return
    const names = having.map(({ name }) => name).join(', ')
    this.#fail(`${node.name} commits ${commit}, which is for certain on ${names} only`)
  }

  #durable(node: SimNode): { readonly hardState: HardState; readonly lastIndex: number } {
    const bytes = node.stores.lookDurable(`${node.dir}/meta`, STATE_KEY)
    const state = bytes === undefined ? undefined : decodeState(bytes)
    return state?.ok === true ? state.value : { hardState: { term: 0, vote: 0, commit: 0 }, lastIndex: 0 }
  }

  lookAtImage(name: string, image: MetadataImage, always = false): void {
    const seen = this.#seen.get(name) ?? { life: 0, term: 0, commit: 0, checkedTo: 0, image: undefined }
    this.#seen.set(name, seen)
    if (!always && (seen.image === image || image.offset < 0)) return
    seen.image = image
    if (!always && image.offset % HASH_ONE_IN !== 0) return
    const hash = imageHash(image)
    const known = this.#hashes.get(image.offset) ?? hash
    this.#hashes.set(image.offset, known)
    if (known !== hash) this.#fail(`${name} has another image at offset ${image.offset} than others had`)
  }

  #compareLog(node: SimNode, seen: Seen, applied: number): void {
    const state = decodeState(node.stores.look(`${node.dir}/meta`, STATE_KEY)!)
    // What lies before the log's beginning is on its way out.
    const first = state.ok ? state.value.firstIndex : 1
    for (let index = Math.max(first, seen.checkedTo + 1); index <= applied; index++) {
      const value = node.stores.look(`${node.dir}/meta`, entryKey(index))
      if (value === undefined) continue
      const known = this.#committed.get(index) ?? { value, by: node.name }
      this.#committed.set(index, known)
      if (Buffer.compare(known.value, value) === 0) continue
      this.#fail(`${node.name} has ${show(index, value)}, ${known.by} had ${show(index, known.value)} committed `
        + `(applied ${applied}, ${state.ok ? JSON.stringify(state.value) : state.fault.message})`)
    }
    seen.checkedTo = applied
  }

  #seenOf(node: SimNode): Seen {
    let seen = this.#seen.get(node.name)
    if (seen === undefined) {
      seen = { life: node.lives, term: 0, commit: 0, checkedTo: 0, image: undefined }
      this.#seen.set(node.name, seen)
    }
    return seen
  }

  #fail(what: string): void { this.#cluster.world.fail('raft-safety', what) }
}

function show(index: number, value: Uint8Array): string {
  const entry = decodeEntry(index, value)
  if (!entry.ok) return `entry ${index}, damaged`
  const { value: { entry: { term, data }, previousTerm } } = entry
  return `entry ${index} of term ${term} after ${previousTerm} with ${data.length} bytes`
}

// The metadata state machine on top of Raft: folds committed entries into the image on every controller; on the active
// one takes commands, decides them against the newest state there is, and answers once the decision is committed.
//
//   image          what is committed and applied: what brokers and admins are shown
//   speculative    image plus everything proposed in this term: what the next command is decided on
//
// One command is one Raft entry, so its records apply together or not at all. Losing leadership drops the speculative
// part; its entries may still commit, and then come back through `committed` like anybody else's.

import { assert } from '../src/base/assert.ts'
import { fault, WeirError, type Fault } from '../src/base/error-code.ts'
import { Fifo } from '../src/base/fifo.ts'
import { decodeRecord, encodeRecord, joinRecords, splitRecords } from '../src/metadata/codec.ts'
import { MetadataDelta } from '../src/metadata/delta.ts'
import { EMPTY_IMAGE, type MetadataImage } from '../src/metadata/image.ts'
import type { MetadataRecord } from '../src/metadata/records.ts'
import { decodeSnapshot, encodeSnapshot } from '../src/metadata/snapshot.ts'
import type { Logger, Metrics } from '../src/ports.ts'
import { handle, Refusal, type Command, type Outcome, type ReplyOf } from './state/commands.ts'

export interface CommittedEntry {
  readonly index: number
  readonly term: number
  /** Empty: the entry with which a Raft leader begins its term. */
  readonly data: Uint8Array
}

export interface Leadership {
  /** Node id of the Raft leader, -1 = unknown. */
  readonly leaderId: number
  readonly term: number
}

export interface ActiveControllerNeeds {
  readonly nodeId: number
  readonly logger: Logger
  readonly metrics: Metrics
  /** Most commands waiting for their commit. */
  readonly queueMax: number
  /**
   * Appends to the Raft log of this leader, at the index after the last one; false when it does not lead any more.
   * Calls `committed` in a later turn only.
   */
  propose(data: Uint8Array): boolean
  /** Resolves when this node was proven to lead at some moment after the call; rejects when it does not. */
  readBarrier(): Promise<void>
  /** host:port of a controller, for NOT_CONTROLLER answers. */
  addressOf(nodeId: number): string
  /** Called in the turn in which this controller becomes active, or stops being it. */
  activated(term: number): void
  deactivated(): void
  /** Each entry applied, and the image after it. */
  applied(data: Uint8Array, delta: MetadataDelta, image: MetadataImage): void
  /** The image was replaced by a snapshot. */
  restored(image: MetadataImage): void
}

/**
 * Most bytes one command may add to the Raft log. Far above what one decision about brokers needs (some 30 bytes for
 * each partition); the store takes no more than 8 MiB, and would end the node.
 */
const COMMAND_BYTES_MAX = 7 * 1024 * 1024

/**
 * NOT_CONTROLLER of a command that was decided here and whose commit was still awaited: it may be carried out yet.
 * Any other NOT_CONTROLLER means that nothing was done.
 */
export class OutcomeUnknown extends WeirError {}

/** What waits for the commit of everything up to `offset`. */
interface Parked {
  readonly offset: number
  /** Set for the command that made the entry at `offset`; the later ones that only wait for it have none. */
  readonly proposal: { readonly delta: MetadataDelta; readonly next: MetadataImage } | undefined
  answer(): void
  fail(error: WeirError): void
}

type Role =
  | { readonly kind: 'standby' }
  /** Raft leader whose first entry is not applied yet: it may not know all that is committed. */
  | { readonly kind: 'taking-over' }
  | { readonly kind: 'active'; speculative: MetadataImage }

export class ActiveController {
  readonly #needs: ActiveControllerNeeds
  readonly #parked: Fifo<Parked>
  /** Raft indexes begin at 1. */
  #image: MetadataImage = { ...EMPTY_IMAGE, offset: 0 }
  #role: Role = { kind: 'standby' }
  #leadership: Leadership = { leaderId: -1, term: 0 }

  constructor(needs: ActiveControllerNeeds) {
    this.#needs = needs
    this.#parked = new Fifo(needs.queueMax)
  }

  /** Committed and applied. */
  get image(): MetadataImage { return this.#image }
  get isActive(): boolean { return this.#role.kind === 'active' }
  get leadership(): Leadership { return this.#leadership }
  get parkedCommands(): number { return this.#parked.length }

  // ---- commands -----------------------------------------------------------------------------------------

  /**
   * Resolves with the reply once the command's records, and all that was decided before it, are committed and applied.
   * Rejects with WeirError: the handler's refusal; THROTTLING_QUOTA_EXCEEDED with a full queue; INVALID_REQUEST when
   * it decides too much at once; NOT_CONTROLLER when this controller is not active, and as `OutcomeUnknown` when it
   * ceased to be while the command waited.
   *
   * With a `requestId` the command is carried out once however often it is submitted, here or on later active
   * controllers: if it changed anything, the same id gets the same reply, as long as it is among the newest that the
   * image remembers. Rejects with INVALID_REQUEST when the id belongs to a command of another kind.
   */
  submit<C extends Command>(command: C, requestId = ''): Promise<ReplyOf<C['kind']>> {
    if (this.#role.kind !== 'active') return Promise.reject(new WeirError(this.notController()))
    if (this.#parked.full) {
      return Promise.reject(new WeirError(fault('THROTTLING_QUOTA_EXCEEDED',
        `${this.#parked.length} commands wait for their commit (controller.queue.max)`, 'try again later')))
    }
    const role = this.#role
    const outcome = answeredBefore(role.speculative, command, requestId) ?? handle(role.speculative, command)
    const records = outcome instanceof Refusal ? [] : settling(outcome, command, requestId)
    const proposal = records.length === 0 ? undefined : this.#propose(role.speculative, records)
    if (proposal !== undefined && 'fault' in proposal) return Promise.reject(new WeirError(proposal.fault))
    if (proposal !== undefined) role.speculative = proposal.next
    this.#needs.metrics.count('weir_controller_commands_total')
    return new Promise((resolve, reject) => {
      const answer = () => {
        if (outcome instanceof Refusal) reject(new WeirError(outcome.fault))
        else resolve(outcome.reply)
      }
      // Even a refusal waits: it may rest on something that is proposed and could still be lost.
      if (role.speculative.offset === this.#image.offset) answer()
      else this.#parked.push({ offset: role.speculative.offset, proposal, answer, fail: reject })
    })
  }

  /** The image with the effect of every command answered before the call (linearizable). Rejects as `submit`. */
  async read(): Promise<MetadataImage> {
    if (!this.isActive) throw new WeirError(this.notController())
    await this.#needs.readBarrier()
    if (!this.isActive) throw new WeirError(this.notController())
    return this.#image
  }

  notController(): Fault {
    const { nodeId } = this.#needs
    const { leaderId } = this.#leadership
    const known = leaderId !== -1 && leaderId !== nodeId
    return {
      ...fault('NOT_CONTROLLER', `controller ${nodeId} is not the active one`,
        known ? `ask controller ${leaderId}` : 'ask again: an election is under way'),
      leader: known
        ? { id: leaderId, address: this.#needs.addressOf(leaderId), leaderEpoch: this.#leadership.term }
        : { id: -1, address: '', leaderEpoch: this.#leadership.term }
    }
  }

  #propose(
    speculative: MetadataImage, records: readonly MetadataRecord[]
  ): NonNullable<Parked['proposal']> | { readonly fault: Fault } {
    const delta = new MetadataDelta(speculative)
    for (const record of records) delta.replay(record)
    const next = delta.apply(speculative.offset + 1)
    const data = joinRecords(records.map(encodeRecord))
    if (data.length > COMMAND_BYTES_MAX) {
      return { fault: fault('INVALID_REQUEST',
        `the command makes ${data.length} bytes of metadata, at most ${COMMAND_BYTES_MAX} are taken`, 'split it') }
    }
    return this.#needs.propose(data) ? { delta, next } : { fault: this.notController() }
  }

  // ---- what Raft tells ----------------------------------------------------------------------------------

  /** The Raft role, on each change of leader, term or own role, before entries of that term are committed. */
  leadershipChanged(leadership: Leadership): void {
    const led = this.#role.kind !== 'standby'
    const leads = leadership.leaderId === this.#needs.nodeId
    const sameTerm = leadership.term === this.#leadership.term
    this.#leadership = leadership
    if (led && leads && sameTerm) return
    if (led) this.#standDown()
    if (leads) this.#role = { kind: 'taking-over' }
  }

  /** Committed entries, each index once, in order. */
  committed(entries: readonly CommittedEntry[]): void {
    for (const entry of entries) this.#apply(entry)
  }

  #apply(entry: CommittedEntry): void {
    assert(entry.index === this.#image.offset + 1, () => `entry ${entry.index} follows ${this.#image.offset}`)
    const own = this.#ownProposal(entry)
    const delta = own?.delta ?? new MetadataDelta(this.#image)
    if (own === undefined) {
      for (const record of splitRecords(entry.data)) delta.replay(decodeRecord(record))
    }
    this.#image = own?.next ?? delta.apply(entry.index)
    this.#needs.applied(entry.data, delta, this.#image)
    this.#answerUpTo(entry.index)
    if (this.#role.kind === 'taking-over' && entry.term === this.#leadership.term) {
      this.#role = { kind: 'active', speculative: this.#image }
      this.#needs.logger.info('active controller', { term: entry.term, metadataOffset: entry.index })
      this.#needs.activated(entry.term)
    }
  }

  /** The outcome computed when the entry was proposed here: the same as replaying it, and already there. */
  #ownProposal(entry: CommittedEntry): Parked['proposal'] {
    const head = this.#parked.peek()
    if (this.#role.kind !== 'active' || head === undefined || head.offset !== entry.index) return undefined
    assert(entry.term === this.#leadership.term && head.proposal !== undefined,
      () => `entry ${entry.index} of term ${entry.term} is the one proposed here in ${this.#leadership.term}`)
    return head.proposal
  }

  #answerUpTo(offset: number): void {
    for (let head = this.#parked.peek(); head !== undefined && head.offset <= offset; head = this.#parked.peek()) {
      this.#parked.shift()
      head.answer()
    }
  }

  /** This node stops: as when leadership is lost, to nobody known. */
  close(): void {
    if (this.#role.kind === 'standby') return
    this.#leadership = { leaderId: -1, term: this.#leadership.term }
    this.#standDown()
  }

  #standDown(): void {
    const wasActive = this.isActive
    this.#role = { kind: 'standby' }
    const error = new OutcomeUnknown(this.notController())
    for (let parked = this.#parked.shift(); parked !== undefined; parked = this.#parked.shift()) parked.fail(error)
    if (!wasActive) return
    this.#needs.logger.info('no longer the active controller', {
      leaderId: this.#leadership.leaderId, term: this.#leadership.term })
    this.#needs.deactivated()
  }

  // ---- snapshots ----------------------------------------------------------------------------------------

  /** The state at the last applied index, complete. */
  takeSnapshot(): { readonly index: number; readonly data: Uint8Array } {
    return { index: this.#image.offset, data: encodeSnapshot(this.#image) }
  }

  /** Takes a snapshot for the state; throws MetadataCodecError when this release cannot read it. */
  restore(index: number, data: Uint8Array): void {
    assert(this.#role.kind !== 'active', 'an active controller has everything committed already')
    assert(index > this.#image.offset, () => `snapshot ${index} is ahead of ${this.#image.offset}`)
    this.#image = decodeSnapshot(data, index)
    this.#needs.restored(this.#image)
  }
}

// ---- requests with an id --------------------------------------------------------------------------------------

function answeredBefore<K extends Command['kind']>(
  image: MetadataImage, command: Command & { readonly kind: K }, requestId: string
): Outcome<ReplyOf<K>> | Refusal | undefined {
  const settled = requestId === '' ? undefined : image.requests.get(requestId)
  if (settled === undefined) return undefined
  if (settled.command !== command.kind) {
    return new Refusal(fault('INVALID_REQUEST',
      `request id ${requestId} was used for ${settled.command}, now for ${command.kind}`,
      'use each id for one request'))
  }
  return { reply: (JSON.parse(settled.reply) ?? undefined) as ReplyOf<K>, records: [] }
}

/** The records of `outcome`, and with them what is to be answered if it is asked for again. */
function settling(
  { records, reply }: Outcome<unknown>, command: Command, requestId: string): readonly MetadataRecord[] {
  if (requestId === '' || records.length === 0) return records
  return [...records, { kind: 'request', requestId, command: command.kind, reply: JSON.stringify(reply ?? null) }]
}

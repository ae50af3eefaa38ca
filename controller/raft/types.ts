// Values that go into and come out of the Raft core: entries, hard state, snapshots, messages, the Ready of one turn.

/** One slot of the Raft log. Indexes and terms begin at 1. Empty data is the entry a leader begins its term with. */
export interface Entry {
  readonly index: number
  readonly term: number
  readonly data: Uint8Array
}

/** What must survive a crash beside the entries. */
export interface HardState {
  /** Highest term seen; 0 on a new node. */
  readonly term: number
  /** The node voted for in `term`; 0 = none. Node ids are >= 1. */
  readonly vote: number
  /** May lag after a crash: it is learned again from the leader. */
  readonly commit: number
}

/** A store that a cluster was founded with. */
export interface Founder {
  readonly id: number
  readonly mark: number
}

/** Whether a store may take part; founding.ts has the rule. To survive a crash like the hard state. */
export interface Standing {
  /** Of this store for its life, random: one that is made anew in its place has another. 0 in tests only. */
  readonly mark: number
  /** It may vote and lead, and what it acknowledges counts. Once true it stays so. */
  readonly voice: boolean
  /** The stores this one agreed to found its cluster with, by id, itself included; empty = none. */
  readonly founders: readonly Founder[]
}

/** The last entry a snapshot covers. */
export interface SnapshotMeta {
  readonly index: number
  readonly term: number
}

export interface Snapshot extends SnapshotMeta {
  readonly data: Uint8Array
}

export type Role = 'follower' | 'pre-candidate' | 'candidate' | 'leader'

export const MESSAGE_KINDS = [
  'pre-vote', 'pre-vote-reply', 'vote', 'vote-reply', 'append', 'append-reply', 'heartbeat', 'heartbeat-reply',
  'snapshot', 'snapshot-reply', 'timeout-now', 'census'
] as const

export type MessageKind = (typeof MESSAGE_KINDS)[number]

/** Fields of every message. Those that a kind does not use are 0, false or empty: all messages have one shape. */
export interface MessageFields {
  readonly from: number
  readonly to: number
  /** Of the sender; of a pre-vote and its granting reply: the term the sender would campaign in. */
  readonly term: number
  /**
   * append: the entry before `entries`. append-reply: the last entry known to match, or the refused one.
   * snapshot-reply: the last entry known to match. vote, pre-vote: the sender's last entry.
   */
  readonly index: number
  /** append: term of the entry at `index`. vote, pre-vote: term of the sender's last entry. */
  readonly logTerm: number
  /** append, heartbeat: how far the receiver may commit. */
  readonly commit: number
  /** Replies to append, vote and pre-vote: refused. */
  readonly reject: boolean
  /** append-reply that rejects: where the sender's log may match at best, and the term it has there (0 = unknown). */
  readonly rejectHint: number
  readonly hintTerm: number
  /** heartbeat and its reply: round of read-index (0 = none). vote: 1 in a leadership transfer: no lease stops it. */
  readonly context: number
  /** append. census: `index` and `term` of each are id and mark of one founder, there is no data. */
  readonly entries: readonly Entry[]
  /** census and answers to a leader: of the sender's store. append: of the store that has its voice now (0 = none). */
  readonly mark: number
  /** census and answers to a leader: the sender's store has no voice. */
  readonly voiceless: boolean
}

/** Any kind but a snapshot. */
export interface PlainMessage extends MessageFields {
  readonly kind: Exclude<MessageKind, 'snapshot'>
  readonly snapshot: undefined
}

/** The whole snapshot; the transport cuts it into chunks. */
export interface SnapshotMessage extends MessageFields {
  readonly kind: 'snapshot'
  readonly snapshot: Snapshot
}

export type Message = PlainMessage | SnapshotMessage

/** A read-index request that may be answered. */
export interface ConfirmedRead {
  /** As given to `readIndex`. */
  readonly context: number
  /** Commit index when the read was asked for; this Ready's `committed` reach it at the latest. */
  readonly index: number
}

/** What one turn wants done: send `early`; persist `snapshot`, `entries`, `hardState`; send `messages`; apply. */
export interface Ready {
  /** To persist; undefined when nothing changed since the last Ready. */
  readonly hardState: HardState | undefined
  /** To persist; undefined when nothing changed since the last Ready. */
  readonly standing: Standing | undefined
  /** To persist; they replace everything from entries[0].index on. */
  readonly entries: readonly Entry[]
  /** Received from the leader: to persist before `entries` (it replaces the whole log) and to restore from. */
  readonly snapshot: Snapshot | undefined
  /** May be sent only after hardState, standing, entries and snapshot of this Ready are durable. */
  readonly messages: readonly Message[]
  /** Appends and heartbeats of a leader, which may leave while it syncs. */
  readonly early: readonly Message[]
  /** To apply, in order, after `snapshot`; all of them were stable before this Ready. */
  readonly committed: readonly Entry[]
  /** To answer after `committed` is applied. */
  readonly reads: readonly ConfirmedRead[]
  readonly role: Role
  /** 0 = unknown. */
  readonly leaderId: number
  readonly term: number
}

export type FollowerState = 'probe' | 'replicate' | 'snapshot'

export interface FollowerStatus {
  readonly id: number
  /** Highest entry known to be durable there. */
  readonly match: number
  /** The entry to send next. */
  readonly next: number
  readonly state: FollowerState
  /** Heard of since the last check of the quorum. */
  readonly recentActive: boolean
  /** Its store has a voice, as far as is known. */
  readonly voice: boolean
}

export interface RaftStatus {
  readonly id: number
  readonly term: number
  readonly role: Role
  /** 0 = unknown. */
  readonly leaderId: number
  readonly commit: number
  readonly applied: number
  readonly stable: number
  readonly last: number
  /** Who is to take over; 0 = nobody. */
  readonly transferee: number
  /** This node may vote and lead. */
  readonly voice: boolean
  /** Without a voice: voters that did not tell of their store yet, and those whose store is not the one agreed on. */
  readonly unheard: readonly number[]
  readonly replaced: readonly number[]
  /** Empty unless this node leads. */
  readonly followers: readonly FollowerStatus[]
}

export function isMessageKind(kind: string): kind is MessageKind {
  return (MESSAGE_KINDS as readonly string[]).includes(kind)
}

const NO_ENTRIES: readonly Entry[] = []

/** A message of the one shape; `fields` are those its kind uses. */
export function plainMessage(
  kind: PlainMessage['kind'], from: number, to: number, term: number, fields: Partial<MessageFields> = {}
): PlainMessage {
  return {
    kind, from, to, term, index: fields.index ?? 0, logTerm: fields.logTerm ?? 0, commit: fields.commit ?? 0,
    reject: fields.reject ?? false, rejectHint: fields.rejectHint ?? 0, hintTerm: fields.hintTerm ?? 0,
    context: fields.context ?? 0, entries: fields.entries ?? NO_ENTRIES, mark: fields.mark ?? 0,
    voiceless: fields.voiceless ?? false, snapshot: undefined }
}

export function snapshotMessage(from: number, to: number, term: number, snapshot: Snapshot): SnapshotMessage {
  return { ...plainMessage('snapshot-reply', from, to, term), kind: 'snapshot', snapshot }
}

/** One line for traces and logs: `1→2 append t3 prev 4/2 commit 3 [5/3 6/3]`. */
export function describe(message: Message): string {
  return `${message.from}→${message.to} ${message.kind} t${message.term}${detail(message)}`
}

function detail(message: Message): string {
  switch (message.kind) {
    case 'pre-vote':
    case 'vote': return ` last ${message.index}/${message.logTerm}${message.context === 1 ? ' transfer' : ''}`
    case 'pre-vote-reply':
    case 'vote-reply': return message.reject ? ' refused' : ' granted'
    case 'append': {
      const entries = message.entries.map(({ index, term, data }) => `${index}/${term}${data.length === 0 ? '∅' : ''}`)
      const voice = message.mark === 0 ? '' : ` voice ${message.mark}`
      return ` prev ${message.index}/${message.logTerm} commit ${message.commit} [${entries.join(' ')}]${voice}`
    }
    case 'append-reply':
      return message.reject
        ? ` refused ${message.index} hint ${message.rejectHint}/${message.hintTerm}${store(message)}`
        : ` match ${message.index}${store(message)}`
    case 'heartbeat': return ` commit ${message.commit}${round(message)}`
    case 'heartbeat-reply': return `${round(message)}${store(message)}`
    case 'snapshot': return ` ${message.snapshot.index}/${message.snapshot.term}`
    case 'snapshot-reply': return ` match ${message.index}${store(message)}`
    case 'timeout-now': return ''
    case 'census': {
      const founders = message.entries.map(({ index, term }) => `${index}=${term}`)
      return `${store(message)}${message.voiceless ? '' : ' voiced'} founders [${founders.join(' ')}]`
    }
  }
}

function round({ context }: Message): string { return context === 0 ? '' : ` round ${context}` }

function store({ mark, voiceless }: Message): string { return voiceless ? ` voiceless ${mark}` : '' }

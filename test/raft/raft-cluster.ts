// Raft nodes in memory, each with a disk that keeps what was persisted and a state machine that records the entries.
// Nothing happens by itself: whoever drives it says which node works, which message arrives, who crashes.

import { assert } from '../../src/base/assert.ts'
import { RaftNode } from '../../controller/raft/node.ts'
import type { Entry, HardState, Message, Ready, Snapshot, Standing } from '../../controller/raft/types.ts'

export interface ClusterOptions {
  readonly nodes: number
  readonly electionTicks: number
  readonly heartbeatTicks: number
  readonly maxInflightMessages: number
  readonly maxAppendBytes: number
  readonly tailEntries: number
  /** The stores are new: they have to found the cluster. Default: they all have a voice. */
  readonly fresh?: boolean
  /** Uniform integer in [0, bound), for node `id`. */
  random(id: number, bound: number): number
  /** Told of each Ready that a node takes. */
  took(id: number, ready: Ready): void
  /** Told of each message that leaves a node. */
  sent(message: Message): void
  /** Told of each entry that a node applies. */
  applied(id: number, entry: Entry): void
}

export class Disk {
  hardState: HardState = { term: 0, vote: 0, commit: 0 }
  snapshot: Snapshot | undefined
  entries: Entry[] = []
  standing: Standing

  constructor(mark: number, voice: boolean) { this.standing = { mark, voice, founders: [] } }

  persist(
    { hardState, standing, snapshot, entries }: Pick<Ready, 'hardState' | 'standing' | 'snapshot' | 'entries'>
  ): void {
    if (snapshot !== undefined) {
      this.snapshot = snapshot
      this.entries = []
    }
    const first = entries[0]?.index
    if (first !== undefined) {
      const base = this.entries[0]?.index ?? (this.snapshot?.index ?? 0) + 1
      const last = base + this.entries.length - 1
      assert(first >= base && first <= last + 1, `entries from ${first} continue a log of ${base}..${last}`)
      this.entries = [...this.entries.slice(0, first - base), ...entries]
    }
    if (hardState !== undefined) this.hardState = hardState
    if (standing !== undefined) this.standing = standing
  }
}

export function text(data: Uint8Array): string { return Buffer.from(data).toString() }
export function bytes(data: string): Uint8Array { return new Uint8Array(Buffer.from(data)) }

export class Member {
  readonly id: number
  disk: Disk
  readonly #options: ClusterOptions
  /** Undefined while it is down. */
  node: RaftNode | undefined
  /** Everything applied, `term:data` by index − 1; a snapshot is its JSON. */
  machine: string[] = []
  /** Contexts of reads that were answered, with the applied index at that moment. */
  answered: { readonly context: number, readonly applied: number }[] = []
  #taken: Ready | undefined

  constructor(id: number, options: ClusterOptions) {
    this.id = id
    this.#options = options
    this.disk = options.fresh === true ? new Disk(10 * id, false) : new Disk(0, true)
    this.start()
  }

  get taken(): Ready | undefined { return this.#taken }

  start(): void {
    const { nodes, electionTicks, heartbeatTicks, maxInflightMessages, maxAppendBytes, tailEntries } = this.#options
    const { hardState, standing, snapshot, entries } = this.disk
    this.machine = snapshot === undefined ? [] : restored(snapshot)
    this.node = new RaftNode({
      id: this.id, voters: Array.from({ length: nodes }, (_, at) => at + 1), electionTicks, heartbeatTicks,
      maxInflightMessages, maxAppendBytes, tailEntries, random: (bound) => this.#options.random(this.id, bound),
      hardState, standing, snapshot, entries: [...entries], applied: this.machine.length })
  }

  /** Loses what was not persisted. */
  crash(): void {
    this.node = undefined
    this.#taken = undefined
  }

  /** Its data directory is emptied, while it is down: the new store has the next mark. */
  wipe(): void { this.disk = new Disk(this.disk.standing.mark + 1, false) }

  /** First half of a turn: takes a Ready and sends what may leave early. False when there is nothing to do. */
  take(): boolean {
    if (this.node === undefined || this.#taken !== undefined || !this.node.hasReady()) return false
    this.#taken = this.node.ready()
    this.#options.took(this.id, this.#taken)
    for (const message of this.#taken.early) this.#options.sent(message)
    return true
  }

  persist(): void {
    assert(this.#taken !== undefined, 'a Ready was taken')
    this.disk.persist(this.#taken)
  }

  /** Second half: what `persist` made durable is sent, applied and advanced. */
  finish(): void {
    const ready = this.#taken
    assert(ready !== undefined && this.node !== undefined, 'a Ready was taken')
    for (const message of ready.messages) this.#options.sent(message)
    if (ready.snapshot !== undefined) this.machine = restored(ready.snapshot)
    for (const entry of ready.committed) {
      assert(entry.index === this.machine.length + 1, `${this.id} applies ${entry.index} after ${this.machine.length}`)
      this.machine.push(`${entry.term}:${text(entry.data)}`)
      this.#options.applied(this.id, entry)
    }
    for (const { context, index } of ready.reads) {
      assert(index <= this.machine.length, `read ${context} at ${index} waits for ${this.machine.length}`)
      this.answered.push({ context, applied: this.machine.length })
    }
    this.#taken = undefined
    this.node.advance(ready)
  }

  /** Whole turns until nothing is left to do. */
  work(): void {
    while (this.take()) {
      this.persist()
      this.finish()
    }
  }

  /** Takes a snapshot of the state machine; the disk keeps no tail. */
  compact(): void {
    const index = this.machine.length
    if (this.node === undefined || index === 0 || index <= (this.disk.snapshot?.index ?? 0)) return
    const term = Number(this.machine[index - 1]!.split(':')[0])
    const snapshot = { index, term, data: bytes(JSON.stringify(this.machine)) }
    this.disk.snapshot = snapshot
    this.disk.entries = this.disk.entries.filter((entry) => entry.index > index)
    this.node.compact(snapshot)
  }
}

function restored(snapshot: Snapshot): string[] {
  const machine = JSON.parse(text(snapshot.data)) as string[]
  assert(machine.length === snapshot.index, 'a snapshot covers all up to its index')
  return machine
}

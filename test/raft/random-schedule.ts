// One random history of a Raft cluster: slow disks, crashes that lose what was not persisted, a network that loses,
// repeats, reorders and splits. Checks after each step what Raft promises.

import { assert } from '../../src/base/assert.ts'
import type { SeededRandom } from '../../src/base/seeded-random.ts'
import { describe as rendered, type Entry, type Message, type Ready } from '../../controller/raft/types.ts'
import { bytes, Member, text } from './raft-cluster.ts'

const WIRE_MAX = 30
const SETTLE_ROUNDS = 400

/** How often something happened: a test over many histories asks that each did. */
export type Marks = Record<'leaders' | 'applied' | 'installed' | 'replaced' | 'transferred' | 'reads' | 'lostReadys'
  | 'steppedDown', number>

export class RandomSchedule {
  readonly #random: SeededRandom
  readonly #marks: Marks
  readonly #members: readonly Member[]
  readonly #wire: Message[] = []
  /** Node → group; messages cross no border. */
  #groups: number[] = []
  #proposals = 0
  #reads = 0
  /** Per read context: the highest commit index that any node knew when it was asked for. */
  readonly #readFloors = new Map<number, number>()
  readonly #leaderOf = new Map<number, number>()
  readonly #voteOf = new Map<string, number>()
  /** What is committed, by index − 1: once written, never changed. */
  readonly #committed: string[] = []
  readonly #leading = new Set<number>()
  #crashed = new Set<number>()

  constructor(random: SeededRandom, marks: Marks) {
    this.#random = random
    this.#marks = marks
    const nodes = [1, 2, 3, 3, 3, 5, 5][random.below(7)]!
    const options = {
      nodes, electionTicks: 4, heartbeatTicks: 1, maxInflightMessages: 1 + random.below(4),
      maxAppendBytes: 1 + random.below(100), tailEntries: random.below(4),
      random: (_id: number, bound: number) => random.below(bound),
      took: (id: number, ready: Ready) => { this.#note(id, ready) },
      sent: (message: Message) => { this.#send(message) },
      applied: (id: number, entry: Entry) => { this.#checkApplied(id, entry) } }
    this.#members = Array.from({ length: nodes }, (_, at) => new Member(at + 1, options))
    this.#groups = this.#members.map(() => 0)
  }

  run(steps: number): void {
    for (let step = 0; step < steps; step++) {
      this.#act()
      this.#check()
    }
    this.#checkLogMatching()
    this.#recover()
  }

  // ---- what happens -----------------------------------------------------------------------------------------

  #act(): void {
    const member = this.#members[this.#random.below(this.#members.length)]!
    const choice = this.#random.below(200)
    if (choice < 60) for (let left = this.#random.below(6); left >= 0; left--) this.#deliver()
    else if (choice < 80) this.#halfTurn(member)
    else if (choice < 105) member.work()
    else if (choice < 160) member.node?.tick()
    else if (choice < 172) this.#propose(this.#leaderOr(member))
    else if (choice < 177) this.#read(this.#leaderOr(member))
    else if (choice < 178) this.#crash(member)
    else if (choice < 186) this.#restart(member)
    else this.#rare(member)
  }

  /** Who believes to lead; an old leader may be among several. */
  #leaderOr(member: Member): Member {
    const leaders = this.#members.filter(({ node }) => node?.status().role === 'leader')
    return leaders[this.#random.below(Math.max(leaders.length, 1))] ?? member
  }

  #rare(member: Member): void {
    const peer = 1 + this.#random.below(this.#members.length)
    switch (this.#random.below(10)) {
      case 0: this.#groups = this.#members.map(() => this.#random.below(2)); return
      case 1: this.#groups = this.#members.map((_, at) => Number(at === member.id - 1)); return
      case 2:
      case 9: this.#groups = this.#members.map(() => 0); return
      case 3: if (this.#leaderOr(member).node?.transfer(peer) === true) this.#marks.transferred++; return
      case 4: member.node?.reportUnreachable(peer); return
      case 5: member.node?.reportSnapshot(peer, this.#random.below(2) === 0); return
      default: if (member.taken === undefined) member.compact()
    }
  }

  /** A Ready is taken, or the one taken is persisted, or that and the rest is done: a crash may come between. */
  #halfTurn(member: Member): void {
    if (member.node === undefined) return
    if (member.taken === undefined) {
      member.take()
    } else {
      member.persist()
      if (this.#random.below(30) > 0) member.finish()
      else this.#crash(member)
    }
  }

  #note(id: number, { snapshot, entries }: Ready): void {
    if (snapshot !== undefined) this.#marks.installed++
    const first = entries[0]
    if (first !== undefined && this.#members[id - 1]!.disk.entries.some(({ index }) => index >= first.index)) {
      this.#marks.replaced++
    }
  }

  #propose(member: Member): void {
    const datas = Array.from({ length: 1 + this.#random.below(3) }, () => bytes(`p${++this.#proposals}`))
    member.node?.propose(datas)
  }

  #read(member: Member): void {
    const context = ++this.#reads
    const floor = Math.max(...this.#members.map(({ node }) => node?.status().commit ?? 0), this.#committed.length)
    if (member.node?.readIndex(context) === true) this.#readFloors.set(context, floor)
  }

  #crash(member: Member): void {
    if (member.taken !== undefined) this.#marks.lostReadys++
    member.crash()
    this.#leading.delete(member.id)
    this.#crashed.add(member.id)
  }

  #restart(member: Member): void {
    if (!this.#crashed.delete(member.id)) return
    member.start()
  }

  #send(message: Message): void {
    this.#checkPromise(message)
    if (this.#groups[message.from - 1] !== this.#groups[message.to - 1]) return
    if (this.#wire.length >= WIRE_MAX) this.#wire.splice(this.#random.below(this.#wire.length), 1)
    this.#wire.push(message)
  }

  /** Mostly the oldest, sometimes any; sometimes it stays to come again, sometimes it is lost. */
  #deliver(): void {
    if (this.#wire.length === 0) return
    const at = this.#random.below(3) > 0 ? 0 : this.#random.below(this.#wire.length)
    const fate = this.#random.below(20)
    const message = this.#wire[at]!
    if (fate > 0) this.#wire.splice(at, 1)
    if (fate === 19) return
    const receiver = this.#members[message.to - 1]!
    receiver.node?.step(message)
    this.#check()
    if (this.#random.below(3) > 0) receiver.work()
  }

  // ---- what must hold ---------------------------------------------------------------------------------------

  #check(): void {
    for (const member of this.#members) {
      const { node } = member
      if (node === undefined) continue
      const { role, term, commit } = node.status()
      if (role !== 'leader' && this.#leading.delete(member.id)) this.#marks.steppedDown++
      if (role === 'leader') {
        this.#leading.add(member.id)
        this.#checkLeader(member, term)
        this.#checkCommit(member, commit)
      }
      for (const { context, applied } of member.answered.splice(0)) {
        const floor = this.#readFloors.get(context)!
        assert(applied >= floor, () => `read ${context} saw ${applied}, but ${floor} was committed when it began`)
        this.#marks.reads++
      }
    }
  }

  /** Election safety, and leader completeness for a new leader. */
  #checkLeader(member: Member, term: number): void {
    const known = this.#leaderOf.get(term)
    assert(known === undefined || known === member.id, () => `two leaders in term ${term}: ${known} and ${member.id}`)
    if (known !== undefined) return
    this.#leaderOf.set(term, member.id)
    this.#marks.leaders++
    const log = onDisk(member)
    this.#committed.forEach((entry, at) => {
      assert(log[at] === entry,
        () => `leader ${member.id} of term ${term} has ${log[at]}, committed at ${at + 1} is ${entry}`)
    })
  }

  /** What a leader commits is durable on a majority. */
  #checkCommit(member: Member, commit: number): void {
    if (commit <= this.#committed.length) return
    const holders = this.#members.map(onDisk)
    const majority = Math.floor(this.#members.length / 2) + 1
    for (let at = this.#committed.length; at < commit; at++) {
      const counts = new Map<string, number>()
      for (const log of holders) {
        const entry = log[at]
        if (entry !== undefined) counts.set(entry, (counts.get(entry) ?? 0) + 1)
      }
      const durable = [...counts].find(([, count]) => count >= majority)
      assert(durable !== undefined, () => `${member.id} committed ${at + 1}, which no majority has on disk`)
      this.#committed.push(durable[0])
    }
  }

  /** State machine safety. */
  #checkApplied(id: number, entry: Entry): void {
    this.#marks.applied++
    this.#check()
    const committed = this.#committed[entry.index - 1]
    const own = `${entry.term}:${text(entry.data)}`
    assert(committed === own, () => `${id} applied ${own} at ${entry.index}, committed is ${committed}`)
  }

  /** What a message promises is on the sender's disk when it leaves, and a vote is given once per term. */
  #checkPromise(message: Message): void {
    const { kind, from, to, term, index, reject } = message
    const { disk } = this.#members[from - 1]!
    if (kind === 'append' || kind === 'heartbeat' || kind === 'snapshot' || kind === 'vote') {
      assert(disk.hardState.term >= term, () => `${rendered(message)} left before term ${term} was durable`)
    }
    if (kind === 'vote' || (kind === 'vote-reply' && !reject)) {
      const candidate = kind === 'vote' ? from : to
      const given = this.#voteOf.get(`${from} ${term}`)
      assert(given === undefined || given === candidate, () => `${from} voted for ${given} and ${candidate} in ${term}`)
      this.#voteOf.set(`${from} ${term}`, candidate)
      const { hardState } = disk
      assert(hardState.term > term || hardState.vote === candidate,
        () => `${rendered(message)} left before the vote was durable`)
    }
    if ((kind === 'append-reply' && !reject) || kind === 'snapshot-reply') {
      const { length } = onDisk(this.#members[from - 1]!)
      assert(length >= index || disk.hardState.term > term, () => `${rendered(message)} left with a log of ${length}`)
    }
  }

  /** Same index and term on two disks: the same entries up to there. */
  #checkLogMatching(): void {
    const logs = this.#members.map(onDisk)
    for (const left of logs) {
      for (const right of logs) {
        let at = Math.min(left.length, right.length) - 1
        while (at >= 0 && termOf(left[at]!) !== termOf(right[at]!)) at--
        for (; at >= 0; at--) {
          assert(left[at] === right[at], () => `logs differ at ${at + 1}: ${left[at]} and ${right[at]}`)
        }
      }
    }
  }

  /** With all nodes up and no faults, a leader appears, commits, and everybody applies the same. */
  #recover(): void {
    this.#groups = this.#members.map(() => 0)
    for (const member of this.#members) {
      this.#restart(member)
      if (member.taken === undefined) continue
      member.persist()
      member.finish()
    }
    const mark = `end ${this.#proposals}`
    let proposed = false
    for (let round = 0; round < SETTLE_ROUNDS; round++) {
      for (const member of this.#members) {
        member.node!.tick()
        member.work()
        this.#check()
      }
      for (const message of this.#wire.splice(0)) {
        this.#members[message.to - 1]!.node!.step(message)
        this.#check()
      }
      const heads = this.#members.map(({ machine }) => machine.findIndex((entry) => entry.endsWith(mark)))
      if (heads.every((head) => head >= 0)) {
        const histories = new Set(this.#members.map(({ machine }) => machine.slice(0, heads[0]! + 1).join()))
        assert(histories.size === 1, 'all nodes applied the same')
        return
      }
      const leader = this.#members.find(({ node }) => node!.status().role === 'leader')
      // A proposal may be lost with its leader: it is repeated now and then.
      if (leader !== undefined && (!proposed || round % 40 === 0)) {
        proposed = leader.node!.propose([bytes(mark)]) !== undefined || proposed
      }
    }
    const statuses = JSON.stringify(this.#members.map(({ node }) => node?.status()))
    assert(false, `no progress after ${SETTLE_ROUNDS} rounds: ${statuses}`)
  }
}

/** The log on disk as `term:data` by index − 1, the part behind a snapshot as the snapshot has it. */
function onDisk({ disk }: Member): string[] {
  const before = disk.snapshot === undefined ? [] : JSON.parse(text(disk.snapshot.data)) as string[]
  return [...before, ...disk.entries.map(({ term, data }) => `${term}:${text(data)}`)]
}

function termOf(entry: string): string | undefined {
  return entry.split(':')[0]
}

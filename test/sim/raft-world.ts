// One history of a bare Raft cluster from one seed: everything that may happen to it, one thing after the other in an
// order that is drawn, and the oracle after each. Then the faults end, and it must come to an agreement.

import { assert } from '../../src/base/assert.ts'
import { seededRandom, type SeededRandom } from '../../src/base/seeded-random.ts'
import { describe as rendered, type Message } from '../../controller/raft/types.ts'
import { dataOf, RaftOracle } from './raft-oracle.ts'
import { SimVoter, type VoterSettings } from './raft-voter.ts'

const STEPS = 260
const SETTLE_ROUNDS = 1_500
const TRACE_LINES = 400

export interface RaftRun {
  readonly seed: number
  /** How often things happened. */
  readonly marks: Map<string, number>
  readonly failure: Error | undefined
  /** The last things that happened, when asked for. */
  readonly trace: readonly string[]
}

/** Draws that differ from seed to seed: each kind of trouble is common in some histories and missing in others. */
interface Profile {
  readonly voters: number
  readonly wireMax: number
  /** Of 100 deliveries: lost, repeated, out of order. */
  readonly loss: number
  readonly repeats: number
  readonly disorder: number
  /** Of 1 000 steps. */
  readonly crashes: number
  readonly cuts: number
  readonly wipes: number
  readonly faults: number
  readonly transfers: number
  /** Of 100 steps: one node's I/O goes on. Low = slow disks. */
  readonly io: number
  readonly ticks: number
  readonly proposals: number
}

function draw(random: SeededRandom): Profile {
  const one = (...values: readonly number[]) => values[random.below(values.length)]!
  return {
    voters: one(3, 3, 3, 3, 5, 5, 1), wireMax: one(15, 40, 80), loss: one(0, 2, 10, 30), repeats: one(0, 5, 20),
    disorder: one(0, 10, 50), crashes: one(0, 5, 15, 40), cuts: one(0, 5, 20), wipes: one(0, 0, 4, 12),
    faults: one(0, 0, 3), transfers: one(0, 3, 15), io: one(20, 50, 90), ticks: one(15, 30, 60),
    proposals: one(5, 15, 40) }
}

export class RaftWorld {
  readonly #random: SeededRandom
  readonly #profile: Profile
  readonly #oracle: RaftOracle
  readonly #nodes: readonly SimVoter[]
  readonly #marks = new Map<string, number>()
  readonly #trace: string[] | undefined
  #wire: Message[] = []
  /** `from * 8 + to` of directions in which nothing gets through. */
  readonly #cut = new Set<number>()
  /** By node id. */
  readonly #copies = new Map<number, () => void>()
  #values = 0
  #broken: Error | undefined

  constructor(seed: number, traced: boolean) {
    this.#random = seededRandom(seed)
    this.#profile = draw(this.#random)
    this.#trace = traced ? [] : undefined
    const voters = Array.from({ length: this.#profile.voters }, (_unset, at) => at + 1)
    const { below } = { below: (bound: number) => this.#random.below(bound) }
    const settings: VoterSettings = {
      voters, electionMs: 4 + below(5), snapshotEntries: [3, 8, 1e6][below(3)]!,
      tuning: { maxInflightMessages: 1 + below(4), maxAppendBytes: 1 + below(3) * 60, tailEntries: below(6) } }
    this.#nodes = voters.map((id) => new SimVoter(id, {
      settings, random: this.#random.fork(`node ${id}`), oracle: () => this.#oracle,
      sent: (message) => { this.#send(message) },
      mark: (what) => { this.#mark(what) },
      broken: (error) => { this.#broken ??= error instanceof Error ? error : new Error(String(error)) } }))
    this.#oracle = new RaftOracle(this.#nodes)
  }

  async run(): Promise<Pick<RaftRun, 'marks' | 'failure' | 'trace'>> {
    try {
      for (const node of this.#nodes) await this.#startQuickly(node)
      for (let step = 0; step < STEPS; step++) await this.#step()
      await this.#recover()
    } catch (error) {
      this.#broken ??= error as Error
    }
    this.#marks.set('leaders', this.#oracle.leaders)
    this.#marks.set('committed', this.#oracle.committed)
    return { marks: this.#marks, failure: this.#broken, trace: this.#trace ?? [] }
  }

  // ---- what happens -----------------------------------------------------------------------------------------

  async #step(): Promise<void> {
    const { profile, random } = { profile: this.#profile, random: this.#random }
    const chance = (percent: number) => random.below(100) < percent
    for (let left = random.below(4); left > 0; left--) this.#deliver()
    if (chance(profile.ticks)) this.#someNode((node) => { node.tick() })
    if (chance(profile.proposals)) this.#propose(this.#someLeader())
    if (chance(4)) this.#someLeader()?.read()
    await this.#rare(random.below(1000))
    let busy = false
    for (const node of this.#nodes) {
      if (node.pendingTurns > 0 && chance(60)) {
        node.runTurns()
        busy = true
      }
      if (node.pendingIo > 0 && chance(profile.io)) {
        node.endIo(random.below(2))
        busy = true
      }
    }
    if (busy) await this.#flush()
    this.#check()
  }

  async #rare(drawn: number): Promise<void> {
    const { crashes, cuts, wipes, faults, transfers } = this.#profile
    let edge = 0
    const within = (width: number) => {
      edge += width
      return drawn < edge && drawn >= edge - width
    }
    if (within(crashes)) this.#someNode((node) => { this.#die(node) })
    else if (within(crashes * 3)) await this.#restartSome()
    else if (within(2 * cuts)) this.#partition()
    else if (within(wipes)) this.#wipeSome()
    else if (within(faults)) this.#someNode((node) => { node.plantFault(this.#random.below(3)) })
    else if (within(transfers)) this.#transfer()
    else if (within(10)) this.#rumour()
  }

  #someNode(act: (node: SimVoter) => void): void {
    const node = this.#nodes[this.#random.below(this.#nodes.length)]!
    if (node.state !== 'down') act(node)
  }

  /** One who believes to lead. */
  #someLeader(): SimVoter | undefined {
    const leaders = this.#nodes.filter(({ status }) => status?.role === 'leader')
    return leaders[this.#random.below(Math.max(leaders.length, 1))]
  }

  #propose(node: SimVoter | undefined): void {
    for (let left = this.#random.below(3); left >= 0; left--) {
      node?.driver?.propose(dataOf(++this.#values, this.#random.below(60)))
    }
  }

  #transfer(): void {
    const to = 1 + this.#random.below(this.#nodes.length)
    if (this.#someLeader()?.driver?.transfer(to) === true) this.#mark('transfers')
  }

  /** What a transport may report, true or not. */
  #rumour(): void {
    const peer = 1 + this.#random.below(this.#nodes.length)
    const which = this.#random.below(4)
    this.#someNode(({ driver }) => {
      if (which === 0) driver?.unreachable(peer)
      else if (which === 1) driver?.connectionLost(peer)
      else driver?.snapshotSent(peer, which === 2)
    })
  }

  /** Some nodes lose what goes to the others, or comes from them, or both; or all hear all again. */
  #partition(): void {
    const { length } = this.#nodes
    const side = this.#nodes.map(() => this.#random.below(2))
    const ways = this.#random.below(4)
    this.#cut.clear()
    if (this.#random.below(2) === 0) return
    for (let from = 0; from < length; from++) {
      for (let to = 0; to < length; to++) {
        if (side[from] !== side[to] && (ways > 1 || side[from] === ways)) this.#cut.add((from + 1) * 8 + to + 1)
      }
    }
    this.#mark('partitions')
  }

  #die(node: SimVoter): void {
    const how = this.#random.below(2) === 0 ? 'kill' : 'power'
    this.#note(() => `${node.id} dies by ${how}`)
    node.die(how)
    if (how === 'power' && this.#random.below(4) === 0) this.#copies.set(node.id, node.copyOfLevel())
  }

  async #restartSome(): Promise<void> {
    const down = this.#nodes.filter(({ state }) => state === 'down')
    const node = down[this.#random.below(Math.max(down.length, 1))]
    if (node === undefined) return
    this.#note(() => `${node.id} starts`)
    if (this.#random.below(4) > 0) return this.#startQuickly(node)
    node.start()
    await this.#flush()
  }

  async #startQuickly(node: SimVoter): Promise<void> {
    node.start()
    while (node.state === 'opening') {
      while (node.pendingIo > 0) node.endIo(0)
      await this.#flush()
    }
  }

  /** Empties a data directory, or puts an older copy back; only while a majority keeps its voice. */
  #wipeSome(): void {
    const node = this.#nodes[this.#random.below(this.#nodes.length)]!
    const others = this.#nodes.filter((other) => other !== node && other.trusted)
    const majority = Math.floor(this.#nodes.length / 2) + 1
    if (others.length < majority) return
    if (node.state !== 'down') node.die('power')
    const copy = this.#copies.get(node.id)
    this.#copies.delete(node.id)
    if (copy === undefined) node.wipe()
    else copy()
    this.#note(() => `${node.id} ${copy === undefined ? 'is emptied' : 'gets an older copy'}`)
    this.#mark(copy === undefined ? 'wipes' : 'copies')
  }

  // ---- network ----------------------------------------------------------------------------------------------

  #send(message: Message): void {
    const lost = this.#cut.has(message.from * 8 + message.to)
    this.#note(() => `  ${rendered(message)}${lost ? ' (lost)' : ''}`)
    if (lost) return
    if (this.#wire.length >= this.#profile.wireMax) this.#wire.splice(this.#random.below(this.#wire.length), 1)
    this.#wire.push(message)
  }

  #deliver(): void {
    const { loss, repeats, disorder } = this.#profile
    if (this.#wire.length === 0) return
    const at = this.#random.below(100) < disorder ? this.#random.below(this.#wire.length) : 0
    const message = this.#wire[at]!
    if (this.#random.below(100) >= repeats) this.#wire.splice(at, 1)
    if (this.#random.below(100) < loss) return
    this.#arrive(message)
  }

  #arrive(message: Message): void {
    const node = this.#nodes[message.to - 1]!
    if (node.driver === undefined || node.failed) return
    this.#note(() => `${message.to} gets ${rendered(message)}`)
    node.driver.step([message])
    this.#oracle.check(node)
  }

  // ---- checks -----------------------------------------------------------------------------------------------

  /** Lets everything happen that waits for nothing but the event loop. */
  async #flush(): Promise<void> {
    await new Promise<void>((resolve) => { setImmediate(resolve) })
    if (this.#broken !== undefined) throw this.#broken
    for (const node of this.#nodes) if (node.failed) node.die(this.#random.below(2) === 0 ? 'kill' : 'power')
  }

  #check(): void { for (const node of this.#nodes) this.#oracle.check(node) }

  #mark(what: string): void { this.#marks.set(what, (this.#marks.get(what) ?? 0) + 1) }

  #note(line: () => string): void {
    if (this.#trace === undefined) return
    this.#trace.push(line())
    if (this.#trace.length > TRACE_LINES) this.#trace.shift()
  }

  /** With all nodes up and no faults, all get a voice, a leader appears, and everybody applies the same. */
  async #recover(): Promise<void> {
    this.#note(() => 'the faults end')
    this.#cut.clear()
    let mark = 0
    for (let round = 0; round < SETTLE_ROUNDS; round++) {
      for (const node of this.#nodes) {
        if (node.state === 'down') await this.#startQuickly(node)
        node.tick()
      }
      for (const message of this.#wire.splice(0)) this.#arrive(message)
      for (let left = 6; left > 0 && this.#nodes.some((node) => node.pendingTurns + node.pendingIo > 0); left--) {
        for (const node of this.#nodes) {
          node.runTurns()
          for (let io = node.pendingIo; io > 0; io--) node.endIo(0)
        }
        await this.#flush()
        this.#check()
      }
      const { committed } = this.#oracle
      if (mark > 0 && committed >= mark && this.#nodes.every(({ machine, shadow }) => (
        machine.index >= mark && shadow.standing.voice))) return
      const leader = this.#someLeader()
      // A proposal may be lost with its leader: it is repeated now and then.
      if (leader !== undefined && (mark === 0 || round % 40 === 0)) {
        if (leader.driver?.propose(dataOf(++this.#values, 3)) === true) mark = committed + 1
      }
    }
    const states = this.#nodes.map(({ state, status, pendingIo, shadow }) => (
      { state, pendingIo, ...status, standing: shadow.standing }))
    assert(false, `L: no agreement after ${SETTLE_ROUNDS} rounds: ${JSON.stringify(states)}`)
  }
}

/** With the trace, when it failed. */
export async function runRaftSeed(seed: number): Promise<RaftRun> {
  const { marks, failure } = await new RaftWorld(seed, false).run()
  if (failure === undefined) return { seed, marks, failure, trace: [] }
  return { seed, ...await new RaftWorld(seed, true).run() }
}

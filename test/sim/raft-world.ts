// One history of a bare Raft cluster from one seed: everything that may happen to it, one thing after the other in an
// order that is drawn, and the oracle after each. Then the faults end, and it must come to an agreement.

import { assert } from '../../src/base/assert.ts'
import { seededRandom, type SeededRandom } from '../../src/base/seeded-random.ts'
import { describe as rendered, type Message } from '../../controller/raft/types.ts'
import { dataOf, RaftOracle } from './raft-oracle.ts'
import { drawProfile, type Profile } from './raft-profile.ts'
import { SimVoter, type VoterSettings } from './raft-voter.ts'

/** Of a history, unless told. */
export const STEPS = 200
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

export class RaftWorld {
  readonly #random: SeededRandom
  readonly #profile: Profile
  readonly #steps: number
  readonly #oracle: RaftOracle
  readonly #nodes: readonly SimVoter[]
  readonly #marks = new Map<string, number>()
  readonly #trace: string[] | undefined
  #wire: Message[] = []
  /** On the way for long. */
  readonly #delayed: Message[] = []
  #ambushed: SimVoter | undefined
  /** No message is lost, late or the last of its store. */
  #calm = true
  /** `from * 8 + to` of directions in which nothing gets through. */
  readonly #cut = new Set<number>()
  /** By node id. */
  readonly #copies = new Map<number, () => void>()
  #values = 0
  #broken: Error | undefined

  constructor(seed: number, traced: boolean, steps = STEPS) {
    this.#steps = steps
    this.#random = seededRandom(seed)
    this.#profile = drawProfile(this.#random)
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
      // The founding is of interest in some histories only; before it nothing else happens.
      if (this.#random.below(6) > 0) await this.#rounds(() => this.#nodes.every(({ trusted }) => trusted))
      this.#calm = false
      for (let step = 0; step < this.#steps; step++) await this.#step()
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
    for (let left = random.below(9); left > 0; left--) this.#deliver()
    if (this.#delayed.length > 0 && this.#chance(8)) {
      this.#post(this.#delayed.splice(random.below(this.#delayed.length), 1)[0]!)
    }
    for (const node of this.#nodes) if (this.#chance(profile.ticks)) node.tick()
    if (this.#chance(profile.proposals)) this.#propose(this.#someLeader())
    // A leader that is cut off and does not know it is the one to ask.
    if (this.#chance(this.#cut.size > 0 ? 15 : 5)) for (const node of this.#leaders()) node.read()
    await this.#rare(random.below(1000))
    const busy = new Set<SimVoter>()
    for (const node of this.#nodes) {
      if (node.pendingTurns > 0 && this.#chance(85)) {
        node.runTurns()
        busy.add(node)
      }
      if (node.pendingIo > 0 && this.#chance(profile.io)) {
        node.endIo(random.below(2))
        busy.add(node)
      }
    }
    if (busy.size > 0) await this.#flush()
    for (const node of busy) this.#oracle.check(node)
    if (this.#ambushed !== undefined) await this.#ambush(this.#ambushed)
  }

  async #rare(drawn: number): Promise<void> {
    const { crashes, cuts, wipes, faults, transfers, rumours, coups } = this.#profile
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
    else if (within(rumours)) this.#rumour()
    else if (within(coups)) this.#coup()
  }

  #chance(percent: number): boolean { return this.#random.below(100) < percent }

  #someNode(act: (node: SimVoter) => void): void {
    const node = this.#nodes[this.#random.below(this.#nodes.length)]!
    if (node.state !== 'down') act(node)
  }

  /** One who believes to lead. */
  #someLeader(): SimVoter | undefined {
    const leaders = this.#leaders()
    return leaders[this.#random.below(Math.max(leaders.length, 1))]
  }

  #leaders(): SimVoter[] { return this.#nodes.filter(({ status }) => status?.role === 'leader') }

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

  /** A leader is cut off and goes on, while the others take it for dead and elect another soon. */
  #coup(): void {
    const leader = this.#someLeader()
    if (leader === undefined) return
    this.#cutOff((id) => id === leader.id)
    this.#propose(leader)
    for (const node of this.#nodes) {
      if (node === leader) continue
      node.driver?.connectionLost(leader.id)
      for (let ticks = this.#random.below(4); ticks > 0; ticks--) node.tick()
    }
    this.#mark('coups')
  }

  /** Some nodes lose what goes to the others, or comes from them, or both; or all hear all again. */
  #partition(): void {
    if (this.#random.below(2) === 0) this.#cut.clear()
    else this.#cutOff(() => this.#random.below(2) === 0)
  }

  #cutOff(isAway: (id: number) => boolean): void {
    const { length } = this.#nodes
    const side = this.#nodes.map(({ id }) => Number(isAway(id)))
    const ways = this.#random.below(4)
    this.#cut.clear()
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
    if (how === 'power' && this.#random.below(2) === 0) this.#copies.set(node.id, node.copyOfLevel())
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

  async #ambush(node: SimVoter): Promise<void> {
    this.#ambushed = undefined
    if (!this.#mayLose(node) || node.state === 'down') return
    node.die('power')
    node.wipe()
    this.#note(() => `${node.id} is emptied in an ambush`)
    this.#mark('ambushes')
    await this.#startQuickly(node)
  }

  /** Only while a majority keeps its voice. */
  #mayLose(node: SimVoter): boolean {
    const others = this.#nodes.filter((other) => other !== node && other.trusted)
    return others.length >= Math.floor(this.#nodes.length / 2) + 1
  }

  /** Empties a data directory, or puts an older copy back. */
  #wipeSome(): void {
    const node = this.#nodes[this.#random.below(this.#nodes.length)]!
    if (!this.#mayLose(node)) return
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
    const { kind, reject } = message
    const promises = (kind === 'vote-reply' || kind === 'append-reply') && !reject
    if (promises && !this.#calm && this.#chance(this.#profile.ambushes)) this.#ambushed = this.#nodes[message.from - 1]
    if (!this.#calm && this.#chance(this.#profile.delays)) this.#delayed.push(message)
    else this.#post(message)
  }

  #post(message: Message): void {
    if (!this.#calm && this.#wire.length >= this.#profile.wireMax) {
      this.#wire.splice(this.#random.below(this.#wire.length), 1)
    }
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
    for (const node of this.#nodes) {
      if (!node.failed) continue
      this.#oracle.check(node)
      node.die(this.#random.below(2) === 0 ? 'kill' : 'power')
    }
  }

  #check(): void { for (const node of this.#nodes) this.#oracle.check(node) }

  #mark(what: string): void { this.#marks.set(what, (this.#marks.get(what) ?? 0) + 1) }

  #note(line: () => string): void {
    if (this.#trace === undefined) return
    this.#trace.push(line())
    if (this.#trace.length > TRACE_LINES) this.#trace.shift()
  }

  /** Time passes without faults, round by round, until `done`. */
  async #rounds(done: (round: number) => boolean): Promise<void> {
    for (let round = 0; round < SETTLE_ROUNDS; round++) {
      for (const node of this.#nodes) {
        if (node.state === 'down') await this.#startQuickly(node)
        node.tick()
      }
      for (const message of this.#wire.splice(0)) this.#arrive(message)
      const late = this.#delayed.shift()
      if (late !== undefined) this.#post(late)
      for (let left = 6; left > 0 && this.#nodes.some((node) => node.pendingTurns + node.pendingIo > 0); left--) {
        for (const node of this.#nodes) {
          node.runTurns()
          for (let io = node.pendingIo; io > 0; io--) node.endIo(0)
        }
        await this.#flush()
        this.#check()
      }
      if (done(round)) return
    }
    const states = this.#nodes.map(({ state, status, pendingIo, shadow }) => (
      { state, pendingIo, ...status, standing: shadow.standing }))
    assert(false, `L: no agreement after ${SETTLE_ROUNDS} rounds: ${JSON.stringify(states)}`)
  }

  /** All get a voice, a leader appears, and everybody applies the same. */
  async #recover(): Promise<void> {
    this.#note(() => 'the faults end')
    this.#cut.clear()
    this.#calm = true
    let mark = 0
    await this.#rounds((round) => {
      const { committed } = this.#oracle
      const all = this.#nodes.every(({ machine, trusted }) => trusted && machine.index >= mark)
      if (mark > 0 && committed >= mark && all) return true
      // A proposal may be lost with its leader: it is repeated now and then.
      const leader = mark === 0 || round % 40 === 0 ? this.#someLeader() : undefined
      if (leader?.driver?.propose(dataOf(++this.#values, 3)) === true) mark = committed + 1
      return false
    })
  }
}

/** With the trace, when it failed. */
export async function runRaftSeed(seed: number, steps = STEPS): Promise<RaftRun> {
  const { marks, failure } = await new RaftWorld(seed, false, steps).run()
  if (failure === undefined) return { seed, marks, failure, trace: [] }
  return { seed, ...await new RaftWorld(seed, true, steps).run() }
}

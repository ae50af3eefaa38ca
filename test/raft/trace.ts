// A small language for protocol traces: a script of commands (`> propose 1 a`), each followed by what the nodes did.
// A node works off all it can after each command, unless it is held: then its disk is slow. Commands:
//   nodes 3 [fresh] [election=10] [heartbeat=3] [inflight=4] [append=1000] [tail=2]
//   disk 1 term=2 [vote=1] [commit=1] 1/1=a 2/2=b     restarts node 1 with that on its disk
//   campaign 1 · propose 1 a b · read 1 7 · transfer 1 2 · compact 1 · tick 1 5 · tick all 5
//   deliver [to] · settle [rounds] · drop [from] [to] · duplicate · partition 1 | 2 3 · heal
//   hold 1 · release 1 · crash 1 · restart 1 · wipe 1 · unreachable 1 2 · snapshot-sent 1 2 ok|failed · status · logs

import { describe as rendered, type Entry, type Message, type Ready } from '../../controller/raft/types.ts'
import { bytes, Member, text } from './raft-cluster.ts'

const SETTLE_ROUNDS = 50

/** The script with the output of each command below it; output lines are indented, `#` begins a comment. */
export function runTrace(script: string): string {
  const trace = new Trace()
  const lines = script.split('\n').flatMap((line) => {
    if (line.startsWith('  ')) return []
    if (!line.startsWith('> ')) return [line]
    return [line, ...trace.run(line.slice(2)).map((output) => `  ${output}`)]
  })
  return lines.join('\n')
}

type Command = (words: readonly string[]) => void

class Trace {
  #members: Member[] = []
  #wire: Message[] = []
  #groups: readonly (readonly number[])[] = []
  readonly #held = new Set<number>()
  #output: string[] = []
  readonly #commands: Readonly<Record<string, Command>> = {
    nodes: (words) => { this.#create(words) },
    disk: ([id, ...words]) => { this.#prepare(this.#member(id), words) },
    campaign: ([id]) => { this.#node(id).campaign() },
    propose: ([id, ...datas]) => { this.#answer('propose', this.#node(id).propose(datas.map(bytes))) },
    read: ([id, context]) => { this.#answer('read', this.#node(id).readIndex(Number(context))) },
    transfer: ([id, to]) => { this.#answer('transfer', this.#node(id).transfer(Number(to))) },
    compact: ([id]) => { this.#member(id).compact() },
    tick: ([id, count]) => { this.#tick(id ?? 'all', Number(count ?? 1)) },
    deliver: ([to]) => { this.#deliver(to === undefined ? undefined : Number(to)) },
    settle: ([rounds]) => { this.#settle(Number(rounds ?? SETTLE_ROUNDS)) },
    drop: (words) => { this.#drop(words.map(Number)) },
    duplicate: () => { this.#wire = this.#wire.flatMap((message) => [message, message]) },
    partition: (words) => {
      this.#groups = words.join(' ').split('|').map((group) => group.trim().split(' ').map(Number))
    },
    heal: () => { this.#groups = [] },
    hold: ([id]) => { this.#held.add(Number(id)) },
    release: ([id]) => { this.#release(this.#member(id)) },
    crash: ([id]) => { this.#member(id).crash() },
    wipe: ([id]) => {
      this.#member(id).crash()
      this.#member(id).wipe()
    },
    restart: ([id]) => { this.#member(id).start() },
    unreachable: ([id, to]) => { this.#node(id).reportUnreachable(Number(to)) },
    'snapshot-sent': ([id, to, outcome]) => { this.#node(id).reportSnapshot(Number(to), outcome === 'ok') },
    status: () => { for (const member of this.#members) this.#output.push(status(member)) },
    logs: () => { for (const member of this.#members) this.#output.push(logOf(member)) }
  }

  run(line: string): string[] {
    this.#output = []
    const [name = '', ...words] = line.trim().split(/\s+/)
    const command = this.#commands[name]
    if (command === undefined) throw new Error(`unknown command in a trace: ${line}`)
    command(words)
    this.#work()
    return this.#output
  }

  #create(words: readonly string[]): void {
    const setting = settingsOf(words)
    const nodes = Number(words[0])
    const options = {
      nodes, electionTicks: setting('election', 10), heartbeatTicks: setting('heartbeat', 3),
      maxInflightMessages: setting('inflight', 4), maxAppendBytes: setting('append', 1000),
      tailEntries: setting('tail', 2), fresh: words.includes('fresh'),
      // Node 1 is the first whose election timer runs out.
      random: (id: number, bound: number) => (2 * (id - 1)) % bound,
      took: (id: number, ready: Ready) => { this.#output.push(turn(id, ready)) },
      sent: (message: Message) => { this.#send(message) },
      applied: () => undefined }
    this.#members = Array.from({ length: nodes }, (_, at) => new Member(at + 1, options))
  }

  #prepare(member: Member, words: readonly string[]): void {
    const setting = settingsOf(words)
    member.crash()
    member.disk.hardState = { term: setting('term', 1), vote: setting('vote', 0), commit: setting('commit', 0) }
    member.disk.entries = words.flatMap((word) => {
      const [, index, term, data] = /^(\d+)\/(\d+)=(.*)$/.exec(word) ?? []
      return data === undefined ? [] : [{ index: Number(index), term: Number(term), data: bytes(data) }]
    })
    member.start()
  }

  #member(id: string | undefined): Member {
    const member = this.#members[Number(id) - 1]
    if (member === undefined) throw new Error(`no node ${id} in this trace`)
    return member
  }

  #node(id: string | undefined) {
    const { node } = this.#member(id)
    if (node === undefined) throw new Error(`node ${id} is down in this trace`)
    return node
  }

  #answer(what: string, answer: boolean | object | undefined): void {
    if (answer === undefined || answer === false) this.#output.push(`${what} refused`)
  }

  #tick(who: string, count: number): void {
    for (let tick = 0; tick < count; tick++) {
      for (const { id, node } of this.#members) if (who === 'all' || id === Number(who)) node?.tick()
      this.#work()
    }
  }

  #work(): void {
    for (const member of this.#members) {
      if (this.#held.has(member.id)) member.take()
      else member.work()
    }
  }

  #release(member: Member): void {
    this.#held.delete(member.id)
    if (member.taken === undefined) return
    member.persist()
    member.finish()
  }

  #send(message: Message): void {
    const cut = this.#groups.some((group) => group.includes(message.from) !== group.includes(message.to))
    this.#output.push(`  ${rendered(message)}${cut ? ' (lost)' : ''}`)
    if (!cut) this.#wire.push(message)
  }

  /** What is on the wire now arrives; answers stay on it. False when there was nothing. */
  #deliver(to: number | undefined): boolean {
    const arriving = this.#wire.filter((message) => to === undefined || message.to === to)
    this.#wire = this.#wire.filter((message) => !arriving.includes(message))
    for (const message of arriving) {
      this.#members[message.to - 1]?.node?.step(message)
      this.#work()
    }
    return arriving.length > 0
  }

  #settle(rounds: number): void {
    let left = rounds
    this.#work()
    while (left > 0 && this.#deliver(undefined)) left--
  }

  #drop([from, to]: readonly number[]): void {
    this.#wire = this.#wire.filter((message) =>
      (from !== undefined && message.from !== from) || (to !== undefined && message.to !== to))
  }
}

/** Reads `name=number` out of a command. */
function settingsOf(words: readonly string[]): (name: string, otherwise: number) => number {
  return (name, otherwise) => {
    const word = words.find((candidate) => candidate.startsWith(`${name}=`))
    return word === undefined ? otherwise : Number(word.slice(name.length + 1))
  }
}

function turn(id: number, ready: Ready): string {
  const { hardState, standing, snapshot, entries, committed, reads, role, term, leaderId } = ready
  const done = [
    ...(hardState === undefined ? [] : [`save t${hardState.term} vote ${hardState.vote} commit ${hardState.commit}`]),
    ...(standing === undefined ? [] : [standing.voice ? 'has a voice' : 'seals the founders']),
    ...(snapshot === undefined ? [] : [`install ${snapshot.index}/${snapshot.term}`]),
    ...(entries.length === 0 ? [] : [`append ${entries.map(entryText).join(' ')}`]),
    ...(committed.length === 0 ? [] : [`apply ${committed.map(entryText).join(' ')}`]),
    ...reads.map(({ context, index }) => `read ${context} at ${index}`)
  ]
  return `${id} ${role} t${term} leader ${leaderId}: ${done.join('; ')}`.trimEnd().replace(/:$/, '')
}

function entryText({ index, term, data }: Entry): string {
  return `${index}/${term}=${data.length === 0 ? '∅' : text(data)}`
}

function status({ id, node }: Member): string {
  if (node === undefined) return `${id} down`
  const { role, term, leaderId, applied, commit, stable, last, transferee, voice, followers } = node.status()
  const pointers = `applied ${applied} commit ${commit} stable ${stable} last ${last}`
  const line = `${id} ${voice ? '' : 'voiceless '}${role} t${term} leader ${leaderId}: ${pointers}`
  return [line, ...(transferee === 0 ? [] : [`transferring to ${transferee}`]), ...followers.map((follower) => {
    const { state, match, next } = follower
    return `${follower.id}: ${follower.voice ? '' : 'voiceless '}${state} match ${match} next ${next}`
  })].join(' | ')
}

function logOf({ id, disk }: Member): string {
  const { snapshot, entries } = disk
  const before = snapshot === undefined ? [] : [`(snapshot ${snapshot.index}/${snapshot.term})`]
  return [`${id}:`, ...before, ...entries.map(entryText)].join(' ')
}

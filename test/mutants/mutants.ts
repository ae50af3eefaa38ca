// The bugs that the simulator must find: each is one small patch of production code, planted in a copy of the build.

/** `find` occurs exactly once in `file`. */
export interface Edit { readonly file: string; readonly find: string; readonly replace: string }

export interface Mutant {
  readonly id: number
  readonly title: string
  /** Invariants that it breaks, by their names in the reliability plan. */
  readonly breaks: string
  /** Where it is hunted: the whole cluster, or controllers' Raft alone. */
  readonly world: 'cluster' | 'raft'
  /** It should be dead after so many seeds. */
  readonly budget: number
  readonly edits: readonly Edit[]
  /** What is particular about it here. */
  readonly note?: string
  /** Why nothing that a user sees differs: it need not be killed. */
  readonly equivalent?: string
}

const RAFT = 'controller/raft'
const REPLICA = 'broker/replica'

export const MUTANTS: readonly Mutant[] = [
  {
    id: 1, title: 'a vote is told before it is on disk', breaks: 'R2', world: 'raft', budget: 10,
    edits: [{
      file: `${RAFT}/state.ts`, find: "const early = kind === 'append' || kind === 'heartbeat'",
      replace: "const early = kind === 'append' || kind === 'heartbeat' || kind === 'vote-reply'" }]
  }, {
    id: 2, title: 'the vote is forgotten when a candidate steps down within its term', breaks: 'R9, R1', world: 'raft',
    budget: 200,
    edits: [{
      file: `${RAFT}/state.ts`, find: "  enterTerm(state, term)\n  enterRole(state, 'follower', leaderId)",
      replace: "  enterTerm(state, term)\n  state.vote = 0\n  enterRole(state, 'follower', leaderId)" }]
  }, {
    id: 3, title: 'an entry of an older term is committed by counting', breaks: 'R8, R5', world: 'raft', budget: 500,
    edits: [{
      file: `${RAFT}/leader.ts`, find: 'if (log.termAt(index) !== state.term || !log.commitTo(index)) return false',
      replace: 'if (!log.commitTo(index)) return false' }]
  }, {
    id: 4, title: 'a follower acknowledges entries before they are on disk', breaks: 'R2', world: 'raft', budget: 10,
    edits: [{
      file: `${RAFT}/state.ts`, find: "const early = kind === 'append' || kind === 'heartbeat'",
      replace: "const early = kind === 'append' || kind === 'heartbeat' || kind === 'append-reply'" }]
  }, {
    id: 5, title: 'a leader counts its own entries before they are on disk', breaks: 'R2', world: 'raft', budget: 100,
    edits: [{
      file: `${RAFT}/leader.ts`, find: 'const reached = [log.stable]', replace: 'const reached = [log.last]' }]
  }, {
    id: 6, title: 'every append cuts the log behind its last entry', breaks: 'R4, R5', world: 'raft', budget: 20,
    edits: [{
      file: `${RAFT}/log.ts`, find: '    return prev + entries.length\n',
      replace: '    if (prev + entries.length < this.last) this.#truncate(prev + entries.length + 1)\n'
        + '    return prev + entries.length\n' }]
  }, {
    id: 7, title: 'a follower takes the leader\'s commit beyond what is proven to match', breaks: 'R5', world: 'raft',
    budget: 100,
    note: 'an append alone cannot do it here: the first one that a log takes in a term carries the entry where the two '
      + 'part, and cuts what is behind it; so the heartbeats are not clipped either',
    edits: [{
      file: `${RAFT}/follower.ts`, find: 'log.commitTo(Math.min(commit, matched))',
      replace: 'log.commitTo(Math.min(commit, log.last))' }, {
      file: `${RAFT}/follower.ts`, find: 'state.log.commitTo(message.commit)',
      replace: 'state.log.commitTo(Math.min(message.commit, state.log.last))' }, {
      file: `${RAFT}/leader.ts`, find: '{ commit: Math.min(follower.match, state.log.committed), context }',
      replace: '{ commit: state.log.committed, context }' }]
  }, {
    id: 8, title: 'a voter compares the length of logs and not their last terms', breaks: 'R4', world: 'raft',
    budget: 50,
    edits: [{
      file: `${RAFT}/log.ts`, find: 'return term > this.lastTerm || (term === this.lastTerm && index >= this.last)',
      replace: 'return term >= 0 && index >= this.last' }]
  }, {
    id: 9, title: 'a repeated answer counts as another vote', breaks: 'R1', world: 'raft', budget: 50,
    note: 'needs five voters: with three, one repeated answer is a majority only together with the own vote',
    edits: [{
      file: `${RAFT}/candidate.ts`,
      find: 'if (!state.votes.has(message.from)) state.votes.set(message.from, !message.reject)',
      replace: 'state.votes.set(state.votes.has(message.from) ? -state.votes.size : message.from, !message.reject)' }]
  }, {
    id: 10, title: 'the log is dropped before the snapshot that replaces it is on disk', breaks: 'R10', world: 'raft',
    budget: 200,
    edits: [{
      file: 'controller/store/raft-store.ts',
      find: '      await this.#guarded(() => this.#parts.snapshots.write(snapshot))\n      const from',
      replace: '      const from' }, {
      file: 'controller/store/raft-store.ts',
      find: '      await this.#guarded(() => this.#pruneSnapshots())\n    })',
      replace: '      await this.#guarded(() => this.#parts.snapshots.write(snapshot))\n'
        + '      await this.#guarded(() => this.#pruneSnapshots())\n    })' }]
  }, {
    id: 11, title: 'a snapshot leaves out which producer ids are given away', breaks: 'M4, M9', world: 'cluster',
    budget: 20,
    edits: [{
      file: 'src/metadata/image.ts', find: 'if (image.nextProducerId > 0) records.push',
      replace: 'if (image.nextProducerId < 0) records.push' }]
  }, {
    id: 12, title: 'metadata is read without asking a quorum', breaks: 'R12', world: 'raft', budget: 300,
    edits: [{
      file: `${RAFT}/leader.ts`, find: 'const confirmed = majorityReached(rounds)',
      replace: 'const confirmed = Math.max(...rounds)' }]
  }, {
    id: 13, title: 'the high watermark does not wait for members that are being let in', breaks: 'P6',
    world: 'cluster', budget: 500,
    edits: [{
      file: `${REPLICA}/partition.ts`, find: 'additions: this.#proposedIsr ?? []', replace: 'additions: []' }]
  }, {
    id: 14, title: 'a new follower cuts its log at its high watermark', breaks: 'P1, P4, P7', world: 'cluster',
    budget: 100, note: 'as Kafka did before KIP-101',
    edits: [{
      file: `${REPLICA}/partition.ts`,
      find: "    return this.transitions.run(() => {\n      if (this.#image === image && !this.log.offline) this.#role "
        + "= 'follower'\n      return Promise.resolve()\n    })",
      replace: '    return this.transitions.run(async () => {\n'
        + '      if (this.#image !== image || this.log.offline) return\n'
        + '      await this.log.truncateTo(Math.max(this.log.highWatermark, this.log.logStartOffset))\n'
        + "      if (this.#image === image && !this.log.offline) this.#role = 'follower'\n    })" }]
  }, {
    id: 15, title: 'truncation ends after one round', breaks: 'P4, P5', world: 'cluster', budget: 1000,
    edits: [{
      file: `${REPLICA}/fetcher.ts`, find: 'lastFetchedEpoch: partition.log.lastLeaderEpoch,',
      replace: 'lastFetchedEpoch: following.cut === true ? -1 : partition.log.lastLeaderEpoch,' }, {
      file: `${REPLICA}/fetcher.ts`, find: '    const { log } = following.partition\n    const own =',
      replace: '    following.cut = true\n    const { log } = following.partition\n    const own =' }]
  }, {
    id: 16, title: 'a follower may join the ISR below the start of the leader\'s epoch', breaks: 'P8, P7',
    world: 'cluster', budget: 500,
    edits: [{
      file: `${REPLICA}/isr.ts`, find: ' && follower.ackOffset >= from.epochStartOffset\n', replace: '\n' }]
  }, {
    id: 17, title: 'a fetch of an old leader epoch is served and counted', breaks: 'P9, P4', world: 'cluster',
    budget: 300,
    edits: [{
      file: `${REPLICA}/partition.ts`,
      find: 'if (leaderEpoch >= 0 && leaderEpoch < this.#image.leaderEpoch) return ErrorCode.FENCED_LEADER_EPOCH\n',
      replace: '' }, {
      file: `${REPLICA}/partition.ts`,
      find: "if (this.#role !== 'leader' || ack.leaderEpoch !== this.#image.leaderEpoch) return",
      replace: "if (this.#role !== 'leader') return" }]
  }, {
    id: 18, title: 'the high watermark moves although the ISR is too small', breaks: 'P6, P12', world: 'cluster',
    budget: 50,
    edits: [{
      file: `${REPLICA}/isr.ts`, find: 'if (from.isr.length < from.minIsr) return undefined', replace: '' }]
  }, {
    id: 19, title: 'recovery keeps a torn last batch', breaks: 'P14, S2', world: 'cluster', budget: 50,
    edits: [{
      file: 'broker/log/batch-scan.ts', find: ': checkBatch(buffer, at, got) ?? offsetFault',
      replace: ': (position + at + step >= fileBytes ? undefined : checkBatch(buffer, at, got)) ?? offsetFault' }]
  }, {
    id: 20, title: 'damage below the recovery point is cut like a torn tail, without a word', breaks: 'P14, P1',
    world: 'cluster', budget: 100,
    edits: [{
      file: 'broker/log/recovery.ts', find: 'const isLoss = end < hints.recoveryPoint',
      replace: 'const isLoss = end < 0' }]
  }, {
    id: 21, title: 'a metadata delta with a gap before it is applied', breaks: 'M2, M4', world: 'cluster', budget: 20,
    edits: [{
      file: 'broker/cluster/metadata.ts', find: 'if (!message.image && message.fromOffset !== this.#receivedOffset) {',
      replace: 'if (!message.image && message.fromOffset < 0) {' }]
  }, {
    id: 22, title: 'acks=all is answered after the leader\'s own append', breaks: 'P1', world: 'cluster', budget: 20,
    edits: [{
      file: `${REPLICA}/produce.ts`, find: 'if (this.#request.acks !== -1) return this.#settle(index, outcome)',
      replace: 'if (this.#request.acks !== 2) return this.#settle(index, outcome)' }]
  }
]

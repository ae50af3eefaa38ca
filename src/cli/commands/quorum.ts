// `weir quorum`: the controllers and their Raft group.

import type { Command } from 'commander'

import { integer } from '../parse.ts'
import { option, type Session, type Shell } from '../shell.ts'
import { facts, table } from '../table.ts'

export function addQuorum(program: Command, shell: Shell): void {
  const quorum = program.command('quorum').description('controllers')
  quorum.command('status').description('leader, term, and how far every controller is').action(shell.verb(status))
  quorum.command('transfer').argument('<id>', 'controller', option(integer(0, 2 ** 31 - 1)))
    .description('make another controller the active one').action(shell.verb(transfer))
}

async function status(session: Session): Promise<void> {
  const { admin } = await session.connect()
  const quorum = await admin.describeQuorum()
  await session.print(quorum, () => facts([
    ['leader', quorum.leaderId === -1 ? 'none' : quorum.leaderId], ['term', quorum.term],
    ['commit index', quorum.commitIndex]]) + '\n'
    + table(['id', 'role', 'address', 'match index', 'behind', 'last contact'], quorum.voters.map((voter) => [
      voter.id, voter.role, voter.address, voter.matchIndex, Math.max(0, quorum.commitIndex - voter.matchIndex),
      voter.lastContactMs < 0 ? undefined : `${Math.round(voter.lastContactMs)} ms ago`])))
}

async function transfer(session: Session, id: number): Promise<void> {
  const { admin } = await session.connect()
  const { leaderId } = await admin.transferLeadership(id)
  await session.print({ leaderId }, () => `controller ${leaderId} is active\n`)
}

// `weir log`: the files of a data directory, offline: shown entry by entry, or checked.

import { statSync } from 'node:fs'

import type { Command } from 'commander'

import type { DumpEntry } from '../log-dump.ts'
import type { PartitionVerdict } from '../log-verify.ts'
import { fileError, UsageError } from '../parse.ts'
import { bytesText } from '../progress.ts'
import { EXIT, type ExitCode, type Session, type Shell } from '../shell.ts'
import { printable, table } from '../table.ts'

const CHUNK_ENTRIES = 500

export function addLog(program: Command, shell: Shell): void {
  const log = program.command('log').description('files of a data directory, offline')
  log.command('dump').argument('<file...>')
    .description('what segments, indexes, checkpoints and snapshots say, one entry per line')
    .option('--records', 'the records of each batch, the metadata of a snapshot').action(shell.verb(dump))
  log.command('verify').argument('<dir>', 'of a partition, a broker, or a whole `weir up --data`')
    .description('check every checksum, offset and index; exit code 4 when something is wrong')
    .action(shell.verb(verify))
}

async function dump(
  session: Session, files: readonly string[], options: { readonly records?: boolean }): Promise<void> {
  const [{ dumpFile }, { fileKind }] = await Promise.all([import('../log-dump.ts'), import('../log-reader.ts')])
  const kinds = files.map((file) => {
    const kind = fileKind(file)
    if (kind !== undefined) return [file, kind] as const
    throw new UsageError(`${file} is no file of a data directory by its name`,
      '….log, .index, .timeindex, .snapshot, …-checkpoint, partition.metadata or meta.properties')
  })
  for (const [file, kind] of kinds) {
    if (!session.json && files.length > 1) await session.around.out(`${file}\n`)
    let lines: string[] = []
    try {
      for (const entry of dumpFile(file, kind, options.records === true)) {
        lines.push(session.json ? `${JSON.stringify({ file, ...entry })}\n` : textOf(entry))
        if (entry['problem'] !== undefined) session.note(`${file}: ${String(entry['problem'])}`)
        if (lines.length < CHUNK_ENTRIES) continue
        await session.around.out(lines.join(''))
        lines = []
      }
    } catch (error) {
      throw fileError(file, error)
    }
    await session.around.out(lines.join(''))
  }
}

function textOf({ kind, ...fields }: DumpEntry): string {
  const parts = Object.entries(fields).map(([name, value]) =>
    `${name}=${typeof value === 'object' ? JSON.stringify(value) : printable(String(value))}`)
  return `${kind === 'record' ? '  ' : ''}${kind} ${parts.join(' ')}\n`
}

async function verify(session: Session, dir: string): Promise<ExitCode> {
  const { partitionDirs, verifyPartition } = await import('../log-verify.ts')
  let partitions: readonly PartitionVerdict[]
  try {
    if (!statSync(dir).isDirectory()) throw new UsageError(`${dir} is no directory`, '`weir log dump` shows one file')
    partitions = partitionDirs(dir).map(verifyPartition)
  } catch (error) {
    throw fileError(dir, error)
  }
  if (partitions.length === 0) throw new UsageError(`there is no segment at or below ${dir}`)
  const problems = partitions.reduce((sum, partition) => sum + partition.problems.length, 0)
  const verdict = problems === 0 ? 'green' : 'red'
  await session.print({ verdict, dir, problems, partitions }, () => verdictText(partitions, verdict))
  return verdict === 'green' ? EXIT.done : EXIT.red
}

function verdictText(partitions: readonly PartitionVerdict[], verdict: string): string {
  return table(['directory', 'segments', 'batches', 'records', 'size', 'first', 'end', 'verdict'],
    partitions.map((partition) => [partition.dir, partition.segments, partition.batches, partition.records,
      bytesText(partition.bytes), partition.startOffset, partition.endOffset,
      partition.problems.length === 0 ? 'green' : 'red']))
    + partitions.flatMap(({ dir, problems, warnings }) => [
      ...problems.map((problem) => `${dir}: ${problem}\n`),
      ...warnings.map((warning) => `${dir}: warning: ${warning}\n`)]).join('')
    + `verdict: ${verdict}\n`
}

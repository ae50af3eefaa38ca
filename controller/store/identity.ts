// Whom a controller's data directory belongs to: the lock, and `meta.properties`, which is written last when a
// directory is new, so that a directory with this file was once complete.

import { weirError, type WeirError } from '../../src/base/error-code.ts'
import { DiskError, type Disk, type DiskFile, type DiskLock } from '../../src/ports.ts'

export interface Identity {
  readonly clusterId: string
  readonly nodeId: number
  /** Stands for the set of voters, which is fixed for the life of a cluster. */
  readonly votersHash: string
  /** Random, made with the directory. */
  readonly directoryId: string
}

export type WantedIdentity = Omit<Identity, 'directoryId'>

const VERSION = '1'
const ROLE = 'controller'

/** Rejects with WeirError KAFKA_STORAGE_ERROR when a process holds `dir`. */
export async function lockDirectory(disk: Disk, dir: string): Promise<DiskLock> {
  const path = `${dir}/lock`
  try {
    return await disk.lock(path)
  } catch (error) {
    if (!(error instanceof DiskError) || error.code !== 'EBUSY') throw error
    throw weirError('KAFKA_STORAGE_ERROR', `data.dir ${dir} is in use: another process holds ${path}`,
      'stop that process, or give this controller a data.dir of its own')
  }
}

/**
 * Undefined when `dir` has no identity yet. Rejects with WeirError INCONSISTENT_CLUSTER_ID, or KAFKA_STORAGE_ERROR when
 * `dir` belongs to another node, role or voter set, or when the file is garbage.
 */
export async function readIdentity(disk: Disk, dir: string, wanted: WantedIdentity): Promise<Identity | undefined> {
  const path = pathIn(dir)
  const text = await readText(disk, path)
  if (text === undefined) return undefined
  const found = new Map([...text.matchAll(/^([a-z.]+)=(.*)$/gm)].map((match) => [match[1], match[2]]))
  const directoryId = found.get('directory.id')
  if (found.get('version') !== VERSION || directoryId === undefined || !text.endsWith('\n')) {
    throw weirError('KAFKA_STORAGE_ERROR', `${path} is not an identity file of version ${VERSION}`,
      'restore the file from a backup; without one, treat the directory as lost: start with an empty data.dir while '
      + 'all other controllers run')
  }
  const expected = [
    ['cluster.id', wanted.clusterId], ['node.id', String(wanted.nodeId)], ['role', ROLE],
    ['voters.hash', wanted.votersHash]
  ] as const
  for (const [name, value] of expected) {
    if (found.get(name) !== value) throw mismatch(path, name, found.get(name), value)
  }
  return { ...wanted, directoryId }
}

/** Resolves when the file is durable. */
export async function writeIdentity(disk: Disk, dir: string, identity: Identity): Promise<void> {
  const path = pathIn(dir)
  const file = await disk.open(`${path}.tmp`, { create: true })
  try {
    await file.truncate(0)
    file.writeNow([new TextEncoder().encode(`version=${VERSION}\ncluster.id=${identity.clusterId}\n`
      + `node.id=${identity.nodeId}\nrole=${ROLE}\nvoters.hash=${identity.votersHash}\n`
      + `directory.id=${identity.directoryId}\n`)], 0)
    await file.sync()
  } finally {
    await file.close()
  }
  await disk.rename(`${path}.tmp`, path)
  await disk.syncDir(dir)
}

function pathIn(dir: string): string { return `${dir}/meta.properties` }

function mismatch(path: string, name: string, found: string | undefined, wanted: string): WeirError {
  const what = `${path} says ${name}=${found ?? '(nothing)'}, this controller is configured for ${name}=${wanted}`
  switch (name) {
    case 'cluster.id':
      return weirError('INCONSISTENT_CLUSTER_ID', what, 'correct cluster.id or data.dir')
    case 'voters.hash':
      return weirError('KAFKA_STORAGE_ERROR', what,
        'the set of controllers cannot change after the first start: restore the setting controllers as it was')
    default:
      return weirError('KAFKA_STORAGE_ERROR', what, `correct ${name === 'role' ? 'data.dir' : `${name} or data.dir`}`)
  }
}

async function readText(disk: Disk, path: string): Promise<string | undefined> {
  let file: DiskFile
  try {
    file = await disk.open(path, { create: false })
  } catch (error) {
    if (error instanceof DiskError && error.code === 'ENOENT') return undefined
    throw error
  }
  try {
    const bytes = new Uint8Array(file.size())
    return new TextDecoder().decode(bytes.subarray(0, await file.read(bytes, 0)))
  } finally {
    await file.close()
  }
}

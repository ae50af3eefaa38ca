// Who a data directory belongs to, and how its last process left it: `meta.properties`, the lock, the clean-stop mark.

import { weirError } from '../../src/base/error-code.ts'
import { DiskError, type Disk, type DiskLock, type Random } from '../../src/ports.ts'
import { readSmallFile, writeSmallFile } from './checkpoint-file.ts'

const IDENTITY_FILE = 'meta.properties'
const LOCK_FILE = '.lock'
const CLEAN_MARK_FILE = '.kafka_cleanshutdown'
/** Nobody makes a directory where he gets these. */
const NOT_OURS: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS'])

export interface Identity { readonly clusterId: string; readonly nodeId: number; readonly directoryId: string }

/** Rejects with WeirError KAFKA_STORAGE_ERROR when another process holds the directory. */
export async function lockDirectory(disk: Disk, dir: string): Promise<DiskLock> {
  try {
    return await disk.lock(`${dir}/${LOCK_FILE}`)
  } catch (error) {
    if (!(error instanceof DiskError) || error.code !== 'EBUSY') throw error
    throw weirError('KAFKA_STORAGE_ERROR', `data.dir ${dir} is in use by another process (${error.message})`,
      'stop that process, or give this node a data.dir of its own')
  }
}

/**
 * The identity of `dir`, written when the directory is new. Rejects with WeirError: INCONSISTENT_CLUSTER_ID, or
 * KAFKA_STORAGE_ERROR when the directory belongs to another node or its identity file is garbage.
 */
export async function claimDirectory(
  disk: Disk, dir: string, wanted: { readonly clusterId: string; readonly nodeId: number }, random: Random,
): Promise<Identity> {
  const path = `${dir}/${IDENTITY_FILE}`
  const text = await readSmallFile(disk, path)
  if (text === undefined) {
    const identity = { ...wanted, directoryId: random.id() }
    await syncParents(disk, dir)
    await writeSmallFile(disk, path, `version=1\ncluster.id=${identity.clusterId}\nnode.id=${identity.nodeId}\n`
      + `directory.id=${identity.directoryId}\n`)
    return identity
  }
  const found = parseProperties(text)
  const clusterId = found.get('cluster.id')
  const nodeId = found.get('node.id')
  const directoryId = found.get('directory.id')
  if (found.get('version') !== '1' || clusterId === undefined || nodeId === undefined || directoryId === undefined) {
    throw weirError('KAFKA_STORAGE_ERROR', `${path} is not an identity file of version 1`,
      'restore the file from a backup, or start with an empty data.dir')
  }
  if (clusterId !== wanted.clusterId) {
    throw weirError('INCONSISTENT_CLUSTER_ID',
      `${path} belongs to cluster.id ${clusterId}, this node is configured for ${wanted.clusterId}`,
      'correct cluster.id or data.dir')
  }
  if (nodeId !== String(wanted.nodeId)) {
    throw weirError('KAFKA_STORAGE_ERROR', `${path} belongs to node.id ${nodeId}, this node is ${wanted.nodeId}`,
      'correct node.id or data.dir')
  }
  return { clusterId, nodeId: wanted.nodeId, directoryId }
}

/** Makes the way to a new `dir` durable, as far up as this process may have made directories. */
async function syncParents(disk: Disk, dir: string): Promise<void> {
  for (let end = dir.lastIndexOf('/'); end >= 0; end = end === 0 ? -1 : dir.lastIndexOf('/', end - 1)) {
    try {
      await disk.syncDir(dir.slice(0, end) || '/')
    } catch (error) {
      if (error instanceof DiskError && NOT_OURS.has(error.code)) return
      throw error
    }
  }
}

function parseProperties(text: string): ReadonlyMap<string, string> {
  const pairs = text.split('\n').filter((line) => line.includes('=') && !line.startsWith('#'))
  return new Map(pairs.map((line): [string, string] => {
    const at = line.indexOf('=')
    return [line.slice(0, at), line.slice(at + 1).trim()]
  }))
}

/**
 * The broker epoch that the last process ended cleanly with, or -1 when it did not. The mark is gone, durably, before
 * this resolves: a crash from now on is seen as one. A garbled mark counts as none.
 */
export async function takeCleanMark(disk: Disk, dir: string): Promise<number> {
  const path = `${dir}/${CLEAN_MARK_FILE}`
  const text = await readSmallFile(disk, path)
  if (text === undefined) return -1
  await disk.remove(path)
  await disk.syncDir(dir)
  const epoch = /^\{"version":0,"brokerEpoch":(\d{1,16})\}$/.exec(text.trim())?.[1]
  return epoch === undefined ? -1 : Number(epoch)
}

/** The last thing a clean stop writes. */
export function writeCleanMark(disk: Disk, dir: string, brokerEpoch: number): Promise<void> {
  return writeSmallFile(disk, `${dir}/${CLEAN_MARK_FILE}`, `{"version":0,"brokerEpoch":${brokerEpoch}}`)
}

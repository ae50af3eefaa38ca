// Turns what node:fs and LevelDB throw into `DiskError`, with the path, what was tried, and what an operator can do.

import { DiskError } from '../ports.ts'

const ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: 'the volume is full: free space, or lower retention.ms or retention.bytes',
  EDQUOT: 'the disk quota is used up: raise it, or lower retention.ms or retention.bytes',
  EACCES: 'give this process read and write permission there',
  EPERM: 'give this process read and write permission there',
  EROFS: 'the volume is mounted read-only: mount it writable',
  EMFILE: 'this process has too many open files: raise its limit (ulimit -n)',
  ENFILE: 'the system has too many open files: raise its limit (fs.file-max)',
  EBADMSG: 'the content is damaged: check the disk, and let replication refill it',
  EIO: 'the device failed: look into the kernel log, replace the disk, and let replication refill it'
}

/** `tried` completes "cannot …". Errors that no system call made are programmer errors and thrown as they are. */
export function asDiskError(error: unknown, path: string, tried: string): DiskError {
  if (error instanceof DiskError) return error
  if (!isSystemError(error)) throw error
  return diskError(error.code, path, tried, error)
}

export function diskError(code: string, path: string, tried: string, cause?: Error): DiskError {
  const advice = ADVICE[code]
  const reason = cause === undefined ? code : cause.message
  return new DiskError(code, path,
    `${path}: cannot ${tried}: ${reason}${advice === undefined ? '' : ` (${advice})`}`, cause)
}

interface SystemError extends Error { readonly code: string; readonly syscall: string }

function isSystemError(error: unknown): error is SystemError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && 'syscall' in error
}

/** The errno name of a failed system call; undefined for any other error. */
export function errnoOf(error: unknown): string | undefined {
  return isSystemError(error) ? error.code : undefined
}

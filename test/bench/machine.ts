// What the machine itself can do, without any of our code: a TCP stream over loopback, writes made durable.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'

const LOOP_MS = 1_500
const CHUNK_BYTES = 1024 * 1024
const MB = 1e6
/** A loop starts over at the beginning of its file here: it must not fill the disk. */
const FILE_BYTES_MAX = 512 * 1024 * 1024

export interface DiskLimits {
  /** 4 KiB appended and made durable, one after the other. */
  readonly syncsPerSecond: number
  readonly syncP50Ms: number
  readonly mbPerSecond16: number
  readonly mbPerSecond128: number
  /** Three such loops of other processes at one time, together. */
  readonly threeSyncsPerSecond: number
  /** What each of three gets. */
  readonly threeMbPerSecond16: number
  readonly threeMbPerSecond128: number
}

/** `dir` should be where the data of the cluster is. `mainFile`: the compiled entry, run again for parallel loops. */
export async function diskLimits(dir: string, mainFile: string): Promise<DiskLimits> {
  const mbPerSecond = ({ perSecond }: { readonly perSecond: number }, bytes: number) => perSecond * bytes / MB
  const small = diskLoop(join(dir, 'limit-1'), 4_096, LOOP_MS)
  const at16 = diskLoop(join(dir, 'limit-1'), 16_384, LOOP_MS)
  const at128 = diskLoop(join(dir, 'limit-1'), 131_072, LOOP_MS)
  const three = async (bytes: number) => {
    const loops = await Promise.all([1, 2, 3].map((one) => childLoop(mainFile, join(dir, `limit-${one}`), bytes)))
    return { perSecond: loops.reduce((sum, perSecond) => sum + perSecond, 0) }
  }
  const threeSmall = await three(4_096)
  const three16 = await three(16_384)
  const three128 = await three(131_072)
  return {
    syncsPerSecond: small.perSecond, syncP50Ms: small.p50Ms, mbPerSecond16: mbPerSecond(at16, 16_384),
    mbPerSecond128: mbPerSecond(at128, 131_072), threeSyncsPerSecond: threeSmall.perSecond,
    threeMbPerSecond16: mbPerSecond(three16, 16_384) / 3, threeMbPerSecond128: mbPerSecond(three128, 131_072) / 3
  }
}

/** Appends `bytes` and waits until they are durable, again and again for `forMs`; the file is gone afterwards. */
export function diskLoop(file: string, bytes: number, forMs: number): {
  readonly perSecond: number; readonly p50Ms: number } {
  const block = Buffer.alloc(bytes, 'x')
  const handle = openSync(file, 'w')
  const took: number[] = []
  const beganMs = performance.now()
  try {
    for (let nowMs = beganMs, at = 0; nowMs - beganMs < forMs; at = (at + bytes) % FILE_BYTES_MAX) {
      writeSync(handle, block, 0, bytes, at)
      fdatasyncSync(handle)
      const thenMs = performance.now()
      took.push(thenMs - nowMs)
      nowMs = thenMs
    }
  } finally {
    closeSync(handle)
    rmSync(file, { force: true })
  }
  const seconds = (performance.now() - beganMs) / 1000
  return { perSecond: took.length / seconds, p50Ms: took.sort((a, b) => a - b)[took.length >> 1] ?? 0 }
}

/** The first argument with which the entry runs one loop and prints how many it did in a second. */
export const DISK_LOOP = 'disk-loop'

export function runDiskLoop(args: readonly string[]): void {
  const [file, bytes] = args
  process.stdout.write(`${diskLoop(file!, Number(bytes), LOOP_MS).perSecond}\n`)
}

async function childLoop(mainFile: string, file: string, bytes: number): Promise<number> {
  const child = spawn(process.execPath, [mainFile, DISK_LOOP, file, String(bytes)], {
    stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.on('data', (part: Buffer) => { text += part.toString() })
  await once(child, 'close')
  return Number(text)
}

// ---- network ------------------------------------------------------------------------------------------------

/** One stream to another process, which throws away what it gets. */
export async function loopbackMbPerSecond(mainFile: string): Promise<number> {
  const child = spawn(process.execPath, [mainFile, TCP_SINK], { stdio: ['pipe', 'pipe', 'inherit'] })
  try {
    const [port] = await once(child.stdout, 'data') as [Buffer]
    const socket = connect(Number(port.toString()), '127.0.0.1')
    await once(socket, 'connect')
    const mbPerSecond = await pour(socket)
    socket.destroy()
    return mbPerSecond
  } finally {
    child.kill('SIGKILL')
  }
}

async function pour(socket: Socket): Promise<number> {
  const chunk = Buffer.alloc(CHUNK_BYTES, 'x')
  const beganMs = performance.now()
  let chunks = 0
  while (performance.now() - beganMs < LOOP_MS) {
    chunks++
    if (!socket.write(chunk)) await once(socket, 'drain')
  }
  return chunks * CHUNK_BYTES / MB / ((performance.now() - beganMs) / 1000)
}

/** The first argument with which the entry listens, prints its port, and throws away what comes. */
export const TCP_SINK = 'tcp-sink'

export function runTcpSink(): void {
  const server: Server = createServer((socket) => { socket.resume() })
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    process.stdout.write(`${typeof address === 'object' && address !== null ? address.port : 0}\n`)
  })
  process.stdin.resume().once('end', () => { process.exit(0) })
}

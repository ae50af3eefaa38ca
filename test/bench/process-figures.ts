// CPU and memory of processes, as /proc tells them. Linux only: elsewhere they are undefined.

import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'

/** USER_HZ, the same on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100
const KIB_PER_MIB = 1024

export function rssMib(pid: number): number | undefined {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(textOf(`/proc/${pid}/status`))?.[1]
  return kib === undefined ? undefined : Number(kib) / KIB_PER_MIB
}

/** User and system time since its start. */
export function cpuSeconds(pid: number): number | undefined {
  const stat = textOf(`/proc/${pid}/stat`)
  // The name of the program, in parentheses, may contain anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return stat === '' ? undefined : (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** Of all processes together, since boot. */
function busySeconds(): number | undefined {
  const fields = /^cpu +(.*)$/m.exec(textOf('/proc/stat'))?.[1]?.split(' ').map(Number)
  if (fields === undefined) return undefined
  const [user, nice, system, , , irq, softirq] = fields
  return (user! + nice! + system! + irq! + softirq!) / TICKS_PER_SECOND
}

/** Begins to watch; the result tells the CPU that none of `pids` used since then, percent of all cores. */
export function otherLoad(pids: readonly number[]): () => number {
  const ours = () => pids.reduce((sum, pid) => sum + (cpuSeconds(pid) ?? 0), 0)
  const [beganMs, busyBefore, oursBefore] = [performance.now(), busySeconds() ?? 0, ours()]
  return () => {
    const others = (busySeconds() ?? 0) - busyBefore - (ours() - oursBefore)
    return Math.max(0, others / ((performance.now() - beganMs) / 1000) / cpus().length * 100)
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error) return ''
    throw error
  }
}

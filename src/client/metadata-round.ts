// One round of asking for metadata: node after node, a second one already when the first is slow.

import { weirError, WeirError } from '../base/error-code.ts'
import { deferred } from '../base/async.ts'
import type { Lifetime } from './lifetime.ts'

export interface RoundNeeds {
  readonly lifetime: Lifetime
  /** Resolves with more nodes to ask (a controller names brokers), or with undefined when metadata was taken. */
  ask(address: string): Promise<readonly string[] | undefined>
  /** An answer that slow still counts, but the next node is asked meanwhile. */
  readonly hedgeMs: number
}

/** Resolves when one node's metadata was taken; rejects when every node has failed. */
export async function metadataRound(needs: RoundNeeds, first: readonly string[]): Promise<void> {
  const queue = [...first]
  const asked = new Set<string>()
  const taken = deferred<void>()
  const failures: unknown[] = []
  let running = 0
  let over = false
  let cancelHedge = () => { /* no timer yet */ }
  const finish = (settle: () => void) => {
    over = true
    cancelHedge()
    settle()
  }
  const next = () => {
    cancelHedge()
    if (over) return
    let address = queue.shift()
    while (address !== undefined && asked.has(address)) address = queue.shift()
    if (address === undefined) {
      if (running === 0) finish(() => { taken.reject(allFailed([...asked], failures)) })
      return
    }
    asked.add(address)
    running++
    void ask(address)
    cancelHedge = needs.lifetime.after(needs.hedgeMs, next)
  }
  const ask = async (address: string) => {
    try {
      const more = await needs.ask(address)
      running--
      if (over) return
      if (more === undefined) return finish(() => { taken.resolve() })
      queue.unshift(...more)
    } catch (error) {
      running--
      failures.push(error)
    }
    next()
  }
  next()
  try {
    await needs.lifetime.within(taken.promise)
  } finally {
    over = true
    cancelHedge()
  }
}

function allFailed(asked: readonly string[], failures: readonly unknown[]): Error {
  const last = failures.at(-1)
  const told = failures.find((failure) => failure instanceof WeirError)
  const name = told === undefined ? 'NETWORK_EXCEPTION' : told.name
  const reason = (told ?? last) instanceof Error ? (told ?? last as Error).message : 'no broker is known'
  return new WeirError(weirError(name, `no broker gave metadata; asked ${asked.join(', ')}: ${reason}`,
    'check `bootstrap`, and that the nodes run').fault(), last)
}

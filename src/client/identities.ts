// Producer ids of one idempotent producer: one for all partitions, another one for a partition that starts anew.

import { methods } from '../rpc/protos.ts'
import type { ProducerIdentity } from './batches.ts'
import type { Lifetime } from './lifetime.ts'
import type { PartitionQueue } from './partition-queue.ts'
import type { Router } from './router.ts'

const CALL_TIMEOUT_MS = 10_000
const RETRY_MAX_MS = 2_000

export class Identities {
  readonly #router: Router
  readonly #lifetime: Lifetime
  /** Called when an identity came: those who were refused may ask again. */
  readonly #came: (queue: PartitionQueue) => void
  readonly #used = new WeakMap<PartitionQueue, ProducerIdentity>()
  readonly #waiting = new Set<PartitionQueue>()
  #current: ProducerIdentity | undefined
  #asking = false
  #failure: Error | undefined

  constructor(router: Router, lifetime: Lifetime, came: (queue: PartitionQueue) => void) {
    this.#router = router
    this.#lifetime = lifetime
    this.#came = came
  }

  /** Why none came at the latest attempt. */
  get failure(): Error | undefined { return this.#failure }

  /** An identity that `queue` has not used before; undefined when it is yet to come. */
  take(queue: PartitionQueue): ProducerIdentity | undefined {
    if (this.#current !== undefined && this.#used.get(queue) !== this.#current) {
      this.#used.set(queue, this.#current)
      return this.#current
    }
    this.#waiting.add(queue)
    if (!this.#asking) void this.#ask()
    return undefined
  }

  async #ask(): Promise<void> {
    this.#asking = true
    for (let attempt = 0; this.#lifetime.over === undefined; attempt++) {
      const deadlineMs = this.#router.nowMs + CALL_TIMEOUT_MS
      try {
        const response = await this.#router.callBroker(methods.transactions.initProducerId, {}, deadlineMs)
        this.#current = { producerId: response.producerId, producerEpoch: response.producerEpoch }
        this.#failure = undefined
        break
      } catch (error) {
        // Records that wait for it fail by their own deadline.
        if (!(error instanceof Error)) throw error
        this.#failure = error
        const waitMs = Math.min(100 * 2 ** attempt, RETRY_MAX_MS)
        await this.#lifetime.sleep(waitMs).catch(() => { /* the loop's condition ends it */ })
      }
    }
    this.#asking = false
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const queue of waiting) this.#came(queue)
  }
}

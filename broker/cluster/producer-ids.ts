// Hands out producer ids from a block allocated by the active controller; asks for the next block when it is used up.
// An id is never handed out twice: a block lost with this process stays unused.

import { ErrorCode, WeirError, weirError } from '../../src/base/error-code.ts'
import { sleep } from '../../src/base/async.ts'
import { NetworkError, type Clock, type Timers } from '../../src/ports.ts'
import type { Status } from '../../src/rpc/messages.ts'
import { faultOf } from '../../src/rpc/outcome.ts'
import { methods } from '../../src/rpc/protos.ts'
import type { ControllerLink } from './controller-link.ts'

const RETRY_MS = 30
const ATTEMPT_TIMEOUT_MS = 1_000

export interface ProducerIdsNeeds {
  readonly brokerId: number
  readonly clock: Clock
  readonly timers: Timers
  readonly link: ControllerLink
  brokerEpoch(): number
}

export class ProducerIds {
  readonly #needs: ProducerIdsNeeds
  #next = 0
  #end = 0
  #allocation: Promise<void> | undefined

  constructor(needs: ProducerIdsNeeds) {
    this.#needs = needs
  }

  /** Rejects with WeirError REQUEST_TIMED_OUT when no block came within `timeoutMs`. */
  async next(timeoutMs: number): Promise<number> {
    const deadlineMs = this.#needs.clock.monotonicMs() + timeoutMs
    while (this.#next >= this.#end) {
      const leftMs = deadlineMs - this.#needs.clock.monotonicMs()
      if (leftMs <= 0) {
        throw weirError('REQUEST_TIMED_OUT', `no producer ids from the controller within ${timeoutMs} ms`, 'retry')
      }
      // Callers that arrive together share one request.
      this.#allocation ??= this.#allocate(leftMs).finally(() => { this.#allocation = undefined })
      await this.#allocation
    }
    return this.#next++
  }

  /** One attempt: a controller that is silent must not use up the caller's time. */
  async #allocate(timeoutMs: number): Promise<void> {
    try {
      const block = await this.#needs.link.call(methods.brokerLink.allocateProducerIds, {
        brokerId: this.#needs.brokerId, brokerEpoch: this.#needs.brokerEpoch()
      }, Math.min(timeoutMs, ATTEMPT_TIMEOUT_MS))
      throwIfRefused(block.status)
      this.#next = block.first
      this.#end = block.first + block.count
    } catch (error) {
      if (!isPassing(error)) throw error
      await sleep(this.#needs.timers, RETRY_MS)
    }
  }
}

function throwIfRefused(status: Status | null): void {
  const refused = faultOf(status)
  if (refused !== undefined) throw new WeirError(refused)
}

/** Another attempt may succeed: no controller to be found, or this broker is just registering. */
function isPassing(error: unknown): boolean {
  return error instanceof NetworkError
    || (error instanceof WeirError && (error.retriable || error.code === ErrorCode.STALE_BROKER_EPOCH))
}

// Every controller takes admin calls: the active one carries them out, a standby passes them on to it and waits, within
// the caller's deadline, for one to be elected.

import { sleep } from '../../src/base/async.ts'
import { ErrorCode, WeirError, weirError } from '../../src/base/error-code.ts'
import {
  NetworkError, unary, type Caller, type Clock, type Handler, type Method, type Network, type Peer, type Timers
} from '../../src/ports.ts'
import type { ActiveController } from '../active-controller.ts'

const RETRY_MS = 20
/** Kept back from the caller's deadline, so that our answer arrives before it. */
const MARGIN_MS = 30

export interface ForwardNeeds {
  readonly controller: ActiveController
  readonly network: Network
  readonly clock: Clock
  readonly timers: Timers
}

export class Forwarder {
  readonly #needs: ForwardNeeds
  readonly #peers = new Map<string, Peer>()

  constructor(needs: ForwardNeeds) {
    this.#needs = needs
  }

  /** A handler that runs on the active controller, wherever the call arrives. */
  active<Req, Res>(method: Method<Req, Res>, run: (request: Req, caller: Caller) => Promise<Res>): Handler {
    return unary(method, async (request, caller) => {
      const deadlineMs = this.#needs.clock.monotonicMs() + Math.max(caller.timeoutMs - MARGIN_MS, MARGIN_MS)
      for (;;) {
        const answer = await this.#once(method, request, caller, run, deadlineMs)
        if (answer !== undefined) return answer.response
        const leftMs = deadlineMs - this.#needs.clock.monotonicMs()
        if (leftMs <= RETRY_MS || caller.signal.aborted) {
          throw weirError('REQUEST_TIMED_OUT', 'no active controller was found before the deadline',
            '`weir quorum status` shows whether a majority of the controllers is up')
        }
        await sleep(this.#needs.timers, RETRY_MS)
      }
    })
  }

  close(): void {
    for (const peer of this.#peers.values()) peer.close()
    this.#peers.clear()
  }

  /** Undefined: nobody has carried it out, ask again. */
  async #once<Req, Res>(
    method: Method<Req, Res>, request: Req, caller: Caller,
    run: (request: Req, caller: Caller) => Promise<Res>, deadlineMs: number
  ): Promise<{ readonly response: Res } | undefined> {
    const { controller } = this.#needs
    if (controller.isActive) return { response: await run(request, caller) }
    const address = controller.notController().leader?.address ?? ''
    const leftMs = deadlineMs - this.#needs.clock.monotonicMs()
    if (address === '' || leftMs <= 0) return undefined
    try {
      return { response: await this.#peer(address).call(method, request, leftMs) }
    } catch (error) {
      if (error instanceof WeirError && error.code === ErrorCode.NOT_CONTROLLER) return undefined
      if (!(error instanceof NetworkError)) throw error
      // Not repeated: the active controller may have carried it out before the connection broke.
      throw weirError('NETWORK_EXCEPTION', `the active controller at ${address} was lost during the call: `
        + error.message, 'look whether it was carried out, then retry')
    }
  }

  #peer(address: string): Peer {
    let peer = this.#peers.get(address)
    if (peer === undefined) this.#peers.set(address, peer = this.#needs.network.dial(address))
    return peer
  }
}

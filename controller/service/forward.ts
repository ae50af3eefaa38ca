// Every controller takes admin calls: the active one carries them out, a standby passes them on to it and waits, within
// the caller's deadline, for one to be elected. What may have been carried out is repeated only under its request id.

import { ErrorCode, WeirError, weirError } from '../../src/base/error-code.ts'
import {
  NetworkError, unary, type Caller, type Clock, type Handler, type Method, type Network, type Peer
} from '../../src/ports.ts'
import { OutcomeUnknown, type ActiveController } from '../active-controller.ts'
import type { Pauses } from './pauses.ts'

const RETRY_MS = 20
const REQUEST_ID = /^[A-Za-z0-9_-]{1,64}$/
/** Kept back from the caller's deadline, so that our answer arrives before it. */
const MARGIN_MS = 30

export interface ForwardNeeds {
  readonly controller: ActiveController
  readonly network: Network
  readonly clock: Clock
  /** Closed before the listener, so that nobody waits here for an election. */
  readonly pauses: Pauses
}

interface Identified { readonly requestId: string }

type Run<Req, Res> = (request: Req, caller: Caller) => Promise<Res>

export class Forwarder {
  readonly #needs: ForwardNeeds
  readonly #peers = new Map<string, Peer>()

  constructor(needs: ForwardNeeds) {
    this.#needs = needs
  }

  /** A handler that runs on the active controller, wherever the call arrives. */
  active<Req, Res>(method: Method<Req, Res>, run: Run<Req, Res>): Handler {
    return this.#handler(method, run, () => false)
  }

  /** As `active`, for a request that may carry an id: `run` must carry it out once under one id. */
  once<Req extends Identified, Res>(method: Method<Req, Res>, run: Run<Req, Res>): Handler {
    return this.#handler(method, run, ({ requestId }) => isRequestId(requestId))
  }

  #handler<Req, Res>(method: Method<Req, Res>, run: Run<Req, Res>, repeatable: (request: Req) => boolean): Handler {
    return unary(method, async (request, caller) => {
      const mayRepeat = repeatable(request)
      const { clock, pauses } = this.#needs
      const deadlineMs = clock.monotonicMs() + Math.max(caller.timeoutMs - MARGIN_MS, MARGIN_MS)
      for (;;) {
        const answer = await this.#attempt(method, request, caller, run, deadlineMs).catch((error: unknown) => {
          if (!isLost(error)) throw error
          if (!mayRepeat) throw lostOnTheWay(error)
          return undefined
        })
        if (answer !== undefined) return answer.response
        const leftMs = deadlineMs - clock.monotonicMs()
        if (leftMs <= RETRY_MS || caller.signal.aborted || pauses.closed) {
          throw weirError('REQUEST_TIMED_OUT', 'no active controller was found before the deadline',
            '`weir quorum status` shows whether a majority of the controllers is up')
        }
        await pauses.for(RETRY_MS)
      }
    })
  }

  close(): void {
    for (const peer of this.#peers.values()) peer.close()
    this.#peers.clear()
  }

  /** Undefined: nobody has carried it out, ask again. */
  async #attempt<Req, Res>(
    method: Method<Req, Res>, request: Req, caller: Caller, run: Run<Req, Res>, deadlineMs: number
  ): Promise<{ readonly response: Res } | undefined> {
    const { controller, clock } = this.#needs
    try {
      if (controller.isActive) return { response: await run(request, caller) }
      const address = controller.notController().leader?.address ?? ''
      const leftMs = deadlineMs - clock.monotonicMs()
      if (address === '' || leftMs <= 0) return undefined
      return { response: await this.#peer(address).call(method, request, leftMs) }
    } catch (error) {
      if (isLost(error)) throw error
      if (error instanceof WeirError && error.code === ErrorCode.NOT_CONTROLLER) return undefined
      throw error
    }
  }

  #peer(address: string): Peer {
    let peer = this.#peers.get(address)
    if (peer === undefined) this.#peers.set(address, peer = this.#needs.network.dial(address))
    return peer
  }
}

/** False when there is none. Throws INVALID_REQUEST for one that cannot be taken. */
function isRequestId(requestId: string): boolean {
  if (requestId === '' || REQUEST_ID.test(requestId)) return requestId !== ''
  throw weirError('INVALID_REQUEST',
    `request id ${JSON.stringify(requestId.slice(0, 100))} is not ${REQUEST_ID.source}`,
    'send a shorter one, of letters, digits, - and _, or none')
}

function isLost(error: unknown): error is Error {
  return error instanceof OutcomeUnknown || error instanceof NetworkError
}

/** The active controller may have carried it out before it, or the connection, was lost. */
function lostOnTheWay(error: Error): WeirError {
  return weirError('NETWORK_EXCEPTION', `the active controller was lost during the call: ${error.message}`,
    'look whether it was carried out, then retry')
}

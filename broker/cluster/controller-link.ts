// Finds the active controller and keeps a connection to it: by the hint in an answer, else by asking each in turn.

import { ErrorCode, WeirError, weirError } from '../../src/base/error-code.ts'
import { sleep } from '../../src/base/async.ts'
import {
  NetworkError, type Clock, type Logger, type Method, type Network, type Peer, type Timers
} from '../../src/ports.ts'

const RETRY_MS = 25

export interface ControllerLinkNeeds {
  readonly clock: Clock
  readonly timers: Timers
  readonly network: Network
  readonly logger: Logger
  /** All controllers, in any order; asked again at each step, since a test cluster learns ports late. */
  controllers(): readonly { readonly id: number; readonly address: string }[]
}

export class ControllerLink {
  readonly #needs: ControllerLinkNeeds
  readonly #peers = new Map<string, Peer>()
  #position = 0
  #hinted: string | undefined
  #closed = false

  constructor(needs: ControllerLinkNeeds) {
    this.#needs = needs
  }

  /** The controller to try now. */
  current(): Peer {
    const controllers = this.#needs.controllers()
    const address = this.#hinted ?? controllers[this.#position % controllers.length]!.address
    let peer = this.#peers.get(address)
    if (peer === undefined) {
      peer = this.#needs.network.dial(address)
      this.#peers.set(address, peer)
    }
    return peer
  }

  /** `failed` did not answer, or is not the active one: go to the hinted address, else to the next in the list. */
  moveOn(failed: Peer, hint?: string): void {
    if (this.#closed || this.current() !== failed) return
    if (hint !== undefined && hint !== '' && hint !== failed.address) {
      this.#hinted = hint
      return
    }
    const controllers = this.#needs.controllers()
    const at = controllers.findIndex(({ address }) => address === failed.address)
    this.#hinted = undefined
    this.#position = (at + 1) % controllers.length
  }

  /**
   * Calls the active controller, looking for it until `timeoutMs` is over. Rejects with WeirError (the controller
   * refused, or REQUEST_TIMED_OUT) or NetworkError. A call whose connection was lost is *not* sent again: its outcome
   * is unknown, and only the caller knows whether it may be repeated.
   */
  async call<Req, Res>(method: Method<Req, Res>, request: Req, timeoutMs: number): Promise<Res> {
    const deadlineMs = this.#needs.clock.monotonicMs() + timeoutMs
    for (;;) {
      const leftMs = deadlineMs - this.#needs.clock.monotonicMs()
      if (leftMs <= 0) {
        throw weirError('REQUEST_TIMED_OUT', `no active controller answered within ${timeoutMs} ms`,
          'check `weir quorum status`')
      }
      const peer = this.current()
      try {
        return await peer.call(method, request, leftMs)
      } catch (error) {
        if (error instanceof WeirError && error.code === ErrorCode.NOT_CONTROLLER) {
          this.moveOn(peer, error.leader?.address)
        } else {
          if (error instanceof NetworkError) this.moveOn(peer)
          throw error
        }
      }
      await sleep(this.#needs.timers, RETRY_MS)
    }
  }

  close(): void {
    this.#closed = true
    for (const peer of this.#peers.values()) peer.close()
  }
}

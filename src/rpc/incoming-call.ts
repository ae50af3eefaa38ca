// What a handler learns of the call it serves.

import type { ServerInterceptingCallInterface } from '@grpc/grpc-js'

import type { Caller } from '../ports.ts'
import { timeLeft } from './time.ts'

export class IncomingCall implements Caller {
  readonly peer: string
  readonly dialled: string
  readonly timeoutMs: number
  #controller: AbortController | undefined
  #state: 'running' | 'gone' | 'answered' = 'running'

  constructor(call: Pick<ServerInterceptingCallInterface, 'getPeer' | 'getHost' | 'getDeadline'>) {
    this.peer = call.getPeer()
    this.dialled = call.getHost()
    this.timeoutMs = timeLeft(call.getDeadline())
  }

  /** Made when asked for: few handlers do. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#state === 'gone') this.#controller.abort()
    return this.#controller.signal
  }

  /** The caller went away, or its deadline passed: gRPC says so after each call as well. */
  gone(): void {
    if (this.#state !== 'running') return
    this.#state = 'gone'
    this.#controller?.abort()
  }

  answered(): void {
    if (this.#state === 'running') this.#state = 'answered'
  }
}

// Sends a ledger's records at a fixed rate, whatever becomes of the ones before: a cluster that stalls is not given
// time to recover (no coordinated omission).

import type { Producer } from '../client/types.ts'
import { WeirError } from '../base/error-code.ts'
import type { Clock, Timer, Timers } from '../ports.ts'
import type { Ledger } from './ledger.ts'

const TICK_MS = 4
/** Records not yet answered above which sending pauses: a bound of memory, hours of silence at the usual rate. */
const OPEN_MAX = 200_000

export interface WorkloadOptions {
  readonly topic: string
  readonly producer: Producer
  readonly ledger: Ledger
  /** Records per second. */
  readonly rate: number
  readonly clock: Clock
  readonly timers: Timers
}

export class Workload {
  readonly #options: WorkloadOptions
  readonly #open = new Set<Promise<void>>()
  readonly #begunMs: number
  #timer: Timer | undefined
  #failure: string | undefined

  constructor(options: WorkloadOptions) {
    this.#options = options
    this.#begunMs = options.clock.monotonicMs()
    this.#tick(0)
  }

  /** Why the last rejected send was rejected. */
  get failure(): string | undefined { return this.#failure }

  #tick(due: number): void {
    const { clock, timers, rate } = this.#options
    this.#timer = timers.after(TICK_MS, () => {
      const target = Math.floor((clock.monotonicMs() - this.#begunMs) * rate / 1000)
      for (let number = due; number < target && this.#open.size < OPEN_MAX; number++) this.#send()
      this.#tick(Math.max(due, target))
    })
  }

  #send(): void {
    const { ledger, producer, topic, clock } = this.#options
    const { number, key, value } = ledger.next()
    const sent = producer.send({ topic, key, value }).then(
      (delivery) => { ledger.acknowledged(number, delivery, clock.monotonicMs()) },
      (error: unknown) => {
        if (!(error instanceof WeirError)) throw error
        ledger.rejected(number)
        this.#failure = `${error.name}: ${error.message}`
      }).finally(() => { this.#open.delete(sent) })
    this.#open.add(sent)
  }

  /** No more records; resolves when every one sent has been answered. */
  async stop(): Promise<void> {
    if (this.#timer !== undefined) this.#options.timers.cancel(this.#timer)
    await Promise.all(this.#open)
  }
}

// One connection to a cluster: makes producers and consumers, and ends them all.

import { weirError } from '../base/error-code.ts'
import { WeirAdmin } from './admin.ts'
import { WeirConsumer } from './consumer.ts'
import { integerOption, TIMEOUT_MS } from './options.ts'
import { WeirProducer } from './producer.ts'
import { Router } from './router.ts'
import type {
  Admin, ClientPorts, ConnectOptions, Consumer, ConsumerOptions, Producer, ProducerOptions, Weir
} from './types.ts'

const TIMEOUT_MS_DEFAULT = 30_000

class Connection implements Weir {
  readonly admin: Admin
  readonly #router: Router
  readonly #open = new Set<Producer | Consumer>()
  #closing: Promise<void> | undefined

  constructor(router: Router) {
    this.#router = router
    this.admin = new WeirAdmin(router)
  }

  producer(options: ProducerOptions = {}): Producer {
    this.#router.lifetime.check()
    return this.#keep(new WeirProducer(this.#router, options))
  }

  consumer(options: ConsumerOptions): Consumer {
    this.#router.lifetime.check()
    return this.#keep(new WeirConsumer(this.#router, options))
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> { return this.close() }

  #keep<T extends WeirProducer | WeirConsumer>(one: T): T {
    this.#open.add(one)
    one.onEnd(() => { this.#open.delete(one) })
    return one
  }

  async #close(): Promise<void> {
    try {
      await Promise.allSettled([...this.#open].map((one) => one.close()))
    } finally {
      this.#router.close()
    }
  }
}

/** Resolves when one node of `bootstrap` has answered. */
export async function openConnection(options: ConnectOptions, ports: ClientPorts): Promise<Weir> {
  const { bootstrap, signal } = options
  if (bootstrap.length === 0) {
    throw weirError('INVALID_REQUEST', 'bootstrap is empty', 'give host:port of a broker or controller')
  }
  const timeoutMs = integerOption(options.timeoutMs,
    { name: 'timeoutMs', ...TIMEOUT_MS, byDefault: TIMEOUT_MS_DEFAULT })
  const router = new Router(ports, bootstrap, timeoutMs)
  const abort = () => { router.close(signal?.reason ?? 'aborted') }
  if (signal?.aborted === true) abort()
  else signal?.addEventListener('abort', abort, { once: true })
  router.lifetime.onEnd(() => { signal?.removeEventListener('abort', abort) })
  try {
    await router.start(router.nowMs + timeoutMs)
    return new Connection(router)
  } catch (error) {
    router.close()
    throw error
  }
}

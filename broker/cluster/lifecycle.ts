// This broker's life in the cluster: registers, keeps its session alive, follows the feed, drains.
//
// starting (no registration) -> fenced (registered, catching up) -> active <-> fenced; draining at the end.

import { deferred, sleep } from '../../src/base/async.ts'
import { ErrorCode, errorName, WeirError } from '../../src/base/error-code.ts'
import { NetworkError, type Clock, type Logger, type MessageStream, type Timer, type Timers } from '../../src/ports.ts'
import type { RegisterBrokerRequest, WatchRequest, WatchResponse } from '../../src/rpc/messages.ts'
import { methods } from '../../src/rpc/protos.ts'
import type { ControllerLink } from './controller-link.ts'
import type { Metadata } from './metadata.ts'

const REGISTER_TIMEOUT_MS = 1_000
const RETRY_MS = 30
/** Heartbeats without an answer after which another controller is tried: a stopped one keeps its sockets open. */
const SILENT_HEARTBEATS_MAX = 4
/** Reports of unreachable brokers kept until they are sent. */
const REPORTS_MAX = 64

export type BrokerState = 'starting' | 'fenced' | 'active' | 'draining' | 'stopped'

export interface LifecycleNeeds {
  readonly clock: Clock
  readonly timers: Timers
  readonly logger: Logger
  readonly link: ControllerLink
  readonly metadata: Metadata
  readonly heartbeatMs: number
  /** What to register; `previousBrokerEpoch` names the clean stop, if there was one. */
  registration(): RegisterBrokerRequest
  onState(state: BrokerState): void
  /** A refusal that time will not mend: another cluster's id, another node with our id. */
  onRefused(reason: string): void
}

export class Lifecycle {
  readonly #needs: LifecycleNeeds
  readonly #stopped = deferred<void>()
  #state: BrokerState = 'starting'
  #brokerEpoch = -1
  #stream: MessageStream<WatchRequest, WatchResponse> | undefined
  #beat: Timer | undefined
  #silentBeats = 0
  #wantShutdown = false
  #wantFence = false
  #mayStop = deferred<void>()
  readonly #unreachable = new Set<number>()
  /** Told on this stream, and nothing has come back since: the next controller is told again. */
  readonly #reported = new Set<number>()

  constructor(needs: LifecycleNeeds) {
    this.#needs = needs
  }

  get state(): BrokerState { return this.#state }
  /** This process's registration; -1 before the first answer. */
  get brokerEpoch(): number { return this.#brokerEpoch }

  /** Runs until `close`. */
  start(): void { void this.#run() }

  /** A replication connection to `brokerId` was refused or reset: tells the controller now. */
  reportUnreachable(brokerId: number): void {
    if (this.#unreachable.size >= REPORTS_MAX) return
    this.#unreachable.add(brokerId)
    this.#heartbeat()
  }

  /** A log directory failed: asks to be fenced, so that others lead. */
  fence(): void {
    if (this.#wantFence) return
    this.#wantFence = true
    this.#heartbeat()
  }

  /** Asks for leaderships to move: true once nothing is led here and every broker knows, false after `timeoutMs`. */
  async drain(timeoutMs: number): Promise<boolean> {
    if (this.#brokerEpoch < 0) return true
    this.#wantShutdown = true
    this.#setState('draining')
    this.#heartbeat()
    let late = false
    const timer = this.#needs.timers.after(timeoutMs, () => {
      late = true
      this.#mayStop.resolve()
    })
    await this.#mayStop.promise
    this.#needs.timers.cancel(timer)
    return !late
  }

  close(): void {
    this.#setState('stopped')
    this.#stopBeat()
    this.#stream?.destroy('broker stops')
    this.#stopped.resolve()
  }

  async #run(): Promise<void> {
    while (this.#state !== 'stopped') {
      if (this.#brokerEpoch < 0 && !await this.#register()) {
        await sleep(this.#needs.timers, RETRY_MS)
        continue
      }
      if (await this.#watch() === 'later') await sleep(this.#needs.timers, RETRY_MS)
    }
  }

  async #register(): Promise<boolean> {
    try {
      const response = await this.#needs.link.call(
        methods.brokerLink.register, this.#needs.registration(), REGISTER_TIMEOUT_MS)
      const code = response.status?.code ?? 0
      if (code !== 0) {
        this.#registrationRefused(code, response.status?.message ?? '')
        return false
      }
      this.#brokerEpoch = response.brokerEpoch
      this.#needs.logger.info('registered', { brokerEpoch: response.brokerEpoch })
      if (this.#state === 'starting') this.#setState('fenced')
      return true
    } catch (error) {
      if (error instanceof WeirError) this.#registrationRefused(error.code, error.message)
      else if (!(error instanceof NetworkError)) throw error
      return false
    }
  }

  #registrationRefused(code: number, message: string): void {
    this.#needs.logger.warn('registration not taken', { code: errorName(code), message })
    if (code === ErrorCode.INCONSISTENT_CLUSTER_ID || code === ErrorCode.DUPLICATE_BROKER_REGISTRATION) {
      this.#needs.onRefused(message)
    }
  }

  /**
   * One feed, from opening to its end. 'now' when another controller is known already, or when a feed that worked was
   * cut: who connects again within broker.connection.loss.grace.ms is not fenced.
   */
  #watch(): Promise<'now' | 'later'> {
    const { link, metadata } = this.#needs
    const peer = link.current()
    const stream = peer.open(methods.brokerLink.watch)
    this.#stream = stream
    this.#silentBeats = 0
    let hint: string | undefined
    let worked = false
    return new Promise((resolve) => {
      stream.handle({
        message: (message) => {
          this.#silentBeats = 0
          const code = message.status?.code ?? 0
          if (code === ErrorCode.STALE_BROKER_EPOCH) this.#brokerEpoch = -1
          if (code === ErrorCode.NOT_CONTROLLER) hint = message.status?.leader?.address || undefined
          worked = code === 0 && metadata.accept(message)
          if (worked) this.#answered(message)
          else stream.destroy(code === 0 ? 'the feed does not fit' : errorName(code))
        },
        end: () => { stream.end() },
        close: () => {
          this.#stopBeat()
          this.#stream = undefined
          for (const id of this.#reported) this.#unreachable.add(id)
          this.#reported.clear()
          const cut = worked && this.#silentBeats <= SILENT_HEARTBEATS_MAX
          if (this.#brokerEpoch >= 0 && !cut) link.moveOn(peer, hint)
          resolve(cut || hint !== undefined ? 'now' : 'later')
        }
      })
      this.#heartbeat('received')
      this.#scheduleBeat()
    })
  }

  #answered(message: WatchResponse): void {
    this.#reported.clear()
    if (this.#state === 'fenced' && !message.fenced) this.#setState('active')
    else if (this.#state === 'active' && message.fenced) this.#setState('fenced')
    if (message.shouldShutdown) this.#mayStop.resolve()
  }

  #scheduleBeat(): void {
    this.#beat = this.#needs.timers.after(this.#needs.heartbeatMs, () => {
      this.#silentBeats++
      if (this.#silentBeats > SILENT_HEARTBEATS_MAX) {
        this.#needs.logger.warn('the controller is silent: tries another', { heartbeats: this.#silentBeats })
        this.#stream?.destroy('silent')
        return
      }
      this.#heartbeat()
      this.#scheduleBeat()
    })
  }

  #stopBeat(): void {
    if (this.#beat !== undefined) this.#needs.timers.cancel(this.#beat)
    this.#beat = undefined
  }

  /** The first one names where the feed goes on; the others what this broker acts on. */
  #heartbeat(position: 'received' | 'published' = 'published'): void {
    const unreachable = [...this.#unreachable]
    const sent = this.#stream?.send({
      brokerId: this.#needs.registration().brokerId,
      brokerEpoch: this.#brokerEpoch,
      metadataOffset: position === 'received'
        ? this.#needs.metadata.receivedOffset : this.#needs.metadata.publishedOffset,
      wantShutdown: this.#wantShutdown,
      wantFence: this.#wantFence,
      unreachable
    })
    if (sent === undefined) return
    for (const id of unreachable) this.#reported.add(id)
    this.#unreachable.clear()
  }

  #setState(state: BrokerState): void {
    if (this.#state === state || this.#state === 'stopped') return
    if (this.#state === 'draining' && state !== 'stopped') return
    this.#state = state
    this.#needs.logger.info('broker state', { state })
    this.#needs.onState(state)
  }
}

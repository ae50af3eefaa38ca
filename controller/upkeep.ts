// What the active controller does unasked: gives every broker a session, fences the ones that are gone, forms the
// cluster the first time, and gives leaderships back to preferred leaders.

import { WeirError } from '../src/base/error-code.ts'
import type { MetadataDelta } from '../src/metadata/delta.ts'
import type { Clock, Logger, Metrics, Timers } from '../src/ports.ts'
import type { ActiveController } from './active-controller.ts'
import { BrokerSessions } from './broker-sessions.ts'
import { LeaderBalance } from './leader-balance.ts'

export interface UpkeepNeeds {
  readonly clusterId: string
  readonly clock: Clock
  readonly timers: Timers
  readonly logger: Logger
  readonly metrics: Metrics
  readonly sessionTimeoutMs: number
  /** Take the loss of a broker's stream, and reports by others, as hints that it is gone. */
  readonly fenceOnHints: boolean
  readonly graceMs: number
  readonly rebalanceDelayMs: number
  controller(): ActiveController
}

export class Upkeep {
  readonly sessions: BrokerSessions
  readonly #needs: UpkeepNeeds
  readonly #balance: LeaderBalance
  /** Brokers whose fencing is under way. */
  readonly #fencing = new Set<number>()

  constructor(needs: UpkeepNeeds) {
    const { clock, timers, logger, sessionTimeoutMs, fenceOnHints, graceMs, rebalanceDelayMs } = needs
    this.#needs = needs
    this.sessions = new BrokerSessions({
      clock, timers, logger, sessionTimeoutMs, hints: fenceOnHints, graceMs,
      expire: (brokerId, brokerEpoch, reason) => { this.#fence(brokerId, brokerEpoch, reason) } })
    this.#balance = new LeaderBalance({
      clock, timers, delayMs: rebalanceDelayMs, image: () => needs.controller().image,
      rebalance: (brokers, max) => {
        this.#submitted(needs.controller().submit({ kind: 'rebalanceLeaders', brokers, max }))
      } })
  }

  /** This controller became active. */
  begin(): void {
    const { image } = this.#needs.controller()
    this.#needs.metrics.gauge('weir_controller_active', 1)
    this.sessions.begin()
    this.#balance.begin()
    for (const { id, epoch } of image.brokers.values()) this.sessions.started(id, epoch)
    if (image.clusterId !== '') return
    this.#submitted(this.#needs.controller().submit({ kind: 'formCluster', clusterId: this.#needs.clusterId }))
  }

  /** It is active no more. */
  end(): void {
    this.#needs.metrics.gauge('weir_controller_active', 0)
    this.sessions.end()
    this.#balance.end()
  }

  /** Committed while this controller is active: sessions follow registrations. */
  committed(delta: MetadataDelta): void {
    for (const id of delta.changedBrokers) {
      const broker = this.#needs.controller().image.brokers.get(id)
      if (broker === undefined) {
        this.sessions.ended(id)
        continue
      }
      this.sessions.started(id, broker.epoch)
      if (broker.fenced) this.sessions.fenced(id)
    }
  }

  #fence(brokerId: number, brokerEpoch: number, reason: string): void {
    const controller = this.#needs.controller()
    if (this.#fencing.has(brokerId) || controller.image.brokers.get(brokerId)?.fenced !== false) return
    this.#needs.logger.warn('broker is fenced', { broker: brokerId, brokerEpoch, reason })
    this.#needs.metrics.count('weir_broker_fences_total')
    this.#fencing.add(brokerId)
    this.#submitted(controller.submit({ kind: 'fenceBroker', brokerId, brokerEpoch })
      .finally(() => { this.#fencing.delete(brokerId) }))
  }

  /** If a decision is not taken now, the next look tries again. */
  #submitted(decision: Promise<unknown>): void {
    decision.catch((error: unknown) => {
      if (!(error instanceof WeirError)) throw error
      this.#needs.logger.debug('own decision not taken', { code: error.name, reason: error.message })
    })
  }
}

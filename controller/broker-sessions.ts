// Who is late: soft state of the active controller about the brokers it hears from, on monotonic time. Nothing of it is
// replicated; a new active controller gives every broker a fresh session.
//
// Three ways to find a broker gone, each ending in one fence command:
// - its session ran out without a heartbeat
// - its stream was lost and the same incarnation did not open another within the grace
// - others could not reach it: one of them, while it has no stream here; or two, while it is also silent here.

import type { Clock, Logger, Timer, Timers } from '../src/ports.ts'

/** How often sessions are looked at. A look that comes later than one more tick shows that this process stood still. */
const TICK_MS = 50
/** Reports of unreachable brokers kept for one broker. */
const REPORTERS_MAX = 16

export interface SessionsNeeds {
  readonly clock: Clock
  readonly timers: Timers
  readonly logger: Logger
  readonly sessionTimeoutMs: number
  /** Take the loss of a stream, and reports by others, as hints. */
  readonly hints: boolean
  readonly graceMs: number
  /** The broker is gone as far as can be known here. Called again at each look, also for fenced ones. */
  expire(brokerId: number, brokerEpoch: number, reason: string): void
}

interface Session {
  readonly brokerId: number
  readonly brokerEpoch: number
  lastContactMs: number
  /** What the broker acts on, as it said last; -1 before it said anything. */
  metadataOffset: number
  /** Open streams of this registration: more than one for a moment while it reconnects. */
  streams: number
  /** Reporting broker → when. */
  readonly reports: Map<number, number>
}

interface Waiter {
  readonly brokers: Set<number>
  readonly offset: number
  done(): void
}

export class BrokerSessions {
  readonly #needs: SessionsNeeds
  readonly #sessions = new Map<number, Session>()
  readonly #waiters = new Set<Waiter>()
  /** Looks at suspected brokers that are still to come. */
  readonly #suspicions = new Set<Timer>()
  #timer: Timer | undefined
  #running = false
  #dueMs = 0
  /** Until then lost streams and reports say nothing: this process stood still, the fault may be its own. */
  #distrustUntilMs = -1

  constructor(needs: SessionsNeeds) {
    this.#needs = needs
  }

  /** This controller became active. */
  begin(): void {
    this.#running = true
    this.#distrustUntilMs = -1
    this.#schedule()
  }

  /** It is active no more: forgets everything. */
  end(): void {
    this.#running = false
    if (this.#timer !== undefined) this.#needs.timers.cancel(this.#timer)
    this.#timer = undefined
    for (const timer of this.#suspicions) this.#needs.timers.cancel(timer)
    this.#suspicions.clear()
    this.#sessions.clear()
    for (const waiter of this.#waiters) waiter.done()
    this.#waiters.clear()
  }

  // ---- what is heard ------------------------------------------------------------------------------------

  /**
   * A registered broker, fenced or not, has a fresh session from now on; the one of the same registration stays. Nobody
   * has one before `begin` and after `end`: it would be old by the next `begin`.
   */
  started(brokerId: number, brokerEpoch: number): void {
    if (!this.#running || this.#sessions.get(brokerId)?.brokerEpoch === brokerEpoch) return
    this.#sessions.set(brokerId, {
      brokerId, brokerEpoch, lastContactMs: this.#nowMs(), metadataOffset: -1, streams: 0, reports: new Map() })
  }

  /** The broker is unregistered, or another registration follows. */
  ended(brokerId: number): void {
    this.#sessions.delete(brokerId)
    this.#checkWaiters()
  }

  /** The broker was fenced: nobody waits for it any more. */
  fenced(brokerId: number): void {
    for (const waiter of this.#waiters) waiter.brokers.delete(brokerId)
    this.#checkWaiters()
  }

  connected(brokerId: number, brokerEpoch: number): void {
    const session = this.#current(brokerId, brokerEpoch)
    if (session === undefined) return
    session.streams++
    session.lastContactMs = this.#nowMs()
    session.reports.clear()
  }

  /** One stream of this registration is gone. */
  disconnected(brokerId: number, brokerEpoch: number): void {
    const session = this.#current(brokerId, brokerEpoch)
    if (session === undefined) return
    session.streams--
    if (session.streams === 0) this.#suspect(session, 'connection lost')
  }

  heartbeat(brokerId: number, brokerEpoch: number, metadataOffset: number): void {
    const session = this.#current(brokerId, brokerEpoch)
    if (session === undefined) return
    session.lastContactMs = this.#nowMs()
    session.metadataOffset = Math.max(session.metadataOffset, metadataOffset)
    this.#checkWaiters()
  }

  /** `reporterId` (a broker that is heard here) cannot reach `brokerId`. */
  unreachable(brokerId: number, reporterId: number): void {
    const session = this.#sessions.get(brokerId)
    if (session === undefined || brokerId === reporterId) return
    if (session.reports.size >= REPORTERS_MAX && !session.reports.has(reporterId)) return
    session.reports.set(reporterId, this.#nowMs())
    if (session.streams === 0) this.#suspect(session, `unreachable for broker ${reporterId}`)
  }

  // ---- what is known ------------------------------------------------------------------------------------

  /** What the broker acts on, -1 = unknown. */
  metadataOffset(brokerId: number): number { return this.#sessions.get(brokerId)?.metadataOffset ?? -1 }
  /** It spoke, registered, or had a new controller, within the session timeout. */
  isHeard(brokerId: number): boolean {
    const session = this.#sessions.get(brokerId)
    return session !== undefined && this.#nowMs() - session.lastContactMs < this.#needs.sessionTimeoutMs
  }
  isConnected(brokerId: number): boolean { return (this.#sessions.get(brokerId)?.streams ?? 0) > 0 }

  /** Resolves when each of `brokers` acts on `offset`, is fenced or has no session any more; or after `timeoutMs`. */
  whenAt(offset: number, brokers: Iterable<number>, timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const waiter: Waiter = {
        brokers: new Set(brokers), offset,
        done: () => {
          this.#needs.timers.cancel(timer)
          resolve()
        }
      }
      const timer = this.#needs.timers.after(timeoutMs, () => {
        this.#waiters.delete(waiter)
        resolve()
      })
      this.#waiters.add(waiter)
      this.#checkWaiters()
    })
  }

  #checkWaiters(): void {
    for (const waiter of this.#waiters) {
      for (const brokerId of waiter.brokers) {
        const session = this.#sessions.get(brokerId)
        if (session === undefined || session.metadataOffset >= waiter.offset) waiter.brokers.delete(brokerId)
      }
      if (waiter.brokers.size === 0) {
        this.#waiters.delete(waiter)
        waiter.done()
      }
    }
  }

  // ---- deciding -----------------------------------------------------------------------------------------

  #current(brokerId: number, brokerEpoch: number): Session | undefined {
    const session = this.#sessions.get(brokerId)
    return session?.brokerEpoch === brokerEpoch ? session : undefined
  }

  /** Looks again after the grace: the same incarnation may come back on another connection. */
  #suspect(session: Session, reason: string): void {
    if (!this.#needs.hints) return
    const heardMs = session.lastContactMs
    const timer = this.#needs.timers.after(this.#needs.graceMs, () => {
      this.#suspicions.delete(timer)
      const stillThere = this.#sessions.get(session.brokerId) === session
      if (!stillThere || session.streams > 0 || session.lastContactMs > heardMs) return
      const nowMs = this.#nowMs()
      // A look that is overdue has not run yet: it will find that this process stood still.
      if (nowMs >= this.#distrustUntilMs && nowMs - this.#dueMs <= TICK_MS) this.#expire(session, reason)
    })
    this.#suspicions.add(timer)
  }

  #schedule(): void {
    this.#dueMs = this.#nowMs() + TICK_MS
    this.#timer = this.#needs.timers.after(TICK_MS, () => { this.#look() })
  }

  #look(): void {
    const nowMs = this.#nowMs()
    const lateMs = nowMs - this.#dueMs
    this.#schedule()
    if (lateMs > TICK_MS) {
      // Heartbeats of that time are still unread in our own sockets: time in which we stood still does not count.
      this.#needs.logger.warn('this controller stood still: sessions are extended', { stallMs: Math.round(lateMs) })
      this.#distrustUntilMs = nowMs + this.#needs.sessionTimeoutMs
      for (const session of this.#sessions.values()) {
        session.lastContactMs = Math.min(session.lastContactMs + lateMs, nowMs)
      }
    }
    for (const session of this.#sessions.values()) this.#judge(session, nowMs)
  }

  #judge(session: Session, nowMs: number): void {
    const { sessionTimeoutMs } = this.#needs
    const silentMs = nowMs - session.lastContactMs
    if (silentMs >= sessionTimeoutMs) {
      this.#expire(session, 'session timeout')
      return
    }
    for (const [reporterId, atMs] of session.reports) {
      if (nowMs - atMs > sessionTimeoutMs) session.reports.delete(reporterId)
    }
    // A broker that still speaks here is not fenced on the word of others: it would be unfenced at once, and so on.
    const silent = silentMs >= sessionTimeoutMs / 3
    if (this.#needs.hints && silent && session.reports.size >= 2 && nowMs >= this.#distrustUntilMs) {
      this.#expire(session, 'unreachable for two brokers')
    }
  }

  #expire(session: Session, reason: string): void {
    this.#needs.expire(session.brokerId, session.brokerEpoch, reason)
  }

  #nowMs(): number { return this.#needs.clock.monotonicMs() }
}

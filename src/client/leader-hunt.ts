// Asks for metadata again and again while a leader is unknown, dead or in doubt: at once, then with growing pauses.

import type { Lifetime } from './lifetime.ts'
import type { Router } from './router.ts'

const FIRST_PAUSE_MS = 10
const LONGEST_PAUSE_MS = 100

export interface HuntEvents {
  /** Is there still a leader to be found? */
  troubled(): boolean
  /** There is an answer. What it changed was told to the router's watchers before. */
  refreshed(): void
}

export class LeaderHunt {
  readonly #router: Router
  readonly #lifetime: Lifetime
  readonly #events: HuntEvents
  #running = false
  #failure: unknown

  constructor(router: Router, lifetime: Lifetime, events: HuntEvents) {
    this.#router = router
    this.#lifetime = lifetime
    this.#events = events
  }

  /** Why the latest attempt got no metadata. */
  get failure(): unknown { return this.#failure }

  /** Runs until nothing is troubled. Does nothing when it runs already. */
  start(): void {
    if (this.#running || this.#lifetime.over !== undefined) return
    this.#running = true
    void this.#run().finally(() => { this.#running = false })
  }

  async #run(): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      await this.#router.refresh().then(
        () => { this.#failure = undefined },
        (error: unknown) => { this.#failure = error })
      if (this.#over) return
      this.#events.refreshed()
      if (!this.#events.troubled()) return
      await this.#lifetime.sleep(pauseMs).catch(() => { /* ended: seen below */ })
      if (this.#over) return
    }
  }

  get #over(): boolean { return this.#lifetime.over !== undefined || this.#router.lifetime.over !== undefined }
}

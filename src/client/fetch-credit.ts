// How many bytes a consumer may have on the way and in memory, shared by its streams. Every byte of the bound is free,
// granted to a stream, or fetched and not handed out.

/** What a broker takes as the first grant of a stream. */
export const GRANT_BYTES_MIN = 1024
export const GRANT_BYTES_MAX = 64 * 1024 * 1024

export class CreditPool {
  readonly #maxBytes: number
  /** How many streams there may be. */
  readonly #streams: () => number
  readonly #waiting = new Set<() => void>()
  #freeBytes: number

  constructor(maxBytes: number, streams: () => number) {
    this.#maxBytes = maxBytes
    this.#streams = streams
    this.#freeBytes = maxBytes
  }

  get freeBytes(): number { return this.#freeBytes }

  /** What one stream should have at most. */
  get shareBytes(): number {
    const fair = Math.floor(this.#maxBytes / Math.max(this.#streams(), 1))
    return Math.min(Math.max(fair, GRANT_BYTES_MIN), GRANT_BYTES_MAX)
  }

  /** A first grant; 0 when there is too little: `retry` is called, once, when there is more. */
  take(retry: () => void): number {
    const bytes = Math.min(this.shareBytes, this.#freeBytes)
    if (bytes < GRANT_BYTES_MIN) {
      this.#waiting.add(retry)
      return 0
    }
    this.#freeBytes -= bytes
    return bytes
  }

  /** `bytes` may be negative: a broker sends one whole batch even when it exceeds the grant. */
  giveBack(bytes: number): void {
    this.#freeBytes += bytes
    if (this.#waiting.size === 0 || this.#freeBytes < GRANT_BYTES_MIN) return
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const retry of waiting) retry()
  }

  forget(retry: () => void): void { this.#waiting.delete(retry) }
}

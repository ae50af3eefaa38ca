// Progress on stderr: a bar on a terminal, now and then a plain line elsewhere.

import type { SingleBar } from 'cli-progress'

const LINE_EVERY_MS = 5_000
const BAR_EVERY_MS = 100

export interface Progress {
  /** `done` of `total` units; may be called for every record. */
  update(done: number, detail?: string): void
  stop(): void
}

export interface ProgressOptions {
  /** Undefined when nobody knows where the end is: no bar then. */
  readonly total: number | undefined
  readonly what: string
  /** What `update` counts, for people. */
  readonly show: (done: number) => string
  readonly terminal: boolean
  readonly nowMs: () => number
  readonly write: (text: string) => void
}

export async function startProgress(options: ProgressOptions): Promise<Progress> {
  if (!options.terminal || options.total === undefined) return new Lines(options)
  const { default: { SingleBar } } = await import('cli-progress')
  const bar = new SingleBar({
    format: `${options.what} {bar} {percentage}% {shown} {detail}`, hideCursor: false, clearOnComplete: true,
    stopOnComplete: false, noTTYOutput: false, barsize: 30, stream: process.stderr
  })
  bar.start(options.total, 0, { shown: options.show(0), detail: '' })
  return new Bar(bar, options)
}

class Bar implements Progress {
  readonly #bar: SingleBar
  readonly #options: ProgressOptions
  #nextMs = 0

  constructor(bar: SingleBar, options: ProgressOptions) {
    this.#bar = bar
    this.#options = options
  }

  update(done: number, detail = ''): void {
    const now = this.#options.nowMs()
    if (now < this.#nextMs) return
    this.#nextMs = now + BAR_EVERY_MS
    this.#bar.update(done, { shown: this.#options.show(done), detail })
  }

  stop(): void { this.#bar.stop() }
}

class Lines implements Progress {
  readonly #options: ProgressOptions
  #nextMs: number

  constructor(options: ProgressOptions) {
    this.#options = options
    this.#nextMs = options.nowMs() + LINE_EVERY_MS
  }

  update(done: number, detail = ''): void {
    const { nowMs, show, total, what, write } = this.#options
    const now = nowMs()
    if (now < this.#nextMs) return
    this.#nextMs = now + LINE_EVERY_MS
    const of = total === undefined ? '' : ` of ${show(total)}`
    write(`${what}: ${show(done)}${of}${detail === '' ? '' : ` ${detail}`}\n`)
  }

  stop(): void { /* lines leave nothing to take away */ }
}

/** `1.5 MiB` for people. */
export function bytesText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit++
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]!}`
}

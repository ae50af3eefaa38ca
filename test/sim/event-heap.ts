// A binary heap of events on (time, sequence).

import type { Life } from './life.ts'

export interface SimEvent {
  readonly atMs: number
  readonly sequence: number
  readonly life: Life | undefined
  readonly kind: string
  readonly detail: string
  /** Stands for bytes that the trace hash is to cover. */
  readonly sum: number
  readonly run: () => void
  cancelled: boolean
}

export class EventHeap {
  readonly #events: SimEvent[] = []

  get size(): number { return this.#events.length }

  push(event: SimEvent): void {
    const events = this.#events
    let at = events.length
    events.push(event)
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!before(event, events[parent]!)) break
      events[at] = events[parent]!
      at = parent
    }
    events[at] = event
  }

  pop(): SimEvent | undefined {
    const events = this.#events
    const first = events[0]
    const last = events.pop()
    if (first === undefined || last === undefined || events.length === 0) return first
    const { length } = events
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= length) break
      if (child + 1 < length && before(events[child + 1]!, events[child]!)) child++
      if (!before(events[child]!, last)) break
      events[at] = events[child]!
      at = child
    }
    events[at] = last
    return first
  }
}

function before(a: SimEvent, b: SimEvent): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.sequence < b.sequence)
}

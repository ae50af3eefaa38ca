// What happened: a hash over every event, and the last lines that people may want to read.

const LANES = ['c1', 'c2', 'c3', 'c4', 'c5', 'b1', 'b2', 'b3', 'b4', 'b5']

/** Texts whose sums are kept: kinds, nodes and paths come again and again. */
const KNOWN_TEXTS_MAX = 10_000

interface Line { readonly atMs: number; readonly node: string; readonly kind: string; readonly detail: string }

export class Trace {
  readonly #keep: number
  #high = 0x811c9dc5
  #low = 0x9747b28c
  #lines: Line[] = []
  readonly #sums = new Map<string, number>()
  /** Called for every event; for looking at one closely. */
  onEvent: ((atMs: number, node: string, kind: string, detail: string, sum: number) => void) | undefined

  constructor(keep: number) {
    this.#keep = keep
  }

  /** Sixteen hex digits that differ when anything happened differently. */
  get hash(): string {
    return [this.#high, this.#low].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
  }

  /** `sum` stands for the bytes that the event carries, 0 for none. */
  add(atMs: number, node: string, kind: string, detail: string, sum: number): void {
    this.#mix(Math.round(atMs * 1000) | 0)
    this.#mix(this.#sumOf(node))
    this.#mix(this.#sumOf(kind))
    if (detail !== '') this.#mix(this.#sumOf(detail))
    this.#mix(sum)
    this.onEvent?.(atMs, node, kind, detail, sum)
  }

  keep(atMs: number, node: string, kind: string, detail: string): void {
    this.#lines.push({ atMs, node, kind, detail })
    if (this.#lines.length > 2 * this.#keep) this.#lines = this.#lines.slice(-this.#keep)
  }

  /** One line an event, each node in its own lane. */
  lanes(): string {
    const lanes = LANES.filter((lane) => this.#lines.some(({ node }) => node === lane))
    const lines = this.#lines.slice(-this.#keep).map(({ atMs, node, kind, detail }) => {
      const marks = lanes.map((lane) => (lane === node ? '*' : '|').padEnd(lane.length)).join(' ')
      return `${atMs.toFixed(3).padStart(11)} ${marks} ${node.padEnd(6)} ${kind} ${detail}`
    })
    return [`${'ms'.padStart(11)} ${lanes.join(' ')}`, ...lines].join('\n') + '\n'
  }

  #sumOf(text: string): number {
    let sum = this.#sums.get(text)
    if (sum === undefined) {
      sum = text.length
      for (let index = 0; index < text.length; index++) sum = Math.imul(sum ^ text.charCodeAt(index), 0x01000193)
      if (this.#sums.size >= KNOWN_TEXTS_MAX) this.#sums.clear()
      this.#sums.set(text, sum)
    }
    return sum
  }

  #mix(word: number): void {
    this.#high = Math.imul(this.#high ^ word, 0x01000193)
    this.#low = Math.imul(this.#low ^ word, 0x01000193) ^ (this.#low >>> 15)
  }
}

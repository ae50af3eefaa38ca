// What happened: a hash over every event, and the last lines that people may want to read.

const LANES = ['c1', 'c2', 'c3', 'c4', 'c5', 'b1', 'b2', 'b3', 'b4', 'b5']

interface Line { readonly atMs: number; readonly node: string; readonly kind: string; readonly detail: string }

export class Trace {
  readonly #keep: number
  #high = 0x811c9dc5
  #low = 0x9747b28c
  #lines: Line[] = []
  /** Called for every event; for looking at one closely. */
  onEvent: ((atMs: number, node: string, kind: string, detail: string) => void) | undefined

  constructor(keep: number) {
    this.#keep = keep
  }

  /** Sixteen hex digits that differ when anything happened differently. */
  get hash(): string {
    return [this.#high, this.#low].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
  }

  add(atMs: number, node: string, kind: string, detail: string): void {
    this.#mix(Math.round(atMs * 1000) | 0)
    this.#text(node)
    this.#text(kind)
    this.#text(detail)
    this.onEvent?.(atMs, node, kind, detail)
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

  #text(text: string): void {
    for (let index = 0; index < text.length; index++) this.#mix(text.charCodeAt(index))
    this.#mix(text.length)
  }

  #mix(word: number): void {
    this.#high = Math.imul(this.#high ^ word, 0x01000193)
    this.#low = Math.imul(this.#low ^ word, 0x01000193) ^ (this.#low >>> 15)
  }
}

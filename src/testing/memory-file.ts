// One file of the memory disk: its bytes in chunks, and what to undo when the power fails before a sync.

const CHUNK_BYTES = 64 * 1024
const FIRST_BYTES = 1024

/** What the last change overwrote or cut off, so that it can be taken back. */
interface Undo {
  readonly position: number
  /** The bytes from `position` before the change; none for a pure append. */
  readonly bytes: Uint8Array
  readonly oldSize: number
}

export class MemoryFile {
  /** All of CHUNK_BYTES, but a lone first one, which grows. */
  readonly #chunks: Uint8Array[] = []
  #size = 0
  #undo: Undo[] = []
  /** Changes made durable so far; marks count from the beginning of the file's life. */
  #settled = 0
  #lastMark = 0

  get size(): number { return this.#size }
  /** Every byte, and the length, would survive a power loss. */
  get isDurable(): boolean { return this.#undo.length === 0 }

  /** Bytes read: fewer than `into.length` at end of file only. */
  read(into: Uint8Array, position: number): number {
    const length = Math.max(0, Math.min(into.length, this.#size - position))
    for (let done = 0; done < length;) {
      const at = (position + done) % CHUNK_BYTES
      const chunk = this.#chunks[Math.floor((position + done) / CHUNK_BYTES)]!
      const part = chunk.subarray(at, at + length - done)
      into.set(part, done)
      done += part.length
    }
    return length
  }

  /** Copies `bytes` to `position`; a gap before it reads as zeros. */
  write(bytes: Uint8Array, position: number): void {
    if (bytes.length === 0) return
    this.#remember(position, position + bytes.length)
    this.#put(bytes, position)
  }

  /** Cuts, or extends with zeros. */
  truncate(size: number): void {
    if (size === this.#size) return
    this.#remember(size, this.#size)
    this.#resize(size)
  }

  /** Marks what is written now; `settle` with the mark makes it durable. */
  mark(): number {
    this.#lastMark = this.#settled + this.#undo.length
    return this.#lastMark
  }

  settle(mark: number): void {
    const changes = mark - this.#settled
    if (changes <= 0) return
    this.#undo.splice(0, changes)
    this.#settled = mark
  }

  /** Back to the last settled state. */
  losePower(): void {
    for (const { position, bytes, oldSize } of this.#undo.toReversed()) {
      this.#put(bytes, position)
      this.#resize(oldSize)
    }
    this.#undo = []
    this.#lastMark = this.#settled
  }

  copy(): Uint8Array {
    const bytes = new Uint8Array(this.#size)
    this.read(bytes, 0)
    return bytes
  }

  /**
   * Before a change of [from, to). An append behind another change since the mark needs nothing: taking that one back
   * restores the size it found.
   */
  #remember(from: number, to: number): void {
    const kept = Math.max(0, Math.min(to, this.#size) - from)
    if (kept === 0 && this.#settled + this.#undo.length > this.#lastMark) return
    const bytes = new Uint8Array(kept)
    this.read(bytes, from)
    this.#undo.push({ position: from, bytes, oldSize: this.#size })
  }

  #put(bytes: Uint8Array, position: number): void {
    if (position + bytes.length > this.#size) this.#resize(position + bytes.length)
    for (let done = 0; done < bytes.length;) {
      const at = (position + done) % CHUNK_BYTES
      const chunk = this.#chunks[Math.floor((position + done) / CHUNK_BYTES)]!
      const part = bytes.subarray(done, done + chunk.length - at)
      chunk.set(part, at)
      done += part.length
    }
  }

  /** Bytes behind the size are zeros at all times. */
  #resize(size: number): void {
    if (size > this.#size) this.#reserve(size)
    else {
      this.#chunks.length = Math.min(this.#chunks.length, Math.ceil(size / CHUNK_BYTES))
      if (size % CHUNK_BYTES !== 0) this.#chunks.at(-1)?.fill(0, size % CHUNK_BYTES)
    }
    this.#size = size
  }

  #reserve(size: number): void {
    const first = this.#chunks[0]
    const wanted = Math.min(CHUNK_BYTES, size)
    if (first === undefined || first.length < wanted) {
      const grown = new Uint8Array(Math.max(FIRST_BYTES, 2 ** Math.ceil(Math.log2(wanted))))
      if (first !== undefined) grown.set(first)
      this.#chunks[0] = grown
    }
    while (this.#chunks.length * CHUNK_BYTES < size) this.#chunks.push(new Uint8Array(CHUNK_BYTES))
  }
}

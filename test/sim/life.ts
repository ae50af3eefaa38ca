// One run of a process.

/** Events of a dead one are dropped, and its ports are silent. */
export class Life {
  readonly node: string
  alive = true

  constructor(node: string) {
    this.node = node
  }
}

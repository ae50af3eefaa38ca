// The broker's image of the cluster: follows the active controller's feed, refuses gaps and zombies, and publishes
// (delta, image) to the subsystems in a fixed order, one change at a time.

import { SerialQueue } from '../../src/base/async.ts'
import { decodeRecord } from '../../src/metadata/codec.ts'
import { MetadataDelta } from '../../src/metadata/delta.ts'
import { EMPTY_IMAGE, type MetadataImage } from '../../src/metadata/image.ts'
import type { Logger } from '../../src/ports.ts'
import type { WatchResponse } from '../../src/rpc/messages.ts'

/** Resolves when the subsystem acts on the new image; the next change waits for it. */
export type Publish = (delta: MetadataDelta, previous: MetadataImage, next: MetadataImage) => Promise<void>

export class Metadata {
  readonly #logger: Logger
  readonly #queue = new SerialQueue()
  readonly #subscribers: Publish[] = []
  #image: MetadataImage = EMPTY_IMAGE
  #receivedOffset = -1
  #publishedOffset = -1
  #controllerEpoch = -1
  #controllerId = -1

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /** The newest image that every subsystem has seen, or is being shown. */
  get image(): MetadataImage { return this.#image }
  /** Last metadata offset that every subsystem acts on; -1 before the first image. */
  get publishedOffset(): number { return this.#publishedOffset }
  get receivedOffset(): number { return this.#receivedOffset }
  get controllerId(): number { return this.#controllerId }

  /** Called in the order given here. */
  subscribe(publish: Publish): void { this.#subscribers.push(publish) }

  /**
   * Takes one message of the feed in. False when it does not fit (a gap, or a controller of an older term): the caller
   * must open the feed again at `receivedOffset`.
   */
  accept(message: WatchResponse): boolean {
    if (message.controllerEpoch < this.#controllerEpoch) return false
    this.#controllerEpoch = message.controllerEpoch
    this.#controllerId = message.controllerId
    if (message.toOffset <= this.#receivedOffset && !message.image) return true
    if (!message.image && message.fromOffset !== this.#receivedOffset) {
      this.#logger.warn('gap in the metadata feed: asks again', {
        fromOffset: message.fromOffset, receivedOffset: this.#receivedOffset })
      return false
    }
    if (message.image && message.toOffset < this.#receivedOffset) return true
    this.#receivedOffset = message.toOffset
    void this.#queue.run(() => this.#publish(message))
    return true
  }

  async #publish(message: WatchResponse): Promise<void> {
    const previous = this.#image
    const delta = new MetadataDelta(message.image ? EMPTY_IMAGE : previous)
    for (const record of message.records) delta.replay(decodeRecord(record))
    this.#image = delta.apply(message.toOffset)
    const shown = message.image ? MetadataDelta.between(previous, this.#image) : delta
    for (const publish of this.#subscribers) await publish(shown, previous, this.#image)
    this.#publishedOffset = message.toOffset
  }

  /** Resolves when everything accepted so far is published. */
  idle(): Promise<void> { return this.#queue.idle() }
}

// All checkers that look after every event.

import type { RaftEnvelope } from '../../../src/rpc/messages.ts'
import { methods } from '../../../src/rpc/protos.ts'
import type { SimCluster } from '../cluster.ts'
import { MetadataSanity } from './metadata-sanity.ts'
import { RaftSafety } from './raft-safety.ts'
import { Replication } from './replication.ts'

export class Watch {
  readonly raft: RaftSafety
  readonly metadata: MetadataSanity
  readonly replication: Replication
  readonly #cluster: SimCluster

  constructor(cluster: SimCluster) {
    this.#cluster = cluster
    this.raft = new RaftSafety(cluster)
    this.metadata = new MetadataSanity(cluster)
    this.replication = new Replication(cluster)
    const byName = new Map(cluster.nodes.map((node) => [node.name, node]))
    cluster.network.onMessage = (host, path, message) => {
      const node = byName.get(host)
      if (node?.kind === 'controller' && path === methods.raft.exchange.path) {
        this.raft.told(node, message as RaftEnvelope)
      }
    }
    cluster.world.onSettled = (name) => {
      const node = byName.get(name)
      if (node === undefined) return
      if (node.kind === 'broker') {
        this.replication.look(node)
        if (node.broker !== undefined) this.raft.lookAtImage(node.name, node.broker.metadata.image)
      } else {
        this.raft.look(node)
        this.metadata.look()
      }
    }
  }

  /** At rest: every image hashed, every one at the same offset. */
  final(): void {
    for (const node of this.#cluster.nodes) {
      const image = node.broker?.metadata.image ?? node.controller?.controller.image
      if (image !== undefined && image.offset >= 0) this.raft.lookAtImage(node.name, image, true)
    }
  }
}

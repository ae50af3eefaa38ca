// Picks the leader of a partition.
//
// Clean: the first assigned replica, in order, that is in the ISR and may lead. Unclean, where asked or configured: the
// first assigned replica that may lead at all; its log then decides what was acknowledged, so records may be lost.

import { topicConfig } from '../../src/config/keys.ts'
import { isActive, NO_CONFIGS, type MetadataImage, type PartitionImage } from '../../src/metadata/image.ts'

/** Whether a broker may take a leadership. */
export type CanLead = (brokerId: number) => boolean

export interface Elected {
  /** -1 = nobody can lead. */
  readonly leader: number
  readonly unclean: boolean
}

export function electLeader(
  partition: Pick<PartitionImage, 'replicas' | 'isr'>, canLead: CanLead, uncleanAllowed: boolean): Elected {
  const able = partition.replicas.filter(canLead)
  const inSync = able.find((id) => partition.isr.includes(id))
  if (inSync !== undefined) return { leader: inSync, unclean: false }
  const first = able[0]
  return uncleanAllowed && first !== undefined ? { leader: first, unclean: true } : { leader: -1, unclean: false }
}

/** Brokers that are registered, unfenced and not draining, as `image` has them. */
export function activeIn(image: MetadataImage): CanLead {
  return (brokerId) => isActive(image.brokers.get(brokerId))
}

export function uncleanElectionEnabled(image: MetadataImage, topicId: string): boolean {
  return topicConfig(image.configs.topics.get(topicId) ?? NO_CONFIGS)['unclean.leader.election.enable']
}
